"""The specification as pages: every function has its item, every label is one of the paper's, nothing is left out."""

import importlib
import inspect
import re

import pytest

import sources
import specification
from tploracle import reference
from tploracle.proofs_checks.trial import all_claims

ENTRIES = specification.entries()
KNOWN = {*specification.by_label(), *specification.SECTIONS_OF_THE_PAPER}
IN_BRACKETS = re.compile(r"\[([a-z]+:[^\[\]\s][^\[\]]*)\]")


@pytest.fixture(scope="module")
def chapters():
    return specification.chapters()


def docstrings_of(module):
    text = [module.__doc__ or ""]
    for owner in vars(module).values():
        if getattr(owner, "__module__", None) == module.__name__:
            parts = vars(owner).values() if inspect.isclass(owner) else ()
            text += [inspect.getdoc(one) or "" for one in (owner, *parts)]
    return "\n".join(text)


@pytest.mark.parametrize("name", [name for name in reference.__all__ if callable(getattr(reference, name))])
def test_every_public_function_has_an_item_or_is_not_of_the_paper(name):
    module = getattr(reference, name).__module__.removeprefix(f"{reference.__name__}.")
    labels = [entry.labels for entry in ENTRIES if (entry.module, entry.name) == (module, name)]
    assert not specification.is_in_the_paper(module) or (len(labels) == 1 and labels[0])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.full_name)
def test_every_function_names_labels_of_the_paper(entry):
    assert entry.labels
    assert set(entry.labels) <= KNOWN


@pytest.mark.parametrize("name", specification.all_modules())
def test_every_label_in_a_docstring_is_one_of_the_paper(name):
    module = specification.all_modules()[name]
    found = [label for group in IN_BRACKETS.findall(docstrings_of(module)) for label in group.split(", ")]
    assert set(found) <= KNOWN


def test_every_item_stands_once_with_its_verdict(chapters):
    text = "\n".join(chapters.values())
    for claim in all_claims():
        place = f"({specification.anchor(claim)})=\n"
        assert text.count(place) == 1
        assert f"**{claim.verdict.value}**" in text.partition(place)[2].partition("\n(item-")[0]


def test_every_function_stands_once_under_its_item(chapters):
    for entry in ENTRIES:
        places = [name for name, text in chapters.items() if f"({entry.anchor})=\n" in text]
        assert places == [specification.chapter_of(entry)]
        claim = specification.by_label().get(entry.labels[0])
        if claim is not None:
            before = chapters[places[0]].partition(f"({entry.anchor})=\n")[0]
            assert before.rpartition("(item-")[2].startswith(specification.anchor(claim).removeprefix("item-") + ")=")


def test_the_code_of_a_module_is_shown_whole():
    for name, module in specification.modules().items():
        shown = "\n".join(entry.source for entry in ENTRIES if entry.module == name)
        for part in vars(module).values():
            if inspect.isfunction(part) and part.__module__ == module.__name__:
                assert inspect.getsource(part).splitlines()[-1] in shown


def test_the_supremum_theorem_has_its_corrections_and_its_function(chapters):
    page = chapters["bounds"]
    start = page.index("## Theorem 11")
    item = page[start : page.index("\n## ", start)]
    assert "**holds corrected**" in item
    assert "../docs/claims.md#theorem-11-the-supremum-of-leakage-over-time" in item
    assert all(f"| {erratum} |" in item for erratum in ("E8", "E10", "E12", "E36"))
    assert "### `paper.supremum.candidate`" in item
    assert "    return epsilon.positive_root((d,), (1 + d - q, -q), (Fraction(0), Fraction(1)))\n" in item


def test_labels_and_symbols_survive_as_markdown():
    assert specification.markdown("a*b_c `x_*` [n]") == "a\\*b\\_c `x_*` \\[n\\]"
    link = specification.anchor(specification.by_label()["thm:sup"])
    assert specification.markdown("Theorem 11 [thm:sup]") == f"Theorem 11 [\\[thm:sup\\]](#{link})"


def test_every_page_of_the_documentation_is_on_the_site():
    root = sources.ROOT
    assert {*root.glob("docs/*.md")} <= {root / page for page in sources.pages()}


def test_a_page_takes_its_files_along(tmp_path, monkeypatch):
    root = tmp_path / "repository"
    (root / "docs").mkdir(parents=True)
    (root / "examples").mkdir()
    (root / "examples" / "one.py").write_text("1\n")
    (root / "docs" / "wire.md").write_text(
        "[a](../README.md#x) [b](../examples) [c](../examples/one.py) [d](audit.md#y) [e](https://x.org) [f](#g)"
    )
    monkeypatch.setattr(sources, "ROOT", root)
    text = sources.with_files("docs/wire.md", tmp_path / "site")
    assert text == "[a](../index.md#x) b [c](../examples/one.py) [d](audit.md#y) [e](https://x.org) [f](#g)"
    assert [path.name for path in (tmp_path / "site").rglob("*") if path.is_file()] == ["one.py"]


def test_the_public_modules_import():
    for module in sources.API:
        importlib.import_module(module)
