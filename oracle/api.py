"""The public Python API's own functions: exact answers by whichever exact method is the quickest for the size.

Wherever a level is asked for, a plain number that is exact will do (`level`), and what is returned can be shown: as a
table, as a data frame, as a picture (`tploracle.tabular`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache, wraps
from inspect import signature
from numbers import Rational
from types import FunctionType
from typing import Any, TypeVar

from . import reference
from .reference import INFINITE, Adversary, Budget, InvalidNumber, Level, TransitionMatrix, parse_level
from .solvers.fast import quick_loss_function, quick_optimum
from .solvers.tight_budgets import fast_tight_budget
from .solvers.tight_pairs import fast_tight_leakage, fast_tight_supremum
from .tabular import KINDS, Column, StreamLeakage, StreamPopulation, Tabular, WholeLoss

LevelLike = Level | Fraction | Decimal | int | str
"""What stands for a level: a plain number that is exact, a text in the contract's notation, or a level."""

Key = TypeVar("Key", bound=Hashable)
Returned = TypeVar("Returned")


class NotExact(InvalidNumber, TypeError):
    """A float was given where an exact number is needed. Its contract name is InvalidNumber."""

    @property
    def name(self) -> str:
        """The contract's name of the error."""
        return InvalidNumber.__name__


def level(value: LevelLike) -> Level:
    """Return a privacy level in nats from a plain number.

    Args: value, a level, an integer, a `Fraction`, a `Decimal`, or a text in the contract's notation. Returns: exactly
    that level. Raises: NotExact, a TypeError, for a float, whose meaning is in doubt: 0.1 is not 1/10; InvalidLevel.

    >>> level("0.1"), level(Fraction(1, 10)), level(Decimal("0.1")), level("log(11/10)")
    (<Level 1/10>, <Level 1/10>, <Level 1/10>, <Level log(11/10)>)
    """
    if isinstance(value, Level):
        return value
    if isinstance(value, str):
        return parse_level(value)
    if isinstance(value, Decimal):
        return INFINITE if value == Decimal("Infinity") else parse_level(str(value))
    if isinstance(value, float):
        meant = repr(float(value))
        raise NotExact(f"{meant} is not exact: write '{meant}' for the decimal, Fraction({meant}) for the double")
    if isinstance(value, bool) or not isinstance(value, Rational):
        raise NotExact(f"{value!r} is not a level: give a text such as '0.1', an integer or a Fraction")
    return Level.of(Fraction(int(value.numerator), int(value.denominator)))


_ONE, _SEVERAL = "Level", "Sequence[Level]"
"""How the reference writes that a parameter is a level, or that it is several."""


def taking_levels(function: Callable[..., Returned]) -> Callable[..., Returned]:
    """Return the function, with `level` applied to what it takes as a level or as several; itself where to nothing."""
    parameters = signature(function)
    kinds = {name: parameter.annotation for name, parameter in parameters.parameters.items()}
    if not {_ONE, _SEVERAL} & {*kinds.values()}:
        return function

    @wraps(function)
    def taking(*args: Any, **kwargs: Any) -> Returned:
        given = parameters.bind(*args, **kwargs)
        for name, value in given.arguments.items():
            if kinds[name] == _ONE:
                given.arguments[name] = level(value)
            elif kinds[name] == _SEVERAL:
                given.arguments[name] = [level(each) for each in value]
        return function(*given.args, **given.kwargs)

    return taking


def leakage(epsilons: Iterable[LevelLike], adversary: Adversary) -> StreamLeakage:
    """Return the leakage of releases with these budgets to one adversary, as `tploracle.reference.leakage`. Exact.

    Args: epsilons, PL_0(M^t) for t = 1..T, T ≥ 1. Raises: InvalidRequest without a release; as `level`; Undecided.
    """
    budgets = tuple(level(epsilon) for epsilon in epsilons)
    found = reference.leakage(budgets, adversary)
    return StreamLeakage(found.bpl, found.fpl, found.tpl, budgets)


def population_leakage(epsilons: Iterable[LevelLike], adversaries: Mapping[Key, Adversary]) -> StreamPopulation[Key]:
    """Return the leakage to several adversaries, as `tploracle.reference.population_leakage`. Exact.

    Raises: InvalidRequest without a release or an adversary; as `level`; Undecided.
    """
    budgets = tuple(level(epsilon) for epsilon in epsilons)
    found = reference.population_leakage(budgets, adversaries)
    return StreamPopulation(found.each, found.bpl, found.fpl, found.tpl, budgets)


class StreamAccountant(reference.Accountant, Tabular):
    """`tploracle.reference.Accountant`, which can be shown, and takes plain exact numbers for levels."""

    def __init__(
        self, adversaries: Mapping[str, Adversary], cap: LevelLike = INFINITE, spent: Iterable[LevelLike] = ()
    ) -> None:
        """Start before the first release, or after those whose budgets are already spent."""
        super().__init__(adversaries, level(cap), [level(epsilon) for epsilon in spent])

    def spend(self, epsilon: LevelLike) -> reference.Maximum[str]:
        """Account for one release of budget epsilon, as the reference does. Raises: as there, and as `level`."""
        return super().spend(level(epsilon))

    def table(self) -> dict[str, Column]:
        """Return a row for each release so far: the greatest leakage of each kind, and whose the TPL is."""
        times = range(1, self.releases + 1)
        greatest = [(self.bpl(time), self.fpl(time), self.tpl(time)) for time in times]
        kinds = {kind: [found[place].level for found in greatest] for place, kind in enumerate(KINDS)}
        whose = [", ".join(found[-1].attained_by) for found in greatest]
        return {"time": times, "epsilon": [each.to_spend() for each in self.epsilons], **kinds, "tpl_of": whose}


def loss(matrix: TransitionMatrix, alpha: LevelLike) -> Level:
    """Return L(alpha), the loss that a correlation adds to leakage alpha, Eq. [eq:lfp_sol_b].

    Args: matrix, P^B or P^F; alpha, the previous BPL or the next FPL. Returns: the level, exact. Raises: Undecided.
    """
    nats = level(alpha)
    return quick_optimum(matrix, nats).value(nats)


def loss_function(matrix: TransitionMatrix) -> WholeLoss:
    """Build the whole loss function of a transition matrix, Corollary 3 [col:L_func].

    Args: matrix, P^B or P^F.
    Returns: L on [0, ∞), exact: the same pieces, breakpoints and witnesses as `tploracle.reference.loss_function`, and
    as the paper's algorithms, `tploracle.reference.literal_loss_function`. Doubles choose what to look at; exact
    integers decide.
    """
    return WholeLoss(matrix, quick_loss_function(matrix).pieces)


def adversary(backward: TransitionMatrix | None = None, forward: TransitionMatrix | None = None) -> Adversary:
    """Build the adversary A^T(P^B, P^F), Definition 4 [def:adversary_t], who knows the correlations that are given.

    Args: backward, forward: P^B, P^F, None where not known. Returns: the same adversary as
    `tploracle.reference.Adversary.knowing`, exact; the loss functions are built as by `loss_function`, once if equal.
    Raises: InvalidRequest for matrices of different sizes.
    """
    matrices = {matrix for matrix in (backward, forward) if matrix is not None}
    losses = {matrix: quick_loss_function(matrix) for matrix in matrices}
    return Adversary(*(None if matrix is None else losses[matrix] for matrix in (backward, forward)))


def tight_leakage(
    epsilons: Iterable[LevelLike],
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
) -> StreamLeakage:
    """Return the worst BPL, FPL and TPL over all mechanisms with these budgets, `tploracle.reference.tight_leakage`.

    Args: epsilons, PL_0(M^t) for t = 1..T, T ≥ 1; backward, P^B, forward, P^F, None where not known. Returns: what
    some mechanism attains and none exceeds, exact or enclosed to any precision, by the fast method. Raises: as there.
    """
    budgets = tuple(level(epsilon) for epsilon in epsilons)
    found = fast_tight_leakage(budgets, backward, forward)
    return StreamLeakage(found.bpl, found.fpl, found.tpl, budgets)


def tight_supremum(
    epsilon: LevelLike, backward: TransitionMatrix | None = None, forward: TransitionMatrix | None = None
) -> Level:
    """Return what the worst TPL rises to with one budget for ever, as `tploracle.reference.tight_supremum`.

    Args: as `tight_leakage`. Returns: the level, ∞ where it grows without bound. Raises: as there.
    """
    return fast_tight_supremum(level(epsilon), backward, forward)


def tight_budget(
    alpha: LevelLike,
    backward: TransitionMatrix | None = None,
    forward: TransitionMatrix | None = None,
    horizon: int | None = None,
) -> Budget:
    """Return the greatest constant budget that keeps the worst TPL within alpha, over T releases or for ever.

    Args: as `tight_leakage`; horizon, T, None for ever. Returns: the budget; the lower end of each enclosure keeps
    alpha. Raises: InfeasibleBudget where none does for ever, or alpha is 0; InvalidRequest; Undecided.
    """
    return fast_tight_budget(level(alpha), backward, forward, horizon).to_spend()


@cache
def __getattr__(name: str) -> Any:
    """Return a function of the reference under its own name: it takes plain exact numbers for levels here."""
    if name == reference.Accountant.__name__:
        return StreamAccountant
    found = getattr(reference, name, None)
    if isinstance(found, FunctionType):
        return taking_levels(found)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
