"""Files made wrong, given to each command that reads one: an answer, or an error by name on one line, and no more."""

import io
import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow
import scipy.sparse
from click.testing import CliRunner
from pyarrow import parquet

from tploracle.cli.main import main
from tploracle.contract.errors import ERRORS

from .finding import require
from .mutations import damaged, mutated, written

CSV = "0.8,0.2\n0.4,0.6\n"
NAMED = ",home,work\nhome,0.8,0.2\nwork,0.4,0.6\n"
EXACT = {"forward": [["4/5", "1/5"], ["1/2", "1/2"]]}
BOTH = {"forward": [["4/5", "1/5"], ["2/5", "3/5"]], "backward": [["1", "0"], ["1/5", "4/5"]]}
COUNTS = {"states": ["a", "b"], "counts": [[3, 1], [1, 4]], "first": [1, 1]}
SEQUENCES = "a b a\nb b a a\n"
LISTED = "home,work,home\nwork,work,home,\n"
PERCENTAGES = "home;work\n80;20\n12.5;87.5\n"
TALLIES = "\thome\twork\nhome\t3\t1\nwork\t1\t4\n"
LOG = "user,time,state\nann,1,a\nann,2,b\nbob,2,b\nann,3,a\nbob,9,b\n"
USERS = {"ann": {"backward": [["4/5", "1/5"], ["0", "1"]]}, "bob": {"forward": [["1/2", "1/2"], ["1/3", "2/3"]]}}
BUDGETS = "0.1\n0.2\n1/3\n"
CERTIFICATE = {
    "certificate": "bounded", "version": 1, "digits": 17, "matrix": [["4/5", "1/5"], ["0", "1"]],
    "epsilon": "1/10", "bound": "2", "level": "2",
}  # fmt: skip

READERS = (
    ("loss FILE --alpha 1", "CSV NAMED EXACT"),
    ("loss FILE --alpha 1 --role backward", "BOTH COUNTS"),
    ("loss FILE --alpha 1 --float64", "CSV NAMED ARRAY SPARSE PARQUET"),
    ("loss FILE --alpha 1 --normalise", "CSV NAMED"),
    ("loss-function FILE", "CSV EXACT"),
    ("leakage --backward FILE --one-sided --epsilon 0.1 --steps 3", "CSV NAMED COUNTS"),
    ("leakage --backward FILE --forward FILE --epsilon 0.1 --steps 3", "CSV BOTH COUNTS"),
    ("leakage --independent --epsilons FILE", "BUDGETS"),
    ("leakage --users FILE --one-sided --epsilon 0.1 --steps 2", "USERS"),
    ("supremum FILE --one-sided --epsilon 1/10", "CSV EXACT"),
    ("allocate --backward FILE --one-sided --alpha 1 --method upper-bound", "CSV COUNTS"),
    ("allocate --forward FILE --one-sided --alpha 1 --method quantified --steps 3", "CSV EXACT"),
    ("composition --backward FILE --one-sided --epsilon 0.1 --steps 4 --w 2", "CSV BOTH"),
    ("control FILE --previous 0.1 --cap 1", "CSV EXACT"),
    ("smooth FILE --s 1/10", "CSV EXACT"),
    ("reverse FILE --stationary", "CSV EXACT"),
    ("attack --backward FILE --one-sided --epsilon 0.1 --steps 3", "CSV NAMED COUNTS"),
    ("estimate FILE --separator blank", "SEQUENCES"),
    ("estimate FILE --separator comma", "LISTED"),
    ("uncertainty FILE --separator blank --epsilon 0.1 --steps 2 --draws 2", "SEQUENCES"),
    ("loss FILE --alpha 1 --entries percentages", "PERCENTAGES"),
    ("loss FILE --alpha 1 --entries counts --role backward", "TALLIES"),
    ("estimate FILE --user user --time time --state state", "LOG"),
    ("audit --backward FILE --one-sided", "CSV BOTH COUNTS"),
    ("certify loss FILE --alpha 1", "CSV EXACT"),
    ("check FILE", "CERTIFICATE"),
    ("spend LEDGER --init --users FILE --one-sided --epsilon 0.1", "USERS"),
)
"""Commands that read a file, and the kinds of file that they are given."""

STRANGE = (
    b"", b"\n", b"\0", b"\xef\xbb\xbf" + CSV.encode(), CSV.encode("utf-16"), CSV.replace("\n", "\r\n").encode(),
    CSV.replace("\n", "\r").encode(), b'"' + b"x" * 200_000, b"1," * 60_000 + b"1\n", b"1\n" * 60_000, b"[" * 100_000,
    b"0.8;0.2\n0;1\n", b"0.8 0.2\n0 1\n", b"0,8;0,2\n", b"=1+1,2\n", b"nan,nan\nnan,nan\n",
    b"\xff\xfe\xfd", b"{}", b"null", b"1e999999999,1\n0,1\n",
)  # fmt: skip


def words(command, path):
    """Return the words of a command on a file. Beside it is room for a ledger."""
    places = {"FILE": str(path), "LEDGER": f"{path}.ledger"}
    return [places.get(word, word) for word in command.split(" ")]


@cache
def _binary(kind):
    """Return a matrix of doubles as libraries write it."""
    stream, matrix = io.BytesIO(), np.array([[0.75, 0.25], [0.5, 0.5]])
    match kind:
        case "ARRAY":
            np.save(stream, matrix)
        case "SPARSE":
            scipy.sparse.save_npz(stream, scipy.sparse.csr_matrix(matrix))
        case "PARQUET":
            parquet.write_table(pyarrow.table({"a": matrix[:, 0], "b": matrix[:, 1]}), stream)
    return stream.getvalue()


def whole(kind):
    """Return an honest file of a kind."""
    content = globals().get(kind)
    if isinstance(content, dict):
        return json.dumps(content).encode()
    return _binary(kind) if content is None else content.encode()


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
        run(words(command, path), content)


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
    content = globals().get(kind)
    if not isinstance(content, dict):
        content = whole(kind)
    else:
        for _ in range(random.choice((0, 1, 1, 2))):
            content = mutated(random, content)
        content = written(random, content)
    return damaged(random, content) if random.randrange(3) else content
