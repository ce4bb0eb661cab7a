"""Run the examples in docstrings, of the package and of the vectors' generators, in README.md and in docs/*.md.

The exit status is 1 unless all pass.
"""

import doctest
import importlib
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)


def modules() -> Iterator[ModuleType]:
    """Every module of every package that pyproject.toml lists, under its installed name, and of the generators."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    sys.path.insert(0, str(ROOT))
    for name in (*project["tool"]["setuptools"]["packages"], "vectors.generators"):
        package = importlib.import_module(name)
        yield package
        for module in pkgutil.iter_modules(package.__path__, f"{name}."):
            if not module.ispkg:
                yield importlib.import_module(module.name)


def examples() -> Iterator[doctest.DocTest]:
    """The examples of all modules, then of all pages; a page's code fences end its expected outputs."""
    for module in modules():
        yield from doctest.DocTestFinder(exclude_empty=True).find(module)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if page.exists():
            text = FENCE.sub("", page.read_text(encoding="utf-8"))
            name = str(page.relative_to(ROOT))
            yield doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, str(page), 0)


def main() -> int:
    """Run all examples, print the totals and return the exit status."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in examples():
        runner.run(example)
    print(f"doctests: {runner.tries - runner.failures} passed, {runner.failures} failed")
    return 0 if runner.tries and not runner.failures else 1


if __name__ == "__main__":
    sys.exit(main())
