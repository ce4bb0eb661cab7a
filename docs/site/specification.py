"""The specification as pages: each item of the paper beside its functions, its corrections and the verdict on it.

Nothing is typed here: items, verdicts and errata come from the register of claims, which item a function belongs to
from the labels in its docstring, the rest from its source. A function without a label belongs to the first label of
its module's docstring.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from tploracle import reference
from tploracle.proofs_checks.register import PaperClaim
from tploracle.proofs_checks.trial import SECTIONS, all_claims, all_errata

ARITHMETIC = {"algebraic", "decimals", "errors", "formulas", "levels", "notation", "numbers", "stepwise", "surds"}
"""The modules of arithmetic, notation and errors, which the paper has no item for."""

FROM_THE_PAPER = {f"worst_case.{name}" for name in ("conditioned", "mechanisms", "mixtures")}
"""The modules of the exact worst case that items of the paper are about."""


def is_in_the_paper(module: str) -> bool:
    """Whether the paper has an item for a module of `reference`."""
    return module not in ARITHMETIC and (not module.startswith("worst_case.") or module in FROM_THE_PAPER)


SECTIONS_OF_THE_PAPER = {
    "subsec:pl": "2.2",
    "sec:problem_setting": "2.3",
    "sec:privacy_analysis": "3",
    "subsec:adv": "3.1",
    "subsec:tpl": "3.2",
    "subsec:comp": "3.3",
    "subsec:pufferfish": "3.4",
    "subsec:discussion": "3.5",
    "sec:calculate_tpl": "4",
    "sec:formulation": "4.1",
    "sec:polynomial": "4.2",
    "sec:log-linear": "4.3",
    "sec:sub-linear": "4.4",
    "sec:release_mechanism": "5",
    "sec:exp": "6",
    "subsec:runtime": "6.1",
    "subsec:ex_impact": "6.2",
}
"""The labels of the paper's sections, which the register does not judge, and their numbers."""

CHAPTERS = {
    "1": "preliminaries",
    "3": "leakage",
    "4": "loss",
    "5": "bounds",
    "6": "experiments",
    "A": "proofs",
}
"""The pages, by the first character of the title of the register's section."""

_LABEL = r"(?:algo|col|def|eq|example|fig|lem|pf|sec|subsec|tb|thm):[\w:-]+"
_BRACKETS = re.compile(rf"\[({_LABEL}(?:, {_LABEL})*)\]")
_SPECIAL = re.compile(r"[\\*_<>\[\]|#$~]")
_MARKED = re.compile(rf"`[^`]*`|\[(?P<labels>{_LABEL}(?:, {_LABEL})*)\]|(?P<special>{_SPECIAL.pattern})")


@dataclass(frozen=True)
class Entry:
    """A public function or class of `reference`.

    labels: those in its docstring, or its methods', or its module's, the first of which is its home; source: the code
    without the docstring, and the private parts that follow it in the file.
    """

    module: str
    name: str
    is_class: bool
    docstring: str
    labels: tuple[str, ...]
    source: str

    @property
    def full_name(self) -> str:
        """The name with its module's."""
        return f"{self.module}.{self.name}"

    @property
    def anchor(self) -> str:
        """The name that links to it have; case is lost in them, so a class says that it is one."""
        return ("class-" if self.is_class else "function-") + slug(self.full_name)

    @property
    def exported(self) -> bool:
        """Whether `from tploracle.reference import …` has it."""
        return self.name in reference.__all__


def all_modules() -> dict[str, ModuleType]:
    """Return the modules of `reference` by their names below it, as in `paper.loss`."""
    above = f"{reference.__name__}."
    found = [module.name for module in pkgutil.walk_packages(reference.__path__, above) if not module.ispkg]
    return {name.removeprefix(above): importlib.import_module(name) for name in sorted(found)}


def modules() -> dict[str, ModuleType]:
    """Return those that hold items of the paper."""
    return {name: module for name, module in all_modules().items() if is_in_the_paper(name)}


def labels_in(text: str) -> tuple[str, ...]:
    """Return the labels that a text has in brackets, each once."""
    return tuple(dict.fromkeys(label for found in _BRACKETS.findall(text) for label in found.split(", ")))


def entries() -> tuple[Entry, ...]:
    """Return the public functions and classes of all modules that hold items of the paper, module by module."""
    return tuple(entry for name, module in modules().items() for entry in _entries(name, module))


def _entries(name: str, module: ModuleType) -> Iterable[Entry]:
    text = inspect.getsource(module)
    lines, body = text.splitlines(), ast.parse(text).body
    public = [
        node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    starts = [min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1 for node in public]
    ends = [*starts[1:], len(lines)]
    for node, start, end in zip(public, starts, ends, strict=True):
        docstring = ast.get_docstring(node) or ""
        own = labels_in(docstring) or labels_in("\n".join(_docstrings_below(node)))
        hidden = _lines_of_docstring(node)
        source = "\n".join(line for at, line in enumerate(lines[start:end], start) if at not in hidden)
        yield Entry(
            name,
            node.name,
            isinstance(node, ast.ClassDef),
            docstring,
            own or labels_in(module.__doc__ or ""),
            source.strip(),
        )


def _docstrings_below(node: ast.AST) -> list[str]:
    inner = [one for one in ast.walk(node) if isinstance(one, ast.FunctionDef | ast.ClassDef) and one is not node]
    return [ast.get_docstring(one) or "" for one in inner]


def _lines_of_docstring(node: ast.FunctionDef | ast.ClassDef) -> range:
    first = node.body[0]
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return range(0)
    assert first.end_lineno is not None
    return range(first.lineno - 1, first.end_lineno)


def by_label() -> dict[str, PaperClaim]:
    """Return the claim that answers for each label of the paper."""
    return {label: claim for claim in all_claims() for label in claim.labels}


def chapter_of(entry: Entry) -> str:
    """Return the page that an entry belongs to. Raises: KeyError where the paper has no such label."""
    home = entry.labels[0]
    return CHAPTERS[SECTIONS_OF_THE_PAPER[home][0]] if home in SECTIONS_OF_THE_PAPER else _homes()[by_label()[home].id]


def _homes() -> dict[str, str]:
    """Return the page of each claim, by its id; the register tells Theorem 11 first, the paper in Section 5."""
    return {
        name: CHAPTERS[title[0] if title[0] in CHAPTERS else "5"] for title, names in SECTIONS.items() for name in names
    }


def slug(text: str) -> str:
    """Return a text in the letters of links."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def anchor(claim: PaperClaim) -> str:
    """Return the name that links to an item have."""
    return "item-" + slug(f"{claim.number} {claim.title}")


def heading_anchor(heading: str) -> str:
    """Return the anchor of a heading of Markdown."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def markdown(text: str) -> str:
    """Return plain text as Markdown: `code` stays, the paper's labels become links, nothing else is markup."""

    def marked(match: re.Match[str]) -> str:
        return _links(match["labels"]) if match["labels"] else f"\\{match['special']}" if match["special"] else match[0]

    return _MARKED.sub(marked, text)


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _links(labels: str) -> str:
    known = by_label()
    return ", ".join(
        f"[{_plain(f'[{label}]')}](#{anchor(known[label])})" if label in known else _plain(f"[{label}]")
        for label in labels.split(", ")
    )


def described(docstring: str) -> list[str]:
    """Return a docstring as lines of Markdown; its examples are code."""
    lines = []
    for paragraph in filter(None, docstring.split("\n\n")):
        example = paragraph.lstrip().startswith(">>>")
        lines += ["```python", inspect.cleandoc(paragraph), "```"] if example else [markdown(_joined(paragraph))]
        lines.append("")
    return lines


def _joined(text: str) -> str:
    return " ".join(text.split())


def _item(claim: PaperClaim) -> list[str]:
    """Return what the register says of an item."""
    heading = f"{claim.number}: {claim.title}"
    labels = "" if claim.id.startswith(claim.number) else f"`{'`, `'.join(claim.labels)}`. "
    verdict = (
        f"{labels}As printed: **{claim.verdict.value}** ([evidence](../docs/claims.md#{heading_anchor(heading)}))."
    )
    lines = [f"({anchor(claim)})=", f"## {_plain(heading)}", "", verdict, "", markdown(claim.statement), ""]
    if claim.corrected:
        lines += [f"*In truth:* {markdown(claim.corrected)}", ""]
    errata = [erratum for erratum in all_errata() if erratum.id in claim.errata]
    if errata:
        lines += ["| erratum | as printed | corrected |", "|---|---|---|"]
        lines += [f"| {one.id} | {markdown(one.remains)} | {markdown(one.corrected)} |" for one in errata]
        lines.append("")
    return lines


def _function(entry: Entry) -> list[str]:
    """Return what the source says of a function."""
    full = f"{reference.__name__}.{entry.name}"
    lines = [f"({entry.anchor})=", f"### `{entry.full_name}`", "", *described(entry.docstring)]
    if entry.exported:
        lines += [f"Public, as {{py:obj}}`{full}`.", ""]
    return [*lines, "```python", entry.source, "```", ""]


def _reference_to(entry: Entry) -> str:
    return f"[`{entry.full_name}`](#{entry.anchor})"


def chapters() -> dict[str, str]:
    """Return the pages by name, as Markdown: the overview, then one for each part of the paper."""
    homes, known = _homes(), by_label()
    own: dict[str, list[Entry]] = defaultdict(list)
    cited: dict[str, list[Entry]] = defaultdict(list)
    unlabelled: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries():
        home, *others = (known[label].id if label in known else label for label in entry.labels)
        own[home].append(entry)
        if home not in homes:
            unlabelled[chapter_of(entry)].append(entry)
        for other in dict.fromkeys(others):
            cited[other].append(entry)
    pages = {"index": _overview(own)}
    titles = {CHAPTERS[title[0]]: title for title in SECTIONS if title[0] in CHAPTERS}
    for page, title in titles.items():
        lines = [f"# {title}", ""]
        for claim in all_claims():
            if homes[claim.id] == page:
                lines += _item(claim)
                also = [entry for entry in cited[claim.id] if entry not in own[claim.id]]
                if also:
                    lines += [f"See also {', '.join(map(_reference_to, also))}.", ""]
                for entry in own[claim.id]:
                    lines += _function(entry)
        if unlabelled[page]:
            lines += ["## In the text of the paper, outside its items", ""]
        for entry in unlabelled[page]:
            lines += [f"Section {SECTIONS_OF_THE_PAPER[entry.labels[0]]}:", "", *_function(entry)]
        pages[page] = "\n".join(lines)
    return pages


def _overview(own: dict[str, list[Entry]]) -> str:
    lines = [
        "# The specification",
        "",
        "The paper ([arXiv:1711.11436](https://arxiv.org/abs/1711.11436)), item by item: what it says, the verdict on",
        "it as printed, what is true instead, and the functions of `reference/` that compute it, whose bodies read as",
        "the statements. Items, verdicts and corrections come from the register of claims, the rest from the source.",
        "",
        "| item | what | as printed | functions |",
        "|---|---|---|---|",
    ]
    for claim in all_claims():
        functions = ", ".join(map(_reference_to, own[claim.id]))
        item = f"[{_plain(claim.number)}](#{anchor(claim)})"
        lines.append(f"| {item} | {_plain(claim.title)} | {claim.verdict.value} | {functions} |")
    lines += ["", "## The modules", ""]
    for name, module in all_modules().items():
        outside = "" if is_in_the_paper(name) else " (not in the paper)"
        path = f"reference/{name.replace('.', '/')}.py"
        lines += [f"### `{path}`{outside}", "", *described(inspect.cleandoc(module.__doc__ or ""))]
    return "\n".join(lines)
