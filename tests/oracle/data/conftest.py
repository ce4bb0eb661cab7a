"""What the tests of files share."""

import io
import sys

import pytest


@pytest.fixture
def write(tmp_path, request):
    """Writes a file, called as the module's files are unless another name is given, and returns its path."""

    def write(content, name=request.module.NAME):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def stdin(monkeypatch):
    """Puts bytes in the place of standard input."""
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
