"""The commands on bounds over time: what they print is what the wire answers, and more of it."""

import csv
import io
import json
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from click.testing import CliRunner

from tploracle.cli.main import main
from tploracle.data.files import Files
from tploracle.data.ledger import opened_ledger
from tploracle.output import plots
from tploracle.reference import (
    Adversary,
    Budgets,
    Level,
    TransitionMatrix,
    Undecided,
    greatest_tight_budget,
    leakage,
    parse_level,
    tight_composition,
    tight_leakage,
)
from tploracle.wire.requests import Session

MODERATE = [["0.8", "0.2"], ["0", "1"]]
BACKWARD = [["0.8", "0.2"], ["0.2", "0.8"]]
FORWARD = [["0.8", "0.2"], ["0.1", "0.9"]]
BOTH = ("--backward", "b.csv", "--forward", "f.csv")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = {"m.csv": MODERATE, "b.csv": BACKWARD, "f.csv": FORWARD, "strong.csv": [["1", "0"], ["0", "1"]]}
    for name, matrix in {**rows, "none.csv": [["1/2", "1/2"]] * 2}.items():
        (tmp_path / name).write_text("".join(",".join(row) + "\n" for row in matrix))
    users = {"alice": {"backward": "b.csv", "forward": "f.csv"}, "bob": {"backward": "m.csv"}, "eve": {}}
    (tmp_path / "u.json").write_text(json.dumps(users))
    return tmp_path


def run(*args, status=0, stdin=None):
    result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin, prog_name="tploracle")
    assert result.exit_code == status, result.output
    return result


def values(*args, stdin=None):
    return [json.loads(line) for line in run(*args, "--json", stdin=stdin).stdout.splitlines()]


def value(*args, stdin=None):
    (one,) = values(*args, stdin=stdin)
    return one


def answer(op, digits=17, **given):
    return json.loads(json.dumps(Session().answer(op, given, digits)))


def test_json_is_what_the_wire_answers(folder):
    for epsilon in ("0.23", "0.15", "log(5/4)", "inf", "0"):
        assert value("supremum", "m.csv", "--epsilon", epsilon) == answer("supremum", matrix=MODERATE, epsilon=epsilon)
    assert value("supremum", "f.csv", "--epsilon", "1", "--digits", 40, "--reference") == answer(
        "supremum", digits=40, matrix=FORWARD, epsilon="1"
    )
    assert value("control", "m.csv", "--previous", "1/2", "--cap", 1) == answer(
        "control", matrix=MODERATE, previous="1/2", cap="1"
    )
    given = {"backward": BACKWARD, "forward": FORWARD}
    for method, horizon in (("quantified", 3), ("upper-bound", 3)):
        found = value("allocate", "--alpha", 1, *BOTH, "--method", method, "--horizon", horizon, "--digits", 25)
        wire = answer("allocate", digits=25, **given, alpha="1", method=method, horizon=horizon)
        assert found["epsilons"] == wire["epsilons"]
    found = value("allocate", "--alpha", 1, *BOTH, "--method", "upper-bound")
    assert found["epsilons"] == answer("allocate", **given, alpha="1", method="upper-bound")["epsilons"]
    found = value("composition", *BOTH, "--epsilons", "0.1,0.2,0.3", "--window", "2:2")
    wire = answer("composition", **given, epsilons=["0.1", "0.2", "0.3"], start=2, length=2)
    assert found["windows"][0]["correlated"] == {**wire, "start": 2}


DIVERGES = [["7/11", "2/11", "2/11"], ["0", "0", "1"], ["3/7", "2/7", "2/7"]]
"""MATH.md section 8: with e^ε = 3/2 the recursion grows without bound, the leakage of no mechanism does."""


def test_the_exact_worst_case_beside_the_bounds(folder, monkeypatch):
    (folder / "d.csv").write_text("".join(",".join(row) + "\n" for row in DIVERGES))
    given = ("--backward", "d.csv", "--epsilon", "log(3/2)", "--steps", 4)
    found = value("leakage", *given, "--tight", "--at", "2,4")
    assert found["bpl"][1]["lower"].startswith("0.821614075461553")
    assert found["bpl"][0] == found["bounds"]["bpl"][0]
    assert float(found["bounds"]["bpl"][1]["lower"]) > 0.8217
    assert found["bounds"] == value("leakage", *given, "--at", "2,4")
    assert value("leakage", *given, "--tight", "--at", "2,4", "--reference")["bpl"] == found["bpl"]
    words = run("leakage", *given, "--tight").stdout
    assert "paper's bound" in words
    assert "exceeded by none" in words
    drawn = {}
    monkeypatch.setattr(plots, "leakage_picture", lambda path, panels, **_: drawn.update(panels))
    run("leakage", *given, "--tight", "--plot", "x.png")
    assert list(*drawn.values()) == ["BPL", "FPL", "TPL", "BPL, exact", "FPL, exact", "TPL, exact"]


def test_the_exact_worst_case_after_so_many_releases_and_of_several(folder):
    matrices = {name: TransitionMatrix.of(rows) for name, rows in (("b.csv", BACKWARD), ("m.csv", MODERATE))}
    given = ("leakage", "--backward", "b.csv", "--backward", "m.csv", "--epsilon", "log(5/4)", "--steps", 4, "--tight")
    own = {name: tight_leakage([parse_level("log(5/4)")] * 4, matrix) for name, matrix in matrices.items()}
    found = value(*given)
    for time in range(4):
        levels = {name: leakage.bpl[time] for name, leakage in own.items()}
        best = max(levels.values())
        assert found["bpl"][time]["exact"] == best.exact_text
        assert found["bpl"][time]["attained_by"] == [name for name in levels if levels[name] == best]
    assert found["bounds"]["bpl"][3]["attained_by"] == ["m.csv"]
    assert "TPL, paper's bound" in run(*given).stdout
    one = ("leakage", "--backward", "m.csv", "--forward", "f.csv", "--epsilon", "0.2", "--after", "1,3")
    after = value(*one, "--tight")
    exact = tight_leakage([parse_level("0.2")] * 3, TransitionMatrix.of(MODERATE), TransitionMatrix.of(FORWARD))
    worst = max(range(3), key=lambda time: exact.tpl[time].enclosure(20).upper)
    (_, last) = after["after"]
    assert (last["exact"]["tpl"]["lower"], last["exact"]["tpl"]["times"]) == (
        str(exact.tpl[worst].enclosure(17).lower),
        [worst + 1],
    )
    without = value(*one)
    assert [{key: each[key] for key in each if key != "exact"} for each in after["after"]] == without["after"]
    both = ("leakage", "--backward", "b.csv", "--backward", "m.csv", "--epsilon", "1", "--after", "2", "--tight")
    assert value(*both)["after"][0]["exact"]["bpl"]["attained_by"] == ["m.csv"]
    assert "worst TPL, exact" in run(*both).stdout
    turned = ("leakage", "--backward", "b.csv", "--forward", "b.csv", "--epsilon", "0.3", "--after", "3", "--tight")
    assert value(*turned)["after"][0]["exact"]["bpl"]["times"] == [3]


def test_the_exact_worst_case_of_windows(folder):
    """Where every step is possible and where not, against the programme over pairs; verdicts by either."""
    (folder / "d.csv").write_text("".join(",".join(row) + "\n" for row in DIVERGES))
    budgets = [parse_level("log(3/2)")] * 4
    for files, known in ((("--backward", "d.csv"), (TransitionMatrix.of(DIVERGES),)), (BOTH, (BACKWARD, FORWARD))):
        own = [TransitionMatrix.of(rows) if isinstance(rows, list) else rows for rows in known]
        given = ("composition", *files, "--epsilon", "log(3/2)", "--steps", 4, "--w", 2, "--window", "2:3", "--tight")
        found = value(*given)
        event, two, user = found["guarantees"]
        assert event["exact"]["exact"] == max(tight_leakage(budgets, *own).tpl).exact_text
        windows = [tight_composition(budgets, start, 2, *own) for start in (1, 2, 3)]
        assert two["exact"]["exact"] == max(windows).exact_text
        assert windows[two["exact"]["start"] - 1] == max(windows)
        assert user["exact"]["exact"] == "log(81/16)"
        assert found["windows"][0]["exact"]["exact"] == tight_composition(budgets, 2, 3, *own).exact_text
        assert found["windows"][0]["exact"]["start"] == 2
    alpha = ("--alpha", "0.8217", "--alpha", "0.8", "--alpha", "1.7")
    verdicts = value("composition", "--backward", "d.csv", "--epsilon", "log(3/2)", "--steps", 4, *alpha, "--tight")
    assert [each["satisfied"] for each in verdicts["satisfies"]] == [False, False, True]
    assert [each["exact"]["first_failure"] for each in verdicts["satisfies"]] == [None, 4, None]
    words = run("composition", "--backward", "d.csv", "--epsilon", "log(3/2)", "--steps", 4, *alpha, "--tight").stdout
    assert "by the exact worst case" in words
    assert "exact worst case" in words
    several = value("composition", "--users", "u.json", "--epsilon", "0.1", "--steps", 3, "--tight")
    assert several["guarantees"][0]["exact"]["attained_by"]
    strong = ("composition", "--backward", "strong.csv", "--epsilon", "0.1", "--steps", 600, "--w", 2, "--tight")
    assert "windows with impossible steps" in run(*strong, status=2).stderr


def test_the_exact_supremum_beside_the_bound(folder):
    (folder / "d.csv").write_text("".join(",".join(row) + "\n" for row in DIVERGES))
    found = value("supremum", "d.csv", "--epsilon", "log(3/2)", "--tight")
    assert found["exact"] == "inf"
    assert found["tight"]["lower"].startswith("0.83538695937181")
    assert value("supremum", "d.csv", "--epsilon", "log(3/2)", "--tight", "--reference")["tight"] == found["tight"]
    assert "exact worst case" in run("supremum", "d.csv", "--epsilon", "log(3/2)", "--tight").stdout
    largest = value("supremum", "d.csv", "--cap", "1/2", "--tight", "--digits", 10)
    by_bisection = greatest_tight_budget(parse_level("1/2"), TransitionMatrix.of(DIVERGES), digits=10)
    assert Fraction(largest["lower"]) <= by_bisection.rational + Fraction(1, 10**10) <= Fraction(largest["upper"]) * 2
    assert by_bisection.rational <= Fraction(largest["upper"])
    assert largest["bound"] == value("supremum", "d.csv", "--cap", "1/2", "--digits", 10)
    assert Fraction(largest["bound"]["upper"]) < Fraction(largest["lower"])
    assert value("supremum", "strong.csv", "--epsilon", "1", "--tight")["tight"]["exact"] == "inf"
    assert "closed classes" in run("supremum", "strong.csv", "--cap", "1", "--tight", status=2).stderr
    assert "by the paper's bound" in run("supremum", "d.csv", "--cap", "1/2", "--tight").stdout


def test_the_budget_now_by_the_exact_worst_case(folder):
    """Spent, it makes the BPL of the worst mechanisms equal to the cap; by the recursion less is left, or nothing."""
    matrix = TransitionMatrix.of(DIVERGES)
    (folder / "d.csv").write_text("".join(",".join(row) + "\n" for row in DIVERGES))
    spent = "log(3/2),log(5/4),log(3/2)"
    given = ("control", "d.csv", "--cap", "log(23/10)", "--spent", spent)
    found = value(*given, "--tight")
    budgets = [parse_level(text) for text in [*spent.split(","), found["exact"]]]
    assert tight_leakage(budgets, matrix).bpl[3] == parse_level("log(23/10)")
    previous = leakage(budgets[:3], Adversary.knowing(matrix)).bpl[2].exact_text
    bound = value("control", "d.csv", "--cap", "log(23/10)", "--previous", previous)
    assert found["bound"] == bound == value(*given)
    assert parse_level(bound["exact"]) < parse_level(found["exact"])
    assert value(*given, "--tight", "--reference") == found
    assert "by the exact worst case" in run(*given, "--tight").stdout
    many = ("control", "d.csv", "--cap", "0.84", "--spent", ",".join(["log(3/2)"] * 9))
    assert value(*many, "--tight")["bound"]["exact"] == "0"
    assert "nothing is left" in run(*many, status=2).stderr
    low = ("control", "d.csv", "--cap", "0.4", "--spent", "log(3/2),log(3/2),log(3/2)", "--tight")
    assert "nothing is left" in run(*low, status=2).stderr
    assert value(*many[:2], "--cap", "inf", "--spent", "1", "--tight")["exact"] == "inf"
    for wrong in (("--previous", 1, "--tight"), (), ("--previous", 1, "--spent", 1)):
        assert "--spent" in run("control", "d.csv", "--cap", 1, *wrong, status=2).stderr


def test_the_greatest_constant_budget_by_the_exact_worst_case(folder, monkeypatch):
    """For a horizon and for ever, against bisection by the reference; the paper's stands beside it, and is smaller."""
    both = ("--backward", "d.csv", "--forward", "g.csv")
    for name, rows in (
        ("d.csv", DIVERGES),
        ("g.csv", [["1/2", "1/4", "1/4"], ["1/5", "3/5", "1/5"], ["0", "1/2", "1/2"]]),
    ):
        (folder / name).write_text("".join(",".join(row) + "\n" for row in rows))
    backward, forward = Files().matrix("d.csv"), Files().matrix("g.csv")
    given = ("allocate", "--alpha", "1", *both, "--tight", "--digits", 9)
    found = value(*given, "--method", "constant", "--horizon", 4)
    greatest = greatest_tight_budget(parse_level("1"), backward, forward, 4, digits=9)
    (budget,) = {each["exact"] for each in found["epsilons"]}
    assert 0 <= greatest.rational - Fraction(budget) <= Fraction(2, 10**9)
    tpl = tight_leakage([parse_level(budget)] * 4, backward, forward).tpl
    assert max(tpl) <= parse_level("1")
    assert [each["lower"] for each in found["tpl"]] == [str(level.enclosure(9).lower) for level in tpl]
    bound = leakage([parse_level(budget)] * 4, Adversary.knowing(backward, forward)).tpl
    assert [each["lower"] for each in found["bounds"]["tpl"]] == [str(level.enclosure(9).lower) for level in bound]
    by_paper = value("allocate", "--alpha", "1", *both, "--method", "constant", "--horizon", 4, "--digits", 9)
    assert found["bounds"]["epsilon"] == by_paper["epsilons"][0]
    assert Fraction(by_paper["epsilons"][0]["upper"]) < Fraction(budget)
    noise = {each["schedule"]: each["noise"]["upper"] for each in found["comparison"]}
    assert Fraction(noise["constant, exact"]) < Fraction(noise["constant"])
    utility = value("utility", "--alpha", "1", "--horizon", 4, *both, "--tight", "--digits", 6)
    assert abs(Fraction(utility["constant, exact"][0]["upper"]) - 2 / greatest.rational) < Fraction(1, 10**4)
    ever = value(*given, "--method", "upper-bound")
    for_ever = greatest_tight_budget(parse_level("1"), backward, forward, digits=9)
    assert 0 <= for_ever.rational - Fraction(ever["epsilons"][0]["exact"]) <= Fraction(2, 10**9)
    paper = value("allocate", "--alpha", "1", *both, "--method", "upper-bound", "--digits", 9)
    assert ever["bounds"]["epsilon"] == paper["epsilons"][0]
    assert float(ever["suprema"]["tpl"]["upper"]) <= 1
    assert float(ever["suprema"]["tpl"]["lower"]) > 0.99999
    assert float(ever["bounds"]["suprema"]["tpl"]["lower"]) > 1
    assert value(*given, "--method", "upper-bound", "--horizon", 3)["epsilons"] == ever["epsilons"] * 3
    assert "exact worst case" in run(*given, "--method", "upper-bound").stdout
    drawn = {}
    monkeypatch.setattr(plots, "leakage_picture", lambda path, panels, **_: drawn.update(panels))
    run(*given, "--method", "constant", "--horizon", 3, "--plot", "x.png")
    assert list(*drawn.values()) == ["budget", "TPL, exact worst case", "TPL, paper's bound"]


def test_the_greatest_budget_by_the_exact_worst_case_for_several_people(folder):
    """It is the least of each one's own; for ever there is one where the paper has none; what has none is refused."""
    found = value("allocate", "--alpha", "1", "--users", "u.json", "--method", "constant", "--horizon", 3, "--tight")
    own = {name: Fraction(each["all"]["exact"]) for name, each in found["personalised"].items()}
    assert own["eve"] == 1
    assert Fraction(found["epsilons"][0]["exact"]) == min(own.values()) == own["bob"]
    (folder / "d.csv").write_text(
        "".join(",".join(row) + "\n" for row in [["1/2", "1/2", "0"], ["0", "0", "1"], ["1/3", "1/3", "1/3"]])
    )
    given = ("allocate", "--alpha", "1", "--backward", "d.csv", "--method", "upper-bound")
    assert "none can be kept for ever" in run(*given, status=2).stderr
    exact = value(*given, "--tight")
    assert exact["bounds"]["epsilon"]["exact"] == "0"
    assert exact["bounds"]["suprema"]["bpl"]["exact"] == "inf"
    assert 0.2 < float(exact["epsilons"][0]["lower"]) < 1
    doubles = value(*given, "--tight", "--float")["epsilons"][0]
    assert Fraction(float.fromhex(doubles["hex"])) <= Fraction(exact["epsilons"][0]["lower"])
    strong = ("allocate", "--alpha", "1", "--backward", "strong.csv", "--method", "upper-bound", "--tight")
    assert "no budget can be kept for ever" in run(*strong, status=2).stderr
    refused = run("allocate", "--alpha", "1", *BOTH, "--method", "quantified", "--horizon", 3, "--tight", status=2)
    assert "--tight has no method quantified" in refused.stderr


def test_the_least_noise_by_the_exact_worst_case(folder):
    """Kept by the literal leakage, no noisier than any other schedule; each one's own, and too many releases."""
    given = ("allocate", "--alpha", "1", *BOTH, "--method", "least-noise", "--tight", "--digits", 9)
    found = value(*given, "--horizon", 5)
    budgets = [parse_level(each["exact"]) for each in found["epsilons"]]
    own = TransitionMatrix.of(BACKWARD), TransitionMatrix.of(FORWARD)
    tpl = tight_leakage(budgets, *own).tpl
    assert all(level <= parse_level("1") for level in tpl)
    assert max(level.enclosure(9).upper for level in tpl) > Decimal("0.9999999")
    assert [each["lower"] for each in found["tpl"]] == [str(level.enclosure(9).lower) for level in tpl]
    paper = value("allocate", "--alpha", "1", *BOTH, "--method", "least-noise", "--horizon", 5)
    assert [each["exact"] for each in found["bounds"]["epsilons"]] == [each["exact"] for each in paper["epsilons"]]
    bound = leakage(budgets, Adversary.knowing(*own)).tpl
    assert [each["lower"] for each in found["bounds"]["tpl"]] == [str(level.enclosure(9).lower) for level in bound]
    rows = {each["schedule"]: each for each in found["comparison"]}
    noise = {name: Fraction(row["noise"]["upper"]) for name, row in rows.items()}
    assert noise["least-noise, exact"] < noise["constant, exact"] <= noise["constant"]
    assert noise["least-noise, exact"] == min(noise.values())
    assert float(noise["least-noise, exact"]) == pytest.approx(
        2 * sum(1 / float(each.rational) for each in budgets) / 5, rel=1e-5
    )
    assert {name: row["best_for"] for name, row in rows.items() if row["best_for"]} == {
        "α/T": ["any correlation"],
        "upper-bound": ["more releases than planned"],
        "quantified": ["TPL of α at every time"],
        "constant, exact": ["equal budgets"],
        "least-noise, exact": ["the least noise"],
    }
    utility = value("utility", "--alpha", "1", "--horizon", "1,5", *BOTH, "--tight", "--digits", 6)
    assert utility["least-noise, exact"][0]["exact"] == "2"
    assert float(utility["least-noise, exact"][1]["upper"]) == pytest.approx(
        float(noise["least-noise, exact"]), rel=1e-5
    )
    assert "least-noise, exact" not in value("utility", "--alpha", "1", "--horizon", "2,101", *BOTH, "--tight")
    assert "at most 100 are admitted" in run(*given, "--horizon", 101, status=2).stderr
    users = value("allocate", "--alpha", 1, "--users", "u.json", "--method", "least-noise", "--horizon", 3, "--tight")
    assert {place: each["exact"] for place, each in users["personalised"]["eve"].items()} == dict.fromkeys(
        ("first", "middle", "last"), "1"
    )
    rounded = value(*given, "--horizon", 3, "--float")
    doubles = [Level.of(Fraction(float.fromhex(each["hex"]))) for each in rounded["epsilons"]]
    assert all(level <= parse_level("1") for level in tight_leakage(doubles, *own).tpl)


@pytest.mark.parametrize(
    "given",
    [
        ("leakage", "--backward", "m.csv", "--epsilon", "0.1", "--steps", 3),
        ("supremum", "m.csv", "--epsilon", "0.1", "--epsilon", "0.2"),
        ("control", "m.csv", "--spent", "0.1,0.1", "--cap", "1"),
    ],
    ids=lambda given: given[0],
)
@pytest.mark.parametrize(("error", "status"), [(Undecided("in doubt"), 3), (KeyboardInterrupt(), 130)])
def test_the_bounds_are_printed_where_the_exact_worst_case_is_not(*, folder, monkeypatch, given, error, status):
    def refuse(*_given):
        raise error

    for name in ("fast_tight_leakage", "fast_tight_supremum"):
        monkeypatch.setattr(f"tploracle.solvers.tight_pairs.{name}", refuse)
    plain = values(*given)
    ended = run(*given, "--tight", "--json", status=status)
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [{key: each[key] for key in each if key != "note"} for each in found] == plain
    assert all("These are the paper's bounds, which hold." in each["note"] for each in found)
    assert "in doubt" in ended.stderr or "Interrupted" in ended.stderr
    assert "which hold" in run(*given, "--tight", status=status).stdout


def test_supremum_cases_and_steps(folder):
    found = values(
        "supremum", "m.csv", "--epsilon", "log(6/5)", "--epsilon", "0.23", "--within", "log(2)", "--steps", 3
    )
    # e^BPL = 6. The excess is E' = 1.2·(0.8·E + 1) − 1: 1/5, 0.392, 0.57632, …; E ≥ 2 asked for.
    excess, time = Fraction(1, 5), 1
    while excess < 2:
        excess, time = Fraction(6, 5) * (Fraction(4, 5) * excess + 1) - 1, time + 1
    assert (found[0]["exact"], found[0]["within"]) == ("log(6)", [time])
    assert found[0]["after"]["exact"] == f"log({1 + Fraction(57632, 100000)})"
    assert found[0]["after"]["steps"] == 3
    assert (found[1]["exact"], found[1]["within"]) == ("inf", [None])
    table = run("supremum", "m.csv", "--epsilon", "log(6/5)", "--epsilon", "0.23", "--within", "1").stdout
    rows = {line.split()[0]: line for line in table.splitlines() if line}
    assert "d = 0, ε < log(1/q)" in rows["log(6/5)"]
    assert "d = 0, ε ≥ log(1/q)" in rows["0.23"]
    assert "never" in table
    assert "ε = 0.23: without bound: row 1 gives the columns 1 probability q = 4/5, row 2 none; q·e^ε ≥ 1" in table
    assert "d > 0" in run("supremum", "f.csv", "--epsilon", "1").stdout
    assert "ε is 0" in run("supremum", "f.csv", "--epsilon", "0").stdout
    assert "ε is infinite" in run("supremum", "f.csv", "--epsilon", "inf").stdout
    assert "q = d" in run("supremum", "none.csv", "--epsilon", "1").stdout
    assert "all equal" in run("supremum", "none.csv", "--epsilon", "1").stdout
    assert value("supremum", "m.csv", "--epsilon", "0", "--steps", 10**6)["after"]["exact"] == "0"
    far = value("supremum", "m.csv", "--epsilon", "1", "--steps", 10**12)["after"]
    assert float(far["lower"]) == pytest.approx(10**12 * (1 + float(mpmath.log("0.8"))), rel=1e-9)
    rows = list(csv.DictReader(io.StringIO(run("supremum", "m.csv", "--epsilon", "log(6/5)", "--csv").stdout)))
    assert (rows[0]["supremum_exact"], rows[0]["q"], rows[0]["d"]) == ("log(6)", "4/5", "0")


def test_largest_budget(folder):
    assert value("supremum", "m.csv", "--cap", "log(6)")["exact"] == "log(6/5)"
    assert "log(6/5)" in run("supremum", "m.csv", "--cap", "log(6)").stdout
    message = run("supremum", "strong.csv", "--cap", "1", status=2).stderr
    assert message.startswith("InfeasibleBudget: no positive budget keeps this cap for ever")


def test_composition(folder):
    found = value("composition", "--backward", "m.csv", "--epsilon", "log(11/10)", "--steps", 3, "--w", 2, "--w", 3)
    event, two, three, user = found["guarantees"]
    # BPL_3: 11/10·(0.8·47/250 + 1).
    assert (event["correlated"]["exact"], event["correlated"]["start"]) == ("log(7909/6250)", 3)
    assert (event["independent"]["exact"], event["independent"]["start"]) == ("log(11/10)", 1)
    assert (two["correlated"]["exact"], two["correlated"]["start"]) == ("log(3267/2500)", 2)
    assert (two["independent"]["exact"], two["level"], two["length"]) == ("log(121/100)", "2-event", 2)
    assert (three["correlated"]["exact"], user["correlated"]["exact"]) == ("log(1331/1000)", "log(1331/1000)")
    assert user["level"] == "user"
    assert set(found) == {"guarantees"}
    lines = run("composition", *BOTH, "--epsilons", "0.1,0.3,0.2", "--w", 2, "--window", "1:2").stdout
    assert "2 to 3" in lines
    assert "1 to 2" in lines


def test_is_it_alpha_dp(folder):
    args = ("composition", "--backward", "m.csv", "--epsilon", "log(11/10)", "--steps", 3)
    found = value(*args, "--alpha", "log(297/250)", "--alpha", "log(7909/6250)", "--alpha", "0")["satisfies"]
    assert found == [
        {"alpha": "log(297/250)", "satisfied": False, "first_failure": 3},
        {"alpha": "log(7909/6250)", "satisfied": True, "first_failure": None},
        {"alpha": "0", "satisfied": False, "first_failure": 1},
    ]
    table = run(*args, "--alpha", "log(297/250)", "--alpha", "2").stdout
    assert "no, first at time 3" in table
    assert "yes" in table


def test_composition_of_several(folder):
    found = value("composition", "--users", "u.json", "--epsilon", "log(11/10)", "--steps", 2, "--alpha", "log(11/10)")
    event, user = found["guarantees"]
    # Bob's BPL_2 is 11/10·1.08, Alice's 11/10·1.08/1.02 and her FPL_1 11/10·1.08/1.01.
    assert (event["correlated"]["exact"], event["correlated"]["attained_by"]) == ("log(297/250)", ["bob"])
    assert user["correlated"]["attained_by"] == ["alice", "bob", "eve"]
    assert event["correlated"]["start"] == 2
    assert found["satisfies"][0] == {
        "alpha": "log(11/10)",
        "satisfied": False,
        "first_failure": 1,
        "failing": ["alice"],
    }
    assert "attained by" in run(
        "composition", "--users", "u.json", "--epsilon", 1, "--steps", 2, "--csv"
    ).stdout.replace("_", " ")
    assert "alice" in run("composition", "--users", "u.json", "--epsilon", 1, "--steps", 2, "--alpha", 1).stdout


def tpl_of(found, key):
    budgets = [Level.of(Fraction(float.fromhex(entry[key]))) for entry in found["epsilons"]]
    adversary = Adversary.knowing(TransitionMatrix.of(BACKWARD), TransitionMatrix.of(FORWARD))
    return leakage(budgets, adversary).tpl


@pytest.mark.parametrize("alpha", ["1", "log(2)", "1e-300", "0.1", "30"])
def test_doubles_keep_the_promise(folder, alpha):
    found = value("allocate", "--alpha", alpha, *BOTH, "--method", "quantified", "--horizon", 6, "--float")
    assert all(level <= parse_level(alpha) for level in tpl_of(found, "hex"))
    for entry, tpl in zip(found["epsilons"], found["tpl"], strict=True):
        assert float(entry["double"]).hex() == entry["hex"]
        assert Fraction(float(entry["double"])) <= Fraction(entry["upper"])
        assert float(entry["double"]) == pytest.approx(float(entry["lower"]), rel=1e-15)
        assert float(tpl["lower"]) == pytest.approx(float(found["tpl"][0]["lower"]), rel=1e-14)
    for_ever = value("allocate", "--alpha", alpha, *BOTH, "--method", "upper-bound", "--float")
    assert set(for_ever["suprema"]) == {"bpl", "fpl", "tpl"}
    assert Fraction(for_ever["suprema"]["tpl"]["lower"]) <= Fraction(value_of(alpha))


def value_of(alpha):
    return parse_level(alpha).enclosure(30).upper


def test_doubles_too_small(folder):
    args = ("allocate", "--alpha", "1e-400", *BOTH, "--method", "upper-bound")
    assert value(*args)["epsilons"][0]["lower"].endswith("E-401")
    assert run(*args, "--float", status=2).stderr.startswith("InfeasibleBudget: a budget is smaller than every")
    infinite = value("allocate", "--alpha", "inf", "--method", "upper-bound", "--float")["epsilons"][0]
    assert (infinite["double"], infinite["hex"], infinite["exact"]) == ("inf", "inf", "inf")


def test_allocate_prints_what_it_promises(folder):
    table = run("allocate", "--alpha", "log(2)", *BOTH, "--method", "quantified", "--horizon", 3).stdout
    assert table.count("log(2)") == 3
    found = value("allocate", "--alpha", "log(2)", *BOTH, "--method", "upper-bound")
    assert found["suprema"]["tpl"]["exact"] == "log(2)"
    assert found["suprema"]["bpl"]["exact"] == "log(17/12)"
    assert "TPL stays below" in run("allocate", "--alpha", 1, *BOTH, "--method", "upper-bound").stdout
    rows = list(
        csv.DictReader(
            io.StringIO(
                run("allocate", "--alpha", 1, "--method", "quantified", "--horizon", 2, "--float", "--csv").stdout
            )
        )
    )
    assert [row["budget_hex"] for row in rows] == [(1.0).hex()] * 2


def test_several_users(folder):
    args = ("allocate", "--alpha", "log(2)", "--users", "u.json", "--method", "quantified")
    found = value(*args, "--horizon", 4)
    # Bob's constant budget 10/9 is less than Alice's 221/192; she begins with 17/12.
    assert [level["exact"] for level in found["epsilons"]] == ["log(17/12)", *["log(10/9)"] * 3]
    assert {
        name: {place: level["exact"] for place, level in own.items()} for name, own in found["personalised"].items()
    } == {
        "alice": {"first": "log(17/12)", "middle": "log(221/192)", "last": "log(13/8)"},
        "bob": {"first": "log(2)", "middle": "log(10/9)", "last": "log(10/9)"},
        "eve": {"first": "log(2)", "middle": "log(2)", "last": "log(2)"},
    }
    budgets = [level["exact"] for level in found["epsilons"]]
    alice = answer("leakage", backward=BACKWARD, forward=FORWARD, epsilons=budgets)["tpl"]
    bob = answer("leakage", backward=MODERATE, epsilons=budgets)["tpl"]
    for level, own in zip(found["tpl"], zip(alice, bob, strict=True), strict=True):
        assert all(float(level[end]) == max(float(tpl[end]) for tpl in own) for end in ("lower", "upper"))
    assert set(value(*args, "--horizon", 2)["personalised"]["bob"]) == {"first", "last"}
    assert value(*args, "--horizon", 1)["personalised"]["bob"]["all"]["exact"] == "log(2)"
    common = value("allocate", "--alpha", "log(2)", "--users", "u.json", "--method", "upper-bound", "--float")
    assert common["epsilons"][0]["exact"] == "log(10/9)"
    assert set(common["personalised"]["eve"]["all"]) == {"exact", "lower", "upper", "double", "hex"}
    table = run(*args, "--horizon", 4).stdout
    assert "Each one's own budgets" in table
    candidates = value(
        "allocate", "--alpha", 1, "--backward", "b.csv", "--backward", "m.csv", "--method", "upper-bound"
    )
    assert set(candidates["personalised"]) == {"b.csv", "m.csv"}


@pytest.mark.parametrize("method", ["constant", "least-noise"])
def test_schedules_fitted_to_a_horizon(folder, method):
    found = value("allocate", "--alpha", 1, *BOTH, "--method", method, "--horizon", 6)
    budgets = [level["exact"] for level in found["epsilons"]]
    tpl = answer("leakage", backward=BACKWARD, forward=FORWARD, epsilons=budgets, digits=17)["tpl"]
    assert max(Fraction(level["upper"]) for level in tpl) <= 1
    assert max(Fraction(level["lower"]) for level in tpl) > 1 - Fraction(1, 10**15)
    assert found["tpl"] == tpl
    assert len(set(budgets)) == 1 or method == "least-noise"
    # Rounded down to doubles it still keeps the level.
    rounded = value("allocate", "--alpha", 1, *BOTH, "--method", method, "--horizon", 6, "--float")
    assert all(level <= parse_level("1") for level in tpl_of(rounded, "hex"))


def test_what_schedules_cost_is_compared(folder):
    for horizon in (2, 6, 30):
        rows = value("allocate", "--alpha", 1, *BOTH, "--method", "quantified", "--horizon", horizon)["comparison"]
        noise = {row["schedule"]: Fraction(row["noise"]["upper"]) for row in rows}
        assert list(noise) == ["α/T", "upper-bound", "quantified", "constant", "least-noise"]
        assert [row["schedule"] for row in rows if row["is_least"]] == ["least-noise"]
        assert {row["schedule"]: row["best_for"] for row in rows} == {
            "α/T": ["any correlation"],
            "upper-bound": ["more releases than planned"],
            "quantified": ["TPL of α at every time"],
            "constant": ["equal budgets"],
            "least-noise": ["the least noise"],
        }
        assert noise["least-noise"] == min(noise.values())
        assert noise["constant"] <= min(noise["α/T"], noise["upper-bound"]) * Fraction(100001, 100000)
        for row in rows:
            assert float(row["noise_beside_group"]) == pytest.approx(
                float(noise[row["schedule"]] / noise["α/T"]), abs=1e-4
            )
            ends = [1 / float(row[place]["lower"]) for place in ("first", "last")]
            middle = (horizon - 2) / float(row["middle"]["lower"])
            assert float(noise[row["schedule"]]) == pytest.approx(2 * (sum(ends) + middle) / horizon, rel=1e-3)
    table = run("allocate", "--alpha", 1, *BOTH, "--method", "constant", "--horizon", 6).stdout
    assert "the least noise" in table
    assert "mean noise" in table


def test_where_none_can_go_on_for_ever_a_horizon_helps(folder):
    args = ("allocate", "--alpha", "1", "--backward", "strong.csv", "--horizon", 4)
    refused = run(*args, "--method", "quantified", status=2).stderr
    assert "for T releases there are --method constant and least-noise" in refused
    found = value(*args, "--method", "constant")
    assert [level["exact"] for level in found["epsilons"]] == ["1/4"] * 4
    assert [row["schedule"] for row in found["comparison"]] == ["α/T", "constant", "least-noise"]
    users = value("allocate", "--alpha", 1, "--users", "u.json", "--method", "constant", "--horizon", 3)
    assert set(users["personalised"]["bob"]) == {"all"}
    least = value("allocate", "--alpha", 1, "--users", "u.json", "--method", "least-noise", "--horizon", 3)
    assert set(least["personalised"]["bob"]) == {"first", "middle", "last"}


def test_utility(folder):
    found = value("utility", "--alpha", "1", "--horizon", "1,3", *BOTH, "--sensitivity", "1")
    assert found["horizons"] == [1, 3]
    assert [noise["exact"] for noise in found["group"]] == ["1", "3"]
    assert [noise["exact"] for noise in found["independent"]] == ["1", "1"]
    assert found["quantified"][0]["exact"] == "1"
    schedule = answer("allocate", backward=BACKWARD, forward=FORWARD, alpha="1", method="quantified", horizon=3)
    mean = sum(1 / float(level["lower"]) for level in schedule["epsilons"]) / 3
    assert float(found["quantified"][1]["lower"]) == pytest.approx(mean, rel=1e-14)
    assert float(found["upper-bound"][0]["upper"]) == pytest.approx(
        1 / float(schedule["epsilons"][1]["lower"]), rel=1e-14
    )
    assert found["upper-bound"][0] == found["upper-bound"][1]
    # Counts per place by default: 2/ε.
    assert value("utility", "--alpha", "1", "--horizon", "3")["group"][0]["exact"] == "6"
    table = run("utility", "--alpha", 2, "--horizon", "5,10", *BOTH).stdout
    assert "nats" not in table
    shared = value("utility", "--alpha", 1, "--horizon", 5, "--users", "u.json")
    assert float(shared["upper-bound"][0]["lower"]) == pytest.approx(2 / 0.13516027483680967)


def test_pictures(folder):
    run("supremum", "m.csv", "--epsilon", "0.15", "--epsilon", "0.23", "--plot", "s.png")
    run("allocate", "--alpha", 1, *BOTH, "--method", "quantified", "--horizon", 5, "--plot", "a.png")
    run("allocate", "--alpha", 1, "--users", "u.json", "--method", "upper-bound", "--horizon", 5, "--plot", "u.png")
    run("utility", "--alpha", 1, "--horizon", "20,5", *BOTH, "--plot", "n.png")
    for name in "saun":
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_what_the_pictures_show(folder, monkeypatch):
    drawn = []
    monkeypatch.setattr(plots, "leakage_picture", lambda path, panels, **_: drawn.append(panels))
    run("supremum", "m.csv", "--epsilon", "log(6/5)", "--epsilon", "1", "--plot", "s.png", "--steps", 7)
    finite, infinite = drawn[0].values()
    assert (len(finite["leakage"]), finite["supremum"][0].exact_text) == (7, "log(6)")
    assert set(infinite) == {"leakage"}
    assert any("no supremum" in title for title in drawn[0])
    run("allocate", "--alpha", "log(2)", *BOTH, "--method", "quantified", "--horizon", 3, "--plot", "a.png")
    (panel,) = drawn[1].values()
    assert [level.exact_text for level in panel["TPL"]] == ["log(2)"] * 3
    assert panel["budget"][0].exact_text == "log(17/12)"
    run("allocate", "--alpha", 1, "--users", "u.json", "--method", "upper-bound", "--horizon", 2, "--plot", "a.png")
    (panel,) = drawn[2].values()
    wire = answer("leakage", backward=MODERATE, epsilons=[level_text(level) for level in panel["budget"]])
    assert float(panel["TPL"][1].enclosure(17).lower) == pytest.approx(float(wire["tpl"][1]["lower"]), rel=1e-9)


def level_text(level):
    return str(level.enclosure(17).lower)


def test_a_schedule_that_breaks_its_promise_is_never_printed(folder, monkeypatch):
    whole = parse_level("1")
    monkeypatch.setattr(Budgets, "upper_bound", lambda self, horizon: (whole,) * horizon)
    monkeypatch.setattr(Budgets, "quantified", lambda self, horizon: (whole,) * horizon)
    for method in ("upper-bound", "quantified"):
        with pytest.raises(ArithmeticError):
            Session().answer("allocate", {"alpha": "1", "backward": BACKWARD, "method": method, "horizon": 2})
        for args in (("--users", "u.json"), BOTH):
            result = CliRunner().invoke(main, ["allocate", "--alpha", "1", *args, "--method", method, "--horizon", "2"])
            assert isinstance(result.exception, ArithmeticError)
            assert result.stdout == ""
    result = CliRunner().invoke(main, ["utility", "--alpha", "1", *BOTH, "--horizon", "2"])
    assert isinstance(result.exception, ArithmeticError)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["supremum", "m.csv"], "InvalidRequest: give either --epsilon or --cap"),
        (["supremum", "m.csv", "--epsilon", "1", "--cap", "1"], "InvalidRequest: give either --epsilon or --cap"),
        (["supremum", "m.csv", "--cap", "1", "--within", "1"], "InvalidRequest: --within, --steps and --plot belong"),
        (["supremum", "m.csv", "--cap", "1", "--steps", "1"], "InvalidRequest: --within, --steps and --plot belong"),
        (["supremum", "m.csv", "--cap", "0"], "InfeasibleBudget: no positive budget"),
        (["supremum", "m.csv", "--epsilon", "-1"], "InvalidLevel: --epsilon 1"),
        (["supremum", "m.csv", "--epsilon", "1", "--within", "0"], "InvalidRequest: --within: the supremum is"),
        (["supremum", "m.csv", "--epsilon", "1", "--within", "x"], "InvalidNumber: --within 1"),
        (["supremum", "m.csv", "--epsilon", "1", "--steps", "0"], "InvalidRequest: --steps is at least 1"),
        (["supremum", "m.csv", "--epsilon", "1", "--steps", str(10**16)], "InvalidRequest: too large"),
        (["supremum", "m.csv", "--epsilon", "1", "--steps", "10001", "--plot", "a"], "InvalidRequest: too large"),
        (["supremum", "no.csv", "--epsilon", "1"], "InvalidRequest: no.csv: cannot be read"),
        (["control", "m.csv", "--previous", "9", "--cap", "1"], "InfeasibleBudget: nothing is left"),
        (["control", "m.csv", "--previous", "x", "--cap", "1"], "InvalidNumber: --previous"),
        (["control", "m.csv", "--previous", "1", "--cap", "log(0)"], "InvalidLevel: --cap"),
        (["composition", "--epsilon", "1"], "InvalidRequest: --epsilon needs --steps"),
        (["composition", "--epsilon", "1", "--steps", "2", "--w", "3"], "InvalidRequest: --w: a window of 3"),
        (["composition", "--epsilon", "1", "--steps", "2", "--w", "0"], "InvalidRequest: --w: a window of 0"),
        (["composition", "--epsilon", "1", "--steps", "2", "--window", "2:2"], "InvalidRequest: --window: 2:2"),
        (["composition", "--epsilon", "1", "--steps", "2", "--window", "0:1"], "InvalidRequest: --window: 0:1"),
        (["composition", "--epsilon", "1", "--steps", "2", "--window", "1:0"], "InvalidRequest: --window: 1:0"),
        (["composition", "--epsilon", "1", "--steps", "2", "--window", "1"], "InvalidRequest: --window: '1'"),
        (["composition", "--epsilon", "1", "--steps", "2", "--window", "-1:1"], "InvalidRequest: --window: '-1:1'"),
        (["composition", "--epsilon", "1", "--steps", "2", "--window", "１:1"], "InvalidRequest: --window"),
        (["composition", "--epsilon", "1", "--steps", "2", "--alpha", "1", "--csv"], "InvalidRequest: --csv holds"),
        (["composition", "--epsilon", "1", "--steps", "10000", "--w", "5000"], "InvalidRequest: too large"),
        (["allocate", "--alpha", "1", "--method", "quantified"], "InvalidRequest: the method quantified needs"),
        (["allocate", "--alpha", "1", "--method", "quantified", "--horizon", "0"], "InvalidRequest: the horizon"),
        (["allocate", "--alpha", "1", "--method", "upper-bound", "--plot", "a"], "InvalidRequest: --plot needs"),
        (["allocate", "--alpha", "1", "--method", "constant"], "InvalidRequest: the method constant needs a horizon"),
        (["allocate", "--alpha", "1", "--method", "constant", "--horizon", "0"], "InvalidRequest: the horizon"),
        (["allocate", "--alpha", "1", "--method", "constant", "--horizon", "1001"], "InvalidRequest: too large"),
        (["allocate", "--alpha", "0", "--method", "constant", "--horizon", "2"], "InfeasibleBudget: a level of 0"),
        (["allocate", "--alpha", "0", "--method", "upper-bound"], "InfeasibleBudget: a level of 0"),
        (["allocate", "--alpha", "0", "--method", "quantified", "--horizon", "1"], "InfeasibleBudget: a level of 0"),
        (
            ["allocate", "--alpha", "1", "--method", "upper-bound", "--backward", "strong.csv"],
            "InfeasibleBudget: the b",
        ),
        (["utility", "--alpha", "log(2)", "--horizon", "2"], "InvalidLevel: α/T is exact"),
        (["utility", "--alpha", "1", "--horizon", "0"], "InvalidRequest: --horizon: '0'"),
        (["utility", "--alpha", "1", "--horizon", "10001"], "InvalidRequest: too large"),
        (["utility", "--alpha", "1", "--horizon", "1", "--sensitivity", "0"], "InvalidRequest: the sensitivity"),
        (["utility", "--alpha", "1", "--horizon", "1", "--sensitivity", "0.5.1"], "InvalidNumber: --sensitivity"),
        (["utility", "--alpha", "0", "--horizon", "1"], "InfeasibleBudget: a level of 0"),
        (["spend", "a.json", "--cap", "1"], "InvalidRequest: --backward, --forward, --users, --cap"),
        (["spend", "a.json", "--init", "--cap", "-1"], "InvalidLevel: --cap"),
    ],
)
def test_errors_are_one_line_and_status_2(folder, args, message):
    result = run(*args, status=2)
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_infeasible_names_the_user(folder):
    (folder / "v.json").write_text('{"ann": {}, "zoe": {"backward": "strong.csv"}}')
    result = run("allocate", "--alpha", 1, "--users", "v.json", "--method", "upper-bound", status=2)
    assert result.stderr.startswith("InfeasibleBudget: zoe: ")


def account(path):
    with opened_ledger(path, write=False) as ledger:
        return ledger.state("main")


def test_a_capped_account(folder):
    first = value("spend", "a.json", "--init", "--cap", "log(2)", *BOTH, "--epsilon", "log(17/12)")
    assert (first["cap"]["exact"], first["releases"]) == ("log(2)", 1)
    # The schedule of Algorithm 8 attains the cap, again and again; anything more is refused.
    for _ in range(3):
        value("spend", "a.json", "--epsilon", "log(221/192)")
    before = (folder / "a.json").read_bytes()
    assert account(folder / "a.json")["cap"] == "log(2)"
    # 13/8 is what Algorithm 8 gives to the last release.
    for refused in (["log(1651/1000)"], ["0.01", "1"]):
        result = run("spend", "a.json", *(part for text in refused for part in ("--epsilon", text)), status=2)
        assert result.stderr.startswith("InfeasibleBudget: TPL at time ")
        assert (folder / "a.json").read_bytes() == before
    last = value("spend", "a.json", "--epsilon", "log(13/8)", "--show")
    assert {level["exact"] for level in last["tpl"]} == {"log(2)"}
    assert "TPL capped at log(2)" in run("spend", "a.json").stdout
    assert run("spend", "a.json", "--epsilon", "1e-9", status=2).stderr.startswith("InfeasibleBudget: ")
    assert value("spend", "a.json", "--epsilon", "0")["releases"] == 6


def test_an_account_without_a_cap_is_as_before(folder):
    run("spend", "a.json", "--init", "--epsilon", "1")
    assert account(folder / "a.json") == {
        "format": "tploracle-accountant",
        "version": 1,
        "adversaries": {"no correlation": {}},
        "epsilons": ["1"],
    }
    assert "cap" not in value("spend", "a.json", "--epsilon", "1")
    assert "capped" not in run("spend", "a.json").stdout


@pytest.mark.parametrize(
    ("cap", "name"),
    [("x", "InvalidNumber"), ("-1", "InvalidLevel"), ("1/2", "InfeasibleBudget"), (None, "InvalidRequest")],
)
def test_a_tampered_cap(folder, cap, name):
    run("spend", "new.json", "--init", "--cap", "1", "--epsilon", "1")
    (folder / "a.json").write_text(json.dumps({**account(folder / "new.json"), "cap": cap}))
    stderr = run("spend", "a.json", "--epsilon", "0", status=2).stderr
    assert stderr.splitlines()[-1].startswith(f"{name}: ")


def test_float64_matrices(folder):
    (folder / "d.csv").write_text("0.1,0.9\n0,1\n")
    noted = run("supremum", "d.csv", "--epsilon", "0.1", "--float64")
    assert noted.stderr == "note: d.csv: rows divided by their exact sums: 1\n"
    for args in (
        ("control", "d.csv", "--previous", 0, "--cap", 1),
        ("composition", "--backward", "d.csv", "--epsilon", 1, "--steps", 1),
        ("allocate", "--backward", "d.csv", "--alpha", 1, "--method", "upper-bound"),
        ("utility", "--backward", "d.csv", "--alpha", 1, "--horizon", 2),
    ):
        assert value(*args, "--float64")["normalised_rows"] == {"d.csv": [1]}


def test_roles_and_standard_input(folder):
    (folder / "both.json").write_text(json.dumps({"backward": MODERATE, "forward": FORWARD}))
    assert value("supremum", "both.json", "--role", "forward", "--epsilon", "1")["d"] == "1/10"
    assert (
        value("control", "both.json", "--role", "backward", "--previous", "log(2)", "--cap", "log(2)")["exact"]
        == "log(10/9)"
    )
    assert value("supremum", "-", "--epsilon", "log(6/5)", stdin="0.8,0.2\n0,1\n")["exact"] == "log(6)"
    assert run("supremum", "both.json", "--epsilon", "1", status=2).stderr.startswith("InvalidRequest: both.json: ")


@pytest.mark.parametrize("name", ["supremum", "composition", "allocate", "control", "utility"])
def test_help(name):
    assert name in run("--help").stdout
    assert "Usage: " in run(name, "--help").stdout
