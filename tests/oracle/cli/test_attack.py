"""`attack`: the worst mechanisms in words, beside the bounds, drawn, and beside other mechanisms."""

import json
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from tploracle.models.profile_attack import drawn, profile_attack
from tploracle.output import plots
from tploracle.reference import ApproximateBudget, TransitionMatrix, leakage, parse_level, worst_case_leakage
from tploracle.reference.paper.leakage import Adversary

from ... import commands

PAGES = {
    "states": ["news", "weather", "bbs"],
    "backward": [["3/5", "3/10", "1/10"], ["1/5", "2/5", "2/5"], ["1/10", "1/10", "4/5"]],
    "forward": [["1/2", "1/2", "0"], ["1/3", "1/3", "1/3"], ["0", "1/4", "3/4"]],
}
BOTH = ("--backward", "pages.json", "--forward", "pages.json")
RATIO = ("--epsilon", "log(9/4)", "--steps", "4")


@pytest.fixture(autouse=True)
def _pages(empty_folder):
    (empty_folder / "pages.json").write_text(json.dumps(PAGES))
    (empty_folder / "plain.csv").write_text("4/5,1/5\n0,1\n")


run, value, csv_rows = (partial(one, "attack") for one in (commands.run, commands.value, commands.csv_rows))


def both():
    return [TransitionMatrix.of(PAGES[role]) for role in ("backward", "forward")]


def multiplied(found, side, row):
    """Return Pr("yes" at all times of a side | the value), from the answer's own questions, up to a common factor."""
    matrix = TransitionMatrix.of(PAGES[side]).rows
    sets = {t: each["set"] for each in found["questions"] for t in range(each["from"], each["to"] + 1)}
    times = range(1, found["time"]) if side == "backward" else range(len(sets), found["time"], -1)
    f = [Fraction(1)] * 3
    for t in times:
        f = [Fraction(9, 4) * p if a in sets[t] else p for a, p in enumerate(f, 1)]
        f = [sum(p * q for p, q in zip(row, f, strict=True)) for row in matrix]
    return f[row - 1]


@pytest.mark.parametrize("time", [1, 2, 4])
def test_the_questions_attain_what_is_said(time):
    found = value(*BOTH, *RATIO, "--at", time)
    worst = found["worst_case"]
    exact = worst_case_leakage([parse_level("log(9/4)")] * 4, *both()).tpl[time - 1]
    assert worst["tpl"]["exact"] == exact.exact_text
    more, less = found["more_likely"]["value"], found["less_likely"]["value"]
    ratio = Fraction(9, 4)
    for side in ("backward", "forward"):
        ratio *= multiplied(found, side, more) / multiplied(found, side, less)
    assert Fraction(worst["factor"]["exact"]) == ratio == exact.ratio
    assert Fraction(worst["factor"]["lower"]) <= ratio <= Fraction(worst["factor"]["upper"])
    assert Fraction(worst["no_mechanism_above"]) >= Fraction(worst["tpl"]["lower"])
    assert Fraction(worst["no_mechanism_above"]) - Fraction(worst["tpl"]["upper"]) < Fraction(1, 10**14)
    bound = leakage([parse_level("log(9/4)")] * 4, Adversary.knowing(*both())).tpl[time - 1]
    assert found["paper_bound"]["tpl"]["exact"] == bound.exact_text
    assert found["questions"][0]["from"] == 1
    assert found["more_likely"]["name"] == PAGES["states"][more - 1]


def test_without_a_time_it_is_the_worst_one():
    found = value(*BOTH, *RATIO)
    tpl = worst_case_leakage([parse_level("log(9/4)")] * 4, *both()).tpl
    assert found["worst_case"]["tpl"]["exact"] == max(tpl).exact_text
    assert tpl[found["time"] - 1] == max(tpl)
    transcendental = value(*BOTH, "--epsilon", "0.1", "--steps", 3, "--at", 2, "--digits", 30)
    exact = worst_case_leakage([parse_level("0.1")] * 3, *both()).tpl[1].enclosure(30)
    assert transcendental["worst_case"]["tpl"] == {"exact": None, "lower": str(exact.lower), "upper": str(exact.upper)}
    assert transcendental["worst_case"]["factor"]["exact"] is None


def test_in_words():
    words = run(*BOTH, *RATIO, "--at", 3).stdout
    assert "is the value in" in words
    assert "paper's bound" in words
    assert "no mechanism leaks more than" in words
    found = value(*BOTH, *RATIO, "--at", 3)
    more, less = found["more_likely"]["name"], found["less_likely"]["name"]
    assert f"an adversary's odds of {more} against {less} at time 3 change by a factor of at most" in words
    for each in found["questions"]:
        assert "{" + ", ".join(each["names"]) + "}" in words
    assert len(csv_rows(*BOTH, *RATIO, "--at", 3)) == len(found["questions"])
    unnamed = run("--backward", "plain.csv", "--one-sided", "--epsilon", "1", "--steps", 3, "--at", 1).stdout
    assert "nothing is asked" in unnamed
    assert "2 to 3" in unnamed


def test_drawn():
    given = (*BOTH, *RATIO, "--at", 2, "--simulate", 100_000, "--seed", 5)
    found = value(*given)
    drawn = found["simulation"]
    assert (drawn["streams"], drawn["seed"], drawn["answers"], drawn["confidence"]) == (100_000, 5, "whole", "19/20")
    assert Fraction(drawn["lower"]) < Fraction(found["worst_case"]["factor"]["exact"]) < Fraction(drawn["upper"])
    assert float(drawn["factor"]) == pytest.approx(drawn["yes"][0] / drawn["yes"][1], rel=1e-5)
    assert value(*given) == found
    words = run(*given).stdout
    assert "Drawn with the seed 5" in words
    assert f"{drawn['yes'][0]:,}" in words
    rare = (*BOTH, "--epsilon", "1", "--steps", 60, "--at", 30, "--simulate", 1000)
    assert "Too rare" in run(*rare).stdout
    unseen = value(*BOTH, "--epsilon", "60", "--steps", 3, "--at", 2, "--simulate", 10)["simulation"]
    assert (unseen["factor"], unseen["upper"], unseen["answers"]) == (None, "inf", "without their common factors")


def test_other_mechanisms_by_the_definition():
    found = value(*BOTH, "--epsilon", "log(9/4)", "--steps", 3, "--at", 2, "--mechanisms")
    attaining = [each["mechanism"] for each in found["mechanisms"] if each["attains"]]
    assert len(found["mechanisms"]) == 6
    assert len(attaining) >= 4
    assert all(
        each["level"]["exact"] == found["worst_case"]["tpl"]["exact"] for each in found["mechanisms"] if each["attains"]
    )
    assert "by the definition" in run(*BOTH, "--epsilon", "log(9/4)", "--steps", 3, "--mechanisms").stdout

    def why(*args):
        return {each["mechanism"]: each.get("why", "") for each in value(*BOTH, *args, "--mechanisms")["mechanisms"]}

    assert set(why("--epsilon", "1/10", "--steps", 2).values()) == {"e^ε is not rational; it is for log(11/10)"}
    *roots, counter = why("--epsilon", "log(2)", "--steps", 2).values()
    assert not counter
    assert roots == ["", "", *["e^(ε/2) is not rational; it is for log(121/100)"] * 2, ""]
    assert "too many sequences" in why("--epsilon", "log(9/4)", "--steps", 60)["randomized response among all values"]


def test_a_tree_counter_beside_the_bound():
    """Its leakage by the definition: below the exact worst case, or it, by whether one set is asked at all times."""
    Path("turns.csv").write_text("1/5,4/5\n4/5,1/5\n")
    for args, attains in ((("--backward", "turns.csv", "--forward", "turns.csv"), False), (BOTH, True)):
        found = value(*args, *RATIO, "--at", 1, "--mechanisms")
        counter = found["mechanisms"][-1]
        assert "tree counter" in counter["mechanism"]
        assert counter["attains"] == attains
        exact, worst = (parse_level(own["exact"]) for own in (counter["level"], found["worst_case"]["tpl"]))
        assert exact < worst if not attains else exact == worst

    def why(*args):
        return value(*args, "--mechanisms")["mechanisms"][-1]["why"]

    assert "the budgets differ" in why(*BOTH, "--epsilons", "log(2),log(3)")
    assert "too many" in why(*BOTH, "--epsilon", "log(2)", "--steps", 5)
    assert "both correlations" in why("--backward", "pages.json", "--one-sided", "--epsilon", "log(2)", "--steps", 2)
    assert "not rational" in why(*BOTH, "--epsilon", "1/10", "--steps", 2)


def test_the_picture(monkeypatch):
    drawn = []
    monkeypatch.setattr(plots, "attack_picture", lambda *args: drawn.append(args))
    found = value(*BOTH, *RATIO, "--at", 2, "--plot", "again.png")
    ((_path, title, inside, odds, levels),) = drawn
    assert title == f"{found['more_likely']['name']} against {found['less_likely']['name']} at time 2"
    sets = [each["set"] for each in found["questions"] for _ in range(each["from"], each["to"] + 1)]
    assert [[name for name in inside if inside[name][t]] for t in range(4)] == [
        [PAGES["states"][a - 1] for a in own] for own in sets
    ]
    assert odds[-1] == pytest.approx(float(found["worst_case"]["tpl"]["lower"]))
    assert [level.exact_text for level in levels.values()] == [
        found["worst_case"]["tpl"]["exact"],
        found["paper_bound"]["tpl"]["exact"],
    ]


PROFILE = ("--profile", "log(3/2)", "--epsilon", "log(2)", "--delta-per-release", "1/50", "--steps", "3")
PROFILED = parse_level("log(3/2)")


@pytest.mark.parametrize(
    ("known", "time"),
    [
        (BOTH[:2], 3),
        pytest.param(BOTH[2:], 1, marks=pytest.mark.slow),
        pytest.param((*BOTH, "--at", "2"), 2, marks=pytest.mark.slow),
    ],
)
def test_a_profile_is_attacked_as_the_model_says(known, time):
    """The answer names the test and what it attains; the counts stand beside that."""
    one_sided = ("--one-sided",) if "--at" not in known else ()
    found = value(*known, *one_sided, *PROFILE, "--simulate", "1000")
    backward, forward = both()
    pair = (backward if "--backward" in known else None, forward if "--forward" in known else None)
    attack = profile_attack([ApproximateBudget(parse_level("log(2)"), Fraction(1, 50))] * 3, PROFILED, time, pair)
    assert found["time"] == time
    assert [found[key]["value"] - 1 for key in ("more_likely", "less_likely")] == list(attack.test.pair)
    assert abs(Fraction(found["worst_case"]["attained"]) - attack.delta.lower) < Fraction(1, 10**6)
    for text, chance in zip(found["worst_case"]["yes"], attack.chances, strict=True):
        assert abs(Fraction(text) - chance) < Fraction(1, 10**5)
    moved = [move for move in found["test"]["moves"] for _ in range(abs(move["to"] - move["from"]) + 1)]
    for move, peaks in zip(moved, reversed(attack.test.peaks), strict=True):
        written = [Fraction(x) for line in move["places"] for x in line]
        assert all(0 <= exact - x < Fraction(1, 10**5) for exact, x in zip(peaks, written, strict=True))
    draws = drawn(attack, PROFILED, 1000, 1)
    assert [own["yes"] for own in found["simulation"]["chances"]] == list(draws.yes)


def test_a_profile_attacked_for_reading():
    shown = run(*BOTH[:2], "--one-sided", *PROFILE, "--simulate", "10").stdout
    assert "Answer “yes”" in shown
    assert "Too rare for so few streams" in shown
