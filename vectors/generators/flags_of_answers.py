"""Flags for what is asked: the loss and its function, streams, suprema and windows, schedules and what a cap leaves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from tploracle.reference import Level, TransitionMatrix, budgets
from tploracle.reference.correlations import Row
from tploracle.reference.levels import ZERO

from . import facts
from .facts import NEAR, all_transitions, is_at, is_beside, log_of, pairs, removals
from .flags_of_inputs import of_matrix
from .read_query import Fact, Flag, ReadQuery, loss_of

FAR, ALMOST = Fraction(2**40), Fraction(3, 2**37)


def some_removals(fact: Callable[[list[int]], bool]) -> Fact:
    """Make a fact about the turns of Algorithm 1 one about a question: some pair of rows shows it at alpha."""
    return lambda query: any(fact(removals(q, d, query.level("alpha"))) for q, d in pairs(query.matrix))


def _stays_whole(query: ReadQuery) -> bool:
    def whole(q: Row, d: Row) -> bool:
        inside = [j for j in range(len(q)) if q[j] > d[j] > 0]
        return len(inside) > 1 and not removals(q, d, query.level("alpha"))

    return query.op == "loss" and any(whole(q, d) for q, d in pairs(query.matrix))


def _late_pair(query: ReadQuery) -> bool:
    """Whether every pair that attains L(alpha) has its row of q after its row of d, or neither is row 1."""
    alpha = query.level("alpha") if "alpha" in query.input else query.level("epsilon")
    best = query.loss(alpha)
    rows = query.matrix.rows
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


def _boundary(query: ReadQuery, beside: bool) -> bool:
    alpha = query.level("alpha")
    if beside:
        return any(is_beside(alpha, log_of(excess)) for excess in all_transitions(query.matrix))
    return any(is_at(alpha, excess) for excess in all_transitions(query.matrix))


def _beyond_first_piece(query: ReadQuery) -> bool:
    breakpoints = _finite_breakpoints(query.matrix)
    return bool(breakpoints) and query.level("alpha") > log_of(breakpoints[0])


def _short_piece(query: ReadQuery) -> bool:
    return any(
        p.start > 0 and p.stop is not None and p.stop < p.start * Fraction(1_000_001, 1_000_000)
        for p in query.loss.pieces
    )


def _concurrent(query: ReadQuery) -> bool:
    """Whether at a breakpoint of L a third function, which rules nowhere, has the same value."""
    ruling = {(piece.q, piece.d) for piece in query.loss.pieces}
    for piece in query.loss.pieces[:-1]:
        assert piece.stop is not None
        value = (piece.q * piece.stop + 1) / (piece.d * piece.stop + 1)
        for q, d in _prefix_sums(query):
            if (q, d) not in ruling and (q * piece.stop + 1) / (d * piece.stop + 1) == value:
                return True
    return False


def _prefix_sums(query: ReadQuery) -> set[tuple[Fraction, Fraction]]:
    found = set[tuple[Fraction, Fraction]]()
    for q, d in pairs(query.matrix):
        q_sum, d_sum = Fraction(0), Fraction(0)
        for j in sorted((j for j in range(len(q)) if q[j] > d[j]), key=lambda j: d[j] / q[j]):
            q_sum, d_sum = q_sum + q[j], d_sum + d[j]
            found.add((q_sum, d_sum))
    return found


def _of_op(op: str, fact: Fact) -> Fact:
    return lambda query: query.op == op and fact(query)


def _finite_breakpoints(matrix: TransitionMatrix) -> list[Fraction]:
    return [piece.stop for piece in loss_of(matrix).pieces if piece.stop is not None]


_LOSSES = (
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
        _of_op("loss", lambda query: _boundary(query, False)),
    ),
    Flag(
        "BesideTransition",
        "The level is at most 1.1 parts in 10^12 from a transition point: rounding decides which columns count.",
        "Either side is nearly right; whether the program errs on the safe one shows here.",
        _of_op("loss", lambda query: _boundary(query, True)),
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
        facts.algorithm_1_loops,
    ),
    Flag(
        "DividesByZero",
        "Algorithm 1 as printed divides q_j by d_j = 0.",
        "A crash, or NaN, wherever a transition is impossible.",
        facts.algorithm_1_divides_by_zero,
    ),
    Flag(
        "PlusOneMissing",
        "Line 11 of Algorithm 2 as printed lacks the “+ 1” in the logarithm: columns are dropped too early.",
        "The leakage is below the truth, and the guarantee does not hold.",
        facts.transitions_understate,
    ),
    Flag(
        "NoIndexFound",
        "The array of the printed Algorithm 2 does not end with 0: below its last transition point Algorithm "
        "3 finds no index.",
        "A crash, or the numbers of some other pair of rows, for every small level.",
        facts.no_index_is_found,
    ),
    Flag(
        "DividesByItself",
        "Line 5 of Algorithm 3 as printed divides qArr by qArr, which is 1.",
        "Every release is said to leak its own budget and nothing else: temporal correlation is ignored altogether.",
        facts.divides_by_itself,
    ),
    Flag(
        "NoPieceFound",
        "The printed Algorithm 5 searches for a falling array; the one that Algorithm 4 makes rises.",
        "No piece of L is found, or the wrong one, for every level.",
        _of_op("loss", facts.search_finds_no_piece),
    ),
    Flag(
        "OnePiece",
        "L is one function on all of [0, ∞): a program waits for a second one to cross it.",
        "No answer for the simplest matrices, those of two states.",
        _of_op("loss_function", lambda query: len(query.loss.pieces) == 1),
    ),
    Flag(
        "SeveralPieces",
        "L has at least three pieces, and one is left out.",
        "For a whole range of levels the leakage is understated.",
        _of_op("loss_function", lambda query: len(query.loss.pieces) > 2),
    ),
    Flag(
        "CrossingZeroOverZero",
        "The same function is the greatest at both ends of the domain: the crossing k of Algorithm 4 is 0/0.",
        "A crash, or NaN as a breakpoint, for every matrix of two states.",
        _of_op("loss_function", facts.crossing_is_zero_over_zero),
    ),
    Flag(
        "DomainFromZero",
        "Algorithm 4 is started at a_1 = 0, where all functions are equal, and takes one of them for all levels.",
        "The leakage is understated on the rest of the domain.",
        _of_op("loss_function", facts.from_zero_one_function_is_taken),
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
        "AlmostTangent",
        "Two neighbouring pieces differ by 2^−36 or less, a tiny entry beside ordinary ones: their crossing is sought "
        "by halving until two doubles are equal, which they never are, or are at once.",
        "A recursion without an end, a piece twice, or one that is lost.",
        of_matrix(lambda m: any(abs(p.q - n.q) + abs(p.d - n.d) <= ALMOST for p, n in pairwise(loss_of(m).pieces))),
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
        _of_op("loss_function", lambda query: query.loss.pieces[-1].d > 0),
    ),
)


MANY_RELEASES = 100
"""Releases from which on a stream is long."""

HUGE = Fraction(30)
"""A supremum from here up is huge: at least 10^13 times e^ε."""


def of_op(op: str, fact: Fact) -> Fact:
    """Restrict a fact to one operation."""
    return lambda query: query.op == op and fact(query)


def _known(*roles: str) -> Fact:
    return lambda query: "epsilons" in query.input and set(query.matrices) == set(roles)


def _uneven_in_time(query: ReadQuery) -> bool:
    texts = query.input.get("epsilons")
    return isinstance(texts, list) and len(query.epsilons) > 1 and texts != texts[::-1]


def _passes_pieces(query: ReadQuery) -> bool:
    """Whether the leakage passes from one piece of a loss function to another within the stream."""
    for loss, levels in (
        (query.adversary.backward, query.leakage.bpl[:-1]),
        (query.adversary.forward, query.leakage.fpl[1:]),
    ):
        if loss is not None and len({(p.q, p.d) for p in (loss.piece_at(level) for level in levels)}) > 1:
            return True
    return False


def _saturates(query: ReadQuery) -> bool:
    """Whether BPL or FPL rises at some time by less than 2^−52 of itself, though by something, under equal budgets."""
    if any(epsilon != query.epsilons[0] for epsilon in query.epsilons[1:]):
        return False
    return any(
        0 < Fraction(after.enclosure(40).lower) - Fraction(before.enclosure(40).upper) < _ulp(before)
        for levels in (query.leakage.bpl, query.leakage.fpl[::-1])
        for before, after in pairwise(levels)
    )


def _ulp(level: Level) -> Fraction:
    return Fraction(level.enclosure(40).lower) / 2**52


def _critical(query: ReadQuery) -> Level | None:
    """Return log(1/q) of the greatest q with d = 0, None where there is none below 1."""
    last = query.loss.pieces[-1]
    return Level.of_ratio(1 / last.q) if last.d == 0 < last.q < 1 else None


def _at_critical(query: ReadQuery) -> bool:
    critical = _critical(query)
    return critical is not None and query.level("epsilon") == critical


def _beside_critical(order: int) -> Fact:
    def fact(query: ReadQuery) -> bool:
        critical, epsilon = _critical(query), query.level("epsilon")
        return critical is not None and is_beside(epsilon, critical) and epsilon.compare(critical) == order

    return fact


def _diverges(query: ReadQuery) -> bool:
    return not query.level("epsilon").is_infinite and query.supremum.level.is_infinite


def _grows_in_steps(query: ReadQuery) -> bool:
    return _diverges(query) and query.loss.is_identity


def _supremum_at_breakpoint(query: ReadQuery) -> bool:
    return any(p.stop is not None and query.supremum.level == log_of(p.stop) for p in query.loss.pieces)


def _supremum_beside_breakpoint(query: ReadQuery) -> bool:
    stops = [log_of(piece.stop) for piece in query.loss.pieces if piece.stop is not None]
    budgets = [end - query.loss(end) for end in stops]
    return any(is_beside(query.level("epsilon"), budget) for budget in budgets)


def _huge_supremum(query: ReadQuery) -> bool:
    level = query.supremum.level
    return not level.is_infinite and level >= Level.of(HUGE) and level >= query.level("epsilon") + Level.of(HUGE)


def _window(query: ReadQuery) -> tuple[int, int, int]:
    return query.integer("start"), query.integer("length"), len(query.epsilons)


def _inner(query: ReadQuery) -> bool:
    start, length, steps = _window(query)
    return length > 2 and start > 1 and start + length - 1 < steps


_TIME = (
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
        lambda query: len(query.epsilons) == 1,
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
        lambda query: len(query.epsilons) >= MANY_RELEASES or query.integer("horizon") >= MANY_RELEASES,
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
        lambda query: (
            len(query.epsilons) > 2
            and any(m.n == 2 and m.rows[0][0] < m.rows[1][0] and 0 in m.rows[0] for m in query.matrices.values())
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
        of_op("supremum", lambda query: not query.level("epsilon").is_zero and facts.first_step_understates(query)),
    ),
    Flag(
        "PrintedSign",
        "The quadratic is solved with the sign that the proof of Theorem 11 prints on its linear term.",
        "The root of another equation is given for the supremum.",
        of_op("supremum", facts.printed_sign_misses),
    ),
    Flag(
        "CaseTwoDividesByZero",
        "The formula of case 2 is taken at ε = log(1/q), where its denominator is 0.",
        "A crash, or ∞ by luck of the arithmetic and of no other.",
        of_op("supremum", facts.case_2_divides_by_zero),
    ),
    Flag(
        "LogOfOneOverZero",
        "No two rows differ, so that q = 0, and the printed case asks for log(1/q).",
        "A crash for users whose data have no temporal correlation.",
        of_op("supremum", facts.logarithm_of_one_over_zero),
    ),
    Flag(
        "StartsFromZero",
        "Algorithm 6 as printed starts from sup = 0, finds no pair and returns it.",
        "A stream of releases is said to leak nothing.",
        of_op("supremum", facts.starts_from_zero),
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
        of_op("supremum", lambda query: 0 < query.supremum.d <= NEAR),
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


def _quantified(least: int, most: int) -> Fact:
    return lambda query: (
        query.input.get("method") == "quantified" and least <= query.integer("horizon") <= most and bool(query.matrices)
    )


def _certain(query: ReadQuery) -> bool:
    return any(loss is not None and loss.is_identity for loss in (query.adversary.backward, query.adversary.forward))


def _no_loss(query: ReadQuery) -> bool:
    return all(loss is None or loss.is_zero for loss in (query.adversary.backward, query.adversary.forward))


def _asymmetric(query: ReadQuery) -> bool:
    return query.adversary.coefficients[0] != query.adversary.coefficients[1]


def _without_end(query: ReadQuery) -> bool:
    return not query.level("alpha").is_infinite and not _certain(query) and facts.bisection_does_not_end(query)


def _middle_at_the_end(query: ReadQuery) -> bool:
    if query.input.get("method") != "quantified" or query.integer("horizon") < 3 or query.level("alpha").is_infinite:
        return False
    schedule: list[Level] = [*budgets(query.level("alpha"), query.adversary).quantified(query.integer("horizon"))]
    return facts.middle_budget_falls_short_at_the_end(query, schedule)


def _carried(query: ReadQuery) -> Level:
    return query.loss(query.level("previous"))


def _just_under_cap(query: ReadQuery) -> bool:
    carried, cap = _carried(query), query.level("cap")
    return carried < cap and not cap.is_infinite and is_beside(carried, cap)


_BUDGETS = (
    Flag(
        "HorizonOne",
        "A schedule of one release is given all of α; Algorithm 8 as printed assigns it twice, α_B and then α_F.",
        "Part of the budget is wasted on every single release.",
        _quantified(1, 1),
    ),
    Flag(
        "HorizonTwo",
        "A schedule of two releases has no middle: the middle budget is given to one of them.",
        "TPL is not α; a release is noisier than it need be.",
        _quantified(2, 2),
    ),
    Flag(
        "HorizonThree",
        "The shortest schedule with a middle: an index off by one gives the middle budget to an end.",
        "TPL passes α, or stays below it.",
        _quantified(3, 3),
    ),
    Flag(
        "MiddleAtTheEnd",
        "Section 5 as printed gives the middle budget to [2, T]; the last release must have α_F.",
        "TPL at the end stays below α: noise for nothing.",
        of_op("allocate", _middle_at_the_end),
    ),
    Flag(
        "BisectionWithoutEnd",
        "The budgets are no dyadic part of α: the printed loops wait for two reals to be equal.",
        "The program never ends, or ends by luck of rounding with a budget on either side of the true one.",
        of_op("allocate", _without_end),
    ),
    Flag(
        "CertainCorrelation",
        "L^B or L^F is the identity, so that no positive budget can go on for ever: Algorithm 7 goes on for "
        "ever instead, Algorithm 8 ends with 0.",
        "The program hangs, or hands out a budget of 0, whose noise is infinite.",
        of_op("allocate", lambda query: _certain(query) and not query.level("alpha").is_zero),
    ),
    Flag(
        "NoLoss",
        "Nothing is correlated, or known: a bisection that starts inside (0, α) never reaches α.",
        "Less than α is handed out, for ever.",
        of_op("allocate", lambda query: _no_loss(query) and not query.level("alpha").is_zero),
    ),
    Flag(
        "Asymmetric",
        "The two loss functions differ, and with them the first and the last budget: they are mixed up.",
        "TPL passes α inside the stream.",
        of_op("allocate", lambda query: _asymmetric(query) and not query.level("alpha").is_zero),
    ),
    Flag(
        "BudgetForEver",
        "The constant budget of Algorithm 7: it is made safe for some number of releases, not for all.",
        "Sooner or later TPL passes α.",
        of_op(
            "allocate", lambda query: query.input.get("method") == "upper-bound" and not query.level("alpha").is_zero
        ),
    ),
    Flag(
        "NothingToSpend",
        "The level asked for is 0: a budget of 0 is handed out as if it were one.",
        "A mechanism is called with infinite noise.",
        lambda query: query.op in ("allocate", "tight_allocate") and query.level("alpha").is_zero,
    ),
    Flag(
        "FirstRelease",
        "Nothing was released before: L(0) comes out as NaN.",
        "The first release of every stream is refused, or not limited at all.",
        of_op("control", lambda a: a.level("previous").is_zero and a.level("cap") > ZERO),
    ),
    Flag(
        "ExactlyAtCap",
        "What is carried over is exactly the cap: a budget of 0, or the tiny one that rounding leaves, is handed out.",
        "The cap is passed, or a mechanism is called with infinite noise.",
        of_op("control", lambda a: _carried(a) == a.level("cap") and not a.level("cap").is_infinite),
    ),
    Flag(
        "JustUnderCap",
        "What is carried over is below the cap by at most 1.1 parts in 10^12: the difference cancels.",
        "A budget without a right digit, which passes the cap when it is spent.",
        of_op("control", _just_under_cap),
    ),
    Flag(
        "CarriedOver",
        "What is carried over is above the cap: the difference is negative, and handed out, or its absolute value is.",
        "The cap, which is passed already, is passed further.",
        of_op("control", lambda a: not a.level("cap").is_infinite and _carried(a) > a.level("cap")),
    ),
)


FLAGS_OF_ANSWERS = (*_LOSSES, *_TIME, *_BUDGETS)
