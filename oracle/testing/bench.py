"""What a conformance suite is set to, and the bench on which its tests put their questions."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain
from typing import ClassVar, NoReturn

import pytest

from ..conformance.ask.budget import QuestionBudget, budget_of
from ..conformance.ask.cases import askable, load_vectors
from ..conformance.ask.implementation import (
    Implementation,
    NotAnImplementation,
    ObjectImplementation,
    ProcessImplementation,
)
from ..conformance.ask.runner import Plan, Runner
from ..conformance.ask.search import EXAMPLES
from ..conformance.ask.seeded import seeded_cases, seeded_of_each, stepwise_cases
from ..conformance.ask.sizes import SIZES, sizes_cases
from ..conformance.extents import is_outside
from ..conformance.judge.judge import Judge
from ..conformance.model import DEFAULT_TIMEOUT, DEFAULT_ULPS, TIERS, Case, Result, Run
from ..contract.operations import OPERATIONS
from ..output.sheets import counted
from ..wire.protocol import DOUBLES, RATIONAL, Declaration

_ALL_NUMBERS = (*DOUBLES, RATIONAL)


class SuiteSettings:
    """What a conformance suite says, as `ConformanceSuite` explains it."""

    implementation: ClassVar[object] = None
    command: ClassVar[Sequence[str] | None] = None
    tier: ClassVar[str] = "standard"
    ulps: ClassVar[int] = DEFAULT_ULPS
    timeout: ClassVar[float] = DEFAULT_TIMEOUT
    seed: ClassVar[int] = 0
    seeded: ClassVar[int | None] = None
    examples: ClassVar[int | None] = None
    operations: ClassVar[Collection[str] | None] = None
    numbers: ClassVar[Collection[str] | None] = None
    xfails: ClassVar[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Setup:
    """A suite's attributes, the options of the command line in their place where they are given."""

    suite: type[SuiteSettings]
    command: tuple[str, ...] | None
    tier: str
    seed: int
    operations: tuple[str, ...]
    numbers: tuple[str, ...]

    @classmethod
    def of(cls, suite: type[SuiteSettings], config: pytest.Config) -> Setup:
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
    def named(self) -> str:
        """How `tploracle conform` names a program, "" for an object."""
        return "" if self.command is None else f"-- {shlex.join(self.command)}"

    def implementation(self) -> Implementation:
        """Return the implementation to be asked. Raises: NotAnImplementation."""
        if self.command is None:
            return ObjectImplementation(self.suite.implementation)
        return ProcessImplementation(self.command, self.suite.timeout)

    @property
    def run(self) -> Run:
        """What its tests are part of, with nothing in it."""
        return Run(self.named, self.tier, self.seed, self.suite.ulps, timeout=self.suite.timeout)

    @property
    def budget(self) -> QuestionBudget:
        """How many cases there are of each operation."""
        return budget_of(self.tier, self._declared().operations)

    @property
    def examples(self) -> int:
        """How many inputs the search draws, 0 in the tier that has none."""
        return EXAMPLES.get(self.tier, 0) if self.suite.examples is None else self.suite.examples

    def asked(self) -> list[str]:
        """Return the operations that are tested: those of the suite that are declared."""
        return [op for op in self.operations if op in self._declared().operations]

    def vectors(self) -> tuple[list[Case], dict[str, str]]:
        """Return the vectors that are asked; and why none, or not all, of an operation are, where that is so."""
        declared = self._declared()
        meant = Declaration("", "", self.operations, self.numbers, stepwise=declared.stepwise)
        asked: list[Case] = []
        missing: Counter[str] = Counter()
        for vector in _vectors(self.tier):
            if askable(vector, meant) is not None:
                case = askable(vector, declared)
                if case is not None and not is_outside(case, declared.domain):
                    asked.append(vector)
                else:
                    missing[vector.op] += 1
        return asked, {op: _why(op, number, declared) for op, number in missing.items()}

    def _declared(self) -> Declaration:
        """Return what the implementation declares; what the suite says where it does not start, so that tests fail."""
        return _declaration(self) or Declaration("", "", self.operations, self.numbers)

    def marks(self, test_id: str) -> list[pytest.MarkDecorator]:
        """Return the mark of a known failure, where the test is one."""
        reasons = [reason for pattern, reason in self.suite.xfails.items() if fnmatchcase(test_id, pattern)]
        expected = pytest.fail.Exception
        return [pytest.mark.xfail(reason=reason, raises=expected, strict=True) for reason in reasons[:1]]

    def stale_xfails(self) -> Iterator[str]:
        """Yield a complaint for each pattern that no test of any tier has."""
        ids = [vector.id for vector in _vectors(TIERS[-1])] if self.suite.xfails else []
        ids += [f"{op}-{kind}" for op in OPERATIONS for kind in ("seeded", SIZES, "search")]
        for pattern in self.suite.xfails:
            if not any(fnmatchcase(test_id, pattern) for test_id in ids):
                yield f"the xfail {pattern!r} has no test"


@cache
def _declaration(setup: Setup) -> Declaration | None:
    """Return what an implementation declares, which is started for that; None where it does not start."""
    implementation = setup.implementation()
    try:
        return implementation.start()
    except NotAnImplementation:
        return None
    finally:
        implementation.close()


def _why(op: str, number: int, declared: Declaration) -> str:
    if op in OPERATIONS and op not in declared.operations:
        return f"not declared: {op}, {counted(number, 'vector')}"
    return f"{counted(number, 'vector')} of {op} with numbers that are not declared, or outside the declared domain"


def _refuse(suite: type[SuiteSettings], why: str) -> NoReturn:
    pytest.fail(f"{suite.__name__}: {why}", pytrace=False)


def _chosen(
    suite: type[SuiteSettings], what: str, chosen: Collection[str] | None, admitted: Collection[str]
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
            self._runner = _CountingRunner(implementation, plan, setup.run, judge)
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
        setup, numbers = self.setup, declaration.numbers
        if setup.suite.seeded is not None:
            cases = seeded_cases(setup.seed, setup.suite.seeded, numbers)
            return self._put_all(case for case in cases if case.op == op)
        quota = {op: setup.budget.seeded[op]}
        own = stepwise_cases(setup.seed, quota, numbers) if declaration.stepwise else ()
        return self._put_all(chain(seeded_of_each(setup.seed, quota, numbers), own))

    def put_sizes(self, op: str) -> list[Result]:
        """Put the cases of an operation across sizes. Returns: the judged answers."""
        _, declaration = self._started()
        counts = {tier: {op: sizes[op]} for tier, sizes in self.setup.budget.sizes.items()}
        return self._put_all(sizes_cases(self.setup.seed, counts, declaration.domain))

    def _put_all(self, cases: Iterable[Case]) -> list[Result]:
        return [result for case in cases if (result := self.put(case)) is not None]

    def search(self, op: str) -> tuple[int, list[Result]]:
        """Search an operation. Returns: how many answers were judged, and the smallest of each kind of failure."""
        from ..conformance.ask.search import search

        runner, declaration = self._started()
        runner.run, before = self.setup.run, runner.judged
        search(runner, replace(declaration, operations=(op,)), examples=self.setup.examples)
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

    def _started(self) -> tuple[_CountingRunner, Declaration]:
        if self._runner is None:
            pytest.fail(self._why, pytrace=False)
        return self._runner, self._declaration
