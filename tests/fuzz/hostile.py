"""A hostile folder and a hostile world: commands that are started where somebody else has put what they may stumble on.

A command answers what it answers elsewhere, or is an error by name; no file is lost or changed but the one that it is
told to write, nothing of the folder is executed, and it comes to an end.
"""

import io
import os
import resource
import signal
import sqlite3
import stat
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import pyarrow
import pyarrow.parquet

from tploracle.cli.main import main
from tploracle.data import files
from tploracle.data.ledger import opened_ledger
from tploracle.reference import InvalidRequest

from ..commands import run
from . import forged
from .finding import Finding
from .surroundings import SIDES, interrupted, name_another

MODULES = sorted({*sys.stdlib_module_names, "numpy", "pyarrow", "flint", "numba", "tploracle", "sitecustomize"})

RC = (
    "matplotlibrc", ".matplotlibrc", ".numba_config.yaml", "pyproject.toml", "setup.cfg", "x.pth", "pyvenv.cfg", ".env",
    ".sqliterc", ".python-version", "usercustomize.py", "conftest.py", "__main__.py", "hypothesis.ini", "dask.yaml",
)  # fmt: skip

STREAM = ("--one-sided", "--epsilon", "1/10", "--steps", "3")
READING = (
    ("leakage", "--backward", "m.csv", *STREAM),
    ("leakage", "--backward", "m.csv", *STREAM, "--csv"),
    ("leakage", "--users", "u.json", *STREAM, "--json"),
    ("loss", "m.parquet", "--alpha", "1"),
    ("loss", "m.csv", "--alpha", "1"),
    ("smooth", "m.csv", "--s", "1/3"),
    ("spend", "l.db"),
    ("spend", "l.db", "--history", "--json"),
)
"""Commands that write nothing."""

SPEND = ("spend", "l.db", "--epsilon", "1/100", "--id", "more")

_SECONDS = 60

SILENCE = 0.2
"""Seconds that a command waits for who writes into a pipe, instead of a minute."""

_STATUSES = {0, 2, 3, 4, 5}
_NOT_SHOWN = 4
"""Recorded, but the answer cannot be shown."""


def furnish(folder):
    """Put what the commands read into a folder."""
    (folder / "m.csv").write_text("0.8,0.2\n0,1\n")
    (folder / "n.csv").write_text("1/2,1/2\n0,1\n")
    (folder / "u.json").write_text('{"ann": {"backward": "m.csv"}, "bob": {"backward": "n.csv"}}')
    (folder / "l.db").write_bytes(forged.honest()[0])
    (folder / "m.parquet").write_bytes(_parquet())


@cache
def _parquet():
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"a": ["0.8", "0"], "b": ["0.2", "1"]}), content)
    return content.getvalue()


def started(folder, words, world=lambda: None):
    """Run a command in a fork of this process. Returns: its exit status, and what it printed on either stream."""
    out, err = folder.parent / "out", folder.parent / "err"
    pid = os.fork()
    if not pid:
        status = 99
        try:
            os.chdir(folder)
            for descriptor, path in ((1, out), (2, err)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
            files.MOST_SILENCE = SILENCE
            signal.alarm(_SECONDS)
            world()
            status = main([*words], prog_name="tploracle", standalone_mode=True) or 0
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 98
        finally:
            with suppress(Exception):
                sys.stdout.flush()
            with suppress(Exception):
                sys.stderr.flush()
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status, out.read_bytes(), err.read_bytes()


@cache
def warmed():
    """Run each command in this process, which imports what its forks need."""
    with tempfile.TemporaryDirectory() as name:
        base, here = Path(name), Path.cwd()
        furnish(base)
        os.chdir(base)
        try:
            interrupted(base / "l.db")
            for words in (*READING, SPEND):
                run(*words)
        finally:
            os.chdir(here)


@cache
def expected(words):
    """Return what a command prints in a folder where nothing else is."""
    warmed()
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base, "folder")
        folder.mkdir()
        furnish(folder)
        status, out, err = started(folder, words)
        if status:
            raise Finding(f"{words}: {err!r}")
        return out


def prepare():
    """Make ready what every try needs."""
    for words in READING:
        expected(words)


def plant(folder, base, random):
    """Put something hostile into the folder. Returns: what it is, in words."""
    deed = random.choice(("module", "rc", "side", "interrupted", "input", "owner", "mode"))
    note = f"open({str(base / 'executed')!r}, 'a').write('x')\n"
    match deed:
        case "module":
            for name in random.sample(MODULES, 5):
                (folder / f"{name}.py").write_text(note)
        case "rc":
            content = random.choice((note, "]][[\x1b", "text.usetex: True\nbackend: x\n", "import os; " + note, "\0"))
            (folder / random.choice(RC)).write_text(content)
        case "side":
            side = random.choice([*SIDES])
            with suppress(FileExistsError):
                SIDES[side](folder / "l.db", base / "victim")
            return side
        case "interrupted":
            if any(os.path.lexists(folder / f"l.db{end}") for end in ("-journal", "-wal", "-shm")):
                return "has a journal"  # with which it is not opened here: that would be the loss itself
            try:
                interrupted(folder / "l.db")
            except (OSError, sqlite3.Error):  # for what was planted before
                return "not interrupted"
            if random.randrange(2):
                name_another(folder / "l.db", base / "victim")
                return "names another"
        case "input":
            target = folder / random.choice(("m.csv", "n.csv", "u.json", "l.db"))
            target.unlink()
            kind = random.choice(("link", "loop", "pipe", "folder", "device", "outside"))
            match kind:
                case "link":
                    target.symlink_to(base / "victim")
                case "outside":
                    target.symlink_to("/proc/self/environ")
                case "loop":
                    target.symlink_to(target.name)
                case "pipe":
                    os.mkfifo(target)
                case "folder":
                    target.mkdir()
                case "device":
                    target.symlink_to("/dev/zero" if random.randrange(2) else "/dev/full")
            return f"{target.name} is a {kind}"
        case "owner":
            name = random.choice(("l.db", "m.csv", "l.db-journal"))
            with suppress(OSError):  # of a link that leads nowhere
                (folder / name).touch()
                if not os.geteuid():
                    os.chown(folder / name, 12345, 12345)
            return f"{name} of another"
        case "mode":
            name, mode = (
                random.choice(("l.db", "m.csv", "u.json", ".")),
                random.choice((0, 0o222, 0o777, 0o4755, 0o1777)),
            )
            with suppress(OSError):
                (folder / name).chmod(mode | (0o700 if name == "." else 0))
            return f"{name} of mode {mode:o}"
    return deed


def a_world(folder, base, random):
    """Return what changes the world of a process, and in words."""
    name = random.choice(("usual", "umask", "TMPDIR", "HOME", "closed", "clock", "disk", "no TMPDIR", "variables"))
    size = random.randrange(64 << 10)
    closed = random.sample((0, 1, 2), random.randint(1, 3))

    def world():
        match name:
            case "umask":
                os.umask(0)
            case "TMPDIR":
                (base / "tmp").symlink_to(base / "elsewhere")
                (base / "elsewhere").mkdir()
                os.environ["TMPDIR"] = str(base / "tmp")
                tempfile.tempdir = None
            case "no TMPDIR":
                os.environ["TMPDIR"] = "/nowhere"
                tempfile.tempdir = None
            case "HOME":
                for each in ("HOME", "XDG_CACHE_HOME", "USER", "LOGNAME"):
                    os.environ.pop(each, None)
            case "closed":
                for each in closed:
                    os.close(each)
            case "clock":
                now = time.time
                time.time = lambda: now() - 10**6
            case "disk":
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            case "variables":
                os.environ.update(PYTHONPATH=str(folder), PYTHONSTARTUP="x.py", MATPLOTLIBRC=str(folder), COLUMNS="1")

    return world, f"{name}{closed if name == 'closed' else ''}"


def snapshot(folder):
    """Return the kind and the content of each file of a folder."""
    found = {}
    for path in sorted(folder.iterdir()):
        mode = path.lstat().st_mode
        found[path.name] = mode, path.read_bytes() if stat.S_ISREG(mode) else b""
    return found


def attack(random):
    """Run a command in a hostile folder and world. Raises: Finding."""
    warmed()
    words = random.choice(READING) if random.randrange(4) else SPEND
    want = b"" if words is SPEND else expected(words)
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        folder = base / "folder"
        folder.mkdir()
        furnish(folder)
        (base / "victim").write_text("of somebody")
        deeds = [plant(folder, base, random) for _ in range(random.randint(0, 2)) if (folder / "l.db").is_file()]
        world, told = a_world(folder, base, random)
        before = snapshot(folder)
        began = time.monotonic()
        status, out, err = started(folder, words, world)
        what = f"{' '.join(words)}: {', '.join([*deeds, told])}: exit status {status}: {err[-300:]!r}"
        if status not in _STATUSES or b"Traceback" in err:
            raise Finding(f"it ends otherwise: {what}")
        if (base / "executed").exists():
            raise Finding(f"a file of the folder is executed: {what}")
        if (base / "victim").read_text() != "of somebody":
            raise Finding(f"a file is changed: {what}")
        after = snapshot(folder)
        if words is not SPEND and before != after:
            raise Finding(f"a command that reads changes a file: {what}")
        lost = {each for each in before if each not in after} - {"l.db-journal"}
        if lost or any(before[each] != after[each] for each in before if not each.startswith("l.db")):
            raise Finding(f"{lost or 'a file'} is lost or changed: {what}")
        is_told = not told.startswith("closed") and "COLUMNS" not in told and told != "variables"
        if status == 0 and words is not SPEND and is_told and "u.json" not in "".join(deeds) and out != want:
            raise Finding(f"another answer: {what}: {out!r}")
        if words is SPEND:
            _check_spent(folder / "l.db", status, what)
        elif (
            not deeds and told != "disk" and not (told.startswith("closed") and "1" in told) and (status or out != want)
        ):
            raise Finding(f"another answer, for the world alone: {what}")
        if time.monotonic() - began > _SECONDS:
            raise Finding(f"it hangs: {what}")


def _check_spent(path, status, what):
    """Check that a spend is recorded where it was reported, and not where it was refused."""
    try:
        with opened_ledger(path, write=False) as ledger:
            recorded = any(each.request == "more" for each in ledger.history("main"))
    except InvalidRequest:
        if status == 0:
            raise Finding(f"what was spent is not read: {what}") from None
        return
    if recorded != (status == 0) and status != _NOT_SHOWN:  # recorded, and not to be shown
        raise Finding(f"recorded: {recorded}: {what}")
