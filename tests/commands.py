"""Commands run in the process that tests them, what they print read back, and the wire's answer to compare it with."""

import csv
import io
import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import inf

from click.testing import CliRunner
from jsonschema import Draft202012Validator

from tploracle.cli.main import main
from tploracle.wire.requests import Session

from .processes import PATIENT

SCHEMA = json.loads(files("tploracle.cli").joinpath("output.schema.json").read_text(encoding="utf-8"))


@cache
def validator(name):
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def line(text):
    """Return the words of a command line."""
    return text.split()


def run(*args, status=0, stdin=None):
    """Run a command that ends with this status; `.stdout` and `.stderr` hold what it printed, `.output` both."""
    words = [str(arg) for arg in args]
    result = CliRunner().invoke(main, words, input=stdin, prog_name="tploracle", catch_exceptions=False)
    assert result.exit_code == status, result.output
    return result


def refused(*args, status=2, stdin=None):
    """Return the message of a command that must fail: one line on standard error, nothing on standard output."""
    result = run(*args, status=status, stdin=stdin)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def values(*args, stdin=None):
    """Return what a command prints with --json, a value a line, each as the schema of the command's output has it."""
    found = [json.loads(line) for line in run(*args, "--json", stdin=stdin).stdout.splitlines()]
    name = "spend_history" if "--history" in args else args[0]
    for one in found if name in SCHEMA["$defs"] else []:
        validator(name).validate(one)
    return found


def value(*args, stdin=None):
    """Return the one value that a command prints with --json."""
    (one,) = values(*args, stdin=stdin)
    return one


def ends(level):
    """Return both ends of a printed enclosure."""
    return tuple(inf if level[end] == "inf" else Fraction(level[end]) for end in ("lower", "upper"))


def exact(levels):
    """Return the exact texts of printed levels."""
    return [level["exact"] for level in levels]


def csv_rows(*args, stdin=None):
    """Return the rows that a command prints with --csv, by the names of their columns."""
    return list(csv.DictReader(io.StringIO(run(*args, "--csv", stdin=stdin).stdout)))


def answer(op, digits=17, **given):
    """Return what the wire answers to a request, as JSON is read back."""
    return json.loads(json.dumps(Session().answer(op, given, digits)))


def program(*args, stdin=None, **options):
    """Run a command as a program of its own, which costs a second: for what cannot be seen in this process."""
    words = [sys.executable, "-m", "tploracle", *map(str, args)]
    return subprocess.run(words, input=stdin, capture_output=True, text=True, check=False, timeout=PATIENT, **options)


UNHEARD = "unheard"
"""A stream that nobody reads any more, for `forked`."""

FORKS = """
import json, os, sys, tempfile
from click import Context
from tploracle.cli.main import main
from tploracle.output import progress

def scratch():
    descriptor, name = tempfile.mkstemp()
    os.unlink(name)
    return descriptor

progress.INTERVAL = 10_000.0
found = []
for words, streams in json.load(sys.stdin):
    main.get_command(Context(main), words[0])  # imported once
    texts = scratch(), scratch()
    pid = os.fork()
    if pid == 0:
        standard = [os.open(os.devnull, os.O_RDONLY), *texts]
        for number, target in streams:
            if target == "unheard":
                reader, standard[number] = os.pipe()
                os.close(reader)
            elif target is not None:
                standard[number] = os.open(target, os.O_WRONLY)
        for number, descriptor in enumerate(standard):
            os.dup2(descriptor, number)
        os.closerange(3, 100)
        for number, target in streams:
            if target is None:
                os.close(number)
        sys.argv[1:] = words
        main(prog_name="tploracle")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    found.append([status, *(os.pread(text, 1 << 20, 0).decode() for text in texts)])
print(json.dumps(found))
"""


def forked(*lines, **streams):
    """Run command lines, each in a process of its own that one program forks; return status, output and error output.

    A stream is closed (None), UNHEARD, or the file of a path: `stdout=UNHEARD`, `stderr="/dev/full"`.
    """
    descriptors = [(["stdin", "stdout", "stderr"].index(name), target) for name, target in streams.items()]
    jobs = json.dumps([[list(map(str, words)), descriptors] for words in lines])
    command = [sys.executable, "-c", FORKS]
    done = subprocess.run(command, input=jobs, capture_output=True, text=True, check=False, timeout=PATIENT)
    assert done.returncode == 0, done.stderr
    return [tuple(found) for found in json.loads(done.stdout)]
