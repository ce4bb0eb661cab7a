"""A hostile folder and a hostile world: commands that are started where somebody else has put what they may stumble on.

A command answers what it answers elsewhere, or is an error by name; no file is lost or changed but the one that it is
told to write, nothing of the folder is executed, and it comes to an end.

Most tries are made one after the other in the process that tries, which is warm and puts back what it changed of its
world; one in FORKED in a fork of its own, one in ANEW by a new interpreter.
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
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path

import pyarrow
import pyarrow.parquet

from tploracle.cli.main import main
from tploracle.data import files
from tploracle.data.ledger import opened_ledger
from tploracle.reference import InvalidRequest

from .. import disks
from ..children import forked
from . import forged
from .finding import SEEN, Finding
from .surroundings import SIDES, interrupted, name_another

MODULES = sorted({*sys.stdlib_module_names, "numpy", "pyarrow", "flint", "numba", "tploracle", "sitecustomize"})

RC = (
    "matplotlibrc", ".matplotlibrc", ".numba_config.yaml", "pyproject.toml", "setup.cfg", "x.pth", "pyvenv.cfg", ".env",
    ".sqliterc", ".python-version", "usercustomize.py", "conftest.py", "__main__.py", "hypothesis.ini", "dask.yaml",
)  # fmt: skip

STREAM = ("--one-sided", "--epsilon", "1/10", "--steps", "1")
READING = {
    ("leakage", "--backward", "m.csv", *STREAM): 5,
    ("leakage", "--backward", "m.csv", *STREAM, "--csv"): 100,
    ("leakage", "--users", "u.json", *STREAM, "--json"): 200,
    ("loss", "m.parquet", "--alpha", "1", "--json"): 1,
    ("loss-function", "m.csv", "--plot", "../picture.png"): 1,
    ("loss", "m.csv", "--alpha", "1"): 5,
    ("loss", "m.csv", "--alpha", "1", "--json"): 300,
    ("smooth", "m.csv", "--s", "1/3", "--json"): 300,
    ("spend", "l.db"): 5,
    ("spend", "l.db", "--history", "--json"): 80,
}
"""Commands that write nothing into the folder, and how often: seldom what takes long."""

SPEND = ("spend", "l.db", "--account", "other", "--epsilon", "1/100", "--id", "more", "--json")

SCRATCH = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where folders are made: in memory, if there is a place for them."""

FORKED, ANEW = 50, 500
"""One try in so many has a fork of its own, or a new interpreter."""

_SECONDS = 60

SILENCE = 0.05
"""Seconds that a command waits for who writes into a pipe, instead of a minute."""

_STATUSES = {0, 2, 3, 4, 5}
_NOT_SHOWN = 4
"""Recorded, but the answer cannot be shown."""


def furnish(folder):
    """Put what the commands read into a folder."""
    (folder / "m.csv").write_text("0.8,0.2\n0,1\n")
    (folder / "n.csv").write_text("1/2,1/2\n0,1\n")
    (folder / "u.json").write_text('{"ann": {"backward": "m.csv"}, "bob": {"backward": "n.csv"}}')
    (folder / "l.db").write_bytes(_ledger())
    (folder / "m.parquet").write_bytes(_parquet())


@cache
def _parquet():
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"a": ["0.8", "0"], "b": ["0.2", "1"]}), content)
    return content.getvalue()


@cache
def _ledger():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "l.db")
        with opened_ledger(path, create=True) as account:
            for name in forged.ACCOUNTS:
                account.open_account(name, forged.ACCOUNT, "me")
            account.record("main", ["1/10", "log(11/10)"], "first", "me")
        return path.read_bytes()


def started(folder, words, world=lambda: None, way="fork"):
    """Run a command. Args: way, "here", by a "fork", or "anew". Returns: its exit status, and all that it put out."""
    SEEN[way] += 1
    out, err, picture = (folder.parent / name for name in ("out", "err", "picture.png"))
    if way == "here":
        with _put_back():
            status = _ended(folder, words, world, out=out, err=err)
    else:
        pid = os.fork()
        if not pid:
            status = 99
            try:
                status = _ended(folder, words, world, out=out, err=err, is_anew=way == "anew")
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    drawn = picture.read_bytes() if picture.exists() else b""
    return status, out.read_bytes() + drawn, err.read_bytes()


def _ended(folder, words, world, *, out, err, is_anew=False):
    """Run a command in this process, or have a new interpreter take its place. Returns: the exit status."""
    status = 99
    try:
        os.chdir(folder)
        for descriptor, path in ((1, out), (2, err)):
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(opened, descriptor)
            os.close(opened)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        files.MOST_SILENCE = SILENCE
        signal.alarm(_SECONDS)
        world()
        if is_anew:
            os.execv(sys.executable, [sys.executable, "-P", "-c", PROGRAM, *words])
        status = main([*words], prog_name="tploracle", standalone_mode=True) or 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 98
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
    return status


PROGRAM = f"""
from tploracle.data import files; files.MOST_SILENCE = {SILENCE}
from tploracle.cli.main import main; main(prog_name="tploracle")
"""


@contextmanager
def _put_back():
    """Put back what a world and a command change of this process."""
    streams, descriptors = (sys.stdin, sys.stdout, sys.stderr), [os.dup(number) for number in range(3)]
    here, variables, now, temporary = Path.cwd(), dict(os.environ), time.time, tempfile.tempdir
    silence = files.MOST_SILENCE
    mask, most, handler = os.umask(0o22), resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    os.umask(mask)
    try:
        yield
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
        signal.signal(signal.SIGXFSZ, handler)
        os.umask(mask)
        os.chdir(here)
        time.time, tempfile.tempdir, files.MOST_SILENCE = now, temporary, silence
        os.environ.clear()
        os.environ.update(variables)
        for number, kept in enumerate(descriptors):
            os.dup2(kept, number)
            os.close(kept)
        sys.stdin, sys.stdout, sys.stderr = streams


@cache
def expected(words):
    """Return what a command puts out in a folder where nothing else is: here, so that what forks need is imported."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base, "folder")
        folder.mkdir()
        furnish(folder)
        if words == SPEND:
            interrupted(folder / "l.db")
        status, out, err = started(folder, words, way="here")
        if status:
            raise Finding(f"{words}: {err!r}")
        return out


def prepare():
    """Make ready what every try needs."""
    for words in (*READING, SPEND):
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
            with suppress(OSError):  # where another stands already
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
            target.rmdir() if target.is_dir() and not target.is_symlink() else target.unlink()
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
            if not (folder / name).is_symlink():  # whose file would become another's
                (folder / name).touch()
                if not os.geteuid():
                    os.chown(folder / name, 12345, 12345)
            return f"{name} of another"
        case "mode":
            name, mode = (
                random.choice(("l.db", "m.csv", "u.json", ".")),
                random.choice((0, 0o222, 0o777, 0o4755, 0o1777)),
            )
            if not (folder / name).is_symlink():
                (folder / name).chmod(mode | (0o700 if name == "." else 0))
            return f"{name} of mode {mode:o}"
    return deed


WORLDS = ("usual", "umask", "TMPDIR", "HOME", "closed", "clock", "disk", "no TMPDIR", "variables")
DISKS = ("full", "read-only")


def a_world(folder, base, random):
    """Return what changes the world of a process, and in words."""
    name = random.choice(WORLDS)
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
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
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
    prepare()
    with tempfile.TemporaryDirectory(dir=SCRATCH) as name:
        base = Path(name)
        folder = base / "folder"
        folder.mkdir()
        (base / "victim").write_text("of somebody")
        if random.randrange(40) or not disks.can_mount():
            furnish(folder)
            _attack(random, base, folder, a_world(folder, base, random))
            return

        def on_a_disk(report):
            disks.mount(folder)
            furnish(folder)
            try:
                _attack(random, base, folder, (lambda: None, random.choice(DISKS)))
            except Finding as finding:
                report(str(finding))
            else:
                report("")

        (said,), _ = forked(on_a_disk)
        SEEN["on a disk of its own"] += 1
        if said:
            raise Finding(said)


def _attack(random, base, folder, world):
    change, told = world
    words = SPEND if not random.randrange(15) else random.choices([*READING], [*READING.values()])[0]
    deeds = [plant(folder, base, random) for _ in range(random.randint(0, 2)) if (folder / "l.db").is_file()]
    if told in DISKS:
        disks.fill(folder, random.randrange(30)) if told == "full" else disks.make_read_only(folder)
    before = snapshot(folder)
    chance = random.randrange(ANEW)
    way = "anew" if not chance and told != "variables" else "fork" if chance < ANEW // FORKED else "here"
    began = time.monotonic()
    status, out, err = started(folder, words, change, way)
    what = f"{' '.join(words)}: {', '.join([*deeds, told, way])}: exit status {status}: {err[-300:]!r}"
    if time.monotonic() - began > _SECONDS:
        raise Finding(f"it hangs: {what}")
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
    is_told = not told.startswith("closed") and told != "variables"
    if words is SPEND:
        _check_spent(folder / "l.db", status, what)
        return
    is_other = out != expected(words)
    if status == 0 and is_told and "u.json" not in "".join(deeds) and is_other:
        raise Finding(f"another answer: {what}: {out!r}")
    if not deeds and told != "disk" and not (told.startswith("closed") and "1" in told) and (status or is_other):
        raise Finding(f"another answer, for the world alone: {what}")


def _check_spent(path, status, what):
    """Check that a spend is recorded where it was reported, and not where it was refused."""
    try:
        is_whole = not os.path.lexists(f"{path}-journal")
        with forged.in_this_process() if is_whole else nullcontext(), opened_ledger(path, write=False) as ledger:
            recorded = any(each.request == "more" for each in ledger.history("other"))
    except InvalidRequest:
        if status == 0:
            raise Finding(f"what was spent is not read: {what}") from None
        return
    if recorded != (status == 0) and status != _NOT_SHOWN:  # recorded, and not to be shown
        raise Finding(f"recorded: {recorded}: {what}")
