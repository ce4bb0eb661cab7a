"""The certificate checker as one file: its sources in an archive that any Python runs, with nothing installed.

python -m tploracle.certificates.lone checker.pyz
python checker.pyz FILE
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile, ZipInfo

SOURCES = {
    "checker.py": "__main__.py",
    "rows.py": "rows.py",
    "trade_off.py": "trade_off.py",
    "reading.py": "reading.py",
}
"""The files of the checker, and what they are called in the archive: the sources as they are, not compressed."""


def write_lone(path: Path) -> None:
    """Write the archive: the same bytes each time, whoever writes it. Raises: OSError."""
    with ZipFile(path, "w") as archive:
        for source, name in SOURCES.items():
            archive.writestr(ZipInfo(name), Path(__file__).with_name(source).read_bytes())


if __name__ == "__main__":
    write_lone(Path(sys.argv[1]))
