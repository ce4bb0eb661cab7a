"""Zip archives of anyone: what is in them is counted before it is unpacked."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from ..contract.limits import too_large
from ..reference import InvalidRequest

NUMPY_START, ZIP_START, PARQUET_START = b"\x93NUMPY", b"PK\x03\x04", b"PAR1"
ENCRYPTED_START = PARQUET_START.replace(b"1", b"E")
"""How files of numpy, and of scipy.sparse and other archives, begin."""

MOST_DIRECTORY = 1 << 20
"""Bytes of the list of an archive's members: some ten thousand of them."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""How members may be compressed: LZMA would take as much memory as the archive says."""


class _Listing(io.RawIOBase):
    """A stream that refuses to be read in large pieces: so reads `zipfile` the list of members, of whatever size."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.is_open = False

    def read(self, size: int = -1) -> bytes:
        """Read `size` bytes. Raises: InvalidRequest for many at once before the archive is open."""
        if self.is_open:
            return self._stream.read(size)
        content = self._stream.read(MOST_DIRECTORY + 1 if size < 0 else min(size, MOST_DIRECTORY + 1))
        if len(content) > MOST_DIRECTORY:
            raise too_large(f"the list of the archive's members has more than {MOST_DIRECTORY} bytes")
        return content

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to another place. Raises: ValueError for one before the beginning."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Return the place."""
        return self._stream.tell()

    def seekable(self) -> bool:
        """Whether the stream is."""
        return self._stream.seekable()


@contextmanager
def opened_archive(stream: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive. Raises: InvalidRequest, in the body too, for one that is damaged, encrypted or no archive.

    A member whose bytes are not those that were packed is an error when it has been read to its end.
    """
    listing = _Listing(stream)
    try:
        with zipfile.ZipFile(listing) as archive:
            listing.is_open = True
            for member in archive.infolist():
                if member.compress_type not in _METHODS:
                    raise InvalidRequest("the archive cannot be read: it is packed by another method than deflate")
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError) as error:
        raise InvalidRequest(f"the archive cannot be read: {error}") from None
