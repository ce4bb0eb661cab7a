"""Parts of a population that were damaged: none reads back as anything else than what was written."""

import tempfile
from pathlib import Path

import pyarrow as pa

from tploracle.population.parts import digest_of, read_part, sealed
from tploracle.reference import OracleError

from .finding import require
from .mutations import damaged

NAMES = ("ann", "=1", "tploracle.seal\x18@" + "0" * 64, "0" * 64, "ж", "")


def attack(random):
    """Read one part. Raises: Finding."""
    rows = random.randrange(1, 8)
    users = random.choices(NAMES, k=rows)
    table = pa.table({"user": users, "x": [random.random() for _ in users]})
    content = sealed(table, "digest")
    match random.randrange(4):
        case 0:
            other = content
        case 1:
            other = damaged(random, content)
        case _:
            other = bytearray(content)
            for _ in range(random.choice((1, 1, 1, 2, 9))):
                other[random.randrange(len(other))] ^= 1 << random.randrange(8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "part-00000.parquet")
        path.write_bytes(other)
        try:
            found, digest = read_part(path), digest_of(path)
        except OracleError as error:
            require(other != content, f"what was written is refused: {error}")
            require(str(path) in str(error), f"{error} does not name the file")
            return
    require(other == content, f"bytes that were changed are read as {found.to_pydict()}")
    require(found.to_pydict() == table.to_pydict() and digest == "digest", f"{found.to_pydict()} is read")
