"""Certificates on either side of the truth: what is false by less than any rounding is rejected, what is true is not.

The truth is a fraction, by the definitions or `reference`. At one digit the checker computes in 132 bits: a claim that
is wrong by 2^−m is accepted for some m near that if one rounding goes the wrong way.
"""

import json
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from tploracle.certificates.checker import Rejected, check
from tploracle.reference import parse_level
from tploracle.reference.worst_case.sweep import OneSide, worst

EVERY_STEP, OWN_STEP = "each matrix is that of all steps", "each matrix is that of its step"
NOT_ADAPTIVE = "mechanisms after a time do not depend on earlier outputs"
ANYTHING = "400"
HEAD = {"version": 1, "digits": 1}
NEARER = [Fraction(1, 2**bits) for bits in range(110, 150, 2)]
"""By how much claims are false: from far more than all roundings of 132 bits together to far less than one."""


def text(number):
    return str(Fraction(number))


def rows_of(random, n, most=11):
    weights = [[random.randint(0, most) for _ in range(n)] for _ in range(n)]
    return [[Fraction(w, sum(row)) for w in row] if sum(row) else [Fraction(1, n)] * n for row in weights]


def texts(rows):
    return [list(map(text, row)) for row in rows]


def assert_boundary(document_at, truth, side):
    """Assert that a claim is accepted well on the true side of the truth, and rejected on the other, however near.

    Args: side, 1 if claims from the truth upward are true, −1 if those downward.
    """
    assert check(json.dumps(document_at(truth * (1 + side * Fraction(1, 2**60)))))
    on_grid = [Fraction(side * (side * truth * 2**bits // 1), 2**bits) for bits in range(124, 136)]
    for claim in [*(truth * (1 - side * part) for part in NEARER), *on_grid]:
        if claim != truth:
            with pytest.raises(Rejected):
                check(json.dumps(document_at(claim)))


def streams(count, releases=4):
    """Yield matrices for each step, ratios e^ε of the releases before a time and at it, and two values."""
    random = Random(1)
    while count:
        n = random.randint(2, 4)
        steps = [rows_of(random, n) for _ in range(random.choice([1, releases - 1]))]
        budgets = [f"log({random.randint(12, 40)}/{random.choice([7, 8, 9, 11])})" for _ in range(releases)]
        if count % 2:  # so that few roundings are between a claim and its verdict
            order = random.sample(range(n), n)
            turn = [[Fraction(a == b) for b in order] for a in range(n)]
            near = [[Fraction(w, 8) for w in random.choice(EIGHTHS[n])] for _ in range(n)]
            steps, budgets = [turn] * (releases - 2) + [near], [random.choice(BUDGETS)] * releases
        ratios = [1 + parse_level(own).excess_bounds(400)[0] for own in budgets]
        each = steps * (releases - 1) if len(steps) == 1 else steps
        before = OneSide(tuple(tuple(map(tuple, own)) for own in each))
        pair = tuple(random.sample(range(n), 2))
        found = worst(before, ratios[:-1], pair)
        if found and found.ratio > 1:
            count -= 1
            yield steps, budgets, pair, found, ratios[-1]


EIGHTHS = {n: [row for row in product(range(9), repeat=n) if sum(row) == 8] for n in (2, 3, 4)}
BUDGETS = ["log(5/4)", "log(13/11)", "1/10", "log(1000/7)", "5"]
STREAMS = list(streams(100))


def correlation(steps):
    return texts(steps[0]) if len(steps) == 1 else {"steps": list(map(texts, steps))}


@pytest.mark.parametrize("stream", STREAMS)
def test_no_ratio_below_the_greatest_is_proved(stream):
    """`first`, `weighted`, `stepped` and the grid of budgets round upward."""
    steps, budgets, pair, found, _ = stream
    n = len(steps[0])

    def document(ratio):
        table = [["1" if j == k else "1" + "0" * 30 for k in range(n)] for j in range(n)]
        table[pair[0]][pair[1]] = text(ratio)
        return HEAD | {
            "certificate": "worst-case-upper",
            "assumed": [EVERY_STEP if len(steps) == 1 else OWN_STEP, NOT_ADAPTIVE],
            "backward": correlation(steps),
            "forward": None,
            "epsilons": budgets,
            "time": len(budgets),
            "past": [table],
            "future": None,
            "level": ANYTHING,
        }

    assert_boundary(document, found.ratio, 1)


@pytest.mark.parametrize("stream", STREAMS)
def test_no_level_above_what_sets_attain_is_accepted(stream):
    """`answered` rounds the first chance downward, and the second one upward."""
    steps, budgets, pair, found, own = stream

    def document(ratio):
        return HEAD | {
            "certificate": "worst-case-lower",
            "assumed": [
                EVERY_STEP if len(steps) == 1 else OWN_STEP,
                "both values can occur",
                "the matrices are those of one chain",
            ],
            "backward": correlation(steps),
            "forward": None,
            "epsilons": budgets,
            "time": len(budgets),
            "rows": [value + 1 for value in pair],
            "past": [sorted(value + 1 for value in own) for own in found.sets],
            "future": [],
            "level": f"log({ratio})",
        }

    assert_boundary(document, found.ratio * own, -1)


def test_no_barrier_shrinks_faster_than_it_does():
    random = Random(2)
    for turns in (1, 2, 3) * 8:
        n = random.randint(2, 4)
        rows, ratio = rows_of(random, n), Fraction(random.randint(12, 14), 11)
        rows = [[p / 8 for p in row] + [Fraction(7, 8)] for row in rows] + [[Fraction(0)] * n + [Fraction(1)]]
        h = [Fraction(random.randint(10, 30), random.choice([3, 7])) for _ in range(n)] + [Fraction(-1000)]
        after = h
        for _ in range(turns):
            weighted = [x * ratio if x > 0 else x for x in after]
            after = [sum(x * row[b] for x, row in zip(weighted, rows, strict=True)) for b in range(n + 1)]
        theta = max(x / y for x, y in zip(after[:n], h[:n], strict=True))
        assert 0 < theta < 1
        assert after[n] <= theta * h[n]

        def document(shrunk, h=h, rows=rows, ratio=ratio, turns=turns):
            barrier = {
                "above": [text(max(x, 0)) for x in h],
                "below": [text(max(-x, 0)) for x in h],
                "theta": text(shrunk),
            }
            size = len(rows)
            return HEAD | {
                "certificate": "worst-case-forever",
                "assumed": [EVERY_STEP, NOT_ADAPTIVE],
                "backward": texts(rows),
                "forward": None,
                "epsilon": f"log({ratio})",
                "past": {
                    "steps": 1000,
                    "barriers": [barrier | ({"turns": turns} if turns > 1 else {})],
                    "ratios": [["1" if j == k else "1" + "0" * 30 for k in range(size)] for j in range(size)],
                },
                "future": None,
                "level": ANYTHING,
            }

        assert_boundary(document, theta, 1)
