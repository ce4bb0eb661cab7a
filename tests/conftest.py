"""What holds for all tests: the profile of Hypothesis, and what `make explore` adds to a run."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tploracle.output import progress

from . import profiles

profiles.load()
progress.INTERVAL = 10_000.0  # no machine is so slow that a command says on standard error how long it takes


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(empty_folder: Path, budgets_once: None) -> Path:
    """Work in a folder of the test's own that holds the files of `tests/matrices.py`."""
    from .matrices import FILES, USERS, csv_text  # after `tests.mutation` has changed what it changes

    for name, matrix in FILES.items():
        (empty_folder / name).write_text(csv_text(matrix))
    (empty_folder / "u.json").write_text(json.dumps(USERS))
    return empty_folder


FOUND = {}


@pytest.fixture
def budgets_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search for a greatest budget by the exact worst case once, however many commands ask for it."""
    from tploracle.models import worst_case

    search = worst_case.fast_worst_case_budget

    def found(alpha, *known):
        key = (alpha.exact_text, *known)
        if alpha.exact_text is None:
            return search(alpha, *known)
        if key not in FOUND:
            FOUND[key] = search(alpha, *known)
        return FOUND[key]

    monkeypatch.setattr(worst_case, "fast_worst_case_budget", found)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests of an exploration in another order each time: the next may reach what one has no time for."""
    if profiles.FACTOR:
        Random(config.getoption("--hypothesis-seed") or 0).shuffle(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Say with a failure of an exploration how to see it again."""
    report = yield
    if report.failed and profiles.FACTOR:
        again = profiles.repeated(item.config.getoption("--hypothesis-seed"), item.nodeid)
        report.sections.append(("exploring", again))
    return report
