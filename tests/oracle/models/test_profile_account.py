"""An account at a δ: what it admits keeps δ in all tests, as a linear program; and it looks at the times that count."""

from collections import defaultdict
from fractions import Fraction
from itertools import permutations
from math import exp, prod, sqrt
from random import Random
from statistics import NormalDist

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.models import profile_account
from tploracle.models.profile_account import ProfileAccount
from tploracle.reference import (
    INFINITE,
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    OracleError,
    parse_level,
)
from tploracle.reference.worst_case.profile_budgets import enclosed, together
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.linear_programs.profiles import profile_by_program
from tploracle.wire.budget_texts import budget_of, budget_text

from ...matrices import DIVERGES, SKEWED, STRONGEST
from ...profiles import examples
from ...strategies import log, matrices

F = Fraction
CAP = log("3/2")
BUDGETS = [(F(1), F(0)), (F(6, 5), F(0)), (F(6, 5), F(1, 50)), (F(3, 2), F(1, 100))]


def silent(_done, _total):
    pass


def approximate(ratio, delta):
    return ApproximateBudget(Level.of_ratio(ratio), delta)


def optimum(budgets, time, matrix, known):
    """Return the greatest δ of all tests of the releases that one who knows P^B, P^F or both has of a time."""
    phis = [TradeOff.approximate(*each) for each in budgets]
    past = phis[: time - 1][::-1] if known[0] else []
    future = phis[time:] if known[1] else []
    odds = CAP.ratio
    if not (past or future):
        return max(phis[time - 1](u) - odds * u for u in phis[time - 1].kinks)
    sides = [matrix.rows] * len(past), [matrix.rows] * len(future)
    sides = sides if past else sides[::-1]
    pairs = permutations(range(matrix.n), 2)
    return max(profile_by_program([phis[time - 1], *past, *future], odds, pair, *sides) for pair in pairs)


@given(
    matrices(2, 2, kinds=["ties", "sparse", "smoothed"]),
    st.sampled_from([(True, False), (False, True), (True, True), (False, False)]),
    st.lists(st.sampled_from(BUDGETS), min_size=3, max_size=3),
    st.sampled_from([F(1, 25), F(1, 8)]),
)
@example(DIVERGES, (True, True), [BUDGETS[3]] * 3, F(1, 10))
@example(SKEWED, (False, True), [BUDGETS[2], BUDGETS[1], BUDGETS[3]], F(1, 25))
@examples(10)
def test_it_admits_what_keeps_the_limit_and_refuses_what_is_known_not_to(matrix, known, budgets, delta):
    pair = tuple(matrix if knows else None for knows in known)
    account, spent = ProfileAccount({"a": pair}, CAP, delta), []
    for each in budgets:
        greatest = max(optimum([*spent, each], time, matrix, known) for time in range(1, len(spent) + 2))
        try:
            account.spend_all([approximate(*each)], silent)
        except InfeasibleBudget as error:
            assert account.releases == len(spent)
            if "at least" in str(error) and "in some stream" in str(error):
                assert greatest > delta
        else:
            spent.append(each)
            assert greatest <= delta
            time, bound = account.worst(silent)
            assert optimum(spent, time, matrix, known) <= bound <= delta
            own = account.all_times(silent)
            assert all(optimum(spent, at, matrix, known) <= most for at, most in enumerate(own, 1))
            if known[1]:
                assert bound == max(own)


@pytest.mark.parametrize("pair", [(SKEWED, None), (None, SKEWED), (SKEWED, SKEWED), (None, None)])
@pytest.mark.parametrize("places", ["00000", "01010", "1133331", "01201"])
def test_times_that_are_left_out_are_no_worse(pair, places):
    """The greatest bound of the times that are looked at is that of all."""
    kinds = [approximate(F(6, 5), F(1, 50)), approximate(F(3, 2), F(0)), approximate(F(1), F(1, 9))]
    kinds.append(approximate(F(1), F(0)))
    budgets = [kinds[int(place)] for place in places]
    account = ProfileAccount({"a": pair}, CAP, F(1, 2), budgets)
    looked_at = account._times(budgets, 1)
    every = account.all_times(silent)
    assert max(every[time - 1] for time in looked_at) == max(every)
    assert len(looked_at) == {"00000": 1 if None in pair else 5}.get(places, len(looked_at))
    if pair == (SKEWED, None):
        assert account._times(budgets, len(budgets)) == [len(budgets)]


def test_long_and_too_long(monkeypatch):
    """Of one budget and one correlation the last time is looked at alone; else there is a limit."""
    monkeypatch.setattr(profile_account, "MOST_EXAMINED", 20)
    noise = GaussianBudget(F(30))
    account = ProfileAccount({"a": (SKEWED, None)}, parse_level("1"), F(1, 100), [noise] * 298)
    account.spend_all([noise] * 2, silent)
    assert account.worst(silent)[0] == account.releases == 300
    with pytest.raises(InvalidRequest, match="too large: an account at a δ of 301 releases"):
        account.spend_all([GaussianBudget(F(31))], silent)
    with pytest.raises(InvalidRequest, match="too large: 300 times"):
        account.all_times(silent)
    both = ProfileAccount({"a": (SKEWED, SKEWED)}, parse_level("1"), F(1, 100), [noise] * 20)
    with pytest.raises(InvalidRequest, match="too large"):
        both.spend_all([noise], silent)


def test_refusals_say_how_much():
    account = ProfileAccount({"a": (STRONGEST, None)}, CAP, F(1, 100))
    with pytest.raises(InfeasibleBudget, match=r"δ at time 2 would be at least 0\.0\d* in some stream, above 1/100"):
        account.spend_all([approximate(F(5, 4), F(0))] * 2, silent)
    loaded = ProfileAccount({"a": (STRONGEST, None)}, CAP, F(1, 100), [approximate(F(5, 4), F(0))] * 2)
    with pytest.raises(InfeasibleBudget, match=r"δ at time 2 would be at least 0\.0\d* in some stream, above 1/100"):
        loaded.worst(silent)
    for cap, delta in ((INFINITE, F(1, 2)), (CAP, F(0)), (CAP, F(1))):
        with pytest.raises(InvalidRequest, match="finite cap"):
            ProfileAccount({}, cap, delta)
    with pytest.raises(InvalidRequest, match="no release"):
        account.worst(silent)


@pytest.mark.parametrize(
    "text",
    ["1/10", "log(11/10)", "inf", "(log((7+sqrt(33))/8), 1/9)", "gaussian(sigma=1/3, sensitivity=2)", "zcdp(rho=0)"],
)
def test_budgets_as_text(text):
    assert budget_text(budget_of(text, "here")) == text


@pytest.mark.parametrize(
    "text", ["(1, 2)", "(1)", "gaussian(sigma=1)", "zcdp(1)", "zcdp(rho=-1)", "gaussian(sigma=0, sensitivity=1)", ""]
)
def test_texts_that_are_no_budget(text):
    with pytest.raises(OracleError):
        budget_of(text, "here")


def of_a_pair(mus, pures, alpha):
    """Return the greatest δ at a level of Gaussian noise and (ε, δ) together: their dominating pairs, multiplied."""
    mu, outcomes = sqrt(sum(own * own for own in mus)), {0.0: 1.0}
    certain = 1 - prod(1 - float(delta) for _, delta in pures)
    for epsilon, _ in pures:
        more = 1 / (1 + exp(-epsilon))
        moved = defaultdict(float)
        for loss, chance in outcomes.items():
            moved[loss + epsilon] += chance * more
            moved[loss - epsilon] += chance * (1 - more)
        outcomes = moved
    phi = NormalDist().cdf
    left = 0.0
    for loss, chance in outcomes.items():
        own = alpha - loss
        noise = phi(mu / 2 - own / mu) - exp(own) * phi(-mu / 2 - own / mu) if mu else max(0.0, 1 - exp(own))
        left += chance * noise
    return certain + (1 - certain) * left


@pytest.mark.parametrize("seed", range(30))
def test_what_releases_keep_together_is_no_more_than_they_tell(seed):
    draw = Random(seed)
    kind = seed % 3
    mus = [F(draw.randrange(1, 40), 20) for _ in range(draw.randrange(2, 5))] if kind else []
    pures = [(F(draw.randrange(1, 20), 20), F(draw.randrange(3), 50) if kind == 0 else F(0)) for _ in range(2)]
    pures = pures if kind != 1 else []
    releases = [GaussianBudget(1 / mu) for mu in mus] + [ApproximateBudget(Level.of(e), d) for e, d in pures]
    found = together([*releases, ConcentratedBudget(F(0)), ApproximateBudget(Level.of(0))])
    (upper,) = enclosed([found], 60).upper
    for alpha in (0.0, 0.3, 1.0, 2.0, 3.5):
        most = max(float(y) - exp(alpha) * float(u) for u, y in upper.points)
        truth = of_a_pair([float(mu) for mu in mus], [(float(e), d) for e, d in pures], alpha)
        assert truth <= most + 1e-9
        if kind == 1:
            assert most == pytest.approx(truth, abs=2e-3)
    if kind == 0:
        assert found.epsilon == Level.of(sum(e for e, _ in pures))
    elif kind == 1:
        assert 0 <= found.mu**2 - sum(mu * mu for mu in mus) <= F(1, 10**17)
    else:
        assert float(found.rho) == pytest.approx(float(sum(m * m for m in mus) + sum(e for e, _ in pures) ** 2) / 2)


def test_what_does_not_add_up():
    noise = GaussianBudget(F(3))
    with pytest.raises(InvalidRequest, match="does not add up"):
        together([noise, approximate(F(2), F(1, 100))])
    assert together([noise, ApproximateBudget(INFINITE)]) == ApproximateBudget(INFINITE)
    assert together([]) == ApproximateBudget(Level.of(0))
    root = together([approximate(F(2), F(0)), ApproximateBudget(Level.of(1))]).epsilon
    assert root.rational >= F(16931471805599453094172321214581765680, 10**37)
    assert float(root) == pytest.approx(1.6931471805599453)
    assert budget_text(ApproximateBudget(root))
