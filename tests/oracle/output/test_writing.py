"""Files are written whole or not at all, and otherwise as a plain open would."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tploracle.output import writing
from tploracle.output.writing import check_writable, remove_unfinished, write_bytes, write_text
from tploracle.reference import InvalidRequest


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o077])
def umask(request):
    former = os.umask(request.param)
    yield request.param
    os.umask(former)


def test_folders_are_made_and_permissions_are_kept_or_those_of_any_new_file(tmp_path, umask):
    path = tmp_path / "new" / "folder" / "a.txt"
    write_text(str(path), "α\n", "text")
    assert path.read_bytes() == "α\n".encode()
    assert mode(path) == 0o666 & ~umask
    path.chmod(0o604)
    write_text(str(path), "new", "text")
    assert (path.read_text(), mode(path)) == ("new", 0o604)
    assert [file.name for file in path.parent.iterdir()] == ["a.txt"]


def test_a_link_goes_on_to_name_its_file(tmp_path):
    (tmp_path / "there").mkdir()
    link, file = tmp_path / "link", tmp_path / "there" / "a.txt"
    link.symlink_to(file)
    for text in ("new", "newer"):
        write_text(str(link), text, "text")
        assert (link.is_symlink(), file.read_text()) == (True, text)


def test_what_a_killed_process_left_is_removed(tmp_path):
    own = tmp_path / "own"
    paths = [own / "a.txt", own / "deeper" / "b.txt"]
    for path in paths:
        write_text(str(path), "former", "text")
        if not (child := os.fork()):
            os.fsync = lambda _: os._exit(9)
            write_text(str(path), "new", "text")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        assert len(list(path.parent.glob(".*"))) == 1
    (own / f"{writing.UNFINISHED}token").touch()
    (own / f"{writing.UNFINISHED}link").symlink_to(tmp_path / "not own")
    (tmp_path / "not own").mkdir()
    (tmp_path / "not own" / "c.txt").touch()
    remove_unfinished(own)
    assert sorted(path for path in own.rglob("*") if path.is_file()) == paths
    assert not list(own.rglob(".*"))
    assert [path.read_text() for path in paths] == ["former"] * 2
    assert (tmp_path / "not own" / "c.txt").exists()


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_was_there_stays_where_writing_fails(tmp_path, monkeypatch, fault, step):
    path = tmp_path / "a.txt"
    path.write_text("former")

    def failing(*_):
        raise fault

    if step == "fsync":
        monkeypatch.setattr(writing.os, "fsync", failing)
    else:
        monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises((InvalidRequest, KeyboardInterrupt)) as caught:
        write_text(str(path), "new", "text")
    if isinstance(fault, OSError):
        assert str(caught.value) == f"{path}: the text cannot be written: No space left on device"
    assert path.read_text() == "former"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_it_is_on_the_disk_before_it_is_in_place(tmp_path, monkeypatch):
    path, seen = tmp_path / "a.txt", []
    path.write_text("former")
    monkeypatch.setattr(writing.os, "fsync", lambda descriptor: seen.append((os.fstat(descriptor), path.read_text())))
    write_text(str(path), "new", "text")
    [(synced, before)] = seen
    assert (synced.st_ino, synced.st_size, before) == (path.stat().st_ino, 3, "former")


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    fifo, heard = tmp_path / "fifo", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: heard.append(fifo.read_bytes()))
    reader.start()
    write_bytes(str(fifo), b"through", "text")
    reader.join()
    assert heard == [b"through"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


PROGRAM = """
import sys
from tploracle.output.writing import write_text
write_text(sys.argv[1], "written\\n", "text")
print("printed", flush=True)
"""


def test_standard_output_is_written_to_as_it_is(tmp_path):
    found = subprocess.run([sys.executable, "-c", PROGRAM, "/dev/stdout"], capture_output=True, text=True, check=True)
    assert found.stdout == "written\nprinted\n"
    with (tmp_path / "out").open("ab") as out:
        subprocess.run([sys.executable, "-c", PROGRAM, "/dev/stdout"], stdout=out, check=True)
    assert (tmp_path / "out").read_text().endswith("printed\n")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("file/a.txt", "Not a directory|File exists"),
        ("folder", "folder|directory"),
        ("loop", "symbolic links"),
        ("nul\0", "null"),
        ("x" * 300, "too long"),
    ],
)
@pytest.mark.parametrize("write", [lambda path, what: write_text(path, "", what), check_writable])
def test_what_cannot_be_written_is_said(tmp_path, monkeypatch, path, why, write):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    with pytest.raises(InvalidRequest, match=f"(?s)the text cannot be written: .*({why})"):
        write(path, "text")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "folder", "loop"]


def test_texts_that_have_no_utf_8_are_said(tmp_path):
    with pytest.raises(InvalidRequest, match="surrogates"):
        write_text(str(tmp_path / "a"), "\ud800", "text")
    assert not list(tmp_path.iterdir())


def test_what_may_be_written_is_left_as_it_is(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("former")
    check_writable(str(path), "text")
    check_writable(str(tmp_path / "new" / "a.txt"), "text")
    assert path.read_text() == "former"
    assert not list((tmp_path / "new").iterdir())
