"""The article: each of its numbers is one that its script writes, and it builds within its pages."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAPER = ROOT / "docs" / "paper"
ARTICLE = (PAPER / "article.tex").read_text(encoding="utf-8")
NUMBERS = (PAPER / "numbers.tex").read_text(encoding="utf-8")

MOST_PAGES = 12


def test_each_number_is_used_and_each_used_one_is_there():
    written = re.findall(r"^\\newcommand\{\\(\w+)\}", NUMBERS, re.MULTILINE)
    names = set(written)
    assert len(names) == len(written)
    assert {name for name in names if not re.search(rf"\\{name}\b", ARTICLE)} == set()
    own = set(re.findall(r"\\newcommand\{\\(\w+)\}", ARTICLE + (PAPER / "statements.tex").read_text("utf-8")))
    used = set(re.findall(r"\\([A-Z][A-Za-z]{3,})\b", ARTICLE)) - own
    assert used - {"Bigl", "Bigr", "Delta"} <= names


def test_each_source_is_cited_and_each_cited_one_is_there():
    cited = {key for keys in re.findall(r"\\cite\{([^}]+)\}", ARTICLE) for key in keys.split(",")}
    assert cited == set(re.findall(r"\\bibitem\{([^}]+)\}", ARTICLE))


def printed(code):
    done = subprocess.run([sys.executable, "-c", code], cwd=PAPER, capture_output=True, text=True, check=True)
    return done.stdout


def check_numbers(part):
    found = json.loads(printed(f"import json, article_numbers as a; print(json.dumps(dict(a.{part}())))"))
    assert found == {name: re.search(rf"\{{\\{name}\}}\{{(.*)\}}", NUMBERS)[1] for name in found}


def test_what_is_machine_checked_is_counted_anew():
    check_numbers("of_the_evidence")


@pytest.mark.slow
@pytest.mark.parametrize("part", ["of_the_recursion", "of_joint_streams", "of_what_is_not_known"])
def test_numbers_of_other_parts_are_computed_anew(part):
    check_numbers(part)


@pytest.mark.exhaustive
def test_the_numbers_are_what_the_script_writes():
    assert printed("from article_numbers import macros; print(macros(), end='')") == NUMBERS


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")
def test_it_builds_within_its_pages(tmp_path):
    command = ["latexmk", "-pdf", "-interaction=nonstopmode", "-halt-on-error", f"-output-directory={tmp_path}"]
    done = subprocess.run([*command, "article.tex"], cwd=PAPER, capture_output=True, text=True, check=True)
    log = (tmp_path / "article.log").read_text(encoding="latin-1")
    pages = re.search(r"Output written on .*\((\d+) pages", log.replace("\n", ""))
    assert int(pages[1]) <= MOST_PAGES, done.stdout
    assert "undefined" not in log
    assert "Overfull" not in log
