"""Systems that are not this one, imitated: all is imported, and what needs POSIX says so by name."""

import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest

from ...processes import PATIENT

IMITATION = """
import asyncio, concurrent.futures.process, ctypes, getpass, multiprocessing.connection, multiprocessing.spawn, os
import importlib, pkgutil, select, signal, socket, sqlite3, subprocess, sys, tempfile, uuid
import click, flint, hypothesis, jinja2, numba, numpy, narwhals, psutil, pyarrow.parquet, rich.console
import matplotlib.font_manager, matplotlib.pyplot, scipy.sparse

LACKS = {
    "win32": {
        os: "fork forkpty geteuid getuid killpg setsid getsid waitid wait4 mkfifo O_NONBLOCK O_NOFOLLOW O_DIRECTORY"
            " WNOHANG P_ALL",
        signal: "SIGALRM SIGHUP SIGKILL SIGPROF SIGXCPU SIGXFSZ SIGSYS SIGPIPE SIGCHLD setitimer ITIMER_PROF alarm",
        select: "poll epoll",
    },
    "darwin": {os: "sched_getaffinity", select: "epoll"},
}
system, lines, fork = sys.argv[1], sys.argv[2:], os.fork
for module, names in LACKS[system].items():
    for name in names.split():
        delattr(module, name)
for name in ("fcntl", "resource", "termios", "pwd", "grp") if system == "win32" else ():
    sys.modules[name] = None
if system == "darwin":
    import resource
    del resource.prlimit
honest = subprocess.Popen.__init__
def start(self, *arguments, **more):
    if system == "win32" and more.get("pass_fds"):
        raise ValueError("pass_fds not supported on Windows.")
    honest(self, *arguments, **more)
subprocess.Popen.__init__ = start
sys.platform = system

if not lines:
    import tploracle
    for found in pkgutil.walk_packages(tploracle.__path__, "tploracle."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
for line in lines:
    from tploracle.cli.main import main
    if not (child := fork()):
        main(line.split(), prog_name="tploracle")
    if status := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        sys.exit(status)
"""
"""Third parties are imported before, as on such a system they know where they are; each line is run in a fork."""

EVERYWHERE = (
    "leakage --forward m.csv --epsilon 0.1 --steps 3",
    "--time-limit 50 loss m.csv --alpha 1",
    "estimate log.csv --user u --time t --state s --counts",
    "loss-function m.csv --plot picture.svg",
)
POSIX_ONLY = (
    "spend l.db --init --forward m.csv --cap 1",
    "loss m.parquet --alpha 1",
    "serve",
    "population log.csv --user u --time t --state s --out out --epsilon 0.1 --steps 3 --exact 1",
    "conform --tier smoke --no-search -- python3",
)


@pytest.fixture
def there(tmp_path):
    (tmp_path / "m.csv").write_text("0.8,0.2\n0.1,0.9\n")
    (tmp_path / "log.csv").write_text(
        "u,t,s\n" + "".join(f"u{i},{t},s{i * t % 2}\n" for i in range(4) for t in range(4))
    )
    pyarrow.parquet.write_table(pyarrow.table({"a": ["0.8", "0.1"], "b": ["0.2", "0.9"]}), tmp_path / "m.parquet")
    return tmp_path


def ended(there, system, *lines):
    done = subprocess.run(
        [sys.executable, "-P", "-c", IMITATION, system, *lines],
        cwd=there,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENT,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_every_module_is_imported_on_another_system(there, system):
    assert ended(there, system).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "lines"), [("win32", EVERYWHERE), ("darwin", (*EVERYWHERE, *POSIX_ONLY[:4]))], ids=["win32", "darwin"]
)
def test_what_a_system_has_all_of_is_answered_there(there, system, lines):
    done = ended(there, system, *lines)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "line", [POSIX_ONLY[0], *(pytest.param(each, marks=pytest.mark.slow) for each in POSIX_ONLY[1:])]
)
def test_what_needs_posix_says_so_and_leaves_no_file(there, line):
    before = sorted(there.iterdir())
    done = ended(there, "win32", line)
    assert done.returncode == 2
    assert "POSIX" in done.stderr
    assert sorted(there.iterdir()) == before
