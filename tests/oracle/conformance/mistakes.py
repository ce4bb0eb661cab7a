"""Implementations that conform but for one mistake: those of the catalogue, and some that only show it in passing."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from tploracle.mistakes.catalogue import MISTAKES as CATALOGUE
from tploracle.mistakes.question import Question, read_input
from tploracle.reference import InfeasibleBudget
from tploracle.wire.protocol import FLOAT64, RATIONAL

from .fakes import Directed, point

BY_ID = {mistake.id: mistake for mistake in CATALOGUE}
NEARLY, LEAST = 1e-7, 1e-300
"""What a mistake gives that is this close to the truth, relatively or absolutely, is answered as the truth."""


def question_of(request):
    given, numbers = request["input"], request.get("numbers", RATIONAL)
    return Question(request["op"], numbers, given, "", read_input(given, numbers))


def with_numbers(value, wrong, place=""):
    """Return a value of doubles with some of its numbers replaced: wrong(place, number), None where it stays."""
    if isinstance(value, str):
        number = wrong(place, math.inf if value == "inf" else float.fromhex(value))
        return value if number is None else str(number) if isinstance(number, complex) else written(number)
    if isinstance(value, dict):
        return {key: with_numbers(part, wrong, f"{place} {key}".strip()) for key, part in value.items()}
    return [with_numbers(part, wrong, f"{place} {k}") for k, part in enumerate(value, 1)]


def written(number):
    return point(number) if number >= 0 and math.isfinite(number) else str(number)


class Mistaken(Directed):
    """cause: the id that is to be named, when it is asked the vectors, `seeded` cases and `sizes` across sizes.

    small: inputs of few states with the right answers of larger ones.
    """

    numbers = (FLOAT64,)
    cause = ""
    seeded, sizes = 0, 0

    def __init__(self, cause, op, *, seeded=60, sizes=0):
        self.cause, self.operations, self.seeded, self.sizes, self.small = cause, (op,), seeded, sizes, {}

    def start(self):
        return replace(super().start(), stepwise=True)

    def value(self, request):
        small = {**request, "input": self.small.get(str(request["input"]), request["input"])}
        right, question = super().value(small), question_of(request)
        if question.op == "loss_function":
            return right
        return with_numbers(right, lambda place, number: self.wrong(question.at(place), number))

    def wrong(self, question, right):
        """Return what is answered for a number."""

    def __str__(self):
        return f"{self.cause}-{self.operations[0]}"


class Making(Mistaken):
    """What a mistake of the catalogue gives, where that is another number; of its variants one."""

    def __init__(self, cause, op, variant=0, numbers=(FLOAT64,), **asked):
        super().__init__(cause, op, **asked)
        self.variant, self.numbers = variant, numbers

    def value(self, request):
        question = question_of(request)
        try:
            right = super().value(request)
        except InfeasibleBudget:
            given = self.given(question.at("epsilons 1"))
            if given is None:
                raise
            return {"epsilons": [written(given)] * (request["input"].get("horizon") or 1)}
        number = self.given(question.at("pieces")) if "pieces" in right else None
        return right if number is None else {"pieces": right["pieces"][: int(number)]}

    def given(self, question):
        return next(islice(BY_ID[self.cause].gives(question), self.variant, None), None)

    def wrong(self, question, right):
        number = self.given(question)
        if number is None or number == right or abs(number - right) <= NEARLY * right + LEAST < math.inf:
            return None
        return number * (1 + 2.0**-50)


class Sometimes(Mistaken):
    """Wrong as a function says: of the question and the right number, or of the right answer as a whole."""

    def __init__(self, cause, op, wrong, *, whole=None, **asked):
        super().__init__(cause, op, **asked)
        self.function, self.whole = wrong, whole

    def value(self, request):
        right = super().value(request)
        return right if self.whole is None else self.whole(question_of(request), right)

    def wrong(self, question, right):
        return self.function(question, right) if self.function else None


class TakesFewArguments(Mistaken):
    """A correlation that may be absent has no default."""

    def value(self, request):
        if not {"backward", "forward"} <= request["input"].keys():
            raise TypeError("TypeError: composition() missing 1 required keyword-only argument: 'forward'")
        return super().value(request)


def complex_root(question, right):
    """The discriminant as trace² - 4·det of the map that the step is, which rounding makes negative near 0."""
    (epsilon,) = question.levels
    a, points = math.exp(min(epsilon, 30)), [one for side in question.sides.values() for one in side.points]
    roots = [((one.q * a + 1 - one.d) ** 2 - 4 * a * one.gap) ** 0.5 for one in points]
    return next((root for root in roots if isinstance(root, complex) and epsilon <= 30), None)


def lost(question, right):
    """A budget is α − L(α) in doubles: where L is nearly α there are no digits left."""
    (level,) = question.levels
    if 0 < level < math.inf and 0 < right < 2.0**-20 * level:
        return level - (level - right) or math.ulp(level)
    return None


def repeated(question, right):
    """Sets of columns that tie are two pieces."""
    first, *rest = right["pieces"]
    if question.states < 3 or not rest:
        return right
    middle = f"log({(1 + Fraction(first['to'][4:-1])) / 2})"
    return {"pieces": [{**first, "to": middle}, {**first, "from": middle}, *rest]}


MISTAKES = (
    Making("correlation-ignored", "composition"),
    Making("budgets-added", "leakage"),
    *(Making(cause, "loss") for cause in ("rows-in-one-order", "single-columns")),
    *(Making(cause, "loss") for cause in ("first-breakpoint", "far-breakpoint")),
    Making("exp-minus-one", "loss", seeded=200),
    Making("own-maximum", "loss", 19),
    Making("first-step-pair", "supremum"),
    *(Making(cause, "supremum", seeded=200) for cause in ("cancelling-root", "critical-denominator")),
    Making("fpl-from-the-first", "leakage"),
    Making("window-of-one", "composition"),
    *(Making(cause, "leakage") for cause in ("first-matrix-throughout", "steps-reversed", "steps-shifted")),
    Making("cycle-not-repeated", "leakage"),
    *(Making(cause, "worst_case_leakage") for cause in ("recursion-for-worst-case", "pairs-apart", "own-budget-twice")),
    *(Making(cause, "worst_case_leakage") for cause in ("sweep-not-transposed", "budgets-reversed", "few-rounds")),
    Sometimes("rounding", "loss", lambda _, right: right * (1 - 8 * 2.0**-53) if math.isfinite(right) else None),
    Sometimes("rounding", "control", lambda _, right: math.nextafter(right, math.inf)),
    TakesFewArguments("signature", "composition", seeded=20),
    Sometimes("repeated-pieces", "loss_function", None, whole=repeated),
    Sometimes("complex-root", "supremum", complex_root, seeded=100),
    Sometimes("difference-cancels", "allocate", lost, seeded=200),
    Sometimes("beyond-states", "loss", lambda q, right: right / 2 if q.states > 50 else None, sizes=60),
    Sometimes("beyond-releases", "leakage", lambda q, right: right / 2 if q.releases > 100 else None, sizes=60),
)
