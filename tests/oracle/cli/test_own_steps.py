"""Commands about a matrix for each step: files of steps, of cycles, several files; against the reference."""

import json
from decimal import Decimal

import pytest

from tploracle.reference import leakage, loss_function, parse_level, worst_case_composition, worst_case_leakage
from tploracle.reference.paper.own_steps import StepwiseAdversary
from tploracle.reference.stepwise import Stepwise, periodic_reversal
from tploracle.reference.worst_case.periods import periodic_worst_case_supremum
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage

from ...commands import line, refused, run, value
from ...matrices import MODERATE, SKEWED, SYMMETRIC

STEPS = Stepwise((SYMMETRIC, SKEWED, MODERATE))
CYCLE = Stepwise((SYMMETRIC, SKEWED), repeats=True)
BUDGETS = ["--epsilons", "log(3/2),log(2),0,log(5/4)"]
EPSILONS = [parse_level(text) for text in BUDGETS[1].split(",")]


@pytest.fixture(autouse=True)
def _files(folder):
    inline = [["4/5", "1/5"], ["1/10", "9/10"]]
    (folder / "s.json").write_text(json.dumps({"steps": ["b.csv", inline, "m.csv"]}))
    (folder / "c.json").write_text(json.dumps({"cycle": ["b.csv", inline], "states": ["day", "night"]}))
    (folder / "both.json").write_text(
        json.dumps({"backward": {"steps": ["b.csv", "f.csv", "m.csv"]}, "forward": inline})
    )


def losses(known):
    return Stepwise(tuple(map(loss_function, known.each)), known.repeats)


def lower(levels):
    return [Decimal(level["lower"]) for level in levels]


def enclosed(levels):
    return [level.enclosure(17).lower for level in levels]


WAYS = {
    "steps": ("--backward s.json --one-sided", STEPS, None),
    "files": ("--backward b.csv --backward f.csv --backward m.csv --matrices steps --one-sided", STEPS, None),
    "cycle": ("--backward c.json --forward c.json", CYCLE, CYCLE),
    "repeated files": (
        "--backward b.csv --backward f.csv --forward b.csv --forward f.csv --matrices cycle",
        CYCLE,
        CYCLE,
    ),
    "one key each": ("--backward both.json --forward both.json", STEPS, Stepwise((SKEWED,), repeats=True)),
    "reversed": ("--forward c.json", periodic_reversal(CYCLE, is_forward=True), CYCLE),
    "the other way": ("--backward c.json", CYCLE, periodic_reversal(CYCLE, is_forward=False)),
}


@pytest.mark.parametrize("way", WAYS)
def test_leakage(way):
    files, back, on = WAYS[way]
    found = value("leakage", *files.split(), *BUDGETS)
    exact = worst_case_leakage(EPSILONS, back, on)
    by_paper = leakage(EPSILONS, StepwiseAdversary(back and losses(back), on and losses(on)))
    for key, levels in (("worst_case", exact), ("paper_bound", by_paper)):
        for kind in ("bpl", "fpl", "tpl"):
            assert lower(found[key][kind]) == enclosed(getattr(levels, kind))


@pytest.mark.parametrize("way", ["steps", "cycle", "one key each"])
def test_windows_and_certificates(way, folder):
    files, back, on = WAYS[way]
    windows = value("composition", *files.split(), *BUDGETS, "--window", "2:3")["worst_case"]["windows"]
    assert lower(windows[-1:]) == enclosed([worst_case_composition(EPSILONS, 2, 3, back, on)])
    own = [word for word in files.split() if word != "--one-sided"]
    for kind in (["leakage"], ["worst-case-upper"], ["worst-case-upper", "--at", 4], ["worst-case-lower", "--at", 4]):
        run("certify", *kind, *own, *BUDGETS, "--out", "o.json")
        assert "accepted" in run("check", "o.json").output
        document = json.loads((folder / "o.json").read_text())
        assert document["backward"].keys() <= {"steps", "cycle"}


def test_attack_says_what_the_worst_case_is():
    found = value(*line("attack --backward c.json --forward c.json --epsilon log(121/100) --steps 3 --mechanisms"))
    exact = worst_case_leakage([parse_level("log(121/100)")] * 3, CYCLE, CYCLE)
    time = found["time"]
    assert found["worst_case"]["tpl"]["exact"] == exact.tpl[time - 1].exact_text
    by_definition = {one["mechanism"]: one for one in found["mechanisms"]}
    assert by_definition["randomized response about these sets"]["attains"]
    drawn = value("attack", "--backward", "s.json", *BUDGETS, "--at", 4, "--one-sided", "--simulate", 40_000)[
        "simulation"
    ]
    assert float(drawn["lower"]) <= float(worst_case_leakage(EPSILONS, STEPS).bpl[3].ratio) <= float(drawn["upper"])


@pytest.mark.slow
def test_allocate():
    found = value("allocate", "--forward", "c.json", "--alpha", "1", "--method", "constant", "--steps", 4)
    back = periodic_reversal(CYCLE, is_forward=True)
    for model in ("worst_case", "paper_bound"):
        budget = parse_level(found[model]["epsilons"][0]["lower"])
        assert max(map(float, worst_case_leakage([budget] * 4, back, CYCLE).tpl)) == pytest.approx(1, rel=1e-9)
    for_ever = value("allocate", "--forward", "c.json", "--alpha", "1", "--method", "upper-bound")
    budget = parse_level(for_ever["worst_case"]["epsilons"][0]["lower"])
    assert float(periodic_worst_case_supremum(budget, back, CYCLE)) == pytest.approx(1, rel=1e-9)
    assert "has its own matrix" in for_ever["basis"]["absent"]["paper_bound"]
    said = refused(*line("allocate --forward c.json --alpha 1 --method quantified --steps 3 --model paper-bound"))
    assert "each step has its own matrix" in said


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(["c.json", "--role", "forward"], marks=pytest.mark.slow),
        ["b.csv", "f.csv", "--matrices", "cycle", "--role", "forward"],
    ],
    ids=len,
)
def test_supremum(files):
    """What long streams come to from below, and the least of what bounds them: one period as one step."""
    found = value("supremum", *files, "--epsilon", "log(6/5)")
    back, budget = periodic_reversal(CYCLE, is_forward=True), parse_level("log(6/5)")
    long = StepwiseAdversary(losses(back), losses(CYCLE))
    for key, levels in (
        ("worst_case", fast_worst_case_leakage([budget] * 120, back, CYCLE)),
        ("paper_bound", leakage([budget] * 120, long)),
    ):
        assert float(found[key]["upper"]) == pytest.approx(max(map(float, levels.tpl)), rel=1e-9)
    assert found["basis"]["adversary"] == "knows P^F, and P^B by its reversal"
    kept = value("supremum", *files, "--cap", "1")
    assert "paper_bound" in kept["basis"]["absent"]
    again = value("supremum", *files, "--epsilon", kept["worst_case"]["lower"])["worst_case"]
    assert float(again["upper"]) == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("files", [["c.json"], ["b.csv", "f.csv", "--matrices", "cycle"]], ids=len)
@pytest.mark.parametrize("role", ["backward", "forward"])
def test_supremum_of_one_side(files, role):
    found = value("supremum", *files, "--role", role, "--one-sided", "--epsilon", "log(6/5)")
    budgets, kind = [parse_level("log(6/5)")] * 80, {"backward": "bpl", "forward": "fpl"}[role]
    for key, levels in (
        ("worst_case", fast_worst_case_leakage(budgets, **{role: CYCLE})),
        ("paper_bound", leakage(budgets, StepwiseAdversary(**{role: losses(CYCLE)}))),
    ):
        assert float(found[key]["upper"]) == pytest.approx(max(map(float, getattr(levels, kind))), rel=1e-9)
    assert f"knows P^{role[0].upper()}" in found["basis"]["adversary"]


def test_what_it_rests_on():
    assert "one chain whose distribution repeats" in value("leakage", "--forward", "c.json", *BUDGETS)["basis"]["chain"]
    given = value("leakage", "--backward", "c.json", "--forward", "c.json", *BUDGETS)["basis"]["chain"]
    assert given.startswith("not of one chain")
    assert "not compared" in value("leakage", "--backward", "s.json", "--forward", "s.json", *BUDGETS)["basis"]["chain"]
    shown = run("attack", "--backward", "c.json", "--one-sided", "--epsilon", "1", "--steps", 2).output
    assert "{day}" in shown or "{night}" in shown
