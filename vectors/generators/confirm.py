"""Each expected value recomputed independently, which must come to the same: the oracle alone is not believed.

- loss, leakage, composition, control: the formulas in decimals of 160 digits over the points of all subsets of columns;
  where every level is log of a rational, in fractions too, for equality; for loss also the literal Algorithms 1 and 3.
- loss_function: a walk from E = 0 along the points of all subsets, in fractions, for equality.
- supremum: the sign of a step of the recursion just below and just above the enclosure; where it is infinite, that a
  step rises from every level tried, up to e^(10^6).
- allocate: halving on x + L^F(α − L^B(x)) = α in decimals, and the stream forward: TPL is α.
- worst_case_leakage: the mechanisms of all sequences of sets, or where they are many a sweep in decimals.
- worst_case_supremum: such sweeps over ever more releases, until they come to rest, or rise on and on.
- worst_case_allocate: the worst leakage with the budget at either end of its enclosure, on both sides of α.
- leakage_profile: δ at either end of each enclosure, in decimals by the definition, on both sides of the δ asked for.
- smooth, reverse, estimate: the definitions written out again in fractions.

For more than six states the points are the pieces of L, once the independent checker accepts a certificate of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial, reduce
from itertools import pairwise

from tploracle.certificates.checker import check
from tploracle.certificates.recursion import loss_function_certificate
from tploracle.reference import ZERO, algorithm_1, algorithm_2, algorithm_3
from tploracle.wire.strict_json import Object

from . import profile_recomputation, recomputation, worst_case_recomputation
from .draft import Draft
from .read_query import ReadQuery, loss_of
from .recomputation import AGREEING, NO_LEAKAGE, Points, arithmetic

EXPECTED_DIGITS = 40
"""Significant digits of the expected enclosures."""

MOST_LITERAL = 8
"""Up to this many states the literal algorithms are run as well."""

FORWARD = 60
"""Up to this horizon a schedule is run forward."""

VAST = Decimal("1e1000000")
"""An excess beyond every finite leakage at a δ of these cases."""

TRIED = [Decimal(10) ** exponent for exponent in (-9, -3, 0, 1, 2, 3, 4, 5, 6)]
"""Levels from which a step must rise where there is no supremum."""


class RecomputationDiffers(Exception):
    """The independent recomputation does not come to the oracle's value: names the case and the number."""


def confirm(draft: Draft, value: Object) -> None:
    """Recompute an expected value. Raises: RecomputationDiffers."""
    with arithmetic():
        _CHECKS[draft.op](_Given(draft), value)


class _Given:
    """A draft's input, read by the recomputation's own reader."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.input, self.numbers = draft, draft.input, draft.numbers
        self.query = ReadQuery(draft.op, draft.numbers, draft.input)

    def require(self, holds: bool, what: str) -> None:
        if not holds:
            raise RecomputationDiffers(f"{self.draft.id}: the recomputation differs: {what}")

    def rows(self, key: str) -> recomputation.Rows:
        return recomputation.read_rows(self.input[key], self.numbers)

    def points(self, key: str) -> Points | None:
        return _points_of(self.rows(key)) if key in self.input else None

    def rows_of_steps(self, key: str) -> list[recomputation.Rows]:
        """Return the matrix of each step between releases; none where the correlation is not known."""
        written, steps = self.input.get(key), len(self.budgets()) - 1
        if written is None:
            return []
        own = next(iter(written.values())) if isinstance(written, dict) else [written]
        repeated = own * steps if not isinstance(written, dict) or "cycle" in written else own
        return [recomputation.read_rows(rows, self.numbers) for rows in repeated[:steps]]

    def steps(self, key: str) -> list[Points]:
        """Return the points of the loss function of each step, none of one that is not known."""
        found = [_points_of(rows) for rows in self.rows_of_steps(key)]
        return found or [()] * (len(self.budgets()) - 1)

    def known(self) -> tuple[recomputation.Rows | None, recomputation.Rows | None]:
        """Return the backward and the forward matrix, None for one that is not known."""
        backward, forward = (self.rows(key) if key in self.input else None for key in ("backward", "forward"))
        return backward, forward

    def streams_agree(self, value: Object, found: Sequence[Sequence[Decimal]]) -> None:
        """Raise RecomputationDiffers unless BPL, FPL and TPL of an answer have these excesses."""
        for kind, levels in zip(("bpl", "fpl", "tpl"), found, strict=True):
            answers = value[kind]
            assert isinstance(answers, list)
            self.require(len(answers) == len(levels), f"the number of {kind}")
            for time, (answer, level) in enumerate(zip(answers, levels, strict=True), 1):
                self.agrees(answer, level, f"{kind} {time}")

    def level(self, key: str) -> Decimal:
        return recomputation.read_level(_text(self.input[key]), self.numbers)

    def budgets(self) -> list[Decimal]:
        levels = self.input["epsilons"]
        assert isinstance(levels, list)
        return [recomputation.read_level(level, self.numbers) for level in levels]

    def ratios(self, texts: Sequence[object]) -> list[Fraction] | None:
        """Return the excesses of levels whose ratios are all rational, None where one is not."""
        found = [_rational_excess(_text(text)) for text in texts]
        return None if self.numbers == "float64" or None in found else [e for e in found if e is not None]

    def agrees(self, value: object, excess: Decimal, place: str) -> None:
        """Raise RecomputationDiffers unless the level of an answer is this one."""
        assert isinstance(value, dict)
        lower, upper, level = Decimal(value["lower"]), Decimal(value["upper"]), recomputation.log1p(excess)
        slack = NO_LEAKAGE if level.is_infinite() else level * AGREEING
        self.require(lower - slack <= level <= upper + slack, f"{place} is {level:.45E}, not {lower} to {upper}")
        if not level.is_infinite() and level:
            unit = Decimal(10) ** (upper.adjusted() + 1 - EXPECTED_DIGITS)
            self.require(upper - lower <= 2 * unit, f"{place}: the enclosure is wider than {EXPECTED_DIGITS} digits")
        if value["exact"] is not None:
            exact = _nats(value["exact"])
            near = exact == level or abs(exact - level) <= slack
            self.require(near, f"{place}: {value['exact']} is {exact:.45E}, not {level:.45E}")


def _nats(text: str) -> Decimal:
    """Return a level in the exact notation, in nats."""
    if text == "inf" or text.startswith("log("):
        return recomputation.log1p(recomputation.read_level(text, "rational"))
    return recomputation.decimal(Fraction(text))


def _text(value: object) -> str:
    assert isinstance(value, str | int)
    return str(value)


def _rational_excess(text: str) -> Fraction | None:
    inner = text[4:-1] if text.startswith("log(") else None
    if inner is None:
        return Fraction(0) if text == "0" else None
    return None if "sqrt" in inner else Fraction(inner) - 1


def _points_of(rows: recomputation.Rows) -> Points:
    return recomputation.subset_points(rows) if len(rows) <= recomputation.MOST_ENUMERATED else _certified_points(rows)


@cache
def _certified_points(rows: recomputation.Rows) -> Points:
    """Return the points of L's pieces, once the checker has accepted them."""
    matrix = ReadQuery("loss", "rational", {"matrix": [[str(entry) for entry in row] for row in rows]}).matrix
    loss = loss_of(matrix)
    check(json.dumps(loss_function_certificate(loss)))
    return recomputation.front({(piece.q, piece.d) for piece in loss.pieces})


def _known(points: Points | None) -> Points:
    assert points is not None
    return points


def _loss(given: _Given, value: Object) -> None:
    points = _known(given.points("matrix"))
    given.agrees(value, recomputation.loss(points, given.level("alpha")), "the loss")
    if excesses := given.ratios([given.input["alpha"]]):
        ratio = 1 + recomputation.exact_loss(points, excesses[0])
        given.require(_exact_ratio(value) == ratio, f"{value['exact']} is not log({ratio})")
    matrix, alpha = given.query.matrix, given.query.level("alpha")
    if matrix.n <= MOST_LITERAL:
        level = given.query.loss(alpha)
        given.require(algorithm_1(matrix, alpha, ZERO) == level, "Algorithm 1")
        given.require(algorithm_3(algorithm_2(matrix), alpha, ZERO) == level, "Algorithm 3")


def _exact_ratio(value: Object) -> Fraction | None:
    text = value["exact"]
    excess = _rational_excess(text) if isinstance(text, str) else None
    return None if excess is None else 1 + excess


def _loss_function(given: _Given, value: Object) -> None:
    pieces = value["pieces"]
    assert isinstance(pieces, list)
    found = [(Fraction(p["q"]), Fraction(p["d"]), _rational_excess(p["from"])) for p in pieces]
    given.require(found == recomputation.envelope(_known(given.points("matrix"))), "the pieces")
    ends = [piece["to"] for piece in pieces]
    given.require(ends == [*(piece["from"] for piece in pieces[1:]), "inf"], "the ends")


def _leakage(given: _Given, value: Object) -> None:
    backward, forward, budgets = given.steps("backward"), given.steps("forward"), given.budgets()
    given.streams_agree(value, recomputation.temporal(backward, forward, budgets))
    texts = given.input["epsilons"]
    assert isinstance(texts, list)
    if exact := given.ratios(texts):
        bpl = value["bpl"]
        assert isinstance(bpl, list)
        _same_ratios(given, bpl, _exact_stream(backward, exact))


def _exact_stream(steps: Sequence[Points], budgets: Sequence[Fraction]) -> list[Fraction]:
    found = list(budgets[:1])
    for points, budget in zip(steps, budgets[1:], strict=True):
        before = recomputation.exact_loss(points, found[-1]) if points else Fraction(0)
        found.append(before + budget + before * budget)
    return found


def _same_ratios(given: _Given, answers: list[Object], excesses: list[Fraction]) -> None:
    for time, (answer, excess) in enumerate(zip(answers, excesses, strict=True), 1):
        if answer["exact"] is not None:
            given.require(_exact_ratio(answer) == 1 + excess, f"bpl {time}: {answer['exact']}, not log({1 + excess})")


def _supremum(given: _Given, value: Object) -> None:
    points, budget = _known(given.points("matrix")), given.level("epsilon")
    if value["exact"] == "inf" or budget.is_infinite() or not budget:
        if not budget or budget.is_infinite():
            return given.agrees(value, budget, "the supremum")
        return given.require(_rises_for_ever(given, points, budget), "the leakage does not rise forever")
    below, above = Decimal(str(value["lower"])) * (1 - AGREEING), Decimal(str(value["upper"])) * (1 + AGREEING)
    with arithmetic(recomputation.EXTRA):
        given.require(
            recomputation.rises(points, budget, _excess(below)), "it does not rise from just below the supremum"
        )
        given.require(not recomputation.rises(points, budget, _excess(above)), "it rises from just above the supremum")
    if value["exact"] is not None:
        given.agrees(value, recomputation.read_level(_text(value["exact"]), "rational"), "the exact supremum")
    return None


def _rises_for_ever(given: _Given, points: Points, budget: Decimal) -> bool:
    """Whether a step rises from every level tried: in fractions where e^ε is rational, for it may be by very little."""
    if exact := given.ratios([given.input["epsilon"]]):
        (budget_excess,) = exact
        tried = [Fraction(10) ** exponent for exponent in range(-20, 1001, 20)]
        return all(
            lost + budget_excess + lost * budget_excess > excess
            for lost, excess in ((recomputation.exact_loss(points, excess), excess) for excess in tried)
        )
    with arithmetic(recomputation.EXTRA):
        return all(recomputation.rises(points, budget, _excess(level)) for level in TRIED)


def _excess(level: Decimal) -> Decimal:
    with arithmetic(recomputation.EXTRA + max(0, -level.adjusted())):
        return level.exp() - 1


def _composition(given: _Given, value: Object) -> None:
    budgets, start, length = given.budgets(), given.query.integer("start"), given.query.integer("length")
    bpl, fpl, tpl = recomputation.temporal(given.steps("backward"), given.steps("forward"), budgets)
    if length == 1:
        return given.agrees(value, tpl[start - 1], "the window of one")
    last = start + length - 2
    between = reduce(recomputation.plus, budgets[start:last], NO_LEAKAGE)
    return given.agrees(value, recomputation.plus(recomputation.plus(bpl[start - 1], between), fpl[last]), "the window")


def _allocate(given: _Given, value: Object) -> None:
    answers, alpha, horizon = value["epsilons"], given.level("alpha"), given.query.integer("horizon")
    assert isinstance(answers, list)
    backward, forward = given.points("backward"), given.points("forward")
    quantified = given.input["method"] == "quantified"
    given.require(len(answers) == max(1, horizon), "the number of budgets")
    if alpha.is_infinite() or (quantified and horizon == 1):
        schedule = [alpha] * max(1, horizon)
    else:
        first = recomputation.first_budget(backward, forward, alpha)
        lost = recomputation.loss(backward or (), first)
        middle, last = recomputation.minus(first, lost), recomputation.minus(alpha, lost)
        schedule = [first, *[middle] * (horizon - 2), last] if quantified else [middle] * max(1, horizon)
    for time, (answer, budget) in enumerate(zip(answers, schedule, strict=True), 1):
        given.agrees(answer, budget, f"budget {time}")
    if quantified and horizon <= FORWARD and not alpha.is_infinite():
        past, future = ([points or ()] * (horizon - 1) for points in (backward, forward))
        for level in recomputation.temporal(past, future, schedule)[2]:
            given.require(abs(level - alpha) <= alpha * AGREEING, "TPL of the schedule is not alpha")


def _control(given: _Given, value: Object) -> None:
    carried = recomputation.loss(_known(given.points("matrix")), given.level("previous"))
    given.agrees(value, recomputation.minus(given.level("cap"), carried), "the budget")


def _worst_case_leakage(given: _Given, value: Object) -> None:
    budgets = given.budgets()
    with arithmetic(_spare(budgets)):
        if any(isinstance(given.input.get(role), dict) for role in ("backward", "forward")):
            sides = (given.rows_of_steps("backward"), given.rows_of_steps("forward"))
            found = worst_case_recomputation.temporal_of_steps(*sides, budgets)
        else:
            found = worst_case_recomputation.temporal(*given.known(), budgets)
    given.streams_agree(value, found)


def _worst_case_supremum(given: _Given, value: Object) -> None:
    with arithmetic(_spare([given.level("epsilon")])):
        found = worst_case_recomputation.for_ever(*given.known(), given.level("epsilon"))
    given.agrees(value, found, "the supremum")


def _worst_case_allocate(given: _Given, value: Object) -> None:
    answers, alpha, horizon = value["epsilons"], given.level("alpha"), given.query.integer("horizon")
    assert isinstance(answers, list)
    given.require(len(answers) == max(1, horizon), "the number of budgets")
    given.require(all(answer == answers[0] for answer in answers), "the budgets differ")
    if alpha.is_infinite():
        return given.agrees(answers[0], alpha, "the budget")
    exact = answers[0]["exact"]
    if exact is not None:
        given.agrees(answers[0], recomputation.read_level(exact, "rational"), "the budget")
    with arithmetic(_spare([alpha])):
        low, high = (_worst(given, _excess(Decimal(answers[0][end])), horizon) for end in ("lower", "upper"))
    slack = alpha * AGREEING
    given.require(low - slack <= alpha <= high + slack, "the budget does not leak alpha")
    return None


def _spare(excesses: Sequence[Decimal]) -> int:
    """Return how many digits a ratio loses that is so near to 1."""
    return max([0, *(-excess.adjusted() for excess in excesses if excess)])


def _worst(given: _Given, budget: Decimal, horizon: int) -> Decimal:
    """Return the excess of the worst TPL with one budget."""
    if not horizon:
        return worst_case_recomputation.for_ever(*given.known(), budget)
    return max(worst_case_recomputation.temporal(*given.known(), [budget] * horizon)[2])


def _leakage_profile(given: _Given, value: Object) -> None:
    epsilon, horizon = given.level("epsilon"), given.query.integer("horizon")
    delta, own = (
        recomputation.decimal(given.query.number(key)) if key in given.input else NO_LEAKAGE
        for key in ("delta", "delta_per_release")
    )

    known = given.known()
    is_told_nothing = delta == 1 or any(rows is not None and len(rows) == 1 for rows in known)

    def delta_at(rows: recomputation.Rows | None, releases: int, excess: Decimal) -> Decimal:
        if is_told_nothing or epsilon.is_infinite():
            return Decimal(not is_told_nothing)
        return profile_recomputation.delta_at(rows, 1 + epsilon, own, releases, 1 + excess)

    with arithmetic(_spare([epsilon]) + EXPECTED_DIGITS):
        for kind, rows in zip(("bpl", "fpl"), known, strict=True):
            answers = value[kind]
            assert isinstance(answers, list)
            given.require(len(answers) == horizon, f"the number of {kind}")
            for releases, answer in enumerate(answers if kind == "bpl" else answers[::-1], 1):
                _is_least_level(given, answer, partial(delta_at, rows, releases), delta)


def _is_least_level(given: _Given, answer: Object, delta_at: Callable[[Decimal], Decimal], delta: Decimal) -> None:
    """Raise RecomputationDiffers unless δ is at most this from the level of an answer on, and above it before."""
    lower, upper, text = Decimal(str(answer["lower"])), Decimal(str(answer["upper"])), answer["exact"]
    if not upper or upper.is_infinite():
        given.require(lower == upper and text == ("inf" if upper else "0"), f"{text} is not {lower} to {upper}")
    if upper.is_infinite():
        return given.require(delta_at(VAST) > delta, "the leakage is finite")
    given.require(delta_at(_excess(upper * (1 + AGREEING))) <= delta * (1 + AGREEING), "the leakage is greater")
    if upper:
        given.require(delta_at(_excess(lower * (1 - AGREEING))) > delta * (1 - AGREEING), "the leakage is less")
        unit = Decimal(10) ** (upper.adjusted() + 1 - EXPECTED_DIGITS)
        given.require(upper - lower <= 2 * unit, f"the enclosure is wider than {EXPECTED_DIGITS} digits")
    if upper and text is not None:
        exact = _nats(str(text))
        near = lower * (1 - AGREEING) <= exact <= upper * (1 + AGREEING)
        given.require(near, f"{text} is {exact:.45E}")
    return None


def _smooth(given: _Given, value: Object) -> None:
    n = given.query.integer("n")
    identity = tuple(tuple(Fraction(int(j == k)) for k in range(n)) for j in range(n))
    rows = identity if "n" in given.input else given.rows("matrix")
    s = recomputation.read_number(_text(given.input["s"]), given.numbers)
    expected = [[(entry + s) / sum(other + s for other in row) for entry in row] for row in rows]
    given.require(_matrix(value["matrix"]) == expected, "the smoothed matrix")


def _matrix(value: object) -> list[list[Fraction]]:
    assert isinstance(value, list)
    return [[Fraction(entry) for entry in row] for row in value]


def _reverse(given: _Given, value: Object) -> None:
    initial_texts = given.input["initial"]
    assert isinstance(initial_texts, list)
    initial, rows = [recomputation.read_number(text, given.numbers) for text in initial_texts], given.rows("forward")
    states = range(len(rows))
    after = [sum((initial[j] * rows[j][k] for j in states), Fraction(0)) for k in states]
    expected = [[initial[j] * rows[j][k] / after[k] for j in states] for k in states]
    given.require(_matrix(value["backward"]) == expected, "the reversed matrix")


def _estimate(given: _Given, value: Object) -> None:
    sequences = given.input["sequences"]
    assert isinstance(sequences, list)
    names = sorted({name for sequence in sequences for name in sequence}, key=_by_value)
    steps = [step for sequence in sequences for step in pairwise(sequence)]
    forward = [[Fraction(steps.count((a, b)), sum(step[0] == a for step in steps)) for b in names] for a in names]
    backward = [[Fraction(steps.count((b, a)), sum(step[1] == a for step in steps)) for b in names] for a in names]
    begun = [sequence[0] for sequence in sequences if sequence]
    given.require(_matrix(value["forward"]) == forward, "the forward matrix")
    given.require(_matrix(value["backward"]) == backward, "the backward matrix")
    given.require(
        _matrix([value["initial"]]) == [[Fraction(begun.count(name), len(begun)) for name in names]], "initial"
    )


def _by_value(name: str) -> tuple[int, int, str]:
    return (0, int(name), name) if name.isascii() and name.isdigit() else (1, 0, name)


_CHECKS: dict[str, Callable[[_Given, Object], None]] = {
    "loss": _loss,
    "loss_function": _loss_function,
    "leakage": _leakage,
    "supremum": _supremum,
    "composition": _composition,
    "allocate": _allocate,
    "control": _control,
    "worst_case_leakage": _worst_case_leakage,
    "worst_case_supremum": _worst_case_supremum,
    "worst_case_allocate": _worst_case_allocate,
    "leakage_profile": _leakage_profile,
    "smooth": _smooth,
    "reverse": _reverse,
    "estimate": _estimate,
}
