"""Lay out the sources of the site in a folder: the pages of the repository, and those generated from the package.

    python docs/site/sources.py FOLDER

The pages keep their places, so that a link is right in the repository and on the site. README.md is the first page.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import click

import notebook
import specification
from tploracle.cli.main import GROUPS
from tploracle.cli.main import main as cli

ROOT = Path(__file__).resolve().parents[2]

GUIDES = {
    "Tutorials": (
        "docs/install.md",
        "docs/tutorial.md",
        notebook.PLACE,
        "docs/implementers.md",
        "docs/implementations.md",
    ),
    "How-to": (
        "docs/python.md",
        "docs/howto/budget.md",
        "docs/steps.md",
        "docs/howto/tree-counter.md",
        "docs/ledger.md",
        "docs/population.md",
        "docs/audit.md",
        "docs/property-tests.md",
        "docs/howto/ci.md",
    ),
    "Reference": (
        "docs/wire.md",
        "docs/conformance.md",
        "vectors/README.md",
        "docs/certificates.md",
        "docs/errors.md",
        "docs/glossary.md",
        "docs/security.md",
        "docs/stability.md",
        "docs/cite.md",
    ),
    "Explanation": (
        "docs/interpretation.md",
        "docs/gallery.md",
        "docs/worst-case.md",
        "docs/profile.md",
        "docs/mathematics.md",
        "docs/claims.md",
        "docs/sentences.md",
        "docs/proofs.md",
        "docs/related.md",
        "docs/experiments.md",
        "docs/benchmarks.md",
        "docs/mutation.md",
    ),
    "Development": (
        "CONTRIBUTING.md",
        "docs/releasing.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "vectors/CHANGELOG.md",
    ),
}
"""The pages of the repository, in the order of the contents."""

API = {
    "tploracle.api": "What `import tploracle` adds to the names of the reference: exact as well, and quick.",
    "tploracle.stream": "A stream, with the defaults of the commands, and an accountant for users of dp_accounting.",
    "tploracle.tabular": "Results that show themselves: tables, data frames, pictures.",
    "tploracle.reference": "Levels, correlations, leakage, suprema, budgets: exact.",
    "tploracle.adapter": "A Python object on the wire.",
    "tploracle.strategies": "Hypothesis strategies for other people's tests.",
    "tploracle.testing": "The conformance suite for other people's tests.",
    "tploracle.certificates.checker": "The certificate checker, which needs the standard library alone.",
}
"""The public modules, and what each is for."""

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+)\)")


def pages() -> tuple[str, ...]:
    """Return the pages of the repository, by their paths in it."""
    return tuple(page for group in GUIDES.values() for page in group)


def write(folder: Path, name: str, text: str) -> None:
    """Write one source of the site."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def with_files(page: str, folder: Path) -> str:
    """Return a page's text; what it links to, but pages, is copied beside it, and a folder is no link on the site."""

    def linked(match: re.Match[str]) -> str:
        path, _, anchor = match["target"].partition("#")
        if not path or ":" in path:
            return match[0]
        target = os.path.normpath(Path(page).parent / path)
        if target == "README.md":
            index = os.path.relpath("index.md", Path(page).parent)
            return f"[{match['text']}]({index}{'#' + anchor if anchor else ''})"
        if target == notebook.PLACE:
            return match[0].replace(".ipynb", ".md")
        if (ROOT / target).is_dir():
            return match["text"]
        if target not in pages() and (ROOT / target).is_file():
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / target, folder / target)
        return match[0]

    return _LINK.sub(linked, (ROOT / page).read_text(encoding="utf-8"))


PLAY = """
```{raw} html
<p><a href="play/index.html"><strong>Try it on this page</strong></a>: paste a table, counts or a log, and move ε, T and
α. It runs in your browser, and nothing that you enter leaves it.</p>
```

"""
"""The way from the first page to the page to play with."""

FIRST_TASK = "## I publish a stream\n"


def contents(caption: str, names: list[str]) -> str:
    """Return a part of the site's contents, as Sphinx reads it."""
    listed = [name.replace(".ipynb", ".md") for name in names]
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *listed, "```", ""])


def api_page(module: str, purpose: str) -> str:
    """Return the page of one public module."""
    directive = [f".. automodule:: {module}", "   :members:", "   :special-members: __call__", "   :show-inheritance:"]
    return "\n".join([f"# `{module}`", "", purpose, "", "```{eval-rst}", *directive, "```", ""])


def commands_page() -> str:
    """Return the page of all commands, each as its own help has it."""
    context = click.Context(cli, info_name="tploracle")
    parts = ["# Commands", "", "```text", cli.get_help(context), "```", ""]
    for group, names in GROUPS.items():
        parts += [f"## {group}", ""]
        for name in names:
            command = cli.get_command(context, name)
            assert command is not None
            own = click.Context(command, parent=context, info_name=name)
            parts += [f"### `tploracle {name}`", "", "```text", command.get_help(own), "```", ""]
    return "\n".join(parts)


def main(folder: Path) -> None:
    """Write all sources of the site into a folder, emptied before."""
    shutil.rmtree(folder, ignore_errors=True)
    for page in pages():
        text = notebook.page(ROOT, folder) if page == notebook.PLACE else with_files(page, folder)
        write(folder, page.replace(".ipynb", ".md"), text)
    chapters = specification.chapters()
    for name, text in chapters.items():
        write(folder, f"specification/{name}.md", text)
    for module, purpose in API.items():
        write(folder, f"api/{module}.md", api_page(module, purpose))
    write(folder, "commands.md", commands_page())
    parts = []
    for caption, names in GUIDES.items():
        generated = ["commands", *(f"api/{module}" for module in API)] if caption == "Reference" else []
        parts.append(contents(caption, [*generated, *names]))
        if caption == "Explanation":
            parts.append(contents("The paper, item by item", [f"specification/{name}" for name in chapters]))
    problem, tasks = with_files("README.md", folder).split(FIRST_TASK)
    write(folder, "index.md", "".join([problem, PLAY, FIRST_TASK, tasks, *parts]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
