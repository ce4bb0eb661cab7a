"""What holds for all tests: the profile of Hypothesis, and what `make explore` adds to a run."""

from collections.abc import Iterator
from random import Random

import pytest

from . import profiles

profiles.load()


def seed_of(config: pytest.Config) -> str | None:
    """Return the seed of an exploration; None for a plain run."""
    return config.getoption("--hypothesis-seed") if profiles.FACTOR else None


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say the seed first."""
    return f"exploring: {profiles.repeated(seed_of(config))}" if profiles.FACTOR else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests of an exploration in another order each time: one that is ended early has its chance next time."""
    if profiles.FACTOR:
        Random(seed_of(config)).shuffle(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Say with a failure of an exploration how to see it again."""
    report = yield
    if report.failed and profiles.FACTOR:
        report.sections.append(("exploring", profiles.repeated(seed_of(item.config), item.nodeid)))
    return report
