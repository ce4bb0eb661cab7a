"""Files that are pipes, as a shell's <(...) makes them: the answer is that of a file with the same bytes."""

import os
import threading
from contextlib import suppress

import pyarrow as pa
import pytest
from pyarrow import parquet

from ...commands import refused, run
from ...fuzz import files

QUICK = {"leakage --independent --epsilons FILE", "leakage --users FILE --one-sided --epsilon 0.1 --steps 2"}
QUICK |= {command for command in dict(files.READERS) if command.startswith(("reverse", "estimate"))}
EVERY = [(command, kind) for command, kinds in files.READERS for kind in kinds.split() if "spend FILE" not in command]
MORE = [
    ("leakage --independent --epsilons FILE", b'["0.1", "1/3"]'),
    ("estimate FILE", b'[["a", "b", "a"]]'),
    ("estimate FILE", b'{"states": ["a", "b"], "counts": [[3, 1], [1, 4]], "first": [1, 1]}'),
    ("reverse TRUTH --initial FILE", b"1/3,2/3\n"),
]


def fill(pipe, content):
    """Make a pipe, and write into it when somebody reads it, or only opens it."""

    def write():
        with suppress(BrokenPipeError):
            pipe.write_bytes(content)

    os.mkfifo(pipe)
    threading.Thread(target=write, daemon=True).start()


def answers(command, path):
    path.with_name("truth").write_text(files.CSV)
    result = run(*(str(path.with_name("truth")) if word == "TRUTH" else word for word in files.words(command, path)))
    return result.output.replace(str(path.parent), "")


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        *(pytest.param(*each, marks=() if each[0] in QUICK else pytest.mark.slow) for each in EVERY),
        *MORE,
    ],
)
def test_a_pipe_is_read_as_a_file(tmp_path, monkeypatch, command, kind):
    # A ledger's head is of the second in which it was made.
    monkeypatch.setattr("tploracle.data.ledger_chain._now", lambda: "2026-01-02T03:04:05+00:00")
    content = kind if isinstance(kind, bytes) else files.whole(kind)
    file, pipe = tmp_path / "file" / "m", tmp_path / "pipe" / "m"
    for path in (file, pipe):
        path.parent.mkdir()
    file.write_bytes(content)
    if command.startswith("estimate") and content[:1] in (b"[", b"{"):
        file = file.rename(file.with_name("m.json"))
    fill(pipe, content)
    assert answers(command, pipe) == answers(command, file).replace("m.json", "m")


@pytest.fixture
def users(tmp_path):
    path = tmp_path / "users.parquet"
    parquet.write_table(pa.table({"user": ["a", "b"], "counts": [[1, 2, 3, 4], [1, 2, 3, 4]]}), path)
    return path


def test_parquet_is_read_from_files_alone(tmp_path, users):
    pipe = tmp_path / "pipe.parquet"
    fill(pipe, users.read_bytes())
    told = refused("population", pipe, "--out", tmp_path / "out", "--epsilon", "0.1", "--steps", "2")
    assert told.startswith(f"InvalidRequest: {pipe}: a Parquet table cannot be read in sequence: give a file")
