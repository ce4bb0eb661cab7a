"""The paper's experiments in a small setting: what they write, whether it is right; the verdicts."""

import json
import math
import shutil
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from proofs_checks.experiments import runner, sentences
from proofs_checks.experiments.tables import line, middle, where
from tploracle.reference import parse_level

PAGE = Path(__file__).resolve().parents[2] / "docs" / "experiments.md"
MODERATE_BPL = (0.1, 0.18078403, 0.24714774)
ROUNDING = 1e-12
SMALL = {
    "fig_tpl": {},
    "fig_example_L_func": {"points": 10},
    "fig_example_sup": {"steps": 60},
    "fig_ex_tpl": {
        "sizes": (10, 20), "degrees": ("0.005", "0.1", "1"), "smaller": ("0.0005",), "steps": (("1", 20), ("0.1", 60)),
    },
    "fig_ex_budgets": {},
    "fig_ex_utility": {"n": 10, "horizons": (1, 2, 10), "degrees": ("0.01", "1"), "horizon": 4},
    "fig_ex_runtime_d": {"n": 5, "runs": 1, "levels": ("0.1", "5"), "sampled": 1},
    "fig_ex_runtime_a": {"runs": ((4, 2), (6, 1)), "exact_up_to": 6, "literal_up_to": 4, "sampled": 1},
    "fig_ex_runtime_b": {"highest": ("1", "10"), "runs": ((4, 1), (6, 1)), "most": 6},
    "fig_ex_runtime_c": {"exact_states": 4, "double_states": 5, "horizons": (2, 100, 200), "steps": (4, 4)},
    "check_30": {"n": 4, "matrices": 2, "sampled": 1},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Run everything small, once."""
    folder = tmp_path_factory.mktemp("paper")
    for name in runner.EXPERIMENTS:
        runner.run(name, folder, **SMALL[name])
    return folder


def bpl(q, d, epsilon, steps):
    """BPL while one piece (q, d) rules, in doubles: an independent recursion."""
    levels = [epsilon]
    for _ in range(steps - 1):
        excess = math.expm1(levels[-1])
        levels.append(epsilon + math.log((q * excess + 1) / (d * excess + 1)))
    return levels


def test_every_experiment_leaves_a_picture_and_enclosures_with_the_exact_value_inside(folder):
    for name in runner.EXPERIMENTS:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        for table in runner.tables_of(name, folder).values():
            assert table
            assert all(None not in row.values() for row in table)
            for row in table:
                if row.get("lower") and row["lower"] != "inf":
                    lower, upper = Fraction(row["lower"]), Fraction(row["upper"])
                    assert lower <= upper <= lower + Fraction(2, 10**16) * (1 + upper)
                    if row.get("exact"):
                        found = parse_level(row["exact"]).enclosure(30)
                        assert lower <= Fraction(found.upper)
                        assert Fraction(found.lower) <= upper


def test_figure_tpl_has_the_known_numbers(folder):
    tables = runner.tables_of("fig_tpl", folder)
    moderate = sentences.curve(tables, "moderate", "BPL")
    assert moderate[:3] == pytest.approx(MODERATE_BPL, abs=1e-8)
    assert moderate == pytest.approx(bpl(0.8, 0.0, 0.1, 10), rel=ROUNDING)
    assert line(tables[""], "worst case upper") == pytest.approx(line(tables[""]), rel=ROUNDING)


def test_the_worst_case_is_bounded_where_the_supremum_is_infinite(folder):
    limits = runner.tables_of("fig_example_sup", folder)["suprema"]
    assert [row["lower"] == row["worst case lower"] for row in limits] == [True] * 4 + [False]
    assert limits[4]["lower"] == "inf"
    growth = math.exp(0.7)
    ratios = [(1.0, 1.0)]  # (f_1, f_2) by asking for the second value, then the first, and so on, up to scale
    for step in range(60):
        first, second = ratios[-1]
        past = (second, (first + second) / 2) if step else (1.0, 1.0)
        ratios.append((growth * past[0], past[1]) if step % 2 else (past[0], growth * past[1]))
    found = max(abs(math.log(first / second)) for first, second in ratios[1:])
    assert middle(limits[4], "worst case upper") == pytest.approx(found, rel=1e-6)


def test_figure_degrees_is_the_recursion_below_the_supremum(folder):
    tables = runner.tables_of("fig_ex_tpl", folder)
    for (n, epsilon), curves in sentences.families(tables).items():
        for s, heights in curves.items():
            whole, off = 1 + int(n) * float(s), float(s)
            expected = bpl((1 + off) / whole, off / whole, float(epsilon), len(heights))
            assert heights == pytest.approx(expected, rel=1e-11)
            assert max(heights) <= sentences.summary(tables, n, s, epsilon) + ROUNDING
        assert all(sentences.above(*pair) for pair in pairwise(curves.values()))


def test_algorithm_8_is_never_noisier(folder):
    for table in runner.tables_of("fig_ex_utility", folder).values():
        seven, eight = (line(table, algorithm=name) for name in "78")
        assert all(a > b for a, b in zip(seven, eight, strict=True))


def test_an_interrupt_leaves_what_was_there(folder, tmp_path, monkeypatch):
    data = shutil.copytree(folder, tmp_path / "data")
    before = {path.name: path.read_bytes() for path in data.iterdir()}

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "drawn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        runner.run("fig_tpl", data)
    assert {path.name: path.read_bytes() for path in data.iterdir()} == before


def test_every_sentence_of_the_page_is_judged(folder):
    """The numbers of a small setting are not those of the page, and seconds decide little: the others agree."""
    differences = runner.report(folder, PAGE)
    alike = {
        line.partition(":")[0] for line in differences if line.partition("-")[0] in ("tpl", "L", "budget", "check")
    }
    assert not alike
    claims = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    assert {claim["id"] for claim in claims} == sentences.JUDGES.keys() == runner.sentences_of(PAGE).keys()
    assert len(claims) == 48
    assert all(claim["experiments"][0] in runner.EXPERIMENTS and claim["because"] for claim in claims)


def test_numbers_of_the_page_that_were_not_found_are_reported():
    assert runner.unfound("0.8766 < 1 at s = 0.005, log(1/0.8) and 2.5", [0.87664, 7]) == []
    assert runner.unfound("0.8767 and 0.876", [0.87664]) == ["0.8767", "0.876"]


def verdict(name, tables):
    return sentences.judged(name, tables)[0]


@pytest.mark.parametrize(
    ("name", "part", "cells", "change"),
    [
        ("tpl-1", "", {"correlation": "strongest", "kind": "BPL", "time": 3}, {"exact": "1/5"}),
        ("tpl-11", "", {"correlation": "moderate", "kind": "TPL", "time": 5}, {"upper": "1.2"}),
        ("L-1", "values", {"function": "2, 1"}, {"at most L": "no"}),
        ("sup-2", "", {"case": "c", "time": 9}, {"below the supremum": "no"}),
        ("s-4", "", {"n": 10, "s": "0.1", "epsilon": "1", "time": 5}, {"upper": "9"}),
        ("budget-1", "", {"algorithm": "8", "kind": "TPL", "time": 2}, {"against alpha": "unequal"}),
        ("utility-3", "against_s", {"s": "0.01", "algorithm": "8"}, {"upper": "0.5"}),
        ("check-1", "", {"matrix": 1}, {"Algorithm 3 equals Algorithm 1": "no"}),
        ("check-1", "", {"matrix": 0}, {"certified": "1"}),
    ],
)
def test_a_sentence_falls_with_its_data(folder, name, part, cells, change):
    tables = runner.tables_of(sentences.JUDGES[name][0], folder)
    assert verdict(name, tables) in (sentences.YES, sentences.KIND)
    rows = where(tables[part], **cells)
    assert rows
    for row in rows:
        row.update(change)
    assert verdict(name, tables) == sentences.NO


KIND, NO, OPEN = sentences.KIND, sentences.NO, sentences.UNDECIDED


@pytest.mark.parametrize(
    ("slow", "quick", "expected"),
    [
        ((8, 9, 11, 12), (16, 22, 34, 32), NO),  # as it is: near 8 by two measures, never near 80
        ((8, 9, 11, 12), (79, 90, 95, 99), KIND),
        ((8, 9, 11, 12), (16, 22, 80, 32), NO),  # each is near by a measure of its own
        ((3, 4, 5, 6), (80, 22, 34, 32), NO),
    ],
)
def test_one_measure_must_give_both_8_and_80(slow, quick, expected):
    rows = [
        {"n": "50", "s": "0.005", "epsilon": epsilon} | dict(zip(sentences.MEASURES, map(str, times), strict=True))
        for epsilon, times in (("1", slow), ("0.1", quick))
    ]
    assert verdict("s-6", {"": rows, "suprema": rows}) == expected


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
    """Algorithm 3 is the quickest from one T on, Algorithm 5 from another, and then rises by a factor."""
    start = 1000.0
    slope = (start - three_from) / five_from  # of Algorithm 3: it meets the level of Algorithm 5 at five_from
    lines = {
        sentences.ONE: lambda t: (three_from + slope * three_from) * t / three_from,
        sentences.THREE: lambda t: three_from + slope * t,
        sentences.FIVE: lambda t: start * (rise if t > five_from else 1),
    }
    rows = [
        {"arithmetic": arithmetic, "method": method, "T": str(t), "seconds": str(seconds(t))}
        for arithmetic in ("exact", "doubles")
        for method, seconds in lines.items()
        for t in (1, 2, 5, 50, 100, 300, 1000)
    ]
    assert tuple(verdict(name, {"": rows}) for name in ("run-8", "run-9")) == verdicts


@pytest.mark.parametrize(("last", "expected"), [("4.66", KIND), ("1.34", NO)])
def test_what_grows_with_the_level_is_counted(last, expected):
    head = {"method": "Algorithm 1", "arithmetic": "exact", "n": "30"}
    rows = [head | {"alpha": a, "rounds per pair": r} for a, r in (("0.1", "1.34"), ("30", last))]
    assert verdict("run-12", {"": rows}) == expected


@pytest.mark.parametrize(
    ("ratio", "threshold", "decided"), [(28, 10, True), (15, 10, None), (8, 10, None), (4, 10, False), (1.3, 1, None)]
)
def test_the_clock_decides_only_what_no_repeat_would_turn(ratio, threshold, decided):
    assert sentences.by_clock(ratio, threshold) is decided
    assert sentences.all_of([True, decided]) is decided
    assert sentences.all_of([None, False]) is False
