"""The files of a population's rows: Parquet, each sealed by a digest of its bytes, so that a changed one is noticed.

The seal is the SHA-256 of the file in which the seal itself is written as 64 zeros. It stands in the footer under the
key `tploracle.seal`, and is compared before anything parses the file.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..data.files import named, opened
from ..data.frames import needed
from ..data.parquet import opened_parquet
from ..reference import InvalidRequest, OracleError

DIGEST = b"tploracle.digest"
"""Under this key the metadata of a part say what it answers."""

FEW_VALUES = ("method", "error")
"""Columns that are written as numbers of the values that they have."""

_SEAL = b"tploracle.seal"
_ZEROS = b"0" * 64
_MARK = _SEAL + b"\x18\x40"
"""The key, and how Parquet says that a text of 64 bytes follows; after it nothing in a file is anyone's but Arrow's."""

_REMEDY = "remove it and run the same command again, which computes what is missing"


def part_path(folder: Path, number: int) -> Path:
    """Return the file of the rows of a chunk, numbered from 0."""
    return folder / f"part-{number:05}.parquet"


def parts_of(folder: Path) -> list[Path]:
    """Return the files of rows in a folder, in order."""
    return sorted(folder.glob("part-*.parquet"), key=lambda path: (len(path.name), path.name))


def sealed(table: Any, digest: str) -> bytes:
    """Return the Parquet file of a table, the same bytes wherever it is made. Args: digest, of what it answers."""
    stream = io.BytesIO()
    table = table.replace_schema_metadata({DIGEST: digest.encode()})
    few = [name for name in table.column_names if name in FEW_VALUES]  # the doubles of a column seldom are
    parquet = needed("pyarrow.parquet", "a population")
    with parquet.ParquetWriter(stream, table.schema, compression="zstd", use_dictionary=few) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({_SEAL: _ZEROS})
    content = stream.getvalue()
    start = content.rindex(_MARK + _ZEROS) + len(_MARK)
    return content[:start] + sha256(content).hexdigest().encode() + content[start + len(_ZEROS) :]


def _content(path: Path) -> bytes:
    """Return the bytes of a part. Raises: InvalidRequest unless they are those that were written."""
    with opened(str(path)) as stream:
        content = stream.read()
    start = content.rfind(_MARK) + len(_MARK)
    end = start + len(_ZEROS)
    if (
        start < len(_MARK)
        or sha256(content[:start] + _ZEROS + content[end:]).hexdigest().encode() != content[start:end]
    ):
        raise InvalidRequest(f"has been changed: its seal is not the digest of its bytes; {_REMEDY}")
    return content


def read_part(path: Path, columns: Sequence[str] | None = None) -> Any:
    """Return the rows of a part, and of these columns alone, as an Arrow table.

    Raises: InvalidRequest for a file that is not as it was written, with its name.
    """
    with named(str(path)), opened_parquet(_content(path)) as file:
        names = file.schema.names if columns is None else columns
        if not {*names} <= {*file.schema.names}:
            raise InvalidRequest(f"lacks a column of {', '.join(names)}; {_REMEDY}")
        return file.table(names)


def digest_of(path: Path) -> str:
    """Return what a part answers. Raises: as `read_part`."""
    with named(str(path)), opened_parquet(_content(path)) as file:
        return ((file.schema.metadata or {}).get(DIGEST) or b"").decode("ascii", "replace")


def of_other_users(path: Path) -> OracleError:
    """Return the error for a part of users that are not asked about."""
    return InvalidRequest(f"{path}: it has answers for other users than those read now: use another folder")
