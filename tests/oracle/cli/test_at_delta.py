"""Answers at a δ against all tests as a linear program, long streams, and closed forms."""

from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.checked import TWO_SIDED
from tploracle.cli.beyond_pure import in_words
from tploracle.models import stream_profile
from tploracle.models.stream_profile import PROFILES, leakage_at_delta, profiles_of
from tploracle.reference import (
    INFINITE,
    ZERO,
    ApproximateBudget,
    ConcentratedBudget,
    Level,
    TransitionMatrix,
    WorstAlpha,
    WorstProfile,
    parse_level,
    worst_case_leakage,
)
from tploracle.reference.decimals import fraction_to_text
from tploracle.reference.stepwise import Stepwise
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.reference.worst_case.worst_profile import unranked
from tploracle.solvers.linear_programs.profiles import profile_by_program
from tploracle.solvers.worst_case.profile_bounds import RankedPairs
from tploracle.solvers.worst_case.profile_passes import different_pairs
from tploracle.unchecked import forget, unchecked

from ...commands import ends, refused, run, value
from ...matrices import FILES
from ...profiles import examples
from ...strategies import matrices

pytestmark = pytest.mark.usefixtures("folder")

BOTH = ("--backward", "m.csv", "--forward", "m.csv")
M = FILES["m.csv"]
F = Fraction


def greatest(phi, odds, matrix, time, releases):
    """Return the greatest δ at a time by linear programs over all tests of both sides."""
    past, future = [matrix.rows] * (time - 1), [matrix.rows] * (releases - time)
    sides = (past, future) if past else (future, ())
    return max(profile_by_program([phi] * releases, odds, pair, *sides) for pair in permutations(range(matrix.n), 2))


@given(matrices(2, 2, kinds=["ties", "sparse", "smoothed"]), st.integers(1, 3), st.sampled_from([F(0), F(1, 40)]))
@examples(6)
def test_leakage_at_a_delta_is_that_of_all_tests(matrix, time, release_delta):
    """Above α no test of both sides tells more than δ, and below it one does; BPL and FPL are of their releases."""
    budget, delta = ApproximateBudget(Level.of_ratio(F(3, 2)), release_delta), F(1, 20)
    phi = TradeOff.approximate(F(3, 2), release_delta)
    found = leakage_at_delta([budget] * 3, [(matrix, matrix)], delta, [time])
    for kind, (at, releases) in {"bpl": (time, time), "fpl": (1, 4 - time), "tpl": (time, 3)}.items():
        (level,) = found[kind]
        assert level.lower <= level.upper
        if releases == 1:
            told = max(release_delta + (F(3, 2) - level.upper.ratio) * (1 - release_delta) / F(5, 2), F(0))
            assert told <= delta
            continue
        if not level.upper.is_infinite:
            assert greatest(phi, level.upper.ratio, matrix, at, releases) <= delta
        if not level.lower.is_zero and not level.lower.is_infinite:
            below = 1 + (level.lower.ratio - 1) * F(999, 1000)
            assert greatest(phi, below, matrix, at, releases) > delta


def test_leakage_over_time():
    """At δ = 0 it is the exact worst case; at another what `profile` says of each time."""
    given = ("leakage", *BOTH, "--epsilon", "0.1", "--steps", 3)
    exact = worst_case_leakage([parse_level("0.1")] * 3, M, M)
    found = value(*given, "--delta", "0", "--digits", 9)
    assert found["times"] == [1, 2, 3]
    for kind in ("bpl", "fpl", "tpl"):
        for level, written in zip(getattr(exact, kind), found["worst_case"][kind], strict=True):
            low, high = ends(written)
            assert Level.of(low) <= level <= Level.of(high)
            assert high - low < F(1, 10**8)
    assert "causal" in found["basis"]["mechanisms"]
    assert "pure ε" in found["basis"]["absent"]["paper_bound"]
    some = ("--delta", "1/50", "--delta-per-release", "1/1000")
    at_two = value(*given, *some, "--at", "2")
    profiled = value("profile", *given[1:], *some, "--at", 2)["worst_case"]
    for kind in ("bpl", "fpl", "tpl"):
        (written,) = at_two["worst_case"][kind]
        (low, high), (least, most) = ends(written), ends(profiled[kind]["alpha"][0])
        assert low <= most
        assert least <= high
    assert "at δ = 1/50" in run(*given, *some, "--at", "2").stdout.replace("At", "at")


def test_what_is_checked_from_above_and_what_is_not():
    """Budgets are proved, also differing ones; of very small δ and both sides, and of a profile, nothing is claimed."""
    budgets = [ApproximateBudget(parse_level("0.1"), F(1, 1000))] * 3
    others = [ApproximateBudget(parse_level("0.2")), *budgets[1:]]
    for asked, known in product((budgets, others), ((M, None), (None, M), (M, M))):
        forget()
        leakage_at_delta(asked, [known], F(1, 50), [1, 2, 3])
        assert unchecked() == ()
    leakage_at_delta([ApproximateBudget(parse_level("0.1"))] * 3, [(M, M)], F(1, 10**10), [2])
    assert unchecked() == (TWO_SIDED,)
    given = ("leakage", "--epsilon", "0.1", "--steps", 3, "--delta", "1/50")
    assert value(*given, "--backward", "m.csv", "--one-sided")["checked"] == "from above"
    assert value(*given, *BOTH)["checked"] == "from above"
    forget()
    for kind, reasons in (("bpl", ()), ("fpl", ()), ("tpl", (PROFILES,))):
        for own in profiles_of(kind, budgets, 2, [(M, M)]):
            assert own.most(parse_level("0.1")) >= own.delta(parse_level("0.1")).upper
            own.alpha(F(1, 50))
        assert unchecked() == reasons


@pytest.mark.slow
@pytest.mark.parametrize("steps", [None, 2])
@pytest.mark.parametrize("rows", [[[0, 1], [1, 0]], [["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]]])
def test_levels_that_are_infinite_are_those_of_each_time_by_itself(rows, steps, monkeypatch):
    """More releases tell at least as much, and those of both sides; of matrices that differ not so, in any order.

    Where passes have no answer, each level is either that of its time by itself or infinite for another one's sake.
    """
    even = ["1/2", "1/2", *[0] * (len(rows) - 2)]
    chain, other = TransitionMatrix.of(rows), TransitionMatrix.of([even] * len(rows))
    known = chain if steps is None else Stepwise((chain,) * steps + (other,) + (chain,) * (6 - steps))
    budgets, times = [ApproximateBudget(parse_level("0.1"), F(1, 1000))] * 8, [5, 1, 8, 3, 7, 2, 6, 4]
    monkeypatch.setattr(stream_profile._Passes, "of", lambda *_: None)
    found = leakage_at_delta(budgets, [(known, known)], F(1, 180), times)
    assert any(own.lower.is_infinite for kind in ("bpl", "fpl") for own in found[kind])
    for kind, levels in found.items():
        for time, level in zip(times, levels, strict=True):
            (profile,) = profiles_of(kind, budgets, time, [(known, known)])
            alone = profile.found.alpha(F(1, 180))
            assert alone.lower.is_infinite == level.lower.is_infinite
            assert alone.lower <= level.upper


def test_where_a_level_is_exceeded_no_closer_end_is_sought(monkeypatch):
    """Values that are told apart, by releases whose δ add up to more than δ: by passes alone α is above 27."""
    chain, budgets = TransitionMatrix.of([[0, 1], [1, 0]]), [ApproximateBudget(parse_level("0.1"), F(1, 1000))] * 8
    sought = []
    monkeypatch.setattr(
        stream_profile, "greatest_alpha", lambda *_: sought.append(0) or WorstAlpha(parse_level("2"), INFINITE)
    )
    for most, times in ((parse_level("20"), 0), (parse_level("30"), 1), (INFINITE, 2)):
        leakage_at_delta(budgets, [(chain, None)], F(1, 180), [8], kinds=["tpl"], most=most)
        assert len(sought) == times


@pytest.mark.parametrize(
    "asked",
    [
        ("profile", "--epsilon", "0.1", "--steps", 3, "--alpha", "0.05"),
        ("profile", "--epsilon", "0.1", "--steps", 3, "--delta", "1/50"),
        ("allocate", "--alpha", "0.3", "--delta", "1/50", "--steps", 3),
    ],
)
def test_pairs_that_a_faulty_solver_leaves_out_are_seen(monkeypatch, asked):
    """Where the pairs of the value that differs most are left out, what the others tell is refuted."""

    def ranked(self, side, odds, pairs):
        return [own for own in unranked(side, odds, pairs) if 0 not in own[1]]

    def different(steps):
        pairs = different_pairs(steps)
        return pairs[pairs.all(axis=1)]

    given = (*asked, "--backward", "three.csv", "--one-sided")
    Path("three.csv").write_text("0.9,0.05,0.05\n0.1,0.6,0.3\n0.1,0.5,0.4\n")
    assert value(*given)["checked"] == "from above"
    monkeypatch.setattr(RankedPairs, "__call__", ranked)
    monkeypatch.setattr("tploracle.solvers.worst_case.profile_passes.different_pairs", different)
    assert run(*given, status=5).stderr.startswith("Refuted: ")


@pytest.mark.slow
def test_leakage_of_gaussian_noise_and_its_picture(tmp_path):
    noise = ("leakage", "--independent", "--steps", 1, "--delta", "1/100", "--sigma")
    doubled = value(*noise, 2, "--neighbours", "add-remove")["worst_case"]
    assert doubled == value(*noise, 1, "--plot", tmp_path / "p.png")["worst_case"]
    assert doubled != value(*noise, 2)["worst_case"]
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_the_greatest_budget_of_one_release_has_a_closed_form():
    """e^ε ≤ (D − d + e^α(1 − d))/(1 − D), from δ(α) = d + (e^ε − e^α)(1 − d)/(1 + e^ε)."""
    given = ("allocate", "--independent", "--alpha", "log(2)", "--steps", 2)
    found = value(*given, "--delta", "1/10", "--delta-per-release", "1/50", "--digits", 8)["worst_case"]
    truth = mp.log((mp.mpf(1) / 10 - mp.mpf(1) / 50 + 2 * mp.mpf(49) / 50) / mp.mpf("0.9"))
    assert Decimal(found["epsilon"]) <= Decimal(str(truth)) <= Decimal(found["epsilon_that_exceeds"])
    assert Decimal(found["epsilon_that_exceeds"]) - Decimal(found["epsilon"]) == Decimal("1E-8")


@pytest.mark.slow
def test_the_least_noise_of_one_release_has_a_closed_form():
    """δ(α) = Φ(μ/2 − α/μ) − e^α Φ(−μ/2 − α/μ); where records come and go the multiplier is twice as great."""
    given = ("allocate", "--independent", "--alpha", "log(2)", "--steps", 2)
    noise = value(*given, "--delta", "1/10", "--gaussian", "--digits", 3)["worst_case"]
    mu, alpha = mp.mpf(1) / mp.mpf(noise["noise_multiplier"]), mp.log(2)

    def told(mu):
        return mp.ncdf(mu / 2 - alpha / mu) - 2 * mp.ncdf(-mu / 2 - alpha / mu)

    assert told(mu) <= mp.mpf("0.1") < told(1 / mp.mpf(noise["noise_multiplier_that_exceeds"]))
    assert told(mu * mp.mpf("1.01")) > mp.mpf("0.1")
    halved = value(*given, "--delta", "1/10", "--gaussian", "--digits", 3, "--neighbours", "add-remove")["worst_case"]
    assert mp.mpf(halved["noise_multiplier"]) - 2 / mu < mp.mpf("0.02")


def test_the_greatest_budget_against_all_tests():
    """With the ε that is printed no test of both sides exceeds δ at any time, and with the next one some does."""
    given = ("allocate", *BOTH, "--alpha", "log(3/2)", "--delta", "1/30", "--steps", 3, "--digits", 3)
    found = value(*given)
    own = found["worst_case"]
    kept, beyond = (Level.of(F(own[key])).excess_bounds(40)[side] for key, side in KEYS)
    assert max(greatest(TradeOff.approximate(1 + kept), F(3, 2), M, time, 3) for time in (1, 2, 3)) <= F(1, 30)
    assert greatest(TradeOff.approximate(1 + beyond), F(3, 2), M, own["time"], 3) > F(1, 30)
    low, high = ends(own["alpha"])
    assert F("0.404") <= low <= high <= F("0.406")  # log(3/2) is 0.40546…
    assert found["checked"] == "from above"
    shown = run(*given).stdout
    assert f"at most ε = {own['epsilon']} with δ = 0" in shown
    assert "Mechanisms: any stream in which changing the value at time s alone" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "key", "name"), [("--gaussian", "noise_multiplier", "--sigma"), ("--zcdp", "rho", "--rho")]
)
@pytest.mark.parametrize("known", [BOTH, (*BOTH[:2], "--one-sided"), (*BOTH[2:], "--one-sided")])
def test_noise_of_a_stream(known, kind, key, name):
    """What is found keeps the level at every time, what is beyond exceeds it; `profile` says what `leakage` does."""
    own = value("allocate", *known, "--alpha", "log(3/2)", "--delta", "1/30", "--steps", 4, "--digits", 3, kind)
    assert own["checked"] == "from above"
    asked = (*known, "--steps", 4, "--delta", "1/30", name)
    kept, beyond = (value("leakage", *asked, own["worst_case"][each]) for each in (key, f"{key}_that_exceeds"))
    assert all(ends(level)[1] <= F("0.405466") for level in kept["worst_case"]["tpl"])
    assert any(ends(level)[0] > F("0.405464") for level in beyond["worst_case"]["tpl"])
    profile, level = (value(of, *asked, own["worst_case"][key], "--at", 2) for of in ("profile", "leakage"))
    assert profile["checked"] == "from above"
    (at,) = profile["worst_case"]["tpl"]["alpha"]
    assert [ends(at)] == [ends(each) for each in level["worst_case"]["tpl"]]


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "delta"), [("0.01", "1e-4"), ("0", "1e-3"), ("0.001", "1e-4")])
def test_so_little_noise_as_keeps_a_small_level(alpha, delta):
    """With more than 125 times the sensitivity levels over time no longer fall; δ at α, of a time by itself, does."""
    given = ("--backward", "m.csv", "--one-sided", "--steps", 2)
    own = value("allocate", *given, "--alpha", alpha, "--delta", delta, "--gaussian", "--digits", 4)["worst_case"]
    kept, beyond = (F(own[key]) for key in ("noise_multiplier", "noise_multiplier_that_exceeds"))
    assert 125 < beyond < kept < beyond * F(101, 100)
    for sigma, is_kept in ((kept, True), (beyond, False)):
        told = value("profile", *given, "--sigma", fraction_to_text(sigma), "--alpha", alpha)["worst_case"]["tpl"]
        low, high = ends(told["delta"][0])
        assert high <= F(delta) if is_kept else low > F(delta)


@pytest.mark.parametrize(
    ("correlations", "neighbours", "part"),
    [
        (BOTH, ("--neighbours", "add-remove"), 2),
        ((*BOTH[:2], "--one-sided"), (), 1),
        (("--independent",), ("--neighbours", "add-remove"), 2),
    ],
)
def test_no_delta_at_all_is_the_exact_worst_case(correlations, neighbours, part):
    """Of pure ε `--delta 0` says what `allocate` says without: the last decimal of ε whose TPL stays within α."""
    given = ("allocate", *correlations, "--alpha", "log(3/2)", "--steps", 3, "--digits", 9, *neighbours)
    own = value(*given, "--delta", "0")["worst_case"]
    plain = ends(value(*given, "--model", "worst-case")["worst_case"]["epsilons"][0])
    assert all(abs(end / F(own["epsilon"]) - 1) < F(1, 10**7) for end in plain)
    known = {name[2:]: M for name in ("--backward", "--forward") if name in correlations}
    tpl = [
        worst_case_leakage([Level.of(part * F(own[key]))] * 3, **known).tpl
        for key in ("epsilon", "epsilon_that_exceeds")
    ]
    assert max(tpl[0]) <= Level.of_ratio(F(3, 2)) < max(tpl[1])
    assert tpl[0][own["time"] - 1] == max(tpl[0])
    assert own["delta"]["exact"] == "0"


@pytest.mark.slow
def test_the_greatest_rho_of_one_release():
    """With the ρ that is printed, four times as great under replacement, δ at α is kept, and with the next one not."""
    given = ("allocate", "--independent", "--alpha", "log(2)", "--steps", 1, "--delta", "1/10", "--zcdp", "--digits", 2)
    found = value(*given, "--neighbours", "add-remove")["worst_case"]
    kept, beyond = (
        WorstProfile([ConcentratedBudget(4 * F(found[key]))], [], [(0, 1)]).delta(parse_level("log(2)"))
        for key in ("rho", "rho_that_exceeds")
    )
    assert kept.upper <= F(1, 10) < beyond.lower


@pytest.mark.parametrize(
    "budget", [("--epsilon", "log(11/10)", "--delta-per-release", "1/100000"), ("--sigma", 5)], ids=["ε", "noise"]
)
def test_a_supremum_at_a_delta_is_that_of_long_streams(budget):
    given = ("m.csv", "--one-sided", *budget, "--delta", "1/50")
    found = value("supremum", *given)
    assert found["checked"] == "from above"
    long = value("leakage", "--backward", *given, "--steps", 80, "--at", "2,80")["worst_case"]["bpl"]
    (low, high), (_, short), (least, most) = (ends(own) for own in (found["worst_case"], *long))
    assert short < low <= most
    assert least <= high < most * (1 + F(1, 1000))
    shown = run("supremum", *given).stdout
    assert "at every release, however many, a value is protected with α" in shown


def test_a_supremum_at_a_delta_that_is_infinite_or_not_known():
    found = value("supremum", "strong.csv", "--one-sided", "--epsilon", "0.1", "--delta", "1/50")
    assert found["worst_case"]["exact"] == "inf"
    assert "told apart" in found["reason"]
    shown = run("supremum", "strong.csv", "--one-sided", "--epsilon", "0.1", "--delta", "1/50").stdout
    assert "with no α" in shown
    both, one = (value("supremum", "b.csv", "--sigma", 5, "--delta", "1/50", *more) for more in ((), ("--one-sided",)))
    assert ends(one["worst_case"])[1] < ends(both["worst_case"])[0] < ends(both["worst_case"])[1]
    assert "the upper one adds bounds of each side" in both["reason"]
    cycle = ("supremum", "b.csv", "f.csv", "--matrices", "cycle", "--sigma", 5, "--delta", "1/50")
    assert value(*cycle)["worst_case"]["upper"] == "inf"
    shown = run(*cycle).stdout
    assert "or more at δ = 1/50 (exact worst case):\nfor releases on both sides of a time no bound" in shown


def test_a_supremum_at_no_delta_is_the_pure_one():
    pure = value("supremum", "b.csv", "--epsilon", "0.1", "--model", "worst-case")["worst_case"]
    assert value("supremum", "b.csv", "--epsilon", "0.1", "--delta", "0", "--digits", 17)["worst_case"] == pure


@pytest.mark.parametrize("kind", [(), ("--gaussian",), ("--zcdp",)], ids=["ε", "noise", "ρ"])
def test_the_greatest_budget_over_an_infinite_horizon(kind):
    """It keeps α for ever, hence in any stream; and what is beyond exceeds it in one of 80 releases."""
    given = ("--one-sided", "--delta", "1/50", "--digits", 3)
    own = value("allocate", "--backward", "m.csv", "--alpha", "log(2)", *given, *kind)["worst_case"]
    assert ends(own["delta"])[1] <= F(1, 50)
    key, name = {(): ("epsilon", "--epsilon"), ("--zcdp",): ("rho", "--rho")}.get(kind, ("noise_multiplier", "--sigma"))
    kept, beyond = own[key], own[f"{key}_that_exceeds"]
    supremum = value("supremum", "m.csv", "--one-sided", name, kept, "--delta", "1/50")["worst_case"]
    assert float(ends(supremum)[1]) <= 0.693148
    asked = ("--backward", "m.csv", "--one-sided", "--steps", 80, "--at", 80, "--delta", "1/50")
    assert float(ends(value("leakage", *asked, name, beyond)["worst_case"]["bpl"][0])[0]) > 0.693147


def test_no_budget_lasts_for_ever_where_values_are_told_apart():
    message = refused("allocate", "--backward", "strong.csv", "--one-sided", "--alpha", 1, "--delta", "1/9")
    assert message.startswith("InfeasibleBudget: no such releases stay within δ for ever")
    pure = value("allocate", *BOTH, "--alpha", 1, "--delta", 0, "--digits", 9)
    plain = value("allocate", *BOTH, "--alpha", 1, "--model", "worst-case")["worst_case"]["epsilons"][0]
    assert pure["releases"] is None
    assert abs(F(pure["worst_case"]["epsilon"]) / ends(plain)[0] - 1) < F(1, 10**7)


KEYS = (("epsilon", 1), ("epsilon_that_exceeds", 0))


@pytest.mark.parametrize("kind", ["--gaussian", "--zcdp"])
@pytest.mark.parametrize("alpha", ["0", "1"])
def test_noise_keeps_nothing_at_no_delta(kind, alpha):
    """φ is infinitely steep at 0, however much noise there is."""
    message = refused("allocate", *BOTH, "--alpha", alpha, "--delta", "0", "--steps", 1, kind)
    assert message.startswith("InfeasibleBudget: at δ = 0")
    assert "give a --delta above 0" in message


def test_a_level_whose_ends_are_not_near_is_told_by_both():
    low, near, far = (Level.of(F(text)) for text in ("0.4", "0.401", "2.05"))
    assert in_words(WorstAlpha(low, near), "1e-6")[0] == "with α = 0.401"
    what, more = in_words(WorstAlpha(low, far), "1e-6")
    assert what == "with α of at least 0.4 and at most 2.05"
    assert "a factor of at most 7.768" in more
    assert in_words(WorstAlpha(ZERO, ZERO), "1e-6")[0] == "with α = 0"
