"""The pytest plugin of `tploracle.testing`: options, a marker, and the verdicts in one line at the end.

It is loaded with every run of pytest in an environment that has this package, so it imports nothing heavy, adds nothing
to tests that are not a `ConformanceSuite`'s, and prints nothing where none of those ran. `-p no:tploracle` leaves it
out; the suites do without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

TIERS = ("smoke", "standard", "full")
PROPERTY = "tploracle: "
"""What begins the names of the properties of tests that hold how many answers had a verdict."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that override what a suite says of itself."""
    group = parser.getgroup("tploracle", "conformance to the oracle of temporal privacy leakage")
    group.addoption("--tploracle-tier", choices=TIERS, help="how much a ConformanceSuite asks, instead of its own tier")
    group.addoption("--tploracle-seed", type=int, metavar="N", help="the seed of its seeded cases and of its search")
    group.addoption(
        "--tploracle-command", metavar="COMMAND", help="test this program instead of what each ConformanceSuite names"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and what counts verdicts."""
    config.addinivalue_line("markers", "tploracle: a test of a ConformanceSuite of tploracle.testing")
    config.pluginmanager.register(VerdictCounter(), "tploracle-verdicts")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of conformance suites."""
    if isinstance(item, pytest.Function) and getattr(item.cls, "is_conformance_suite", False):
        item.add_marker("tploracle")


class VerdictCounter:
    """Counts the verdicts that tests report, those of other processes too, and says them at the end."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the verdicts of one test."""
        if report.when == "call":
            for name, number in report.user_properties:
                if name.startswith(PROPERTY) and isinstance(number, int):
                    self.verdicts[name.removeprefix(PROPERTY)] += number

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
        """Print the verdicts after all else, the worst first."""
        yield
        if self.verdicts:
            from .conformance.model import Verdict

            counts = [f"{self.verdicts[one.value]:,} {one.value}" for one in Verdict if self.verdicts[one.value]]
            terminalreporter.write_line(f"tploracle: {', '.join(counts)}")
