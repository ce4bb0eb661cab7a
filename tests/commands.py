"""Commands run in the process that tests them, what they print read back, and the wire's answer to compare it with."""

import csv
import io
import json
import subprocess
import sys

from click.testing import CliRunner

from tploracle.cli.main import main
from tploracle.wire.requests import Session

from .processes import PATIENT


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
    """Return what a command prints with --json: a value a line."""
    return [json.loads(line) for line in run(*args, "--json", stdin=stdin).stdout.splitlines()]


def value(*args, stdin=None):
    """Return the one value that a command prints with --json."""
    (one,) = values(*args, stdin=stdin)
    return one


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
