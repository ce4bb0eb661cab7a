"""Instances to compare methods on, drawn by Hypothesis; and its search for the smallest one that fails a test.

Hypothesis comes with the extra `strategies` and is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from ..reference import INFINITE, ZERO, Level, TransitionMatrix

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

Choice = TypeVar("Choice")

ROUNDINGS = (1, 2, 3, 4, 6, 10, 12, 100, 1000, 10**6, 10**9, 10**12)
"""Denominators to which the entries of a matrix are rounded to make it simpler."""

USUAL_LEVELS = ("log(2)", "log(3/2)", "log(11/10)", "1", "1/10", "inf")
"""Simple levels that are tried in place of a given one."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A transition matrix and a level."""

    matrix: TransitionMatrix
    alpha: Level


def instances() -> SearchStrategy[Instance]:
    """Return a strategy of instances of four states at most: zeros, ties, nearly equal rows; levels of all kinds."""
    from hypothesis import strategies as st

    from ..strategies import MATRIX_KINDS, matrices

    levels = st.one_of(
        st.fractions(1, 20, max_denominator=20).map(Level.of_ratio),
        st.fractions(Fraction(1, 100), 5, max_denominator=100).map(Level.of),
        st.sampled_from([ZERO, Level.of_ratio(1 + Fraction(1, 10**9)), Level.of_ratio(10**12), Level.of(40), INFINITE]),
    )
    # Entries of 1e-300 are nothing to linear programs in doubles.
    kinds = [kind for kind in MATRIX_KINDS if kind != "tiny"]
    return st.builds(Instance, matrices(1, 4, kinds=kinds), levels)


def simpler(instance: Instance) -> SearchStrategy[Instance]:
    """Return a strategy of instances made of this one: states left out, entries rounded, a simple level; and itself."""
    from hypothesis import strategies as st

    from ..reference import parse_level

    n = instance.matrix.n

    @st.composite
    def drawn(draw: DrawFn) -> Instance:
        # Each draw can be lowered by itself. Most are high, which changes nothing: the instance itself comes up often.
        states = [j for j in range(n) if draw(st.integers(0, 4 * n))]
        denominator = _at(ROUNDINGS, draw(st.integers(0, 10 * len(ROUNDINGS))))
        level = _at(USUAL_LEVELS, draw(st.integers(0, 10 * len(USUAL_LEVELS))))
        alpha = instance.alpha if level is None else parse_level(level)
        return Instance(_reduced(instance.matrix, states or [0], denominator), alpha)

    return drawn()


def _at(choices: Sequence[Choice], index: int) -> Choice | None:
    return choices[index] if index < len(choices) else None


def _reduced(matrix: TransitionMatrix, states: list[int], denominator: int | None) -> TransitionMatrix:
    """Keep these states, what leads to others counting for the first of them, and round each row to a denominator."""
    rows = []
    for state in states:
        row = [matrix.rows[state][column] for column in states]
        row[0] += 1 - sum(row)
        if denominator is not None:
            row = [Fraction(int(entry * denominator), denominator) for entry in row]
            row[0] += 1 - sum(row)
        rows.append(tuple(row))
    return TransitionMatrix(tuple(rows))


def smallest_failure(
    strategy: SearchStrategy[Instance], fails: Callable[[Instance], bool], examples: int, seed: int
) -> Instance | None:
    """Return the smallest instance for which `fails`, of those that Hypothesis draws and shrinks; None if none does.

    Args: fails, called with each instance drawn; examples, how many are drawn before any shrinking; seed, of the
    drawing: the same seed draws the same instances with the same versions of Hypothesis and of this package.
    """
    import hypothesis
    from hypothesis import HealthCheck, Phase

    from ..conformance.ask.search import nothing_kept

    class Failure(Exception):
        pass

    last: list[Instance] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
    )
    @hypothesis.given(strategy)
    def every(instance: Instance) -> None:
        if fails(instance):
            last[:] = [instance]
            raise Failure

    try:
        with nothing_kept():
            every()
    except (Failure, hypothesis.errors.Flaky, BaseExceptionGroup):
        return last[0]
    return None
