"""Rows of the input that are broken: they end the run, or go to a file, each with its place and what is wrong."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TextIO

from ..data.files import named
from ..output.sheets import cell_text
from ..output.writing import check_writable
from ..reference import OracleError

HEADER = ("file", "error", "message")


@dataclass(slots=True)
class Rejects:
    """Notes what is broken in files, `noted` rows so far; or raises it, where there is no file to note it in."""

    source: str
    stream: TextIO | None
    noted: int = 0
    file: str = ""

    def __call__(self, error: OracleError) -> None:
        """Note one row."""
        if self.stream is None:
            raise error from None
        row = (self.file or self.source, error.name, str(error))
        csv.writer(self.stream, lineterminator="\n").writerow(map(cell_text, row))
        self.noted += 1

    @contextmanager
    def reading(self, file: str) -> Iterator[Rejects]:
        """Read one of several files, and name it in errors; where there is but one, that is named anyway."""
        self.file = file
        with nullcontext() if file == self.source else named(file):
            yield self
        self.file = ""


@contextmanager
def rejects(source: str, path: str | None) -> Iterator[Rejects]:
    """Open a file for the rows of a source that are broken, None to stop at the first. Raises: InvalidRequest."""
    if path is None:
        yield Rejects(source, None)
        return
    check_writable(path, "file of rejects")
    with open(path, "w", encoding="utf-8", newline="") as stream:  # noqa: PTH123 - may be a pipe
        csv.writer(stream, lineterminator="\n").writerow(HEADER)
        yield Rejects(source, stream)
