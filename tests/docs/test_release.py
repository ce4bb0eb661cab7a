"""A release is checked before it is made, and CITATION.cff keeps its format."""

import json
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml

import known_faults
import links
import release_build
import release_check
import tploracle

ROOT = Path(__file__).resolve().parents[2]
SPEC = spec_from_file_location("built", ROOT / "setup.py")
built = module_from_spec(SPEC)
SPEC.loader.exec_module(built)
READY = {
    "pyproject.toml": '[project]\nversion = "1.2.3"\n',
    "oracle/__init__.py": '"""x"""\n\n__version__ = "1.2.3"\n',
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\ndate-released: 2030-01-02\n",
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2030-01-02\n",
}

# The keys of CFF 1.2.0 that a citation here may have, the required ones apart.
REQUIRED = {"authors", "cff-version", "message", "title"}
OPTIONAL = {"abstract", "date-released", "doi", "identifiers", "keywords", "license", "references", "repository-code"}
OPTIONAL |= {"type", "url", "version"}


def faults(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return list(release_check.faults(folder))


def test_what_is_ready_has_no_fault(tmp_path):
    assert faults(tmp_path, READY) == []


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("pyproject.toml", "1.2.3", "1.2.4"),
        ("oracle/__init__.py", "1.2.3", "1.2.2"),
        ("CITATION.cff", "version: 1.2.3\n", ""),
        ("CITATION.cff", "date-released: 2030-01-02\n", ""),
        ("CHANGELOG.md", "[1.2.3] - 2030-01-02", "[1.2.3]"),
        ("CHANGELOG.md", "## [Unreleased]\n\n", "## [Unreleased]\n\n- A change.\n\n"),
        ("CHANGELOG.md", "[1.2.3] - 2030-01-02", "[1.2.2] - 2030-01-02"),
    ],
)
def test_each_disagreement_is_named(tmp_path, name, before, after):
    assert faults(tmp_path, READY | {name: READY[name].replace(before, after)})


def test_the_recipe_requires_what_the_package_does():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    text = release_build.recipe(settings["project"], settings["build-system"]["requires"], "x-1.tar.gz", "a" * 64)
    recipe = yaml.safe_load(text)
    run = [entry.replace(" ", "") for entry in recipe["requirements"]["run"]]
    assert run == ["python>=3.11", *settings["project"]["dependencies"]]
    assert recipe["build"]["python"]["entry_points"] == ["tploracle = tploracle.cli.main:main"]
    assert recipe["source"] == {"url": "https://pypi.org/packages/source/t/tploracle/x-1.tar.gz", "sha256": "a" * 64}


LOOKED_UP = {"name": "a", "version": "1", "vulns": []}
SKIPPED = {"name": "b", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "unaudited", "printed"),
    [
        ([LOOKED_UP], "", (0, "none in the 1 packages")),
        ([LOOKED_UP | {"vulns": [{"id": "X-1"}]}], "yes", (1, "a 1: X-1")),
        ([SKIPPED, LOOKED_UP], "", (1, "not looked up, 1 of 2: b")),
        ([SKIPPED, LOOKED_UP], "yes", (0, "not looked up, 1 of 2: b")),
        (None, "yes", (1, "no index")),
    ],
)
def test_packages_with_faults_and_packages_not_looked_up_are_named(monkeypatch, capsys, packages, unaudited, printed):
    said = json.dumps({"dependencies": packages}) if packages else ""
    done = subprocess.CompletedProcess((), 0, said, "no index")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: done)
    monkeypatch.setattr(sys, "argv", ["known_faults", "pip-audit"])
    monkeypatch.setenv("UNAUDITED", unaudited)
    monkeypatch.setattr("pathlib.Path.write_text", lambda *_, **__: None)
    assert known_faults.main() == printed[0]
    assert printed[1] in capsys.readouterr().out


def test_the_list_of_packages_is_that_of_the_lock():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    made = known_faults.sbom(lock)["components"]
    assert len(made) == sum("==" in line and line[0] not in " #" for line in lock.splitlines())
    assert {
        "type": "library",
        "name": "click",
        "version": (v := version("click")),
        "purl": f"pkg:pypi/click@{v}",
    } in made


@pytest.mark.parametrize(("shown", "differs"), [("one\n…\nthree\n", 0), ("one\nthree\n", 1), ("one\n", 1)])
def test_commands_that_print_something_else_are_named(tmp_path, shown, differs):
    page = f"```console\n$ printf 'one\\ntwo\\nthree\\n'; echo 'budgets: 30 s so far' >&2\n{shown}$ true\n```\n"
    assert len(release_build.differing(page, tmp_path, "/nowhere")) == differs


def test_interpreters_that_are_not_here_are_named(monkeypatch):
    monkeypatch.setenv("PYTHONS", f"{sys.executable} nothing-of-the-kind")
    found = release_build.pythons()
    assert found.pop(f"3.{sys.version_info.minor}") == sys.executable
    assert len(found) >= 3
    assert {*found.values()} == {None}


def test_the_citation_keeps_its_format():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation.keys() >= REQUIRED
    assert citation.keys() <= REQUIRED | OPTIONAL
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["version"] == tploracle.__version__
    for author in (*citation["authors"], *(one for work in citation["references"] for one in work["authors"])):
        assert author.keys() in ({"name"}, {"family-names", "given-names"})
    for work in citation["references"]:
        assert work.keys() >= {"type", "title", "authors"}


def test_the_addresses_of_the_package_are_those_of_the_paper_that_is_cited():
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"][0]["identifiers"]
    assert urls["Paper"] == f"https://arxiv.org/abs/{cited[0]['value'].removeprefix('arXiv:')}"
    assert all(url.startswith("https://") for url in urls.values())


LINKS = "![a picture](docs/p.png)\n\n[a page](docs/a.md#x), [the paper](https://arxiv.org/abs/1) [here](#there)\n"


def test_the_page_of_an_index_has_no_link_that_leads_nowhere():
    assert built.index_page(LINKS, None) == "\na page, [the paper](https://arxiv.org/abs/1) [here](#there)\n"
    assert built.index_page(LINKS, "https://x.org/r/{view}/v1") == LINKS.replace(
        "](docs/p.png", "](https://x.org/r/raw/v1/docs/p.png"
    ).replace("](docs/a.md", "](https://x.org/r/blob/v1/docs/a.md")
    shown = built.long_description()
    assert all(link.startswith("https://") for link in links.links_of_markdown(shown))
    assert "## I publish a stream" in shown
