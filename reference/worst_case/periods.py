"""The exact worst case over an infinite horizon where the matrices of the steps repeat.

The chain of *phases*: its values are pairs of a phase, the time modulo the period m, and a value. It has one matrix for
all steps, of m·n rows, so that the sweep for ever is that of `for_ever`, with pairs of values of one phase.

Criterion. The leakage is bounded if and only if that of the chain over whole periods is, with the period's budgets
together: (i) M = P_1·…·P_m has one closed class, and it is aperiodic; (ii) e^{mε}·ρ(M_TT) < 1 on its transient values.
*Bounded*: as of one matrix, with m steps for one; what is closed for M leads, at every phase, into what is closed
there, so that M_TT is the product of the blocks of the m steps. *Unbounded*: two closed classes or cyclic parts of M,
followed through the phases, are disjoint at each of them, and so e^{εt} apart. Where e^{mε}·ρ(M_CC) ≥ 1 for a class C,
ask at each phase about the values that C leads to and that lead back to it: over a period w·f grows as of one matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import lcm

from ..correlations import Row, TransitionMatrix
from ..errors import InvalidRequest
from ..levels import INFINITE, ZERO, Level
from ..paper.composition import total
from ..stepwise import Correlation, Stepwise, matrices_in, over_a_period
from .boundedness import Boundedness, boundedness
from .leakage import NO_SIDE, Starts, added
from .sweep import OneSide

Ruling = Callable[[int], Starts]
"""For a number of phases, the pairs that may be the worst, as `WorstRatio`: of values phase·n + j of their chain."""


def periodic_boundedness(cycle: Stepwise[TransitionMatrix], epsilon: Level, is_forward: bool = False) -> Boundedness:
    """Decide whether the exact worst case over an infinite horizon is bounded, where the steps repeat.

    Args:
        cycle: the matrices that repeat, of P^B for BPL or of P^F for FPL, n × n each.
        epsilon: the budget of every release, finite and above 0, in nats.
        is_forward: whether it is about FPL.

    Returns: what decides it, of the values at the times 1, m + 1, …. Raises: InvalidRequest, Undecided.
    """
    return boundedness(over_a_period(cycle, is_forward), total([epsilon] * len(cycle.each)))


def periodic_worst_case_supremum(
    epsilon: Level,
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    ruling: Ruling | None = None,
) -> Level:
    """Return the supremum over all horizons and times of the worst-case TPL with one budget, where matrices repeat.

    With one correlation it is that of BPL or FPL, as for `worst_case_supremum`.

    Args:
        epsilon: the budget of every release, a level in nats.
        backward: one matrix of P^B, or those that repeat, n × n each; None where not known.
        forward: of P^F, likewise. The first step is the first of both.
        ruling: says among which pairs the worst is known to be; all where it is None.

    Returns: the level, ∞ where the criterion says so, otherwise enclosed to any precision.
    Raises: InvalidRequest where sizes differ, or matrices do not repeat; Undecided, as `worst_case_supremum`.
    """
    known = {name: _repeated(own, name) for name, own in (("P^B", backward), ("P^F", forward)) if own is not None}
    sizes = {matrix.n for own in known.values() for matrix in own.each}
    if len(sizes) > 1:
        raise InvalidRequest(f"the matrices have {' and '.join(map(str, sorted(sizes)))} states")
    if not known or epsilon.is_zero or epsilon.is_infinite:
        return ZERO if sizes == {1} else epsilon
    (n,) = sizes
    if n < 2:
        return ZERO
    phases = lcm(*(len(own.each) for own in known.values()))
    sides = []
    for name in ("P^B", "P^F"):
        if name not in known:
            sides.append(NO_SIDE)
            continue
        if not periodic_boundedness(known[name], epsilon, name == "P^F").is_bounded:
            return INFINITE
        rows = chain_of_phases(known[name], phases, name == "P^F")
        sides.append((OneSide((rows,), for_ever=True, phases=phases), (epsilon,)))
    pairs = [(phase * n + j, phase * n + k) for phase in range(phases) for j, k in permutations(range(n), 2)]
    return epsilon + added(sides[0], sides[1], pairs if ruling is None else ruling(phases))


def _repeated(correlation: Correlation, name: str) -> Stepwise[TransitionMatrix]:
    """Return the matrices that repeat: one matrix does. Raises: InvalidRequest for others."""
    if isinstance(correlation, Stepwise) and not correlation.repeats:
        raise InvalidRequest(f"{name}: a supremum over all horizons needs matrices that repeat")
    return Stepwise(matrices_in(correlation), repeats=True)


def chain_of_phases(cycle: Stepwise[TransitionMatrix], phases: int, is_forward: bool) -> tuple[Row, ...]:
    """Return the rows of the one matrix of pairs of a phase and a value, the values of the first phase first.

    Args: cycle, the matrices that repeat; phases, how many there are, a multiple of the period; is_forward, whether
    they lead to the next phase, or to the one before.
    """
    n, matrices = cycle.each[0].n, cycle.over(phases, "cycle")
    rows: list[Row] = []
    for phase in range(phases):
        step, to = (phase, phase + 1) if is_forward else (phase - 1, phase - 1)
        rows += [_placed(row, to % phases, phases) for row in matrices[step % phases].rows]
    assert len(rows) == phases * n
    return tuple(rows)


def _placed(row: Sequence[Fraction], phase: int, phases: int) -> Row:
    nothing = (Fraction(0),) * len(row)
    return tuple(x for other in range(phases) for x in (row if other == phase else nothing))
