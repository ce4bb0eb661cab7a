"""What `leakage`, `supremum` and `composition` say beyond the wire: chosen times, steps, verdicts, whose."""

from fractions import Fraction

import mpmath
import pytest

from tploracle.reference import TransitionMatrix, reverse, stationary

from ...commands import csv_rows, run, value, values

TENTH = ("--epsilon", "log(11/10)")
MODELS = ("worst_case", "paper_bound")


pytestmark = pytest.mark.usefixtures("folder")


def test_after():
    given = ("leakage", "--backward", "m.csv", "--forward", "m.csv", *TENTH, "--after", "1,2")
    found = value(*given)
    differ = value("leakage", "--independent", "--epsilons", "log(2),log(3)", "--after", "1,2")
    assert found["releases"] == [1, 2]
    for key in MODELS:
        # By hand: BPL_2 = log(11/10·27/25) = log(297/250) = FPL_1; TPL is that at both times.
        for kind, times in (("bpl", [2]), ("fpl", [1]), ("tpl", [1, 2])):
            first, second = found[key][f"worst_{kind}"]
            assert (first["exact"], second["exact"], second["times"]) == ("log(11/10)", "log(297/250)", times)
        worst = differ[key]["worst_tpl"]
        assert [(level["exact"], level["times"]) for level in worst] == [("log(2)", [1]), ("log(3)", [2])]


def attained(levels):
    """Return levels and whose they are, of BPL, FPL or TPL over time."""
    return [(level["exact"], level["attained_by"]) for level in levels]


def test_candidates():
    given = ("leakage", "--backward", "m.csv", "--backward", "none.csv", "--one-sided")
    found = value(*given, *TENTH, "--steps", 2)
    one = ("--epsilon", "1", "--steps", 1)
    paired = value(*given, "--forward", "none.csv", "--forward", "strong.csv", *one)
    combined = value(*given, "--forward", "strong.csv", *one)
    for key in MODELS:
        assert attained(found[key]["bpl"]) == [("log(11/10)", ["m.csv", "none.csv"]), ("log(297/250)", ["m.csv"])]
        assert paired[key]["tpl"][0]["attained_by"] == ["m.csv + none.csv", "none.csv + strong.csv"]
        assert combined[key]["tpl"][0]["attained_by"] == ["m.csv + strong.csv", "none.csv + strong.csv"]
    assert found["basis"]["users"] == "2 candidates, each certain of one"


@pytest.mark.parametrize("epsilon", ["log(3/2)", "1/2"])
def test_candidates_one_of_which_is_the_reversal_of_the_other(epsilon, folder):
    rows = TransitionMatrix.of([["1/2", "1/3", "1/6"], ["1/6", "1/2", "1/3"], ["1/10", "1/5", "7/10"]])
    for name, own in {"on.csv": rows, "back.csv": reverse(rows, stationary(rows))}.items():
        (folder / name).write_text("\n".join(",".join(row) for row in own.texts()))
    both = value("supremum", "on.csv", "back.csv", "--role", "forward", "--epsilon", epsilon)
    assert both["paper_bound"] == value("supremum", "on.csv", "--role", "forward", "--epsilon", epsilon)["paper_bound"]


def test_supremum_and_steps():
    given = ("supremum", "m.csv", "--one-sided", "--epsilon", "log(6/5)", "--epsilon", "0.23", "--within", "log(2)")
    finite, infinite = (found["paper_bound"] for found in values(*given, "--steps", 3))
    # e^BPL = 6. The excess is E' = 1.2·(0.8·E + 1) − 1: 1/5, 0.392, 0.57632, …; E ≥ 2 asked for.
    excess, time = Fraction(1, 5), 1
    while excess < 2:
        excess, time = Fraction(6, 5) * (Fraction(4, 5) * excess + 1) - 1, time + 1
    assert (finite["exact"], finite["within"]) == ("log(6)", [time])
    assert (finite["after"]["exact"], finite["after"]["steps"]) == (f"log({1 + Fraction(57632, 100000)})", 3)
    assert (infinite["exact"], infinite["within"]) == ("inf", [None])
    table = run(*given).stdout
    assert "never" in table
    assert "grows without bound: row 1 gives the columns 1 probability q = 4/5, row 2 none; q·e^ε ≥ 1" in table
    assert "all equal" in run("supremum", "none.csv", "--one-sided", "--epsilon", "1").stdout
    assert (
        value("supremum", "m.csv", "--one-sided", "--epsilon", "0", "--steps", 10**6)["paper_bound"]["after"]["exact"]
        == "0"
    )
    far = value("supremum", "m.csv", "--one-sided", "--epsilon", "1", "--steps", 10**12)["paper_bound"]["after"]
    assert float(far["lower"]) == pytest.approx(10**12 * (1 + float(mpmath.log("0.8"))), rel=1e-9)


@pytest.mark.parametrize(
    ("file", "epsilon", "case"),
    [
        ("m.csv", "log(6/5)", "d = 0, ε < log(1/q)"),
        ("m.csv", "0.23", "d = 0, ε ≥ log(1/q)"),
        ("f.csv", "1", "d > 0"),
        ("f.csv", "0", "ε is 0"),
        ("f.csv", "inf", "ε is infinite"),
        ("none.csv", "1", "q = d"),
    ],
)
def test_the_case_of_theorem_11(file, epsilon, case):
    assert csv_rows("supremum", file, "--one-sided", "--epsilon", epsilon)[0]["case"] == case


def test_composition():
    given = ("composition", "--backward", "m.csv", "--one-sided", *TENTH, "--steps", 3)
    found = value(*given, "--w", 2, "--w", 3)
    rows = csv_rows(*given, "--w", 2, "--window", "1:2")
    notions = [("event", 1), ("2-event", 2), ("3-event", 3), ("user", 3)]
    for windows in (found["independent"], *(found[key]["windows"] for key in MODELS)):
        assert [(each["level"], each["length"]) for each in windows] == notions
    assert [each["exact"] for each in found["independent"][:2]] == ["log(11/10)", "log(121/100)"]
    for key in MODELS:
        # BPL_3: 11/10·(0.8·47/250 + 1).
        assert [(each["exact"], each["start"]) for each in found[key]["windows"]] == [
            ("log(7909/6250)", 3),
            ("log(3267/2500)", 2),
            ("log(1331/1000)", 1),
            ("log(1331/1000)", 1),
        ]
        assert [row[f"{key}_at"] for row in rows] == ["3", "2 to 3", "1 to 3", "1 to 2"]


def test_is_it_alpha_dp():
    given = ("composition", "--backward", "m.csv", "--one-sided", *TENTH, "--steps", 3)
    alphas = {"log(297/250)": 3, "log(7909/6250)": None, "0": 1}
    asked = [part for alpha in alphas for part in ("--alpha", alpha)]
    found = value(*given, *asked)
    for key in MODELS:
        assert [(each["alpha"], each["first_failure"]) for each in found[key]["satisfies"]] == [*alphas.items()]
        assert all(each["satisfied"] is (each["first_failure"] is None) for each in found[key]["satisfies"])
    table = run(*given, *asked).stdout
    assert "failing" not in table
    assert "no, first at time 3" in table
    assert "yes" in table


def test_composition_of_several():
    given = ("composition", "--users", "u.json", "--one-sided", "--independent", *TENTH, "--steps", 2)
    found = value(*given, "--alpha", "log(11/10)")
    event, user = found["paper_bound"]["windows"]
    # Bob's BPL_2 is 11/10·1.08, Alice's 11/10·1.08/1.02 and her FPL_1 11/10·1.08/1.01.
    assert (event["exact"], event["attained_by"], event["start"]) == ("log(297/250)", ["bob"], 2)
    assert user["attained_by"] == ["alice", "bob", "eve"]
    verdict = {"alpha": "log(11/10)", "satisfied": False, "first_failure": 1, "failing": ["alice"]}
    assert found["paper_bound"]["satisfies"] == [verdict]
    assert [row["paper_bound_of"] for row in csv_rows(*given)] == ["bob", "alice, bob, eve"]
    table = run(*given, "--alpha", 1).stdout
    assert "failing" in table
    assert "alice" in table
