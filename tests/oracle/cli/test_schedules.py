"""`allocate` and `utility`: schedules keep what they promise, as doubles and for several people; what they cost."""

from fractions import Fraction

import pytest

from tploracle.output import plots
from tploracle.reference import Adversary, Budgets, Level, leakage, parse_level, worst_case_leakage
from tploracle.wire.requests import Session

from ...commands import answer, csv_rows, exact, line, run, value
from ...matrices import MODERATE, SKEWED, SYMMETRIC, texts_of

pytestmark = pytest.mark.usefixtures("folder")

BOTH = ("--backward", "b.csv", "--forward", "f.csv")
KNOWN = {"backward": texts_of(SYMMETRIC), "forward": texts_of(SKEWED)}
LOG_2 = ("allocate", "--alpha", "log(2)")
ONE = ("allocate", "--alpha", 1)
MODELS = {"worst_case": "worst_case_leakage", "paper_bound": "leakage"}
PAPER = ("--model", "paper-bound")


def doubles_keep(found, alpha):
    """Whether the budgets of each model keep its TPL within a level once they are doubles."""
    for key in found.keys() & MODELS.keys():
        budgets = [Level.of(Fraction(float.fromhex(entry["hex"]))) for entry in found[key]["epsilons"]]
        known = (SYMMETRIC, SKEWED)
        by_paper = leakage(budgets, Adversary.knowing(*known))
        if any(tpl > alpha for tpl in (by_paper if key == "paper_bound" else worst_case_leakage(budgets, *known)).tpl):
            return False
    return True


@pytest.mark.parametrize("alpha", ["1", "log(2)", "1e-300", "0.1", "30"])
def test_doubles_keep_the_promise(alpha):
    whole = value("allocate", "--alpha", alpha, *BOTH, "--method", "quantified", "--steps", 6, "--float")
    assert doubles_keep(whole, parse_level(alpha))
    assert "Algorithm 8" in whole["basis"]["absent"]["worst_case"]
    found = whole["paper_bound"]
    for entry, tpl in zip(found["epsilons"], found["tpl"], strict=True):
        assert float(entry["double"]).hex() == entry["hex"]
        assert Fraction(float(entry["double"])) <= Fraction(entry["upper"])
        assert float(entry["double"]) == pytest.approx(float(entry["lower"]), rel=1e-15)
        assert float(tpl["lower"]) == pytest.approx(float(found["tpl"][0]["lower"]), rel=1e-14)
    for_ever = value("allocate", "--alpha", alpha, *BOTH, "--method", "upper-bound", *PAPER, "--float")["paper_bound"]
    assert Fraction(for_ever["suprema"]["tpl"]["lower"]) <= Fraction(parse_level(alpha).enclosure(30).upper)


@pytest.mark.parametrize(("steps", "method"), [((), "upper-bound"), (("--steps", 3), "constant")])
def test_without_a_method_one_budget_is_found_for_the_releases_that_are_asked_for(steps, method):
    assert value(*ONE, *BOTH, *steps) == value(*ONE, *BOTH, *steps, "--method", method)


def test_the_smallest_and_the_greatest_doubles():
    small = value("allocate", "--alpha", "1e-400", *BOTH, "--method", "upper-bound")
    assert small["paper_bound"]["epsilons"][0]["lower"].endswith("E-401")
    infinite = value("allocate", "--alpha", "inf", "--independent", "--method", "upper-bound", "--float")["worst_case"][
        "epsilons"
    ][0]
    assert (infinite["double"], infinite["hex"], infinite["exact"]) == ("inf", "inf", "inf")
    rows = csv_rows(*ONE, "--independent", "--method", "quantified", "--steps", 2, "--float")
    assert [row["paper_bound_budget_hex"] for row in rows] == [(1.0).hex()] * 2


def test_what_is_promised_is_printed():
    table = run(*LOG_2, *BOTH, "--method", "quantified", "--steps", 3, "--digits", 9).stdout
    assert table.count("= log(2)") == 3
    suprema = value(*LOG_2, *BOTH, "--method", "upper-bound", *PAPER)["paper_bound"]["suprema"]
    assert (suprema["tpl"]["exact"], suprema["bpl"]["exact"]) == ("log(2)", "log(17/12)")
    assert run(*ONE, *BOTH, "--method", "upper-bound", *PAPER).stdout.count("PL below") == 3


@pytest.mark.slow
def test_several_users():
    given = (*LOG_2, "--users", "u.json", "--one-sided", "--independent", "--method", "quantified")
    found = value(*given, "--steps", 4)["paper_bound"]
    # Bob's constant budget 10/9 is less than Alice's 221/192; she begins with 17/12.
    budgets = ["log(17/12)", *["log(10/9)"] * 3]
    assert exact(found["epsilons"]) == budgets
    own = {name: dict(zip(each, exact(each.values()), strict=True)) for name, each in found["personalised"].items()}
    assert own == {
        "alice": {"first": "log(17/12)", "middle": "log(221/192)", "last": "log(13/8)"},
        "bob": {"first": "log(2)", "middle": "log(10/9)", "last": "log(10/9)"},
        "eve": {"first": "log(2)", "middle": "log(2)", "last": "log(2)"},
    }
    alice = answer("leakage", **KNOWN, epsilons=budgets)["tpl"]
    bob = answer("leakage", backward=texts_of(MODERATE), epsilons=budgets)["tpl"]
    for level, tpl in zip(found["tpl"], zip(alice, bob, strict=True), strict=True):
        assert all(float(level[end]) == max(float(each[end]) for each in tpl) for end in ("lower", "upper"))
    assert set(value(*given, "--steps", 2)["paper_bound"]["personalised"]["bob"]) == {"first", "last"}
    assert value(*given, "--steps", 1)["paper_bound"]["personalised"]["bob"]["all"]["exact"] == "log(2)"
    common = value(
        *LOG_2, "--users", "u.json", "--one-sided", "--independent", "--method", "upper-bound", *PAPER, "--float"
    )["paper_bound"]
    assert common["epsilons"][0]["exact"] == "log(10/9)"
    assert set(common["personalised"]["eve"]["all"]) == {"exact", "lower", "upper", "double", "hex"}
    assert "Each one's own budgets" in run(*given, "--steps", 4).stdout
    candidates = value(
        *ONE, "--backward", "b.csv", "--backward", "m.csv", "--one-sided", "--method", "upper-bound", *PAPER
    )
    assert set(candidates["paper_bound"]["personalised"]) == {"b.csv", "m.csv"}
    for method, places in (("constant", {"all"}), ("least-noise", {"first", "middle", "last"})):
        fitted = value(*ONE, "--users", "u.json", "--one-sided", "--independent", "--method", method, "--steps", 3)
        assert all(set(fitted[key]["personalised"]["bob"]) == places for key in MODELS)


@pytest.mark.parametrize("method", ["constant", "least-noise"])
def test_schedules_fitted_to_a_horizon(method):
    given = (*ONE, *BOTH, "--method", method, "--steps", 6)
    whole = value(*given)
    for key, op in MODELS.items():
        found = whole[key]
        tpl = answer(op, **KNOWN, epsilons=exact(found["epsilons"]))["tpl"]
        assert found["tpl"] == tpl
        assert max(Fraction(level["upper"]) for level in tpl) <= 1
        assert max(Fraction(level["lower"]) for level in tpl) > 1 - Fraction(1, 10**6)
        assert (len(set(exact(found["epsilons"]))) == 1) is (method == "constant")
    assert doubles_keep(value(*given, "--float"), parse_level("1"))


def test_where_none_can_go_on_for_ever_a_horizon_helps():
    found = value(*ONE, "--backward", "strong.csv", "--one-sided", "--steps", 4, "--method", "constant")
    assert exact(found["paper_bound"]["epsilons"]) == exact(found["worst_case"]["epsilons"]) == ["1/4"] * 4
    assert {row["schedule"] for row in found["comparison"]} == {"α/T", "constant", "least-noise"}


@pytest.mark.parametrize("horizon", [2, 6, 30])
def test_what_schedules_cost_is_compared(horizon):
    rows = value(*ONE, *BOTH, "--method", "quantified", "--steps", horizon)["comparison"]
    noise = {row["schedule"]: Fraction(row["noise"]["upper"]) for row in rows}
    best = {purpose: row["schedule"] for row in rows for purpose in row["best_for"]}
    assert noise[best.pop("the least noise")] == noise["least-noise"]
    assert best == {
        "any correlation": "α/T",
        "more releases than planned": "upper-bound",
        "TPL of α at every time": "quantified",
        "equal budgets": "constant",
    }
    assert noise["least-noise"] == min(noise.values())
    assert noise["constant"] <= min(noise["α/T"], noise["upper-bound"]) * Fraction(100001, 100000)
    for row in rows:
        own = float(noise[row["schedule"]])
        assert float(row["noise_beside_group"]) == pytest.approx(own / float(noise["α/T"]), abs=1e-4)
        ends = [1 / float(row[place]["lower"]) for place in ("first", "last")]
        middle = (horizon - 2) / float(row["middle"]["lower"])
        assert own == pytest.approx(2 * (sum(ends) + middle) / horizon, rel=1e-3)


def test_the_comparison_is_in_the_table():
    table = run(*ONE, *BOTH, "--method", "constant", "--steps", 6).stdout
    assert "the least noise: least-noise, worst case" in table
    assert "What 6 releases may spend, and what it costs" in table


def test_utility():
    whole = value("utility", "--alpha", "1", "--steps", "1,3", *BOTH, "--sensitivity", "1")
    found = whole | whole["paper_bound"]
    assert [*whole["worst_case"]] == ["constant", "least-noise"]
    assert whole["worst_case"]["least-noise"][0]["exact"] == "1"
    assert found["horizons"] == [1, 3]
    assert (exact(found["group"]), exact(found["independent"])) == (["1", "3"], ["1", "1"])
    assert found["quantified"][0]["exact"] == "1"
    schedule = answer("allocate", **KNOWN, alpha="1", method="quantified", horizon=3)["epsilons"]
    noise = [1 / float(level["lower"]) for level in schedule]
    assert float(found["quantified"][1]["lower"]) == pytest.approx(sum(noise) / 3, rel=1e-14)
    assert float(found["upper-bound"][0]["upper"]) == pytest.approx(noise[1], rel=1e-14)
    assert found["upper-bound"][0] == found["upper-bound"][1]
    # Counts per place by default: 2/ε.
    assert value("utility", "--alpha", "1", "--steps", "3", "--independent", *PAPER)["group"][0]["exact"] == "6"
    assert "nats" not in run("utility", "--alpha", 2, "--steps", "5,10", *BOTH, *PAPER).stdout
    shared = value("utility", "--alpha", 1, "--steps", 5, "--users", "u.json", "--one-sided", "--independent", *PAPER)[
        "paper_bound"
    ]
    least = answer("allocate", backward=texts_of(MODERATE), alpha="1", method="upper-bound")["epsilons"][0]
    hers = answer("allocate", **KNOWN, alpha="1", method="upper-bound")["epsilons"][0]
    smallest = min(float(each["lower"]) for each in (least, hers))
    assert float(shared["upper-bound"][0]["lower"]) == pytest.approx(2 / smallest)


def test_what_the_pictures_show(monkeypatch):
    drawn = []
    monkeypatch.setattr(plots, "leakage_picture", lambda path, panels, **_: drawn.append(panels))
    run(*LOG_2, *BOTH, "--method", "quantified", "--steps", 3, "--plot", "a.png")
    (panel,) = drawn[0].values()
    assert [level.exact_text for level in panel["TPL"]] == ["log(2)"] * 3
    assert panel["budget"][0].exact_text == "log(17/12)"
    run(*ONE, *line("--users u.json --one-sided --independent --method upper-bound --steps 2 --plot a.png"))
    worst, panel = drawn[1].values()
    assert max(worst["TPL"]) <= parse_level("1")
    epsilons = [str(level.enclosure(17).lower) for level in panel["budget"]]
    tpl = answer("leakage", backward=texts_of(MODERATE), epsilons=epsilons)["tpl"]
    assert float(panel["TPL"][1].enclosure(17).lower) == pytest.approx(float(tpl[1]["lower"]), rel=1e-9)


def test_a_schedule_that_breaks_its_promise_is_never_printed(monkeypatch):
    whole = parse_level("1")
    monkeypatch.setattr("tploracle.output.sheets.Output.write", lambda *_: pytest.fail("it is printed"))
    monkeypatch.setattr(Budgets, "upper_bound", lambda self, horizon: (whole,) * horizon)
    monkeypatch.setattr(Budgets, "quantified", lambda self, horizon: (whole,) * horizon)
    for method in ("upper-bound", "quantified"):
        with pytest.raises(ArithmeticError):
            Session().answer("allocate", {"alpha": "1", "method": method, "horizon": 2, **KNOWN})
        for given in (("--users", "u.json", "--one-sided", "--independent"), BOTH):
            with pytest.raises(ArithmeticError):
                run(*ONE, *given, "--method", method, "--steps", "2")
    with pytest.raises(ArithmeticError):
        run("utility", "--alpha", "1", *BOTH, "--steps", "2")
