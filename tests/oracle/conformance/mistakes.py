"""Implementations that conform but for one of the usual mistakes, as Python objects: who finds it must name it.

    PYTHONPATH=examples/implementations tploracle conform --python tests/oracle/conformance/mistakes.py:FirstStepPair

Each is `examples/implementations/directed.py` with the operations that it spoils.
"""

import math
from fractions import Fraction

import numpy as np

import tploracle
from directed import Directed
from directed_exact import pieces_of
from directed_loss import Matrix


class Hangs(Exception):
    """What stands for a loop without an end."""


class Mistaken(Directed):
    """What is common to all.

    operations: those declared, which are those that are spoiled. cause: the id of the record that is to be named. In
    the test it is asked the vectors, so many seeded cases, and so many across sizes.
    """

    operations: tuple[str, ...] = ("loss",)
    cause = ""
    seeded, sizes = 0, 0


def mistake(cause, op="loss", *, seeded=0, sizes=0):
    """Make an implementation of a function: what it returns for the right answer and the input is answered."""

    def made(function):
        def answered(self, *args, **given):
            return function(getattr(super(type(self), self), op)(*args, **given), *args, **given)

        shown = {"__doc__": function.__doc__, "__module__": __name__, "cause": cause, "operations": (op,)}
        return type(function.__name__, (Mistaken,), {**shown, "seeded": seeded, "sizes": sizes, op: answered})

    return made


def points_of(matrix):
    """Return the pieces of L in doubles: q, d, and the levels from which and to which each rules."""
    return [
        (float(q), float(d), _log(start), math.inf if stop is None else _log(stop))
        for q, d, start, stop in pieces_of(Matrix(matrix))
    ]


def _log(excess):
    """Return log(1 + E), about where E is no double."""
    if excess < 2**1000:
        return math.log1p(float(excess))
    return (excess.numerator.bit_length() - excess.denominator.bit_length()) * math.log(2)


def at(point, alpha):
    """Return what a piece gives at a level, a little above."""
    q, d = point[:2]
    if alpha > 700:
        return (math.log(q / d) if d else math.inf) * (1 + 2.0**-48)
    excess = math.expm1(alpha)
    return math.log1p((q - d) * excess / (d * excess + 1)) * (1 + 2.0**-48)


def ruling(points, alpha):
    """Return the piece that rules at a level."""
    return next((point for point in points if alpha <= point[3]), points[-1])


class RoundsToNearest(Mistaken):
    """Levels are a unit or two below the truth now and then."""

    cause = "rounding"
    operations = ("loss", "control")

    def loss(self, matrix, alpha):
        right = super().loss(matrix, alpha)
        return right * (1 - 8 * 2.0**-53) if math.isfinite(right) else right

    def control(self, matrix, previous, cap):
        return math.nextafter(super().control(matrix, previous, cap), math.inf)


class TakesFewArguments(Mistaken):
    """A correlation that may be absent has no default."""

    cause = "signature"
    operations = ("composition",)
    seeded = 20

    def composition(self, backward, forward, epsilons, start, length):
        return super().composition(backward=backward, forward=forward, epsilons=epsilons, start=start, length=length)


class IgnoresCorrelation(Mistaken):
    """Leakage is the budget of its own time."""

    cause = "correlation-ignored"
    operations = ("leakage",)
    seeded = 60

    def leakage(self, epsilons, backward=None, forward=None):
        super().leakage(epsilons=epsilons, backward=backward, forward=forward)
        return {"bpl": epsilons, "fpl": epsilons, "tpl": epsilons}


class AddsBudgets(Mistaken):
    """Leakage is the sum of all budgets up to its time, from it on, or of all."""

    cause = "budgets-added"
    operations = ("leakage",)
    seeded = 60

    def leakage(self, epsilons, backward=None, forward=None):
        super().leakage(epsilons=epsilons, backward=backward, forward=forward)
        before = [math.fsum(epsilons[: t + 1]) for t in range(len(epsilons))]
        after = [math.fsum(epsilons[t:]) for t in range(len(epsilons))]
        return {"bpl": before, "fpl": after, "tpl": [before[-1]] * len(epsilons)}


@mistake("rows-in-one-order")
def TakesRowsInOneOrder(right, matrix, alpha):
    """Only pairs whose q is the earlier row: over all prefixes of the columns by falling q_j/d_j."""
    if alpha > 700:
        return right
    found, excess = 0.0, math.expm1(alpha)
    for place, q_row in enumerate(matrix):
        for d_row in matrix[place + 1 :]:
            columns = sorted(zip(q_row, d_row, strict=True), key=lambda one: one[1] / one[0] if one[0] else math.inf)
            for end in range(1, len(columns) + 1):
                gap, d = math.fsum(q - d for q, d in columns[:end]), math.fsum(d for _, d in columns[:end])
                found = max(found, math.log1p(max(0.0, gap) * excess / (d * excess + 1)))
    return right if found > right * (1 - 1e-9) else found


@mistake("fpl-from-the-first", "leakage")
def RunsForwardForFPL(right, epsilons, backward=None, forward=None):
    """The budgets of FPL are not reversed: those of the reversed stream, reversed once more."""
    if isinstance(backward, dict) or isinstance(forward, dict):
        return right
    fpl = Directed().leakage(epsilons[::-1], backward, forward)["fpl"]
    parts = zip(right["bpl"], fpl, epsilons, strict=True)
    return {**right, "fpl": fpl, "tpl": [bpl + own - epsilon for bpl, own, epsilon in parts]}


@mistake("overflow")
def Overflows(right, matrix, alpha):
    """e^α is worked out, and ∞/∞ is NaN."""
    return math.nan if 709.79 < alpha < math.inf else right


@mistake("absorption")
def Absorbs(right, matrix, alpha):
    """At a large level columns that tie with their quotient leave, so that none is left."""
    return 0.0 if 36.8 < alpha < 709 and right < alpha else right


@mistake("exp-minus-one")
def ExpMinusOne(right, matrix, alpha):
    """e^α − 1 as exp(α) − 1."""
    if not 0 < alpha < 1:
        return right
    return Directed().loss(matrix, math.log1p(math.exp(alpha) - 1)) * (1 + 8 * 2.0**-53)


@mistake("equal-rows", "supremum")
def AllRowsEqual(right, matrix, epsilon):
    """Where no two rows differ nothing is found: the supremum is that of nothing, 0."""
    return 0.0 if Matrix(matrix).variation == 0 else right


@mistake("log-near-one")
def LogNearOne(right, matrix, alpha):
    """The logarithm of a quotient near 1."""
    return math.log(math.exp(right)) * (1 + 8 * 2.0**-53) if 2.0**-8 < alpha < 700 and right < 0.01 else right


@mistake("tolerance")
def Tolerates(right, matrix, alpha):
    """Rows are compared with a tolerance."""
    return 0.0 if np.allclose(matrix, matrix[0]) else right


class BeginsLate(Mistaken):
    """The loss function is built from a_1 = 1 on: what rules there is taken for all levels below."""

    cause = "first-breakpoint"
    operations = ("loss", "loss_function")

    def loss(self, matrix, alpha):
        right = super().loss(matrix, alpha)
        points = points_of(matrix)
        return at(ruling(points, 1.0), alpha) if alpha < 1 and points[0][3] < 1 else right

    def loss_function(self, matrix):
        pieces = super().loss_function(matrix)["pieces"]
        later = [piece for piece in pieces if piece["to"] == math.inf or float(piece["to"]) > 1]
        return {"pieces": [{**later[0], "from": 0.0}, *later[1:]]}


class EndsEarly(Mistaken):
    """The loss function is built up to a_m = 4: what rules there is taken for all levels above."""

    cause = "far-breakpoint"
    operations = ("loss", "loss_function")

    def loss(self, matrix, alpha):
        right = super().loss(matrix, alpha)
        points = points_of(matrix)
        return at(ruling(points, 4.0), alpha) if alpha > 4 and points[-1][2] > 4 else right

    def loss_function(self, matrix):
        pieces = super().loss_function(matrix)["pieces"]
        earlier = [piece for piece in pieces if float(piece["from"]) < 4]
        return {"pieces": [*earlier[:-1], {**earlier[-1], "to": math.inf}]}


@mistake("repeated-pieces", "loss_function")
def RepeatsPieces(right, matrix):
    """Sets of columns that tie are two pieces."""
    first, *rest = right["pieces"]
    if len(matrix) < 3 or not rest:
        return right
    middle = float(first["to"]) / 2
    return {"pieces": [{**first, "to": middle}, {**first, "from": middle}, *rest]}


@mistake("endless-recursion", "loss_function", seeded=100)
def RecursesForEver(right, matrix):
    """Algorithm 4 in doubles: halves at crossings until values are equal."""
    points = [point for point in points_of(matrix) if point[2] < 300]
    if len(points) > 1:
        _split(points, 0.0, 600.0, 0)
    return right


def _split(points, low, high, depth):
    first, last = points[0], points[-1]
    if depth > 50:
        raise RecursionError("maximum recursion depth exceeded")
    if len(points) == 1:
        return
    below = last[0] * first[1] - first[0] * last[1]
    crossing = (first[0] + last[1] - last[0] - first[1]) / below if below else 0.0
    middle = math.log1p(crossing) if crossing > 0 else low
    if not low < middle < high:
        _split(points, low, high, depth + 1)
    if len(points) > 2:
        half = len(points) // 2
        _split(points[: half + 1], low, high, depth)
        _split(points[half:], low, high, depth)


@mistake("first-step-pair", "supremum")
def FirstStepPair(right, matrix, epsilon):
    """Theorem 11 with the pair that rules at ε."""
    points = points_of(matrix)
    q, d, *_ = ruling(points, epsilon)
    if right == math.inf or not 2.0**-20 < epsilon < 20 or len(points) == 1 or d == 0:
        return right
    a = math.exp(epsilon)
    middle = q * a + d - 1
    root = math.sqrt(middle**2 + 4 * d * a * (1 - q))
    found = math.log((root + middle) / (2 * d) if middle > 0 else 2 * a * (1 - q) / (root - middle))
    return found if abs(found - right) > 1e-9 * right else right


@mistake("complex-root", "supremum", seeded=100)
def ComplexRoots(right, matrix, epsilon):
    """The discriminant as trace² - 4·det of the map that the step is, which rounding makes negative near 0."""
    if epsilon > 30:
        return right
    a = math.exp(epsilon)
    roots = [((q * a + 1 - d) ** 2 - 4 * a * (q - d)) ** 0.5 for q, d, *_ in points_of(matrix)]
    return next((root for root in roots if isinstance(root, complex)), right)


@mistake("d-taken-for-0", "supremum")
def InfiniteForFinite(right, matrix, epsilon):
    """q·e^ε ≥ 1 is taken for a supremum of ∞, whatever d is."""
    q, d, *_ = points_of(matrix)[-1]
    return math.inf if 0 < d < q and epsilon < 700 and q * math.exp(epsilon) >= 1 else right


@mistake("bisection-without-end", "allocate")
def NeverEnds(right, alpha, method, horizon=None, **known):
    """The bisection of Algorithm 8 waits for two doubles to be equal."""
    if method == "quantified" and horizon > 2:
        raise Hangs
    return right


class LeavesItsRange(Mistaken):
    """Where no budget is left the bisection goes below 0."""

    cause = "bisection-leaves-its-range"
    operations = ("allocate",)

    def allocate(self, alpha, method, horizon=None, backward=None, forward=None):
        if method == "upper-bound" and 0 < alpha < math.inf:
            for rows in (backward, forward):
                if rows is not None and Matrix(rows).certain == 1:
                    return {"epsilons": [-alpha / 2] * (horizon or 1)}
        return super().allocate(alpha, method, horizon, backward, forward)


@mistake("own-maximum")
def OwnMaximum(right, matrix, alpha):
    """Levels above 20 are answered as 20."""
    return Directed().loss(matrix, min(alpha, 20.0))


@mistake("smoothed-twice", "smooth")
def SmoothsTwice(right, s, n=None, matrix=None):
    """The smoothed matrix is smoothed again."""
    once = right["matrix"]
    return {"matrix": (once + s) / (1 + len(once) * s)}


@mistake("single-columns")
def TwoStatesOnly(right, matrix, alpha):
    """Of each pair of rows one column alone is taken."""
    if len(matrix) < 3 or not 0 < alpha < 700 or right == 0:
        return right
    q, d, excess = matrix[:, None, :], matrix[None, :, :], math.expm1(alpha)
    return float(np.log1p(((q - d) * excess / (d * excess + 1)).max())) * (1 + 2.0**-48)


@mistake("beyond-states", sizes=150)
def HalvesBeyondFiftyStates(right, matrix, alpha):
    """Half the loss for more than 50 states."""
    return right / (2 if len(matrix) > 50 else 1)


@mistake("beyond-releases", "leakage", sizes=150)
def StopsAfterHundredReleases(right, epsilons, backward=None, forward=None):
    """BPL does not grow any more after 100 releases."""
    bpl = right["bpl"]
    return {**right, "bpl": [*bpl[:100], *[bpl[99]] * (len(bpl) - 100)]} if len(bpl) > 100 else right


class LosesSmallBudgets(Mistaken):
    """A budget is α − L(α) in doubles: where L is nearly α there are no digits left."""

    cause = "difference-cancels"
    operations = ("allocate", "control")

    def allocate(self, alpha, method, horizon=None, backward=None, forward=None):
        right = super().allocate(alpha, method, horizon, backward, forward)["epsilons"]
        return {"epsilons": [self._left(alpha, budget) for budget in right]}

    def control(self, matrix, previous, cap):
        return self._left(cap, super().control(matrix, previous, cap))

    def _left(self, level, budget):
        if not 0 < level < math.inf or not 0 < budget < 2.0**-40 * level:
            return budget
        return level - (level - budget) or math.ulp(level)


@mistake("tiny-entries")
def DropsTinyEntries(right, matrix, alpha):
    """Entries below 1e-16 count as 0."""
    kept = np.where(matrix < 1e-16, 0.0, matrix)
    return right if np.array_equal(kept, matrix) else Matrix(kept).loss(alpha)


class TightlyMistaken(Mistaken):
    """Right about the exact worst case, by the package itself, but for what a mistake makes of moderate inputs.

    `worst` is what it has for TPL; what is within a part in a million of the truth is answered as the truth.
    """

    operations = ("tight_leakage",)
    stepwise = False

    def tight_leakage(self, epsilons, backward=None, forward=None):
        right = tploracle.tight_leakage(map(exact_level, epsilons), exactly(backward), exactly(forward))
        value = {kind: [float(level) for level in getattr(right, kind)] for kind in ("bpl", "fpl", "tpl")}
        n = max(len(rows) for rows in (backward, forward, [[1.0]]) if rows is not None)
        if not 1 < n <= 4 or len(epsilons) > 6 or not 1e-3 < min(epsilons) <= max(epsilons) < 20:
            return value
        for t, own in enumerate(epsilons):
            past, future = [*epsilons[:t][::-1]], [*epsilons[t + 1 :]]
            for kind, mine in self.at(own, past, future, backward, forward).items():
                if abs(mine - value[kind][t]) > 1e-6 * value[kind][t]:
                    value[kind][t] = mine
        return value

    def at(self, own, past, future, backward, forward):
        """Return BPL, FPL and TPL at a time, its budgets nearest first."""
        b, f = self.logs(backward, past), self.logs(forward, future)
        return {
            "bpl": own + max(b.values(), default=0.0),
            "fpl": own + max(f.values(), default=0.0),
            "tpl": own + self.together(b, f),
        }

    def together(self, b, f):
        return max((b.get(pair, 0.0) + f.get(pair, 0.0) for pair in {*b, *f}), default=0.0)

    def logs(self, rows, budgets):
        """Return log B of each pair, from budgets nearest first: the zero of W by halving, in plain doubles."""
        if rows is None or not budgets:
            return {}
        budgets, values = self.order(budgets), range(len(rows))
        return {(j, k): self.zero(rows, budgets, rows[j], rows[k]) for j in values for k in values if j != k}

    def order(self, budgets):
        return budgets

    def back(self, rows, c):
        """Return P^T c."""
        return [sum(c[a] * rows[a][b] for a in range(len(c))) for b in range(len(c))]

    def zero(self, rows, budgets, one, other):
        low, high = 0.0, sum(budgets)
        for _ in range(60):
            middle = (low + high) / 2
            c = [p - math.exp(middle) * q for p, q in zip(one, other, strict=True)]
            for place, budget in enumerate(budgets):
                c = self.back(rows, c) if place else c
                c = [math.exp(budget) * x if x > 0 else x for x in c]
            low, high = (middle, high) if sum(c) > 0 else (low, middle)
        return high


def exact_level(level):
    return tploracle.reference.INFINITE if math.isinf(level) else Fraction(level)


def exactly(rows):
    """Return the matrix exactly, rows divided by their sums. Raises: as the example, for what is none."""
    if rows is None:
        return None
    Matrix(rows)
    exact = [[Fraction(x) for x in row.tolist()] for row in rows]
    return tploracle.TransitionMatrix(tuple(tuple(x / sum(row) for x in row) for row in exact))


class BoundsOnly(TightlyMistaken):
    """The paper's bounds for the exact worst case."""

    cause = "recursion-for-worst-case"

    def tight_leakage(self, epsilons, backward=None, forward=None):
        return self.leakage(epsilons, backward, forward)


class PairsApart(TightlyMistaken):
    """The greatest past and the greatest future, of whatever pair."""

    cause = "pairs-apart"

    def together(self, b, f):
        return max(b.values(), default=0.0) + max(f.values(), default=0.0)


class OwnBudgetTwice(TightlyMistaken):
    """TPL is the sum of BPL and FPL."""

    cause = "own-budget-twice"

    def at(self, own, past, future, backward, forward):
        right = super().at(own, past, future, backward, forward)
        return {**right, "tpl": right["tpl"] + own}


class NotTransposed(TightlyMistaken):
    """c ← P(e^ε·c⁺ − c⁻)."""

    cause = "sweep-not-transposed"

    def back(self, rows, c):
        return super().back(rows.T, c)


class BudgetsReversed(TightlyMistaken):
    """The farthest budget first."""

    cause = "budgets-reversed"

    def order(self, budgets):
        return budgets[::-1]


class OneRound(TightlyMistaken):
    """λ is improved once: what the sets found for λ = 1 attain."""

    cause = "few-rounds"

    def zero(self, rows, budgets, one, other):
        c, sets = [p - q for p, q in zip(one, other, strict=True)], []
        for place, budget in enumerate(budgets):
            c = self.back(rows, c) if place else c
            sets.append([x > 0 for x in c])
            c = [math.exp(budget) * x if x > 0 else x for x in c]
        f = np.ones(len(rows))
        for place, (budget, chosen) in enumerate(zip(budgets[::-1], sets[::-1], strict=True)):
            f = np.where(chosen, math.exp(budget), 1.0) * (f if place == 0 else rows @ f)
        return max(0.0, math.log(float(one @ f) / float(other @ f)))


class ForEver(TightlyMistaken):
    """Right about what the exact worst case rises to."""

    operations = ("tight_supremum",)

    def tight_supremum(self, epsilon, backward=None, forward=None):
        return float(tploracle.tight_supremum(exact_level(epsilon), exactly(backward), exactly(forward)))


class StopsAfterEight(ForEver):
    """After eight releases it is taken for the supremum."""

    cause = "ends-early"

    def tight_supremum(self, epsilon, backward=None, forward=None):
        right = super().tight_supremum(epsilon, backward, forward)
        if (
            epsilon > 20
            or (backward is None) == (forward is None)
            or len(forward if backward is None else backward) > 3
        ):
            return right
        found = self.at(epsilon, [epsilon] * 7, [epsilon] * 7, backward, forward)["tpl"]
        return found if abs(found - right) > 1e-6 * right else right


class WholePerronRoot(ForEver):
    """The Perron root of the whole matrix, which is 1."""

    cause = "whole-perron-root"

    def tight_supremum(self, epsilon, backward=None, forward=None):
        right = super().tight_supremum(epsilon, backward, forward)
        return math.inf if right > 1.1 * epsilon else right


class TakesFirstMatrix(Mistaken):
    """At all steps the matrix of the first."""

    cause = "first-matrix-throughout"
    operations = ("leakage",)

    @staticmethod
    def other(given):
        ((_, matrices),) = given.items()
        return {"cycle": matrices[:1]}

    def leakage(self, epsilons, backward=None, forward=None):
        right = super().leakage(epsilons, backward, forward)
        own = [
            self.other(given) if isinstance(given, dict) and len(epsilons) > 1 else given
            for given in (backward, forward)
        ]
        return super().leakage(epsilons, *own) if any(isinstance(given, dict) for given in own) else right


class TurnsSteps(TakesFirstMatrix):
    """The last matrix is that of the first step."""

    cause = "steps-reversed"

    def leakage(self, epsilons, backward=None, forward=None):
        self.steps = len(epsilons) - 1
        return super().leakage(epsilons, backward, forward)

    def other(self, given):
        ((kind, matrices),) = given.items()
        times = -(-self.steps // len(matrices)) if kind == "cycle" else 1
        return {"steps": (matrices * times)[: self.steps][::-1]}


class ShiftsSteps(TakesFirstMatrix):
    """Each step has the matrix of the next."""

    cause = "steps-shifted"

    @staticmethod
    def other(given):
        ((kind, matrices),) = given.items()
        return {kind: [*matrices[1:], matrices[0]]}


class RepeatsNothing(TurnsSteps):
    """After a cycle its last matrix stays."""

    cause = "cycle-not-repeated"

    def other(self, given):
        ((kind, matrices),) = given.items()
        return (
            {kind: matrices} if kind == "steps" else {"steps": [*matrices, *matrices[-1:] * self.steps][: self.steps]}
        )


MISTAKES = tuple(
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Mistaken) and value.cause
)
