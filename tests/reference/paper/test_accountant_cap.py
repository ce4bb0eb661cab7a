"""The accountant's cap: a release is refused exactly where TPL of any time would exceed it, and nothing is spent."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    Accountant,
    Adversary,
    InfeasibleBudget,
    Level,
    Undecided,
    leakage,
    parse_level,
    population_leakage,
    strongest,
)
from tploracle.reference.surds import square_root

from ...matrices import MODERATE, PAPER_L, SYMMETRIC
from ...profiles import examples
from ...strategies import log, of_one_size

USERS = {
    "both": Adversary.knowing(*of_one_size(MODERATE, PAPER_L)),
    "past": Adversary.knowing(backward=SYMMETRIC),
    "future": Adversary.knowing(forward=MODERATE),
    "unaware": Adversary(),
}


def state(accountant):
    return (
        [level.full_text() for level in accountant.epsilons],
        {name: accountant.leakage(name) for name in accountant.adversaries} if accountant.releases else {},
    )


BUDGETS = ["log(11/10)", "log(101/100)", "log(101/100)", "log(3/2)", "0", "log(2)"]


@examples(20)
@given(
    st.sampled_from(["log(6/5)", "log(2)", "log(5/2)"]),
    st.lists(st.sampled_from(BUDGETS), min_size=1, max_size=7),
    st.booleans(),
)
def test_refused_exactly_where_the_batch_exceeds_the_cap(cap, texts, ask):
    limit = parse_level(cap)
    accountant = Accountant(USERS, limit)
    accepted = []
    for text in texts:
        epsilon = parse_level(text)
        greatest = [one.level.ratio for one in population_leakage([*accepted, epsilon], USERS).tpl]
        before = state(accountant) if ask else None
        if max(greatest) > limit.ratio:
            with pytest.raises(InfeasibleBudget, match="would exceed the cap for '"):
                accountant.spend(epsilon)
            if ask:
                assert state(accountant) == before
        else:
            accountant.spend(epsilon)
            accepted.append(epsilon)
        assert accountant.releases == len(accepted)
    assert [level.ratio for level in accountant.epsilons] == [level.ratio for level in accepted]
    if accepted:
        batch = population_leakage(accepted, USERS)
        for time in range(1, len(accepted) + 1):
            assert accountant.bpl(time) == batch.bpl[time - 1]
            assert accountant.fpl(time) == batch.fpl[time - 1]
            assert accountant.tpl(time) == batch.tpl[time - 1]


def test_the_cap_may_be_met():
    """Two releases of log 2 under SYMMETRIC forward: TPL_1 = log(2·1.8/1.2) = log 3."""
    for cap, accepted in (("log(3)", True), ("log(2999999/1000000)", False)):
        accountant = Accountant({"user": Adversary.knowing(forward=SYMMETRIC)}, parse_level(cap))
        accountant.spend(log(2))
        if accepted:
            accountant.spend(log(2))
            assert accountant.tpl(1).level == accountant.cap
        else:
            with pytest.raises(InfeasibleBudget, match="time 1 would exceed the cap for 'user'"):
                accountant.spend(log(2))
            assert accountant.releases == 1


def test_an_earlier_time_is_what_breaks_the_cap():
    """The user who knows the future: a large release first, then a small one; only TPL_1 passes the cap."""
    accountant = Accountant({"unaware": Adversary(), "future": USERS["future"], "again": USERS["future"]}, log(2))
    accountant.spend(log(2))
    with pytest.raises(InfeasibleBudget, match="TPL at time 1 would exceed the cap for 'future'"):
        accountant.spend(log(Fraction(101, 100)))
    assert accountant.tpl(1).level == log(2)
    assert accountant.tpl(1).attained_by == ("unaware", "future", "again")


def test_the_latest_time_that_breaks_the_cap_is_named_with_its_user():
    """Two releases of log 2 with past and future known: TPL_1 = TPL_2 = log 3; with the past alone, TPL_2."""
    for adversary in (Adversary.knowing(SYMMETRIC, SYMMETRIC), Adversary.knowing(SYMMETRIC)):
        accountant = Accountant({"unaware": Adversary(), "Ann": adversary}, log(Fraction(5, 2)))
        accountant.spend(log(2))
        with pytest.raises(InfeasibleBudget, match="TPL at time 2 would exceed the cap for 'Ann'"):
            accountant.spend(log(2))


def test_without_a_cap_nothing_is_refused():
    accountant = Accountant({"user": Adversary.knowing(strongest(2), strongest(2))})
    assert accountant.cap.is_infinite
    for epsilon in (Level.of(10**9), INFINITE):
        accountant.spend(epsilon)
    assert accountant.tpl(1).level.is_infinite
    capped = Accountant({"user": Adversary()}, Level.of(10**9))
    assert capped.cap.rational == 10**9
    with pytest.raises(InfeasibleBudget):
        capped.spend(INFINITE)


def test_a_cap_of_zero():
    accountant = Accountant(USERS, Level.of(0))
    accountant.spend(Level.of(0))
    with pytest.raises(InfeasibleBudget):
        accountant.spend(log(Fraction(101, 100)))
    assert accountant.releases == 1


def test_a_cap_that_cannot_be_compared_spends_nothing():
    """√2·√3 against √6 in three quadratic fields: neither above nor below, so the release is not accounted for."""
    accountant = Accountant({"sum": Adversary.knowing(backward=strongest(2))}, Level.of_ratio(square_root(6)))
    accountant.spend(Level.of_ratio(square_root(2)))
    with pytest.raises(Undecided):
        accountant.spend(Level.of_ratio(square_root(3)))
    assert accountant.releases == 1
    assert accountant.leakage("sum") == leakage(list(accountant.epsilons), Adversary.knowing(backward=strongest(2)))


def test_a_refusal_because_of_an_earlier_time_leaves_no_forward_leakage_behind():
    """Ratios 6/5 under MODERATE forward: TPL_t for 2 after it is 6/5·9/5 > 2, at the last time 2 itself is allowed."""
    users = {"future": USERS["future"]}
    accountant = Accountant(users, log(2))
    step = log(Fraction(6, 5))
    for releases in range(1, 5):
        accountant.spend(step)
        with pytest.raises(InfeasibleBudget, match=f"TPL at time {releases} "):
            accountant.spend(log(2))
        batch = population_leakage([step] * releases, users)
        for time in range(1, releases + 1):
            assert accountant.fpl(time) == batch.fpl[time - 1]
            assert accountant.tpl(time) == batch.tpl[time - 1]
        with pytest.raises(InfeasibleBudget, match=f"TPL at time {releases} "):
            accountant.spend(log(2))


def test_an_account_can_be_taken_up_where_it_was_left():
    adversary = Adversary.knowing(MODERATE, MODERATE)
    budgets = [parse_level(text) for text in ("0.1", "0.1", "0.2", "0.1")]
    cap = parse_level("2")
    one_by_one, at_once = Accountant({"a": adversary}, cap), Accountant({"a": adversary}, cap, budgets)
    for epsilon in budgets:
        one_by_one.spend(epsilon)
    for accountant in (one_by_one, at_once):
        accountant.spend(parse_level("0.1"))
    assert at_once.epsilons == one_by_one.epsilons
    assert all(at_once.tpl(time).level == one_by_one.tpl(time).level for time in range(1, 6))
    with pytest.raises(InfeasibleBudget):
        Accountant({"a": adversary}, parse_level("0.3"), budgets)
