"""What holds for all tests: the profile of Hypothesis, and what `make explore` adds to a run."""

from collections.abc import Iterator
from random import Random

import pytest

from tploracle.output import progress

from . import profiles

profiles.load()
progress.INTERVAL = 10_000.0  # no machine is so slow that a command says on standard error how long it takes


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
