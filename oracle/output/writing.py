"""Files that users ask for, written whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG

from ..reference import InvalidRequest

UNFINISHED = ".unfinished-"
"""Prefix of the names of temporary folders and files, which remain only if their process is killed."""


def write_text(path: str, text: str, what: str) -> None:
    """Write a text in UTF-8. As `write_bytes`."""
    try:
        content = text.encode("utf-8")
    except ValueError as error:
        raise _not_written(path, what, error) from None
    write_bytes(path, content, what)


def write_bytes(path: str, content: bytes, what: str) -> None:
    """Write a file and make its folders; if that fails, the former file remains.

    A pipe, a terminal or /dev/stdout is written to directly. Args: what, the word for the file. Raises: InvalidRequest.
    """
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        if _is_replaceable(path):
            _replace(Path(os.path.realpath(path)), content)
        else:
            Path(path).write_bytes(content)
    except (OSError, ValueError) as error:
        raise _not_written(path, what, error) from None


def remove_unfinished(folder: Path) -> None:
    """Remove what killed processes left in a folder and its subfolders. No other process may write there now."""
    for left in list(folder.rglob(f"{UNFINISHED}*")):
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def check_writable(path: str, what: str) -> None:
    """Make the folders of a file that will be written later. Args, Raises: as `write_bytes`."""
    try:
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            if S_ISDIR(target.stat().st_mode):
                raise IsADirectoryError("it is a folder")
        except FileNotFoundError:
            target = target.parent
        if not os.access(target, os.W_OK):
            raise PermissionError("permission denied")
    except (OSError, ValueError) as error:
        raise _not_written(path, what, error) from None


def _not_written(path: str, what: str, error: Exception) -> InvalidRequest:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return InvalidRequest(f"{path}: the {what} cannot be written: {reason}")


def _is_replaceable(path: str) -> bool:
    """Whether the file may be replaced or created without changing its owner."""
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return True
    is_mine = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
    is_free = os.access(path, os.W_OK) and os.access(Path(os.path.realpath(path)).parent, os.W_OK)
    is_printed_on = any(os.path.samestat(found, printed) for printed in _printed())
    return S_ISREG(found.st_mode) and is_mine and is_free and not is_printed_on


def _printed() -> list[os.stat_result]:
    """Return the status of the files behind standard output and standard error."""
    found = []
    for stream in (sys.__stdout__, sys.__stderr__):
        with suppress(OSError, ValueError, AttributeError):
            found.append(os.fstat(stream.fileno()))  # type: ignore[union-attr]
    return found


def _replace(target: Path, content: bytes) -> None:
    """Replace a file and keep its permissions, or create it."""
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=target.parent) as folder:
        whole = Path(folder, target.name)
        with whole.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            whole.chmod(S_IMODE(target.stat().st_mode))
        whole.replace(target)
