"""`tploracle profile` says what `tploracle.profile` finds, of each side and of both, and what it rests on."""

import re
from fractions import Fraction

import pytest

import tploracle
from tploracle import GaussianBudget
from tploracle.reference import Level, parse_level, worst_case_leakage

from ...commands import csv_rows, ends, refused, run, value
from ...matrices import FILES

pytestmark = pytest.mark.usefixtures("folder")

BOTH = ("profile", "--backward", "m.csv", "--forward", "m.csv")
ALONE = ("profile", "--backward", "m.csv", "--one-sided")
M = FILES["m.csv"]


def test_it_says_what_the_profile_is():
    given = (*BOTH, "--epsilon", "log(11/10)", "--delta-per-release", "1/100", "--steps", 3, "--at", 2)
    found = value(*given, "--alpha", "log(6/5)", "--alpha", "0.1", "--delta", "1/20")
    assert (found["time"], found["releases"]) == (2, 3)
    budgets = [("log(11/10)", "1/100")] * 3
    own = {"bpl": {"backward": M}, "fpl": {"forward": M}, "tpl": {"backward": M, "forward": M}}
    for kind, known in own.items():
        profile = tploracle.profile(budgets, **known, time=2)
        answers = found["worst_case"][kind]
        for text, written in zip(("log(6/5)", "0.1"), answers["delta"], strict=True):
            delta = profile.delta(parse_level(text))
            low, high = ends(written)
            assert written["alpha"] == text
            assert low <= delta.lower <= delta.upper <= high
            assert high - low <= delta.upper - delta.lower + Fraction(1, 10**6)
        (written,) = answers["alpha"]
        low, high = ends(written)
        known_ends = profile.alpha(Fraction(1, 20))
        assert Level.of(low) <= known_ends.lower <= known_ends.upper <= Level.of(high)
    exact = tploracle.profile(budgets, backward=M, time=2).delta(parse_level("log(6/5)")).upper
    assert found["worst_case"]["bpl"]["delta"][0]["exact"] == f"{exact.numerator}/{exact.denominator}"


def test_the_basis_names_causality_and_what_is_absent():
    found = value(*BOTH, "--epsilon", "0.1", "--steps", 1, "--alpha", "0")
    assert "causal" in found["basis"]["mechanisms"]
    assert "pure ε" in found["basis"]["absent"]["paper_bound"]
    shown = run(*BOTH, "--epsilon", "0.1", "--steps", 1, "--alpha", "0").stdout
    assert "Mechanisms: any stream in which changing the value at time s alone" in shown
    assert max(len(text) for text in shown.splitlines() if set(text) == {"─"}) <= 80
    assert "1 release protects the value at time 1 with δ = 0.0499584 at α = 0" in shown  # (e^ε − 1)/(e^ε + 1)


def test_pure_releases_at_no_delta_are_the_exact_worst_case():
    tpl = worst_case_leakage([parse_level("log(11/10)")] * 3, M, M).tpl[1]
    found = value(*BOTH, "--epsilon", "log(11/10)", "--steps", 3, "--at", 2, "--delta", "0", "--digits", 9)
    low, high = ends(found["worst_case"]["tpl"]["alpha"][0])
    assert Level.of(low) <= tpl <= Level.of(high)


def test_gaussian_noise_and_doubles_on_the_safe_side():
    given = ("profile", "--backward", "m.csv", "--one-sided", "--sigma", "5", "--sensitivity", "2", "--steps", 2)
    row, *others = csv_rows(*given, "--alpha", "1/3", "--float")
    delta = tploracle.profile([GaussianBudget(Fraction(5), Fraction(2))] * 2, backward=M).delta(parse_level("1/3"))
    assert [own["of"] for own in (row, *others)] == ["BPL", "FPL", "TPL"]
    assert (row["asked"], row["at"]) == ("δ", "α = 1/3")
    assert row["answer_lower"] != row["answer_upper"]
    assert delta.upper <= Fraction(float.fromhex(row["answer_hex"])) < delta.upper * (1 + Fraction(1, 10**15))


def test_zero_concentrated_releases():
    given = ("profile", "--backward", "m.csv", "--one-sided", "--steps", 2, "--alpha", "1/3", "--rho")
    found = value(*given, "1/32", "--neighbours", "add-remove")["worst_case"]["bpl"]["delta"][0]
    delta = tploracle.profile([tploracle.ConcentratedBudget("1/8")] * 2, backward=M).delta(parse_level("1/3"))
    low, high = ends(found)
    assert low <= delta.lower < delta.upper <= high


def test_the_greatest_of_candidates():
    given = ("--one-sided", "--epsilon", "log(2)", "--steps", 2, "--alpha", "log(5/4)")
    several = value("profile", "--backward", "m.csv", "--backward", "none.csv", *given)["worst_case"]["bpl"]["delta"]
    alone = [
        value("profile", "--backward", name, *given)["worst_case"]["bpl"]["delta"] for name in ("m.csv", "none.csv")
    ]
    assert several in alone
    assert ends(several[0])[1] == max(ends(own[0])[1] for own in alone)


def test_no_upper_bound_of_alpha_is_not_called_infinite(monkeypatch):
    """Gaussian noise has no α at δ = 0, but what is shown is a lower bound; of a δ above it nothing is told at no α."""
    monkeypatch.setattr("tploracle.reference.worst_case.profile_answers.MOST_ROUNDS", 4)
    told = run(*ALONE, "--sigma", 10, "--steps", 1, "--delta", 0).stdout
    assert re.match(r"1 release protects the value at time 1 with α = 0\.\d+ or more at δ = 0:\nno upper bound", told)
    told = run("leakage", *ALONE[1:], "--sigma", 10, "--steps", 1, "--delta", 0).stdout
    assert re.match(r"At δ = 0 the value at time 1 is protected with α = 0\.\d+ or more .*:\nno upper bound", told)
    given = ("--epsilon", "inf", "--steps", 1, "--delta", "0.1")
    told = run(*ALONE, *given).stdout
    assert told.startswith("1 release protects the value at time 1 with no α at δ = 0.1:\nthe chances of")
    told = run("leakage", *ALONE[1:], *given).stdout
    assert told.startswith("At δ = 0.1 the value at time 1 is protected with no α (exact worst case):\nthe chances of")


def test_one_value_is_told_from_no_other(tmp_path):
    """In BPL, FPL and TPL alike; and every budget keeps that."""
    (tmp_path / "one.csv").write_text("1\n")
    given = ("--backward", tmp_path / "one.csv", "--one-sided")
    found = value("profile", *given, "--sigma", 10, "--steps", 2, "--delta", "1e-6")["worst_case"]
    assert [found[kind]["alpha"][0]["exact"] for kind in ("bpl", "fpl", "tpl")] == ["0"] * 3
    asked = ("--alpha", 1, "--delta", "1e-6", "--steps", 2)
    assert "every budget keeps TPL within α" in refused("allocate", *given, *asked)


def test_delta_is_drawn(tmp_path):
    run(*BOTH, "--epsilon", "log(2)", "--steps", 2, "--alpha", "0", "--alpha", "1/2", "--plot", tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
