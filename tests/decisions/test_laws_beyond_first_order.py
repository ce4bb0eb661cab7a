"""Both ends on laws beyond first order enclose what a linear program over all private streams finds, in scipy."""

import json
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from tploracle.certificates.above_second_order import FUTURE_FIRST, ORDERS, PAST_FIRST, AtOneTime, SecondOrderSides
from tploracle.models.laws import Ends, HistoriesLeakage, SecondOrderLeakage, greatest_kept
from tploracle.reference import Level
from tploracle.reference.laws import Histories, SecondOrder

from ..commands import refused, run, value
from .enumerated import drawn_law, weights_of, worst_of_all_streams, worst_tpl


@pytest.mark.parametrize("seed", range(24))
def test_the_worst_of_all_streams_lies_between_both_ends_of_second_order(seed):
    rng = np.random.default_rng(seed)
    n = 3 if seed % 3 == 0 else 2
    releases = int(rng.integers(2, 5 if n == 3 else 7))
    law = drawn_law(rng, n)
    tenths = [int(each) for each in rng.integers(0, 14, releases)]
    found = list(SecondOrderLeakage(law).ends([Level.of(Fraction(each, 10)) for each in tenths]))
    truths = [
        worst_of_all_streams(weights_of(law, releases), [each / 10 for each in tenths], time)
        for time in range(releases)
    ]
    for each, of_pairs, tenth in zip(found, truths, tenths, strict=True):
        truth = max(of_pairs, tenth / 10)  # of one possible value there is no pair
        assert float(each.lower) <= truth + 1e-7
        assert float(each.upper) >= truth - 1e-7
        assert float(each.lower) >= 0.6 * truth - 1e-7  # of these; sets of single values need not attain it


@pytest.mark.parametrize("way", [*((False, order) for order in ORDERS), (True, PAST_FIRST), (True, FUTURE_FIRST)])
def test_each_way_to_a_bound_is_one_by_itself(way):
    """Odds that a stream exceeds are proved by none of them."""
    is_split, order = way
    tight = 0
    for seed in range(16):
        law, releases, time = drawn_law(np.random.default_rng(seed), 2), 5, 2
        at = AtOneTime(SecondOrderSides(law, releases), [Level.of(Fraction(1, 2))] * releases, time)
        truth = np.exp(worst_of_all_streams(weights_of(law, releases), [0.5] * releases, time) - 0.5)
        begin = at._split(order) if is_split else at._j
        last = {PAST_FIRST: FUTURE_FIRST, FUTURE_FIRST: PAST_FIRST}[order] if is_split else order
        for factor in (0.9, 0.999, 1 - 1e-6):
            assert truth < 1.0001 or not at._is_below(begin, at._k * truth * factor, last).all()
        tight += at._is_below(begin, at._k * truth * 2, last).all()
    assert tight >= 4


def test_where_the_chain_is_of_first_order_both_ends_are_its_worst_case():
    rows = ((0.7, 0.3), (0.2, 0.8))
    matrix = [[Fraction(str(each)) for each in row] for row in rows]
    start = (Fraction(2, 5), Fraction(3, 5))  # its stationary distribution
    law = SecondOrder(
        tuple(tuple(start[a] * matrix[a][b] for b in range(2)) for a in range(2)),
        tuple(tuple(tuple(matrix[b]) for b in range(2)) for _ in range(2)),
    )
    for time, each in enumerate(SecondOrderLeakage(law).ends([Level.of(Fraction(2, 5))] * 4), 1):
        worst = worst_tpl(rows, rows, [0.4] * 4, time)
        assert float(each.lower) == pytest.approx(worst, abs=1e-8)
        assert float(each.upper) == pytest.approx(worst, abs=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_the_worst_of_all_streams_on_histories_is_both_ends(seed):
    rng = np.random.default_rng(seed)
    n = 3 if seed % 3 == 0 else 2
    releases = int(rng.integers(1, 4 if n == 3 else 7))
    counts = rng.integers(0, 5, (n,) * releases) * rng.integers(0, 2, (n,) * releases)
    counts[(0,) * releases] += 1
    tenths = [int(each) for each in rng.integers(0, 14, releases)]
    smoothing = Fraction(seed % 2, 2)
    observed = {y: int(counts[y]) for y in product(range(n), repeat=releases) if counts[y]}
    found = HistoriesLeakage(Histories(n, releases, observed, smoothing)).ends(
        [Level.of(Fraction(each, 10)) for each in tenths]
    )
    for time, each in enumerate(found):
        truth = worst_of_all_streams(counts + float(smoothing), [tenth / 10 for tenth in tenths], time)
        assert max(truth, tenths[time] / 10) == pytest.approx(float(each.upper), abs=1e-6)
        assert float(each.lower) == pytest.approx(float(each.upper), abs=1e-6)
        assert float(each.lower) <= float(each.upper)


@pytest.mark.parametrize("alpha", ["1", "log(2)"])
def test_the_budget_that_is_found_keeps_alpha_and_hardly_a_greater_one_is_proved(alpha):
    law = drawn_law(np.random.default_rng(4), 2)
    own, level = SecondOrderLeakage(law), Level.of(1) if alpha == "1" else Level.of_ratio(Fraction(2))
    epsilon = greatest_kept(lambda tried: own.keeps([tried] * 5, level), level, 5, 6)
    most = max(float(each.upper) for each in own.ends([epsilon] * 5))
    assert most == pytest.approx(float(level), rel=1e-4)
    assert most <= float(level) * (1 + 1e-8)
    truth = max(worst_of_all_streams(weights_of(law, 5), [float(epsilon)] * 5, time) for time in range(5))
    assert truth <= float(level)


def write_log(rows=120, length=5, seed=0):
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        states = [str(rng.choice(["a", "b"])) for _ in range(2)]
        while len(states) < length:
            same = states[-1] == states[-2]
            states.append(states[-1] if rng.random() < (0.9 if same else 0.3) else "ab"[states[-1] == "a"])
        lines.append(" ".join(states))
    Path("log.txt").write_text("\n".join(lines) + "\n")


def test_a_budget_of_a_law_keeps_alpha_where_that_of_the_chain_does_not(empty_folder):
    write_log()
    for name, asked in (
        ("order.json", ("--order", 2, "--steps", 5)),
        ("any.json", ("--order", 2)),
        ("histories.json", ("--histories", "--steps", 5)),
        ("counts.json", ("--counts",)),
    ):
        Path(name).write_text(run("estimate", "log.txt", *asked).stdout)
    counts = np.zeros((2,) * 5)
    for line in Path("log.txt").read_text().splitlines():
        counts[tuple("ab".index(state) for state in line.split())] += 1
    chain = value("allocate", "--forward", "counts.json", "--alpha", 1, "--steps", 5)["worst_case"]
    spent = max(float(each["lower"]) for each in chain["epsilons"])
    assert max(worst_of_all_streams(counts + 0.5, [spent] * 5, time) for time in range(5)) > 1
    found = value("allocate", "--law", "histories.json", "--alpha", 1)["law"]
    kept = float(found["epsilon"]["lower"])
    worst = max(worst_of_all_streams(counts + 0.5, [kept] * 5, time) for time in range(5))
    assert worst == pytest.approx(1, abs=1e-5)
    law = value("allocate", "--law", "order.json", "--alpha", 1, "--steps", 5)["law"]
    triples, begun = np.zeros((2, 2, 2)), np.zeros((2, 2))
    for line in Path("log.txt").read_text().splitlines():
        y = ["ab".index(state) for state in line.split()]
        begun[y[0], y[1]] += 1
        for three in zip(y, y[1:], y[2:], strict=False):
            triples[three] += 1
    weights = begun[:, :, None, None, None] * (triples / triples.sum(-1, keepdims=True))[:, :, :, None, None]
    weights = weights * (triples / triples.sum(-1, keepdims=True))[None, :, :, :, None]
    weights = weights * (triples / triples.sum(-1, keepdims=True))[None, None, :, :, :]
    worst = [worst_of_all_streams(weights, [float(law["epsilon"]["lower"])] * 5, time) for time in range(5)]
    for each, truth in zip(law["tpl"], worst, strict=True):
        assert float(each["lower"]) - 1e-7 <= truth <= float(each["upper"]) + 1e-7 <= 1 + 2e-5
    both = value("fit", "log.txt", "--epsilon", "0.3", "--steps", 5)["leakage"]
    alone = value("leakage", "--law", "any.json", "--epsilon", "0.3", "--steps", 5)["law"]["tpl"]
    assert float(both["second_order"]["upper"]) == pytest.approx(max(float(each["upper"]) for each in alone), abs=1e-5)
    assert float(both["second_order"]["lower"]) > float(both["first_order"]["upper"])
    shown = run("allocate", "--law", "order.json", "--alpha", 1, "--steps", 5).stdout
    assert "second order, the same at all times, for everybody: not tested" in shown
    assert "The truth lies between them" in shown
    Path("long.txt").write_text("a b a b b a a b b a\n" * 30)
    for length, smoothing, is_said in ((9, "1/2", True), (2, "1/2", False), (9, "0", False)):
        asked = ("--histories", "--steps", length, "--smoothing", smoothing)
        Path("long.json").write_text(run("estimate", "long.txt", *asked).stdout)
        told = run("leakage", "--law", "long.json", "--epsilon", "0.1", "--steps", length).stdout
        assert ("which lowers the leakage found" in told.splitlines()[0]) == is_said
    doubled = value("allocate", "--law", "order.json", "--alpha", 1, "--steps", 5, "--neighbours", "add-remove")["law"]
    assert float(doubled["epsilon"]["lower"]) == pytest.approx(float(law["epsilon"]["lower"]) / 2)


def test_what_is_not_known_of_a_law_is_said(empty_folder):
    write_log()
    Path("h.json").write_text(run("estimate", "log.txt", "--histories", "--steps", 4).stdout)
    Path("o.json").write_text(run("estimate", "log.txt", "--order", 2).stdout)
    Path("c.json").write_text(run("estimate", "log.txt", "--counts").stdout)
    asked = ("--epsilon", "0.1", "--steps", 3)
    assert "histories of 4 values, but 3 releases" in refused("leakage", "--law", "h.json", *asked)
    assert "this is no law" in refused("leakage", "--law", "c.json", *asked)
    assert "--law" in refused("leakage", "--law", "o.json", "--forward", "c.json", *asked)
    assert "infinite horizon" in refused("allocate", "--law", "o.json", "--alpha", 1)
    assert "needs --steps" in refused("estimate", "log.txt", "--histories")
    assert "smaller --steps" in refused("estimate", "log.txt", "--histories", "--steps", 9)
    assert "what came before" in refused("estimate", "c.json", "--order", 2)
    assert "--order is 2" in refused("estimate", "log.txt", "--order", 3)
    Path("short.txt").write_text("a b a b b a a b\n" * 9 + "a b c\n")
    told = refused("estimate", "short.txt", "--order", 2)
    assert "'b' and then 'c' is never followed" in told
    assert "lowers the leakage" in told
    law = json.loads(run("estimate", "short.txt", "--order", 2, "--absorbing", "c").stdout)
    assert law["absorbing"] == ["c"]
    Path("ends.txt").write_text("a b a b\n" * 9 + "a c\n" * 3 + "b a b c\n" + "a b\n")
    law = json.loads(run("estimate", "ends.txt", "--histories", "--steps", 4, "--absorbing", "c").stdout)
    assert law["left_out"] == 1
    assert [["a", "c", "c", "c"], 3] in law["histories"]
    Path("ends.json").write_text(json.dumps(law))
    weights = np.zeros((3,) * 4)
    for y in product(range(3), repeat=4):
        if all(a != 2 or b == 2 for a, b in pairwise(y)):
            weights[y] = 0.5 + {(0, 1, 0, 1): 9, (0, 2, 2, 2): 3, (1, 0, 1, 2): 1}.get(y, 0)
    found = value("leakage", "--law", "ends.json", "--epsilon", "0.4", "--steps", 4)["law"]["tpl"]
    for time, each in enumerate(found):
        assert worst_of_all_streams(weights, [0.4] * 4, time) == pytest.approx(float(each["upper"]), abs=1e-6)
    both = value("fit", "ends.txt", "--absorbing", "c", "--epsilon", "0.4", "--steps", 4)["leakage"]
    assert float(both["first_order"]["lower"]) > 0.4
    noted = run("estimate", "short.txt", "--histories", "--steps", 4)
    assert "1 sequences of fewer than 4 values are left out" in noted.stderr
    wrong = {"order": 3, "triples": [[[1]]], "states": ["a", "a"], "absorbing": ["z"], "smoothing": "-1"}
    for broken in ({key: part} for key, part in wrong.items()):
        Path("bad.json").write_text(json.dumps(json.loads(Path("o.json").read_text()) | broken))
        assert "bad.json" in refused("leakage", "--law", "bad.json", *asked)
    for broken in ([[["a", "z", "a", "a"], 1]], [[["a"], 1]], [[["a"] * 4, -1]], [[["a"] * 4, 1], [["a"] * 4, 1]]):
        Path("bad.json").write_text(json.dumps(json.loads(Path("h.json").read_text()) | {"histories": broken}))
        assert "bad.json" in refused("leakage", "--law", "bad.json", "--epsilon", "0.1", "--steps", 4)


def test_one_release_tells_its_budget():
    law = drawn_law(np.random.default_rng(0), 2)
    (found,) = SecondOrderLeakage(law).ends([Level.of(Fraction(1, 3))])
    assert isinstance(found, Ends)
    assert float(found.lower) == pytest.approx(1 / 3)
    assert float(found.upper) == pytest.approx(1 / 3)
