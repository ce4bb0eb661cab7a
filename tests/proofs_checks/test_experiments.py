"""The paper's experiments in a small setting: what they write, whether it is right, and what is skipped or redone."""

import json
import math
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from proofs_checks.experiments import correctness, drawing, page, runner, tables
from proofs_checks.experiments.catalogue import EXPERIMENTS
from tploracle.reference import parse_level

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "proofs_checks" / "experiments"
BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}
MODERATE_BPL = ("0.1", "0.18078403", "0.24714774")
ROUNDING = 1e-12


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Run everything small, once, in this process."""
    place = runner.Place(tmp_path_factory.mktemp("paper"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correctness, "ProcessPoolExecutor", lambda workers, **_: ThreadPoolExecutor(workers))
        assert runner.run_all(EXPERIMENTS, place, small=True) == len(EXPERIMENTS)
    return place


def table_of(place, name, part=""):
    return place.tables(BY_NAME[name])[part]


def blank(_tables):
    """Draw a picture in no time."""
    return drawing.panels(1)[0]


def bpl(q, d, epsilon, steps):
    """BPL while one piece (q, d) rules, in doubles: an independent recursion."""
    levels = [epsilon]
    for _ in range(steps - 1):
        excess = math.expm1(levels[-1])
        levels.append(epsilon + math.log((q * excess + 1) / (d * excess + 1)))
    return levels


def test_every_experiment_leaves_tables_and_a_picture(place):
    for experiment in EXPERIMENTS:
        stamp = place.stamp(experiment)
        assert stamp["parameters"] == json.loads(json.dumps(experiment.small))
        assert (place.results / f"{experiment.name}.png").read_bytes().startswith(b"\x89PNG")
        for table in place.tables(experiment).values():
            assert table
            assert all(None not in row.values() for row in table)


def test_every_enclosure_has_its_ends_in_order_and_its_exact_value_inside(place):
    for experiment in EXPERIMENTS:
        for table in place.tables(experiment).values():
            for row in table:
                if not row.get("lower") or row["lower"] == "inf":
                    continue
                lower, upper = tables.bounds(row)
                assert lower <= upper <= lower + Fraction(2, 10**16) * (1 + upper)
                if row.get("exact"):
                    found = parse_level(row["exact"]).enclosure(30)
                    assert lower <= Fraction(found.upper)
                    assert Fraction(found.lower) <= upper


def test_figure_tpl_has_the_known_numbers(place):
    table = tables.where(table_of(place, "fig_tpl"), releases=10)
    moderate = tables.where(table, correlation="moderate", kind="BPL")
    for row, known in zip(moderate, MODERATE_BPL, strict=False):
        assert abs(tables.middle(row) - float(known)) < 1e-8
    for row, level in zip(moderate, bpl(0.8, 0.0, 0.1, 10), strict=True):
        assert tables.middle(row) == pytest.approx(level, rel=ROUNDING)
    strongest = tables.where(table, correlation="strongest", kind="TPL")
    assert {row["exact"] for row in strongest} == {"1"}


def test_the_worst_case_is_on_the_papers_curve_in_figure_3(place):
    for row in table_of(place, "fig_tpl"):
        assert tables.middle(row, "tight ") == pytest.approx(tables.middle(row), rel=ROUNDING)


def test_the_worst_case_is_bounded_where_the_supremum_is_infinite(place):
    limits = {row["case"]: row for row in table_of(place, "fig_example_sup", "suprema")}
    for case in "abcd":
        assert limits[case]["tight lower"] == limits[case]["lower"]
    assert limits["e"]["lower"] == "inf"
    growth = math.exp(0.7)
    ratios = [(1.0, 1.0)]  # (f_1, f_2) by asking for the second value, then the first, and so on, up to scale
    for step in range(60):
        first, second = ratios[-1]
        past = (second, (first + second) / 2) if step else (1.0, 1.0)
        ratios.append((growth * past[0], past[1]) if step % 2 else (past[0], growth * past[1]))
    found = max(abs(math.log(first / second)) for first, second in ratios[1:])
    assert tables.middle(limits["e"], "tight ") == pytest.approx(found, rel=1e-6)


def test_figure_degrees_is_monotone_in_s_and_below_the_supremum(place):
    curves, suprema = (table_of(place, "fig_ex_tpl", part) for part in ("", "suprema"))
    for n in tables.values(curves, "n"):
        for epsilon in tables.values(curves, "epsilon"):
            lines = []
            for s in tables.values(curves, "s"):
                rows = tables.where(curves, n=n, s=s, epsilon=epsilon)
                (limit,) = tables.where(suprema, n=n, s=s, epsilon=epsilon)
                bounds = [tables.bounds(row) for row in rows]
                assert all(lower <= tables.bounds(limit)[1] for lower, _ in bounds)
                assert all(before[0] <= after[1] for before, after in pairwise(bounds))
                whole, off = 1 + int(n) * float(s), float(s)
                expected = bpl((1 + off) / whole, off / whole, float(epsilon), len(rows))
                assert [tables.middle(row) for row in rows] == pytest.approx(expected, rel=1e-11)
                lines.append([lower for lower, _ in bounds])
            for strong, weak in pairwise(lines):
                assert all(a > b for a, b in zip(strong[1:], weak[1:], strict=True))


def test_algorithm_8_attains_the_level_and_is_never_noisier(place):
    table = table_of(place, "fig_ex_budgets")
    for row in tables.where(table, algorithm="8", kind="TPL", alpha="1"):
        lower, upper = tables.bounds(row)
        assert lower <= 1 <= upper
    exact = {row["exact"] for row in tables.where(table, algorithm="8", kind="TPL", alpha="log(3)")}
    assert exact == {"log(3)"}
    for part in ("against_T", "against_s"):
        rows = table_of(place, "fig_ex_utility", part)
        noise = [[tables.middle(row) for row in tables.where(rows, algorithm=name)] for name in "78"]
        assert all(seven > eight for seven, eight in zip(*noise, strict=True))


def test_the_check_says_that_all_methods_agree(place):
    for row in table_of(place, "check_30"):
        assert row["programs solved by CBC"] == row["certified"]
        assert {cell for name, cell in row.items() if "equal" in name} == {"yes"}


@pytest.mark.slow
def test_the_check_is_shared_out_to_processes(place, tmp_path):
    own = runner.Place(tmp_path)
    runner.run(BY_NAME["check_30"], own, small=True)
    assert table_of(own, "check_30") == table_of(place, "check_30")


def test_what_is_there_is_skipped_and_what_is_lost_or_damaged_is_not(place, tmp_path):
    experiment = BY_NAME["fig_tpl"]
    place = runner.Place(shutil.copytree(place.results, tmp_path / "data"), tmp_path / "figures")
    small = place.figures / "fig_tpl.png"
    assert runner.run(experiment, place, small=True) is None
    assert small.read_bytes().startswith(b"\x89PNG")
    assert small.stat().st_size < 100_000
    for damage in (lambda path: path.write_text("time\n1\n"), lambda path: path.unlink()):
        damage(place.results / "fig_tpl.csv")
        small.unlink()
        assert runner.run(replace(experiment, draw=blank), place, small=True) is not None
        assert small.exists()


def test_again_and_other_parameters_and_other_code_redo(place, tmp_path, monkeypatch):
    experiment = replace(BY_NAME["fig_example_sup"], draw=blank)
    experiment = replace(experiment, small=experiment.small | {"steps": 4})
    own = runner.Place(tmp_path)
    assert runner.run(experiment, own, small=True) is not None
    assert runner.run(experiment, own, small=True, again=True) is not None
    changed = replace(experiment, small=experiment.small | {"steps": 5})
    assert runner.run(changed, own, small=True) is not None
    assert len(tables.where(own.tables(changed)[""], case="a")) == 5
    assert runner.run(changed, own, small=True) is None
    monkeypatch.setattr(runner, "engine", lambda own: [own])
    assert runner.run(changed, own, small=True) is not None


def test_comments_and_docstrings_are_not_code(tmp_path):
    one, two, three = (tmp_path / name for name in ("one.py", "two.py", "three.py"))
    one.write_text('"""A."""\nx = 1\n')
    two.write_text('"""B."""\n\n# why\nx = 1\n')
    three.write_text("x = 2\n")
    assert runner.meaning(one) == runner.meaning(two) != runner.meaning(three)


def test_the_code_that_counts_is_what_an_experiment_imports():
    files = {path.relative_to(ROOT).as_posix() for path in runner.engine(FOLDER / "allocation.py")}
    assert {"reference/__init__.py", "reference/levels.py", "solvers/loss/fast.py", "solvers/loss/envelope.py"} <= files
    assert not files & {"solvers/linear_programs/cbc.py", "certificates/recursion.py"}
    check = {path.name for path in runner.engine(FOLDER / "correctness.py")}
    assert {"cbc.py", "active_set.py", "dinkelbach.py"} <= check


def test_an_interrupt_leaves_what_was_there(place, tmp_path):
    experiment = replace(BY_NAME["fig_tpl"], draw=blank)
    own = runner.Place(tmp_path)
    runner.run(experiment, own, small=True)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run(replace(experiment, draw=interrupted), own, small=True, again=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_every_sentence_has_a_verdict_and_a_place_on_the_page(place, tmp_path):
    written = tmp_path / "experiments.md"
    assert page.report(place, written) == []
    claims = json.loads((place.results / "claims.json").read_text(encoding="utf-8"))
    assert len({claim["id"] for claim in claims}) == len(claims) > 40
    text = written.read_text(encoding="utf-8")
    for claim in claims:
        assert claim["verdict"] in (
            "reproduces",
            "reproduces in kind",
            "does not reproduce",
            "cannot be checked",
            "not decided",
        )
        assert text.count(f"| {claim['id']} |") == 1
        assert claim["because"]
    verdicts = {claim["id"]: claim["verdict"] for claim in claims}
    assert verdicts["tpl-1"] == verdicts["L-3"] == verdicts["budget-1"] == "reproduces"
    assert verdicts["check-1"] == verdicts["sup-2"] == "reproduces in kind"
    assert verdicts["tpl-3"] == "cannot be checked"
    assert verdicts["L-4"] == "does not reproduce"


@pytest.mark.parametrize(
    ("sentence", "part", "cells", "change"),
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
def test_a_sentence_falls_with_its_data(place, sentence, part, cells, change):
    claims = (*page.sentences_leakage.SENTENCES, *page.sentences_runtime.SENTENCES)
    (claim,) = [claim for claim in claims if claim.id == sentence]
    data = {name: place.tables(BY_NAME[name]) for name in claim.experiments}
    assert claim.finding(data).verdict in ("reproduces", "reproduces in kind")
    rows = tables.where(data[claim.experiments[0]][part], **cells)
    assert rows
    for row in rows:
        row.update(change)
    assert claim.finding(data).verdict == "does not reproduce"


def test_the_report_waits_for_all_experiments(tmp_path):
    missing = page.report(runner.Place(tmp_path), tmp_path / "page.md")
    assert missing == list(BY_NAME)
    assert not (tmp_path / "page.md").exists()
