"""Flags for one value of L, and for L as a whole: Algorithms 1 to 5."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tploracle.reference import Level, TransitionMatrix
from tploracle.reference.correlations import Row

from . import printed_facts as printed
from .asked import Asked, loss_of
from .flag import Fact, Flag
from .flags_of_rows import of_matrix
from .row_facts import all_transitions, is_at, is_beside, log_of, pairs, removals

FAR = Fraction(2**40)


def some_removals(fact: Callable[[list[int]], bool]) -> Fact:
    """Make a fact about the turns of Algorithm 1 one about a question: some pair of rows shows it at alpha."""
    return lambda asked: any(fact(removals(q, d, asked.level("alpha"))) for q, d in pairs(asked.matrix))


def _stays_whole(asked: Asked) -> bool:
    def whole(q: Row, d: Row) -> bool:
        inside = [j for j in range(len(q)) if q[j] > d[j] > 0]
        return len(inside) > 1 and not removals(q, d, asked.level("alpha"))

    return asked.op == "loss" and any(whole(q, d) for q, d in pairs(asked.matrix))


def _late_pair(asked: Asked) -> bool:
    """Whether every pair that attains L(alpha) has its row of q after its row of d, or neither is row 1."""
    alpha = asked.level("alpha") if "alpha" in asked.input else asked.level("epsilon")
    best = asked.loss(alpha)
    rows = asked.matrix.rows
    attaining = [
        (i, k) for i, q in enumerate(rows) for k, d in enumerate(rows) if i != k and _pair_loss(q, d, alpha) == best
    ]
    return not best.is_zero and all(i > k or min(i, k) > 0 for i, k in attaining)


def _pair_loss(q: Row, d: Row, alpha: Level) -> Level:
    order = sorted((j for j in range(len(q)) if q[j] > d[j]), key=lambda j: d[j] / q[j])
    q_sum, d_sum, best = Fraction(0), Fraction(0), Level.of(Fraction(0))
    for j in order:
        q_sum, d_sum = q_sum + q[j], d_sum + d[j]
        best = max(best, alpha.linear_fractional(q_sum, d_sum))
    return best


def _boundary(asked: Asked, beside: bool) -> bool:
    alpha = asked.level("alpha")
    if beside:
        return any(is_beside(alpha, log_of(excess)) for excess in all_transitions(asked.matrix))
    return any(is_at(alpha, excess) for excess in all_transitions(asked.matrix))


def _beyond_first_piece(asked: Asked) -> bool:
    breakpoints = _finite_breakpoints(asked.matrix)
    return bool(breakpoints) and asked.level("alpha") > log_of(breakpoints[0])


def _short_piece(asked: Asked) -> bool:
    return any(
        p.start > 0 and p.stop is not None and p.stop < p.start * Fraction(1_000_001, 1_000_000)
        for p in asked.loss.pieces
    )


def _concurrent(asked: Asked) -> bool:
    """Whether at a breakpoint of L a third function, which rules nowhere, has the same value."""
    ruling = {(piece.q, piece.d) for piece in asked.loss.pieces}
    for piece in asked.loss.pieces[:-1]:
        assert piece.stop is not None
        value = (piece.q * piece.stop + 1) / (piece.d * piece.stop + 1)
        for q, d in _prefix_sums(asked):
            if (q, d) not in ruling and (q * piece.stop + 1) / (d * piece.stop + 1) == value:
                return True
    return False


def _prefix_sums(asked: Asked) -> set[tuple[Fraction, Fraction]]:
    found = set[tuple[Fraction, Fraction]]()
    for q, d in pairs(asked.matrix):
        q_sum, d_sum = Fraction(0), Fraction(0)
        for j in sorted((j for j in range(len(q)) if q[j] > d[j]), key=lambda j: d[j] / q[j]):
            q_sum, d_sum = q_sum + q[j], d_sum + d[j]
            found.add((q_sum, d_sum))
    return found


def _of_op(op: str, fact: Fact) -> Fact:
    return lambda asked: asked.op == op and fact(asked)


def _finite_breakpoints(matrix: TransitionMatrix) -> list[Fraction]:
    return [piece.stop for piece in loss_of(matrix).pieces if piece.stop is not None]


FLAGS = (
    Flag(
        "StaysWhole",
        "Several columns are in x⁺ and none leaves: a loop that removes something at every turn removes too much.",
        "The value is that of too few columns: less than the truth.",
        _stays_whole,
    ),
    Flag(
        "OneRemoval",
        "One column leaves x⁺ and then the loop of Algorithm 1 must end; as printed its flag stays true.",
        "The program hangs on an ordinary matrix.",
        some_removals(lambda found: found == [1]),
    ),
    Flag(
        "SeveralRemoved",
        "Several columns leave x⁺ in one turn: a list that is changed while it is gone through skips every second one.",
        "A set of columns that is no optimum is evaluated: less than the truth.",
        some_removals(lambda found: max(found, default=0) > 1),
    ),
    Flag(
        "RepeatedRemoval",
        "Columns leave x⁺ because others left before: one pass over the columns is not enough.",
        "A program that makes one pass answers less than the truth.",
        some_removals(lambda found: len(found) > 1),
    ),
    Flag(
        "AtTransition",
        "The level is exactly a transition point, so that q_j/d_j equals what it is compared with: > is written for ≥.",
        "An endless loop, or no piece found, at a level that users do type in.",
        _of_op("loss", lambda asked: _boundary(asked, False)),
    ),
    Flag(
        "BesideTransition",
        "The level is at most 1.1 parts in 10^12 from a transition point: rounding decides which columns count.",
        "Either side is nearly right; whether the program errs on the safe one shows here.",
        _of_op("loss", lambda asked: _boundary(asked, True)),
    ),
    Flag(
        "LatePair",
        "Only pairs with the row of q below that of d, or without row 1, attain the value: pairs are taken "
        "once, or with the first row only.",
        "The leakage of the pair that decides is not counted.",
        _late_pair,
    ),
    Flag(
        "BeyondFirstPiece",
        "L has several pieces and the level is beyond the first: the function that rules for small levels is "
        "used for all.",
        "The leakage is understated for every level beyond.",
        _of_op("loss", _beyond_first_piece),
    ),
    Flag(
        "EndlessLoop",
        "Algorithm 1 as printed never sets `update` back, and comes back to the same state for ever.",
        "The program hangs on an ordinary matrix.",
        printed.algorithm_1_loops,
    ),
    Flag(
        "DividesByZero",
        "Algorithm 1 as printed divides q_j by d_j = 0.",
        "A crash, or NaN, wherever a transition is impossible.",
        printed.algorithm_1_divides_by_zero,
    ),
    Flag(
        "PlusOneMissing",
        "Line 11 of Algorithm 2 as printed lacks the “+ 1” in the logarithm: columns are dropped too early.",
        "The leakage is below the truth, and the guarantee does not hold.",
        printed.transitions_understate,
    ),
    Flag(
        "NoIndexFound",
        "The array of the printed Algorithm 2 does not end with 0: below its last transition point Algorithm "
        "3 finds no index.",
        "A crash, or the numbers of some other pair of rows, for every small level.",
        printed.no_index_is_found,
    ),
    Flag(
        "DividesByItself",
        "Line 5 of Algorithm 3 as printed divides qArr by qArr, which is 1.",
        "Every release is said to leak its own budget and nothing else: temporal correlation is ignored altogether.",
        printed.divides_by_itself,
    ),
    Flag(
        "NoPieceFound",
        "The printed Algorithm 5 searches for a falling array; the one that Algorithm 4 makes rises.",
        "No piece of L is found, or the wrong one, for every level.",
        _of_op("loss", printed.search_finds_no_piece),
    ),
    Flag(
        "OnePiece",
        "L is one function on all of [0, ∞): a program waits for a second one to cross it.",
        "No answer for the simplest matrices, those of two states.",
        _of_op("loss_function", lambda asked: len(asked.loss.pieces) == 1),
    ),
    Flag(
        "SeveralPieces",
        "L has at least three pieces, and one is left out.",
        "For a whole range of levels the leakage is understated.",
        _of_op("loss_function", lambda asked: len(asked.loss.pieces) > 2),
    ),
    Flag(
        "CrossingZeroOverZero",
        "The same function is the greatest at both ends of the domain: the crossing k of Algorithm 4 is 0/0.",
        "A crash, or NaN as a breakpoint, for every matrix of two states.",
        _of_op("loss_function", printed.crossing_is_zero_over_zero),
    ),
    Flag(
        "DomainFromZero",
        "Algorithm 4 is started at a_1 = 0, where all functions are equal, and takes one of them for all levels.",
        "The leakage is understated on the rest of the domain.",
        _of_op("loss_function", printed.from_zero_one_function_is_taken),
    ),
    Flag(
        "ConcurrentPieces",
        "Three functions meet in one point and the middle one rules nowhere: it is listed all the same, or "
        "starts after it ends.",
        "A list of pieces that cannot be searched, and wrong values beside the point.",
        _of_op("loss_function", _concurrent),
    ),
    Flag(
        "ShortPiece",
        "A piece is shorter than a millionth of where it starts: a search with a tolerance passes over it.",
        "Within the piece the leakage is understated; it may be where a supremum lies.",
        _of_op("loss_function", _short_piece),
    ),
    Flag(
        "FarBreakpoint",
        "A breakpoint is at e^α − 1 of 2^40 or more, or 2^−40 or less: a function built on some [a_1, a_m] "
        "ends before it.",
        "What is extrapolated beyond the domain is less than the truth.",
        of_matrix(lambda m: any(e >= FAR or e <= 1 / FAR for e in _finite_breakpoints(m))),
    ),
    Flag(
        "FiniteAtInfinity",
        "No row has mass where another has none, so L has a finite limit: the last piece is taken for unbounded.",
        "A supremum that exists is said not to, and budgets are refused.",
        _of_op("loss_function", lambda asked: asked.loss.pieces[-1].d > 0),
    ),
)
