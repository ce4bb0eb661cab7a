"""Where a command is started, nothing is executed, obeyed or waited for that lies there by chance."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tploracle.data import files
from tploracle.output.html_pages import code, heading, page, paragraph, picture, table
from tploracle.output.plots import attack_picture, leakage_figure
from tploracle.reference import InvalidRequest, Level
from tploracle.wire.strict_json import printable

from ...commands import run
from ...processes import PATIENT

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
    done = subprocess.run(
        words,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENT,
        env={**os.environ, **variables},
    )
    assert done.returncode == status, done.stderr
    return done


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

    (hostile / "mine.py").write_text(
        "import json, signal\nversion = '1'\ndef loss(matrix, alpha):\n    return float(alpha)\n"
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
    Path("matplotlibrc").unlink()
    os.mkfifo("matplotlibrc")
    started(*drawn, "pipe.png")


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


# Names

NAMES = (
    *map(chr, (*range(1, 32), 0, 127, 0x85, 0x9B, 0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x180E, 0x200B, 0x200D)),
    *map(chr, (0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0x2800, 0x3000, 0x3164, 0xFE0F)),
    *map(chr, (0xFEFF, 0xFFA0, 0xFFFE, 0xE000, 0xE0041, 0xE0100, 0x10FFFF)),
)  # fmt: skip
"""Characters that no output has as they are."""

SEEN = ("é", "日本", "a'b", "<b>", "$x_1$", "\\frac{", "a,b", "🙂", "ä̈")
"""Names that are seen, and stay as they are."""


def names():
    return [f"a{char}b" for char in NAMES]


class Texts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = ""

    def handle_data(self, data):
        self.found += data


def is_clean(text, but=""):
    return not any(char in text for char in NAMES if char not in but)


def test_names_are_written_by_one_writer():
    assert all(printable(name) == name for name in SEEN if name != "ä̈")
    assert len({printable(name) for name in names()}) == len(NAMES) >= 60
    assert is_clean("".join(map(printable, names())))
    assert printable("\u0338x") == "\\u0338x"
    assert "\u0338" in printable("x\u0338")


def test_names_are_escaped_in_pages_and_pictures(tmp_path):
    every = names()
    blocks = [heading(name) + paragraph(name, "bad") + code(name) for name in every]
    whole = page(every[7], *blocks, table(every, [every, every], ["bad", "warn"]))
    assert is_clean(whole, "\n")
    told = Texts()
    told.feed(whole)
    assert all(printable(name) in told.found for name in every)
    for start in range(0, len(every), 8):
        curves = {name: [Level.of(1), Level.of(2)] for name in every[start : start + 8]}
        drawn = picture(lambda curves=curves: leakage_figure({every[3]: curves}), every[start])
        assert is_clean(drawn, "\n")


@pytest.mark.filterwarnings("error")
def test_names_are_drawn_without_a_warning(tmp_path):
    inside = {f"{name}{place}": [True, False] for place, name in enumerate([*names(), *SEEN])}
    attack_picture(str(tmp_path / "a.png"), "日本 $x", inside, [0.1, 0.2], {})
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("form", [(), ("--csv",), ("--json",)])
def test_names_of_states_are_escaped_in_the_outputs_of_commands(tmp_path, form):
    path = tmp_path / "m.json"
    every = [*names(), *SEEN]
    matrix = [["1" if one is other else "0" for other in every] for one in every]
    path.write_text(json.dumps({"states": every, "matrix": matrix}))
    done = run("attack", "--backward", path, "--one-sided", "--epsilon", "0.1", "--steps", "2", *form)
    assert is_clean(done.stdout + done.stderr, "\n")


def test_names_are_escaped_in_xml():
    from tploracle.output.sheets import clean

    text = "".join(f"<x>{ET.Element('a', name=clean(name, 100)).get('name')}</x>".replace("&", "") for name in names())
    assert is_clean(text)


def test_texts_that_were_left_out_are_an_error():
    told = started(sys.executable, "-OO", "-P", "-m", "tploracle", "loss", "--help", status=2)
    assert "PYTHONOPTIMIZE=2" in told.stderr
