"""What a conformance suite is set to, and the bench on which its tests put their questions."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, NoReturn

import pytest

from ..conformance.cases import askable, load_vectors
from ..conformance.extents import is_outside
from ..conformance.implementation import (
    Implementation,
    NotAnImplementation,
    ObjectImplementation,
    ProcessImplementation,
)
from ..conformance.judge import Judge
from ..conformance.model import TIERS, Case, Result, Run
from ..conformance.runner import Plan, Runner
from ..conformance.seeded import seeded_cases
from ..contract.operations import OPERATIONS
from ..wire.protocol import DOUBLES, RATIONAL, Declaration

if TYPE_CHECKING:
    from . import ConformanceSuite

_ALL_NUMBERS = (*DOUBLES, RATIONAL)


@dataclass(frozen=True, slots=True)
class Setup:
    """A suite's attributes, the options of the command line in their place where they are given."""

    suite: type[ConformanceSuite]
    command: tuple[str, ...] | None
    tier: str
    seed: int
    operations: tuple[str, ...]
    numbers: tuple[str, ...]

    @classmethod
    def of(cls, suite: type[ConformanceSuite], config: pytest.Config) -> Setup:
        """Return what a suite is set to. Raises: pytest's failure where it cannot be meant."""
        given = config.getoption("--tploracle-command", None)
        tier = config.getoption("--tploracle-tier", None) or suite.tier
        seed = config.getoption("--tploracle-seed", None)
        if given is None and (suite.implementation is None) == (suite.command is None):
            _refuse(suite, "set either `implementation` or `command`")
        if tier not in TIERS:
            _refuse(suite, f"tier is one of {', '.join(TIERS)}, not {tier!r}")
        if isinstance(suite.command, str):
            _refuse(suite, "command is a list: a program and its arguments")
        command = shlex.split(given) if given is not None else suite.command
        return cls(
            suite,
            None if command is None else tuple(command),
            tier,
            suite.seed if seed is None else seed,
            _chosen(suite, "operations", suite.operations, OPERATIONS),
            _chosen(suite, "numbers", suite.numbers, _ALL_NUMBERS),
        )

    @property
    def named(self) -> str | None:
        """How `tploracle conform` names a program, None for an object."""
        return None if self.command is None else f"-- {shlex.join(self.command)}"

    def implementation(self) -> Implementation:
        """Return the implementation to be asked. Raises: NotAnImplementation."""
        if self.command is None:
            return ObjectImplementation(self.suite.implementation)
        return ProcessImplementation(self.command, self.suite.timeout)

    def vectors(self) -> list[Case]:
        """Return the vectors that an implementation with these operations and numbers may be asked."""
        declaration = Declaration("", "", self.operations, self.numbers)
        return [vector for vector in _vectors(self.tier) if askable(vector, declaration) is not None]

    def marks(self, test_id: str) -> list[pytest.MarkDecorator]:
        """Return the mark of a known failure, where the test is one."""
        reasons = [reason for pattern, reason in self.suite.xfails.items() if fnmatchcase(test_id, pattern)]
        expected = pytest.fail.Exception
        return [pytest.mark.xfail(reason=reason, raises=expected, strict=True) for reason in reasons[:1]]

    def stale_xfails(self) -> Iterator[str]:
        """Yield a complaint for each pattern that no test of any tier has."""
        ids = [vector.id for vector in _vectors(TIERS[-1])] if self.suite.xfails else []
        ids += [f"{op}-{kind}" for op in OPERATIONS for kind in ("seeded", "search")]
        for pattern in self.suite.xfails:
            if not any(fnmatchcase(test_id, pattern) for test_id in ids):
                yield f"the xfail {pattern!r} has no test"


def _refuse(suite: type[ConformanceSuite], why: str) -> NoReturn:
    pytest.fail(f"{suite.__name__}: {why}", pytrace=False)


def _chosen(
    suite: type[ConformanceSuite], what: str, chosen: Collection[str] | None, admitted: Collection[str]
) -> tuple[str, ...]:
    """Return those of the admitted names that are chosen, in their order; all of them without a choice."""
    if chosen is None:
        return tuple(admitted)
    if isinstance(chosen, str) or not chosen or any(name not in admitted for name in chosen):
        _refuse(suite, f"{what} are several of {', '.join(admitted)}, not {chosen!r}")
    return tuple(name for name in admitted if name in chosen)


@cache
def _vectors(tier: str) -> tuple[Case, ...]:
    return tuple(load_vectors(tier))


@cache
def _seeded(seed: int, count: int, numbers: tuple[str, ...]) -> tuple[Case, ...]:
    return tuple(seeded_cases(seed, count, numbers))


class _CountingRunner(Runner):
    """A runner that counts the answers it judged."""

    judged = 0

    def put(self, case: Case) -> Result:
        result = super().put(case)
        self.judged += result.is_judged
        return result


class Bench:
    """A started implementation and the judge of its answers. One that does not start fails every test that asks it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._implementation: Implementation | None = None
        self._runner: _CountingRunner | None = None
        self._why = ""
        try:
            self._implementation = implementation = setup.implementation()
            self._declaration = implementation.start()
            plan, judge = Plan(setup.tier, setup.seed), Judge(setup.suite.ulps)
            self._runner = _CountingRunner(implementation, plan, self._run(), judge)
        except NotAnImplementation as error:
            self._why = f"the implementation does not start: {error}"

    def close(self) -> None:
        """End the implementation."""
        if self._implementation is not None:
            self._implementation.close()

    def put(self, case: Case) -> Result | None:
        """Put a case as the implementation takes it. Returns: the judged answer, None where it does not take it."""
        runner, declaration = self._started()
        asked = askable(case, declaration)
        return None if asked is None or is_outside(asked, declaration.domain) else runner.put(asked)

    def put_seeded(self, op: str) -> list[Result]:
        """Put the seeded cases of an operation. Returns: the judged answers."""
        _, declaration = self._started()
        cases = _seeded(self.setup.seed, self.setup.suite.seeded, tuple(declaration.numbers))
        results = [self.put(case) for case in cases if case.op == op]
        return [result for result in results if result is not None]

    def search(self, op: str) -> tuple[int, list[Result]]:
        """Search an operation. Returns: how many answers were judged, and the smallest of each kind of failure."""
        from ..conformance.search import search

        runner, declaration = self._started()
        if op not in declaration.operations:
            return 0, []
        runner.run, before = self._run(), runner.judged
        search(runner, replace(declaration, operations=(op,)), examples=self.setup.suite.examples)
        return runner.judged - before, [finding.result for finding in runner.run.findings]

    def declaration_complaints(self) -> Iterator[str]:
        """Yield what the implementation declares that it should not, and what it does not."""
        _, declaration = self._started()
        suite, setup = self.setup.suite, self.setup
        if unknown := [op for op in declaration.operations if op not in OPERATIONS]:
            yield f"it declares operations that the contract does not have: {', '.join(unknown)}"
        for what, wanted, declared, expected in (
            ("operations", suite.operations, declaration.operations, setup.operations),
            ("numbers", suite.numbers, declaration.numbers, setup.numbers),
        ):
            if wanted is not None and set(declared) != set(expected):
                yield f"it declares the {what} {', '.join(declared)}; the suite says {', '.join(expected)}"

    def _run(self) -> Run:
        setup = self.setup
        return Run(setup.named or "", setup.tier, setup.seed, setup.suite.ulps)

    def _started(self) -> tuple[_CountingRunner, Declaration]:
        if self._runner is None:
            pytest.fail(self._why, pytrace=False)
        return self._runner, self._declaration
