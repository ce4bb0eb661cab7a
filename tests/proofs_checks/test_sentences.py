"""Verdicts on sentences, from tables made for it: what is near, and what a choice of measure may not decide."""

import pytest

from proofs_checks.experiments import sentences_leakage, sentences_runtime
from proofs_checks.experiments.claims import by_clock, clocked

JUDGES = {claim.id: claim.judge for claim in (*sentences_leakage.SENTENCES, *sentences_runtime.SENTENCES)}
KIND, NO, OPEN = "reproduces in kind", "does not reproduce", "not decided"


def degrees(slow, quick):
    """Tables of Figure 7 with these four measures at ε = 1 and 0.1."""
    rows = []
    for epsilon, times in (("1", slow), ("0.1", quick)):
        measures = dict(zip(sentences_leakage.MEASURES, map(str, times), strict=True))
        rows.append({"n": "50", "s": "0.005", "epsilon": epsilon} | measures)
    return {"": [{"n": "50", "s": "0.005", "epsilon": "1", "time": "1"}], "suprema": rows}


@pytest.mark.parametrize(
    ("slow", "quick", "verdict"),
    [
        ((8, 9, 11, 12), (16, 22, 34, 32), NO),  # as it is: near 8 by two measures, never near 80
        ((8, 9, 11, 12), (79, 90, 95, 99), KIND),
        ((8, 9, 11, 12), (16, 22, 80, 32), NO),  # each is near by a measure of its own
        ((3, 4, 5, 6), (80, 22, 34, 32), NO),
    ],
)
def test_one_measure_must_give_both_8_and_80(slow, quick, verdict):
    assert JUDGES["s-6"](degrees(slow, quick)).verdict == verdict


def against_releases(three_from, five_from, rise):
    """Tables of Figure 6(c): from which T on Algorithms 3 and 5 are the quickest, and by what factor 5 rises."""
    one, three, five = sentences_runtime.ONE, sentences_runtime.THREE, sentences_runtime.FIVE
    start = 1000.0
    slope = (start - three_from) / five_from  # of Algorithm 3: it meets the level of Algorithm 5 at five_from
    lines = {
        one: lambda t: (three_from + slope * three_from) * t / three_from,
        three: lambda t: three_from + slope * t,
        five: lambda t: start * (rise if t > five_from else 1),
    }
    times = (1, 2, 5, 50, 100, 300, 1000)
    rows = []
    for arithmetic, n in (("exact", "30"), ("doubles", "100")):
        for method, line in lines.items():
            rows += [
                {"arithmetic": arithmetic, "n": n, "method": method, "T": str(t), "seconds": str(line(t))}
                for t in times
            ]
    return {"": rows}


@pytest.mark.parametrize(
    ("three_from", "five_from", "rise", "verdicts"),
    [
        (4, 377, 1.0, (KIND, KIND)),
        (4, 100, 1.0, (OPEN, OPEN)),  # within what a repeat may differ by
        (4, 60, 1.0, (NO, NO)),
        (40, 377, 1.0, (NO, KIND)),
        (4, 377, 1.6, (KIND, KIND)),
    ],
)
def test_crossovers_must_be_near_those_of_the_paper(three_from, five_from, rise, verdicts):
    tables = against_releases(three_from, five_from, rise)
    assert tuple(JUDGES[sentence](tables).verdict for sentence in ("run-8", "run-9")) == verdicts


def against_levels(rounds):
    """Tables of Figure 6(d): rounds of Algorithm 1 at two levels; the seconds are anything."""
    head = {"method": "Algorithm 1", "arithmetic": "exact", "n": "30", "seconds": "7"}
    return {
        "": [head | {"alpha": alpha, "rounds per pair": str(r)} for alpha, r in zip(("0.1", "30"), rounds, strict=True)]
    }


@pytest.mark.parametrize(("rounds", "verdict"), [((1.34, 4.66), KIND), ((1.34, 1.34), NO)])
def test_what_grows_with_the_level_is_counted(rounds, verdict):
    assert JUDGES["run-12"](against_levels(rounds)).verdict == verdict


@pytest.mark.parametrize(
    ("ratio", "threshold", "decided"), [(28, 10, True), (15, 10, None), (8, 10, None), (4, 10, False), (1.3, 1, None)]
)
def test_the_clock_decides_only_what_no_repeat_would_turn(ratio, threshold, decided):
    assert by_clock(ratio, threshold) is decided


@pytest.mark.parametrize(
    ("decided", "verdict"), [([True, True], KIND), ([True, None], OPEN), ([None, False], NO), ([True, False], NO)]
)
def test_what_the_clock_leaves_open_is_not_decided(decided, verdict):
    assert clocked(decided, "", {}).verdict == verdict
