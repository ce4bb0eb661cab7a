"""The promises of docs/security.md about what stands around a file have tests, by name."""

import re

from ..explore import ROOT


def test_every_promise_about_the_surroundings_names_its_tests():
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = [
        line
        for line in page.partition("## What stands around")[2].partition("\n## ")[0].splitlines()
        if line[:1] == "|"
    ][2:]
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
    }
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row)
        assert named, row
        assert set(named) <= written


def test_the_lines_that_are_trusted_are_counted():
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    told = re.findall(r"The check\w* \w+ \w+ has (\d+)(?: lines)?: ([^.]*(?:\.py[^.]*)*)\.(?=\s[A-Z]|\n)", page)
    assert len(told) == 2
    for lines, files in told:
        counted = [
            len((ROOT / "certificates" / name).read_text().splitlines()) for name in re.findall(r"`(\w+\.py)`", files)
        ]
        assert sum(counted) == int(lines), sum(counted)
