"""Parquet files, whole and damaged: what is whole is read as Arrow holds it, what is damaged is an error by name.

Where pages have checksums, no damage changes a value unnoticed.
"""

import io
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tploracle.data.frames import binary_frame, parquet_rows
from tploracle.data.parquet import opened_parquet
from tploracle.population.user_tables import UserTable
from tploracle.reference import OracleError

from .finding import require
from .mutations import damaged

COLUMNS = ("user", "time", "state")


def attack(random):
    """Read one file. Raises: Finding."""
    table = random.choice((_log, _matrix, _users))(random)
    stream = io.BytesIO()
    has_sums = bool(random.randrange(2))
    parquet.write_table(
        table,
        stream,
        compression=random.choice(("none", "snappy", "zstd", "gzip")),
        use_dictionary=bool(random.randrange(2)),
        data_page_version=random.choice(("1.0", "2.0")),
        write_page_checksum=has_sums,
        row_group_size=random.choice((1, 3, 1000)),
    )
    content = whole = stream.getvalue()
    if random.randrange(4):
        content = _broken(random, content) if random.randrange(2) else damaged(random, content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.parquet")
        path.write_bytes(content)
        _read(path, table, content == whole)
        _used(path, content)


def _read(path, table, is_whole):
    try:
        with opened_parquet(str(path)) as file:
            names = [name for name in table.column_names if file.schema.names.count(name) == 1]
            found = file.table(names)
    except OracleError as error:
        require(not is_whole, f"a whole file is refused: {error}")
        return
    if is_whole:
        for name in names:
            same = found.column(name).to_pylist() == table.column(name).to_pylist()
            require(same, f"{name} is read as {found.column(name).to_pylist()}")


def _used(path, content):
    """Use the file in each way that there is: an answer, or an error by name."""
    for use in (
        lambda: list(parquet_rows(str(path), COLUMNS)),
        lambda: binary_frame(content),
        lambda: [list(chunk.users) for chunk in UserTable.of(str(path)).chunks(2, _ignored)],
    ):
        try:
            use()
        except OracleError:
            continue


def _ignored(_error):
    """Take no notice of a row that is broken."""


def _log(random):
    rows = random.randrange(20)
    return pa.table(
        {
            "user": [random.choice(("ann", "bob", None, "ж" * 50)) for _ in range(rows)],
            "time": [random.randrange(-(2**40), 2**40) for _ in range(rows)],
            "state": [random.choice("abc") for _ in range(rows)],
        }
    )


def _matrix(random):
    n = random.randrange(1, 5)
    names = [f"s{random.randrange(n)}" if not random.randrange(20) else f"s{j}" for j in range(n)]
    return pa.table([np.array([random.random() for _ in range(n)]) for _ in names], names=names)


def _users(random):
    rows = random.randrange(1, 9)
    counts = [[random.randrange(5) for _ in range(4)] for _ in range(rows)]
    return pa.table({"user": [f"u{row}" for row in range(rows)], "counts": counts})


def _broken(random, content):
    """Change the footer, where sizes and places are: small numbers become large ones."""
    data = bytearray(content)
    start = max(4, len(data) - 8 - int.from_bytes(data[-8:-4], "little"))
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(start, len(data)) if random.randrange(3) else random.randrange(4, len(data))
        data[at] = random.choice((0, 1, 127, 128, 255, data[at] ^ 1, data[at] ^ 128))
    return bytes(data)
