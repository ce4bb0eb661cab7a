"""Flags for streams, suprema and windows: the leakage over time."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from tploracle.reference import Level

from . import printed_facts as printed
from .asked import Asked
from .flag import Fact, Flag
from .row_facts import NEAR, is_beside, log_of

LONG = 100
"""Releases from which on a stream is long."""

HUGE = Fraction(30)
"""A supremum from here up is huge: at least 10^13 times e^ε."""


def of_op(op: str, fact: Fact) -> Fact:
    """Restrict a fact to one operation."""
    return lambda asked: asked.op == op and fact(asked)


def _known(*roles: str) -> Fact:
    return lambda asked: "epsilons" in asked.input and set(asked.matrices) == set(roles)


def _uneven_in_time(asked: Asked) -> bool:
    texts = asked.input.get("epsilons")
    return isinstance(texts, list) and len(asked.epsilons) > 1 and texts != texts[::-1]


def _passes_pieces(asked: Asked) -> bool:
    """Whether the leakage passes from one piece of a loss function to another within the stream."""
    for loss, levels in (
        (asked.adversary.backward, asked.leakage.bpl[:-1]),
        (asked.adversary.forward, asked.leakage.fpl[1:]),
    ):
        if loss is not None and len({(p.q, p.d) for p in (loss.piece_at(level) for level in levels)}) > 1:
            return True
    return False


def _saturates(asked: Asked) -> bool:
    """Whether BPL or FPL rises at some time by less than 2^−52 of itself, though by something, under equal budgets."""
    if any(epsilon != asked.epsilons[0] for epsilon in asked.epsilons[1:]):
        return False
    return any(
        0 < Fraction(after.enclosure(40).lower) - Fraction(before.enclosure(40).upper) < _ulp(before)
        for levels in (asked.leakage.bpl, asked.leakage.fpl[::-1])
        for before, after in pairwise(levels)
    )


def _ulp(level: Level) -> Fraction:
    return Fraction(level.enclosure(40).lower) / 2**52


def _critical(asked: Asked) -> Level | None:
    """Return log(1/q) of the greatest q with d = 0, None where there is none below 1."""
    last = asked.loss.pieces[-1]
    return Level.of_ratio(1 / last.q) if last.d == 0 < last.q < 1 else None


def _at_critical(asked: Asked) -> bool:
    critical = _critical(asked)
    return critical is not None and asked.level("epsilon") == critical


def _beside_critical(order: int) -> Fact:
    def fact(asked: Asked) -> bool:
        critical, epsilon = _critical(asked), asked.level("epsilon")
        return critical is not None and is_beside(epsilon, critical) and epsilon.compare(critical) == order

    return fact


def _diverges(asked: Asked) -> bool:
    return not asked.level("epsilon").is_infinite and asked.supremum.level.is_infinite


def _grows_in_steps(asked: Asked) -> bool:
    return _diverges(asked) and asked.loss.is_identity


def _supremum_at_breakpoint(asked: Asked) -> bool:
    return any(p.stop is not None and asked.supremum.level == log_of(p.stop) for p in asked.loss.pieces)


def _supremum_beside_breakpoint(asked: Asked) -> bool:
    stops = [log_of(piece.stop) for piece in asked.loss.pieces if piece.stop is not None]
    budgets = [end - asked.loss(end) for end in stops]
    return any(is_beside(asked.level("epsilon"), budget) for budget in budgets)


def _huge_supremum(asked: Asked) -> bool:
    level = asked.supremum.level
    return not level.is_infinite and level >= Level.of(HUGE) and level >= asked.level("epsilon") + Level.of(HUGE)


def _window(asked: Asked) -> tuple[int, int, int]:
    return asked.integer("start"), asked.integer("length"), len(asked.epsilons)


def _inner(asked: Asked) -> bool:
    start, length, steps = _window(asked)
    return length > 2 and start > 1 and start + length - 1 < steps


FLAGS = (
    Flag(
        "NothingKnown",
        "The adversary knows neither correlation: an absent matrix is read as the identity, or refused.",
        "Leakage is reported that is not there, or none at all can be asked for.",
        _known(),
    ),
    Flag(
        "BackwardOnly",
        "The adversary knows the backward correlation alone: the forward part is computed from it too.",
        "TPL is overstated, and budgets are smaller than they need be.",
        _known("backward"),
    ),
    Flag(
        "ForwardOnly",
        "The adversary knows the forward correlation alone: it is taken for the backward one.",
        "What later releases tell about earlier ones is missed.",
        _known("forward"),
    ),
    Flag(
        "BothKnown",
        "The adversary knows both correlations and TPL_t = BPL_t + FPL_t − ε_t: ε_t is counted twice, or not at all.",
        "TPL is off by a whole budget at every time.",
        _known("backward", "forward"),
    ),
    Flag(
        "OneRelease",
        "There is one release: the recursion makes a step too many, or an index is outside the array.",
        "The first release of every stream is accounted for wrongly.",
        lambda asked: len(asked.epsilons) == 1,
    ),
    Flag(
        "UnevenBudgets",
        "The budgets read differently backwards: a program tried on equal budgets only runs FPL in the wrong "
        "direction.",
        "The forward leakage is that of another stream, and no test with equal budgets shows it.",
        _uneven_in_time,
    ),
    Flag(
        "LongStream",
        "A hundred releases or more: each step starts from the rounded result of the one before.",
        "Rounding to nearest drifts below the truth, though each step is right within an ulp.",
        lambda asked: len(asked.epsilons) >= LONG or asked.integer("horizon") >= LONG,
    ),
    Flag(
        "PassesPieces",
        "The leakage passes from one piece of L to another within the stream: the piece, or pair of rows, of "
        "the first step is kept.",
        "From then on the leakage is understated, more with every release.",
        _passes_pieces,
    ),
    Flag(
        "Saturates",
        "The leakage still rises, by less than 2^−52 of itself: doubles come to a fixed point before it does.",
        "The value at which the program stays is below the truth for ever after.",
        _saturates,
    ),
    Flag(
        "NotAttained",
        "From the third release on no mechanism attains the recursion's value: the definitions are "
        "implemented, not the recursions.",
        "The number may be true of the mechanism that was tried; the contract's, which holds for all of them, "
        "is greater.",
        lambda asked: (
            len(asked.epsilons) > 2
            and any(m.n == 2 and m.rows[0][0] < m.rows[1][0] and 0 in m.rows[0] for m in asked.matrices.values())
        ),
    ),
    Flag(
        "CriticalBudget",
        "ε is exactly log(1/q) with d = 0, where the leakage grows without bound: case 2 of Theorem 11 as "
        "printed includes it.",
        "A finite supremum is promised for a stream that has none.",
        of_op("supremum", _at_critical),
    ),
    Flag(
        "JustBelowCritical",
        "ε is below log(1/q) by at most 1.1 parts in 10^12: 1 − q·e^ε keeps a few bits, or comes out as 0.",
        "The supremum is off in its first digits, below the truth or above, or said not to exist.",
        of_op("supremum", _beside_critical(-1)),
    ),
    Flag(
        "JustAboveCritical",
        "ε is above log(1/q) by at most 1.1 parts in 10^12: rounding, or a tolerance, puts it on the other side.",
        "A finite number is promised, which the leakage passes.",
        of_op("supremum", _beside_critical(1)),
    ),
    Flag(
        "NoSupremum",
        "With a finite budget at every time the leakage has no bound: an iteration is cut off, and its last "
        "value given.",
        "A number is promised, which the leakage passes.",
        of_op("supremum", _diverges),
    ),
    Flag(
        "GrowsByItsBudget",
        "q = 1 and d = 0, so that each release adds all of ε (case 3 of Theorem 11): 1 − q = 0 is divided by.",
        "NaN, or a finite number, for the worst correlation of all.",
        of_op("supremum", _grows_in_steps),
    ),
    Flag(
        "FirstStepPair",
        "The (q, d) that is optimal at the first step is put into the formula of Theorem 11; at the supremum "
        "another pair rules.",
        "A supremum is promised that the leakage passes after a few releases.",
        of_op("supremum", lambda asked: not asked.level("epsilon").is_zero and printed.first_step_understates(asked)),
    ),
    Flag(
        "PrintedSign",
        "The quadratic is solved with the sign that the proof of Theorem 11 prints on its linear term.",
        "The root of another equation is given for the supremum.",
        of_op("supremum", printed.printed_sign_misses),
    ),
    Flag(
        "CaseTwoDividesByZero",
        "The formula of case 2 is taken at ε = log(1/q), where its denominator is 0.",
        "A crash, or ∞ by luck of the arithmetic and of no other.",
        of_op("supremum", printed.case_2_divides_by_zero),
    ),
    Flag(
        "LogOfOneOverZero",
        "No two rows differ, so that q = 0, and the printed case asks for log(1/q).",
        "A crash for users whose data have no temporal correlation.",
        of_op("supremum", printed.logarithm_of_one_over_zero),
    ),
    Flag(
        "StartsFromZero",
        "Algorithm 6 as printed starts from sup = 0, finds no pair and returns it.",
        "A stream of releases is said to leak nothing.",
        of_op("supremum", printed.starts_from_zero),
    ),
    Flag(
        "SupremumAtBreakpoint",
        "The supremum is exactly at a breakpoint of L: tests of the open interval of each piece find it in neither.",
        "No supremum is found though there is one.",
        of_op("supremum", _supremum_at_breakpoint),
    ),
    Flag(
        "SupremumBesideBreakpoint",
        "The supremum is just beside a breakpoint of L: the formula of the neighbouring piece is taken, which "
        "gives less.",
        "A supremum is promised that the leakage passes, by a little.",
        of_op("supremum", _supremum_beside_breakpoint),
    ),
    Flag(
        "HugeSupremum",
        "The supremum is finite and at least 30 above ε: e^α overflows, or an iteration is given up before it arrives.",
        "No supremum is found though there is one, or one far below it is promised.",
        of_op("supremum", _huge_supremum),
    ),
    Flag(
        "TinyDenominator",
        "d at the supremum is positive and 2^−40 or less: a threshold takes it for 0, or d² in the formula underflows.",
        "A finite supremum is said not to exist, or comes out as NaN.",
        of_op("supremum", lambda asked: 0 < asked.supremum.d <= NEAR),
    ),
    Flag(
        "WindowOfOne",
        "A window of one release leaks its TPL; BPL + FPL is answered.",
        "The budget of the release is counted twice.",
        of_op("composition", lambda a: _window(a)[1] == 1),
    ),
    Flag(
        "WindowOfTwo",
        "A window of two releases has none between its ends: the sum between them is taken over one too many.",
        "The leakage of the window is off by a whole budget.",
        of_op("composition", lambda a: _window(a)[1] == 2),
    ),
    Flag(
        "WholeStream",
        "The window is the whole stream, which leaks the sum of its budgets: what leads in and out is added "
        "though there is no outside.",
        "Leakage is reported that is not there, and budgets are wasted.",
        of_op("composition", lambda a: _window(a)[1] == _window(a)[2] > 1),
    ),
    Flag(
        "InnerWindow",
        "A window of three or more has releases before and after it: times are counted from 0.",
        "The leakage of the window beside it is answered.",
        of_op("composition", _inner),
    ),
)
