"""Verdicts on sentences, from tables made for it: what is near, and what a choice of measure may not decide."""

import pytest

from proofs_checks.experiments import sentences_leakage, sentences_runtime

JUDGES = {claim.id: claim.judge for claim in (*sentences_leakage.SENTENCES, *sentences_runtime.SENTENCES)}
KIND, NO, YES = "reproduces in kind", "does not reproduce", "reproduces"


def degrees(slow, quick):
    """Tables of Figure 7 with these four measures at ε = 1 and 0.1."""
    rows = []
    for epsilon, times in (("1", slow), ("0.1", quick)):
        measures = dict(zip(sentences_leakage.MEASURES, map(str, times), strict=True))
        rows.append({"n": "50", "s": "0.005", "epsilon": epsilon} | measures)
    return {"": [{"n": "50", "s": "0.005", "epsilon": "1", "time": "1"}], "suprema": rows}


@pytest.mark.parametrize(
    ("slow", "quick", "verdicts"),
    [
        ((8, 9, 11, 12), (16, 22, 34, 32), (NO, NO)),  # as it is: near 8 by two measures, never near 80
        ((8, 9, 11, 12), (79, 90, 95, 99), (KIND, KIND)),
        ((8, 9, 11, 12), (16, 22, 80, 32), (NO, NO)),  # each is near by a measure of its own
        ((3, 4, 5, 6), (80, 22, 34, 32), (NO, NO)),
    ],
)
def test_one_measure_must_give_both_8_and_80(slow, quick, verdicts):
    tables = degrees(slow, quick)
    assert tuple(JUDGES[sentence](tables).verdict for sentence in ("s-6", "s-7")) == verdicts


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
        (4, 100, 1.0, (NO, NO)),
        (40, 377, 1.0, (NO, KIND)),
        (4, 377, 1.6, (KIND, NO)),
    ],
)
def test_crossovers_must_be_near_those_of_the_paper(three_from, five_from, rise, verdicts):
    tables = against_releases(three_from, five_from, rise)
    assert tuple(JUDGES[sentence](tables).verdict for sentence in ("run-8", "run-9")) == verdicts


def against_levels(**last):
    """Tables of Figure 6(d): seconds at α = 30, those at 0.1 being 1."""
    rows = []
    for arithmetic in ("exact", "doubles"):
        for number in (1, 3, 5):
            for alpha, seconds in (("0.1", 1.0), ("30", last.get(f"{arithmetic}{number}", 1.0))):
                rounds = {"0.1": "1.3", "30": "4.7"}[alpha] if number == 1 else ""
                head = {"method": f"Algorithm {number}", "arithmetic": arithmetic, "alpha": alpha}
                rows.append(head | {"seconds": str(seconds), "rounds per pair": rounds})
    return {"": rows}


@pytest.mark.parametrize(
    ("last", "verdict"),
    [
        ({"exact1": 1.3, "doubles1": 3.0}, YES),
        ({"exact1": 1.3, "doubles1": 3.0, "doubles3": 1.43}, NO),  # "whereas others" is not so
        ({"exact1": 1.0, "doubles1": 1.1}, NO),
    ],
)
def test_whereas_others_is_part_of_the_sentence(last, verdict):
    assert JUDGES["run-12"](against_levels(**last)).verdict == verdict
