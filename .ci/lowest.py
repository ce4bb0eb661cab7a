"""Print the lowest versions that pyproject.toml admits of the libraries of tables and of draws, as constraints of uv.

python3 .ci/lowest.py > constraints.txt
"""

import re
import tomllib
from pathlib import Path

LIBRARIES = ("hypothesis", "narwhals", "numpy", "pandas", "polars", "pyarrow")


def main() -> None:
    """Print a line for each library."""
    path = Path(__file__).resolve().parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    for library in LIBRARIES:
        found = {version for each in wanted if (version := re.match(rf"{library}>=([0-9.]+)", each))}
        print(f"{library}=={max((each[1] for each in found), key=lambda text: [*map(int, text.split('.'))])}")


if __name__ == "__main__":
    main()
