"""The two checkers on the same certificates, honest and corrupted: `python -m tests.certificates.agreement 100000`.

They may differ in what they leave undecided, for their limits differ; where both decide, they agree.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tploracle.certificates.checker import NotDecided, Rejected, check
from tploracle.certificates.verified import program

from ..fuzz.mutations import damaged, mutated, written
from .corruption import at, changes, places, replaced
from .documents import honest

TOGETHER = 500
"""How many certificates one process checks."""

WORK = 2_000_000_000
UNDECIDED = "not decided"


PAGE = Path(__file__).parents[2] / "docs" / "certificates.md"


def documents():
    """Return certificates that hold, of every kind: those of the tests and those of the page."""
    return [*honest(), *page_documents()]


def page_documents():
    """Return the certificates of the page, one of each kind."""
    shown = re.findall(r"^```json\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return list(map(json.loads, shown))


def known_kinds():
    """Return the kinds that the verified checker knows."""
    done = subprocess.run([program(), "--kinds"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def mutants(count, seed):
    """Yield texts of certificates, most of them wrong somewhere."""
    drawn = random.Random(seed)
    known = documents()
    for _ in range(count):
        document = drawn.choice(known)
        place = drawn.choice(list(places(document)))
        others = list(changes(at(document, place), document))
        if others and drawn.randrange(8):
            document = replaced(document, place, drawn.choice(others)[1])
        for _ in range(drawn.choice((0, 0, 0, 1))):
            document = mutated(drawn, document)
        text = written(drawn, document)
        yield damaged(drawn, text) if not drawn.randrange(16) else text


def by_python(content):
    """Return the verdict of the checker in Python: its first words."""
    try:
        return f"accepted, {check(content.decode('utf-8-sig'), WORK)}"
    except (Rejected, UnicodeDecodeError):
        return "rejected"
    except NotDecided:
        return UNDECIDED


def by_proof(contents):
    """Return the verdicts of the verified checker: their first words."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.json") for number in range(len(contents))]
        for file, content in zip(files, contents, strict=True):
            file.write_bytes(content)
        done = subprocess.run([program(), *files], capture_output=True, check=False)
    lines = [line for line in done.stdout.decode("utf-8", "replace").split("\n") if line and not line.startswith("  ")]
    assert len(lines) == len(contents), done.stderr
    verdicts = [line.partition(": ")[2] for line in lines]
    return [verdict if verdict.startswith("accepted") else verdict.partition(",")[0] for verdict in verdicts]


def differences(contents):
    """Return what they both said how often, and (certificate, verdict, verdict) where both decide and differ."""
    said, found = Counter(), []
    for content, proved in zip(contents, by_proof(contents), strict=True):
        plain = by_python(content)
        said[plain.partition(",")[0], proved.partition(",")[0]] += 1
        if plain != proved and UNDECIDED not in {plain, proved}:
            found.append((content, plain, proved))
    return said, found


def main(count, seed=1):
    """Compare them on so many corrupted certificates. Returns: 1 where they differ."""
    said, found, batch = Counter(), [], []
    for number, text in enumerate(mutants(count, seed), 1):
        batch.append(text)
        if len(batch) == TOGETHER or number == count:
            more, others = differences(batch)
            said, batch = said + more, []
            found += others
    for content, plain, proved in found:
        print(f"DIFFERENT: {plain} / {proved}: {content[:2000]!r}")
    for (plain, proved), times in sorted(said.items()):
        print(f"{times:8} {plain} / {proved}")
    print(f"{count} certificates, seed {seed}: {len(found)} differences")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
