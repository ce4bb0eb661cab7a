"""Files made wrong, given to each command that reads one: an answer, or an error by name on one line, and no more."""

import tempfile
from pathlib import Path

from click.testing import CliRunner

from tploracle.cli.main import main
from tploracle.contract.errors import ERRORS

from .finding import require
from .mutations import damaged, mutated, written

CSV = "0.8,0.2\n0,1\n"
EXACT = {"forward": [["4/5", "1/5"], ["0", "1"]], "backward": [["1", "0"], ["1/5", "4/5"]]}
COUNTS = {"states": ["a", "b"], "transitions": [[3, 1], [1, 4]]}
SEQUENCES = "user,1,2,3\na,b,a\nb,b,a,a\n"
USERS = '{"matrix": [["4/5", "1/5"], ["0", "1"]]}\n{"matrix": [["1/2", "1/2"], ["1/3", "2/3"]]}\n'
BUDGETS = "0.1\n0.2\n1/3\n"
CERTIFICATE = {
    "certificate": "bounded", "version": 1, "digits": 17, "matrix": [["4/5", "1/5"], ["0", "1"]],
    "epsilon": "1/10", "bound": "2", "level": "2",
}  # fmt: skip

READERS = (
    ("loss FILE --alpha 1", "CSV EXACT COUNTS"),
    ("loss-function FILE", "CSV EXACT"),
    ("leakage FILE --epsilon 0.1 --steps 3", "CSV EXACT COUNTS"),
    ("leakage --backward FILE --epsilons FILE", "CSV BUDGETS"),
    ("leakage --users FILE --epsilon 0.1 --steps 2", "USERS CSV"),
    ("supremum FILE --epsilon 1/10", "CSV EXACT COUNTS"),
    ("allocate FILE --alpha 1 --method upper-bound", "CSV EXACT COUNTS"),
    ("allocate FILE --alpha 1 --method quantified --horizon 3", "CSV EXACT"),
    ("composition FILE --epsilon 0.1 --steps 4 --w 2", "CSV EXACT"),
    ("control FILE --previous 0.1 --cap 1", "CSV EXACT"),
    ("smooth FILE --s 1/10", "CSV EXACT"),
    ("reverse FILE --stationary", "CSV EXACT"),
    ("reverse FILE --initial FILE", "CSV EXACT BUDGETS"),
    ("estimate FILE", "SEQUENCES CSV"),
    ("audit FILE", "CSV EXACT COUNTS"),
    ("certify loss FILE --alpha 1", "CSV EXACT"),
    ("check FILE", "CERTIFICATE EXACT"),
)
"""Commands that read a file, and the kinds of file that they are given."""

STRANGE = (
    b"", b"\n", b"\0", b"\xef\xbb\xbf" + CSV.encode(), CSV.encode("utf-16"), CSV.replace("\n", "\r\n").encode(),
    CSV.replace("\n", "\r").encode(), b'"' + b"x" * 200_000, b"1," * 60_000 + b"1\n", b"1\n" * 60_000, b"[" * 100_000,
    b"0.8;0.2\n0;1\n", b"0.8 0.2\n0 1\n", b"0,8;0,2\n", b"=1+1,2\n", b"nan,nan\nnan,nan\n",
    b"\xff\xfe\xfd", b"{}", b"null", b"1e999999999,1\n0,1\n",
)  # fmt: skip


def attack(random):
    """Run one command. Raises: Finding."""
    command, kinds = random.choice(READERS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, random.choice(("m.csv", "m.json", "m", "ä b.csv")))
        content = _content(random, random.choice(kinds.split()))
        match random.randrange(30):
            case 0:
                path.mkdir()
            case 1:
                path.symlink_to(path)
            case 2:
                path.symlink_to("nowhere")
            case 3:
                path.write_bytes(content)
                path.chmod(0)
            case _:
                path.write_bytes(content)
        run([str(path) if word == "FILE" else word for word in command.split(" ")], content)


def run(arguments, cause=b""):
    """Run a command in this process. Raises: Finding where it ends in another way than it may."""
    result = CliRunner().invoke(main, arguments)
    said = " ".join(word for word in arguments if not word.startswith("/"))
    escaped = result.exception is not None and not isinstance(result.exception, SystemExit)
    require(not escaped, f"{said}: {result.exception!r} escapes", cause)
    require(result.exit_code in (0, 1, 2, 3), f"{said}: status {result.exit_code}", cause)
    require("Traceback" not in result.output + result.stderr, f"{said}: a traceback", cause)
    if result.exit_code == 2 and arguments[0] != "check":
        line = result.stderr.strip().splitlines()[-1]
        name = line.partition(":")[0]
        require(name in ERRORS or name in ("Error", "NotUnique"), f"{said}: the error is {line!r}", cause)


def _content(random, kind):
    """Return a file of a kind, made wrong."""
    if not random.randrange(6):
        return random.choice(STRANGE)
    whole = globals()[kind]
    if isinstance(whole, dict):
        for _ in range(random.choice((0, 1, 1, 2))):
            whole = mutated(random, whole)
        whole = written(random, whole)
    else:
        whole = whole.encode()
    return damaged(random, whole) if random.randrange(3) else whole
