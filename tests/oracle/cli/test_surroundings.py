"""Where a command is started, nothing is executed, obeyed or waited for that lies there by chance."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tploracle.data import files
from tploracle.reference import InvalidRequest

from ...commands import run
from ...processes import PATIENT, PIPES

PROGRAM = str(Path(sys.executable).with_name("tploracle"))

MODULES = (
    "abc", "base64", "collections", "concurrent", "ctypes", "datetime", "decimal", "fractions", "functools", "hashlib",
    "json", "linecache", "logging", "multiprocessing", "numpy", "os", "pathlib", "pickle", "pyarrow", "queue", "random",
    "re", "secrets", "select", "selectors", "signal", "site", "sitecustomize", "socket", "sqlite3", "struct",
    "subprocess", "tempfile", "threading", "tploracle", "traceback", "typing", "usercustomize", "warnings", "zipfile",
)  # fmt: skip


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A folder in which files are named as modules of Python's and ours, each of which notes that it is executed."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'a').write({name!r} + '\\n')\n")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("0.8,0.2\n0,1\n")
    return tmp_path


def started(*words, status=0, stdin="", **variables):
    """Run a program. One that comes to no end says where it is."""
    env = {**os.environ, "PYTHONFAULTHANDLER": "1", **variables}
    process = subprocess.Popen(words, **PIPES, text=True, env=env)
    try:
        told = process.communicate(stdin, timeout=PATIENT / 4)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        told = process.communicate(timeout=PATIENT / 4)
    assert process.returncode == status, told[1]
    return subprocess.CompletedProcess(words, status, *told)


def parquet(path):
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"a": ["0.8", "0"], "b": ["0.2", "1"]}), path)


LOSS = '{"seq": 1, "op": "loss", "input": {"matrix": [["1/2", "1/2"], ["0", "1"]], "alpha": "inf"}}\n'


@pytest.mark.parametrize("variables", [{}, {"PYTHONPATH": "."}], ids=["plain", "PYTHONPATH"])
def test_no_file_of_the_current_folder_is_executed_by_a_child(hostile, variables):
    """Who sets PYTHONPATH has his own command import from there, but not what it starts before it says its path."""
    for name in MODULES:
        if variables and name != "sitecustomize":
            (hostile / f"{name}.py").unlink()
    parquet(hostile / "m.parquet")
    started(
        PROGRAM, "leakage", "--backward", "m.parquet", "--one-sided", "--epsilon", "0.1", "--steps", "3", **variables
    )
    told = started(PROGRAM, "serve", stdin=LOSS, **variables).stdout
    assert json.loads(told)["value"]["exact"] == "inf"
    executed = hostile / "executed"
    commands = 2 if variables else 0
    assert (executed.read_text().split() if executed.exists() else []) == ["sitecustomize"] * commands


def test_no_file_of_the_current_folder_is_executed_by_the_pool_of_a_population(hostile):
    (hostile / "visits.csv").write_text(
        "user,time,state\n" + "".join(f"u{i},{t},s{t % 2}\n" for i in range(4) for t in range(4))
    )
    folder = hostile / "path"
    folder.mkdir()
    program = (
        "import sys; from tploracle.population.workers import processes\n"
        "from operator import neg\nfrom functools import partial\n"
        "with processes(2) as workers: print(list(workers.each(partial(neg, n) for n in range(3))))"
    )
    (folder / "main.py").write_text(f"if __name__ == '__main__':\n    {program.replace(chr(10), chr(10) + '    ')}\n")
    assert started(sys.executable, "path/main.py").stdout == "[0, -1, -2]\n"
    assert not (hostile / "executed").exists()


def test_the_adapter_executes_what_it_is_asked_for_alone(hostile):
    from tploracle.wire.adapter import adapter_command

    shutil.copy(hostile / "struct.py", hostile / "colorsys.py")  # which nothing else imports
    (hostile / "mine.py").write_text(
        "import json, signal, colorsys\nversion = '1'\ndef loss(matrix, alpha):\n    return float(alpha)\n"
    )
    for place in ("mine", "mine.py"):
        told = started(*adapter_command(place), stdin=LOSS.replace("inf", "0x1p+0")).stdout
        assert "has no" not in told
        assert '"seq": 1' in told
    assert not (hostile / "executed").exists()


def test_a_module_of_the_current_folder_is_not_that_of_the_command(hostile):
    (hostile / "tploracle.py").unlink()
    started(sys.executable, "-P", "-m", "tploracle", "loss", "m.csv", "--alpha", "1")
    assert not (hostile / "executed").exists()


def test_a_folder_named_as_an_editable_installation_is_not_searched(hostile):
    folder = hostile / "__editable__.any.finder.__path_hook__"
    folder.mkdir()
    (folder / "planted.py").write_text("print('executed')")
    program = f"import sys; sys.path.append({folder.name!r}); from tploracle.cli.main import main; "
    started(sys.executable, "-P", "-c", program + "import planted")
    told = started(
        sys.executable, "-P", "-c", program + "main(['--version'], standalone_mode=False); import planted", status=1
    )
    assert "executed" not in told.stdout


# Pictures


def test_no_file_of_parameters_is_obeyed(hostile, monkeypatch):
    for name in MODULES:
        (hostile / f"{name}.py").unlink()
    drawn = [PROGRAM, "loss-function", "m.csv", "--plot"]
    started(*drawn, "plain.png")
    for number, content in enumerate(("text.usetex: True\nbackend: nonsense\nfont.size: 40\n", "\x1b[31m nonsense")):
        Path("matplotlibrc").write_text(content)
        assert "\x1b" not in started(*drawn, f"{number}.png").stderr
        assert Path(f"{number}.png").read_bytes() == Path("plain.png").read_bytes()
    Path("matplotlibrc").rename("elsewhere")
    Path("elsewhere").write_text("font.size: 40\nfigure.facecolor: red\n")
    started(*drawn, "elsewhere.png", MATPLOTLIBRC="elsewhere")
    assert Path("elsewhere.png").read_bytes() == Path("plain.png").read_bytes()
    os.mkfifo("matplotlibrc")
    started(*drawn, "pipe.png")


@pytest.fixture
def elsewhere(empty_folder):
    """Another folder, to which the name leads under which hypothesis keeps what it draws."""
    Path("elsewhere").mkdir()
    Path(".hypothesis").symlink_to("elsewhere")
    return Path("elsewhere")


def test_a_run_keeps_nothing_there_and_its_page_is_drawn_without_a_file_of_parameters(elsewhere):
    drawings = []
    for content in ("", "text.usetex: True\nfont.size: 40\naxes.facecolor: red\n"):
        Path("matplotlibrc").write_text(content)
        started(PROGRAM, "conform", "-k", "smooth", "--questions", "8", "--html", "run.html", "--", PROGRAM, "serve")
        drawings.append(re.findall("<svg.*?</svg>", Path("run.html").read_text(encoding="utf-8"), re.DOTALL))
    assert drawings[0] == drawings[1] != []
    assert not any(elsewhere.iterdir())


def test_what_is_drawn_at_random_is_not_kept_where_one_stands(elsewhere):
    started(PROGRAM, "crosscheck", "--random", "8", "--methods", "hull,envelope")
    assert not any(elsewhere.iterdir())


@pytest.mark.parametrize("content", ["disable_jit: 1\n", "]["])
def test_no_settings_of_the_compiler_are_obeyed(tmp_path, monkeypatch, content):
    pytest.importorskip("numba")
    monkeypatch.chdir(tmp_path)
    Path(".numba_config.yaml").write_text(content)
    program = "import tploracle.solvers.batch.compiled.compiling as c; c.numba.core.config.reload_config(); import yaml"
    program += "; print(c._config.DISABLE_JIT)"
    done = started(sys.executable, "-P", "-c", program)
    assert (done.stdout, done.stderr) == ("0\n", "")


# Paths


def users(path, value):
    Path(path).write_text(json.dumps({"ann": {"backward": value}}))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("/etc/passwd", "lies outside the folder"),
        ("/proc/self/environ", "lies outside the folder"),
        ("../outside.csv", "lies outside the folder"),
        ("link.csv", "lies outside the folder"),
        ("/dev/zero", "is not a file"),
        ("pipe", "is not a file"),
        ("/dev/stdin", "is not a file|outside the folder"),
        ("-", "is not a file"),
    ],
)
def test_a_file_names_files_of_its_own_folder_alone(tmp_path, monkeypatch, value, message):
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "outside.csv").write_text("0.8,0.2\n0,1\n")
    Path("link.csv").symlink_to("../outside.csv")
    Path("m.csv").write_text("0.8,0.2\n0,1\n")
    os.mkfifo("pipe")
    users("users.json", value)
    asked = "leakage", "--one-sided", "--users", "users.json", "--epsilon", "0.1", "--steps", "3"
    told = run(*asked, status=2).stderr
    assert re.search(message, told), told
    Path("cycle.json").write_text(json.dumps({"cycle": ["m.csv", value]}))
    assert run(
        "leakage", "--backward", "cycle.json", "--one-sided", "--epsilon", "0.1", "--steps", "3", status=2
    ).stderr
    if value in ("../outside.csv", "link.csv"):
        run(*asked, "--allow-paths")


def test_a_pipe_into_which_nobody_writes_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_SILENCE", 0.1)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidRequest, match="nobody wrote into this pipe"):
        files.read_text(str(tmp_path / "pipe"))


def test_a_pipe_whose_writer_falls_silent_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_SILENCE", 0.1)
    os.mkfifo(tmp_path / "pipe")
    with os.fdopen(os.open(tmp_path / "pipe", os.O_RDWR), "wb", buffering=0) as writer:
        writer.write(b"0.8,0.2\n")
        with pytest.raises(InvalidRequest, match="nobody wrote into this pipe"):
            files.read_text(str(tmp_path / "pipe"))


@pytest.mark.parametrize("name", ["-", "/dev/fd/{}"])
def test_standard_input_and_pipes_of_a_shell_are_waited_for(monkeypatch, name):
    monkeypatch.setattr(files, "MOST_SILENCE", 0.01)
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "w") as late:
        threading.Timer(0.3, lambda: (late.write("0.5"), late.close())).start()
        monkeypatch.setattr("sys.stdin", stream)
        assert files.read_text(name.format(reading)) == "0.5"


# The code that is kept


@pytest.mark.parametrize("what", ["others may write", "of another", "a file of another", "a link", "no home"])
def test_code_that_is_kept_is_read_from_ones_own_folder_alone(tmp_path, monkeypatch, what):
    compiling = pytest.importorskip("tploracle.solvers.batch.compiled.compiling")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = compiling.kept_in()
    assert compiling._is_own(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    match what:
        case "others may write":
            folder.chmod(0o777)
        case "of another" | "a file of another":
            if os.geteuid():
                pytest.skip("only root makes files of others")
            if what != "of another":
                (folder / "x.nbi").write_text("")
            os.chown(folder if what == "of another" else folder / "x.nbi", 12345, -1)
        case "a link":
            shutil.move(folder, tmp_path / "planted")
            folder.symlink_to(tmp_path / "planted")
        case "no home":
            monkeypatch.delenv("XDG_CACHE_HOME")
            monkeypatch.setattr(Path, "expanduser", lambda _: (_ for _ in ()).throw(RuntimeError("no home")))
            assert compiling.kept_in() is None
            return
    assert not compiling._is_own(folder)


def test_texts_that_were_left_out_are_an_error():
    told = started(sys.executable, "-OO", "-P", "-m", "tploracle", "loss", "--help", status=2)
    assert "PYTHONOPTIMIZE=2" in told.stderr
