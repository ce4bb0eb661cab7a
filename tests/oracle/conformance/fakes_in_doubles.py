"""Algorithms 1 to 8 as they are usually written in doubles, the errata mended: fakes that fail by rounding alone."""

import math
from fractions import Fraction
from functools import partial

import numpy as np

from tploracle.auditing.doubles import (
    AnswerKind,
    algorithm_1,
    algorithm_2,
    algorithm_3,
    attempt,
    entries_of,
    middle_budget,
    pairs_of,
    recursion,
    theorem_11,
)
from tploracle.reference import INFINITE
from tploracle.wire.numerals import Reader
from tploracle.wire.protocol import FLOAT64

from .fakes import Fake, point, read


class InDoubles(Fake):
    """Reads doubles, answers doubles; a question beyond them gets the oracle's answer."""

    numbers = (FLOAT64,)

    def answered(self, work):
        """Return what a computation in doubles comes to, as an answer."""
        found = attempt(work)
        if found.kind is AnswerKind.ENDLESS:
            raise TimeoutError(found.detail)
        return point(found.value) if found.kind is AnswerKind.NUMBER else found.kind.value


def number(level):
    """Return a level that is a double as that double."""
    return math.inf if level is INFINITE else float(level.rational)


def pairs(reader, given, key):
    return pairs_of(entries_of(reader.matrix(given[key], key)))


class Algorithm1(InDoubles):
    """Algorithm 1 for L."""

    operations = ("loss",)

    def loss(self, request):
        reader, given = read(request)
        self.truth(request)
        alpha = number(reader.level(given["alpha"], "alpha"))
        return self.answered(lambda: algorithm_1(pairs(reader, given, "matrix"), alpha))


class Algorithms2And3(InDoubles):
    """Algorithms 2 and 3 for leakage over time."""

    operations = ("leakage",)

    def leakage(self, request):
        reader, given = read(request)
        value = self.truth(request)
        if "backward" not in given:
            return value
        epsilons = [number(level) for level in reader.levels(given["epsilons"], "epsilons")]
        transitions = algorithm_2(pairs(reader, given, "backward"))
        with np.errstate(all="ignore"):
            levels = recursion(lambda alpha: algorithm_3(transitions, alpha), epsilons)
        return {**value, "bpl": [self.answered(lambda level=level: level) for level in levels]}


class Algorithms4And5(InDoubles):
    """Algorithm 5 on the pieces that Algorithm 4 finds, their coefficients and ends rounded to doubles."""

    operations = ("loss",)

    def loss(self, request):
        reader, given = read(request)
        self.truth(request)
        alpha = number(reader.level(given["alpha"], "alpha"))
        function = self.truth({**request, "op": "loss_function", "input": {"matrix": given["matrix"]}})["pieces"]
        return self.answered(lambda: self._loss(function, alpha))

    def _loss(self, function, alpha):
        excess = math.exp(alpha) - 1
        for piece in function:
            q, d, end = float(Fraction(piece["q"])), float(Fraction(piece["d"])), piece["to"]
            if end == "inf" or alpha <= float(Reader().level(end, "to").enclosure(17).upper):
                return math.log((q * excess + 1) / (d * excess + 1))
        raise AssertionError("the last piece has no end")


class Algorithm6(InDoubles):
    """Algorithm 6, from sup = ε, over the prefixes of all pairs of rows."""

    operations = ("supremum",)

    def supremum(self, request):
        reader, given = read(request)
        self.truth(request)
        epsilon = number(reader.level(given["epsilon"], "epsilon"))
        matrix = reader.matrix(given["matrix"], "matrix")
        return self.answered(lambda: max([epsilon, *(theorem_11(q, d, epsilon) for q, d in _prefixes(matrix))]))


def _prefixes(matrix):
    for q_row in matrix.rows:
        for d_row in matrix.rows:
            q = d = 0.0
            for j in sorted(range(matrix.n), key=lambda j: d_row[j] / q_row[j] if q_row[j] else math.inf):
                if q_row[j] > d_row[j]:
                    q, d = q + float(q_row[j]), d + float(d_row[j])
                    yield q, d


class Algorithms7And8(InDoubles):
    """The bisection of Algorithms 7 and 8, to the last double, for the budget that goes on for ever."""

    operations = ("allocate",)

    def allocate(self, request):
        reader, given = read(request)
        value = self.truth(request)
        if given["method"] != "upper-bound":
            return value
        losses = [
            partial(algorithm_1, pairs(reader, given, role)) if role in given else _nothing
            for role in ("backward", "forward")
        ]
        alpha = number(reader.level(given["alpha"], "alpha"))
        return {"epsilons": [self.answered(lambda: middle_budget(*losses, alpha))] * len(value["epsilons"])}


def _nothing(_alpha):
    return 0.0


IN_DOUBLES = (Algorithm1, Algorithms2And3, Algorithms4And5, Algorithm6, Algorithms7And8)
