"""The accountant equals the computation at once after every release, and refuses exactly what would exceed its cap."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tploracle.reference import (
    INFINITE,
    ZERO,
    Accountant,
    Adversary,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    Undecided,
    leakage,
    parse_level,
    population_leakage,
    strongest,
)
from tploracle.reference import leakage as leakage_of

from ...matrices import MODERATE, PAPER_L, SYMMETRIC
from ...profiles import examples
from ...strategies import log, matrices, of_one_size

WIDE, OTHER = of_one_size(MODERATE, PAPER_L)
PART, WHOLE = (Level.of_ratio(3) * Fraction(13, own) for own in (14, 7))
"""A level, and twice it, by fractions of a level that are not followed exactly: nothing decides that they are."""

USERS = {
    "both": Adversary.knowing(WIDE, OTHER),
    "swapped": Adversary.knowing(OTHER, WIDE),
    "past": Adversary.knowing(backward=WIDE),
    "future": Adversary.knowing(forward=OTHER),
    "again": Adversary.knowing(WIDE, OTHER),
    "unaware": Adversary(),
}
# Few, so that they repeat and the reuse comes into play; each also in another writing of the same level.
BUDGETS = ["log(11/10)", "log(1.1)", "log(2)", "log(4/2)", "0", "log(1)", "log(101/100)"]


def assert_levels_of(accountant, batch):
    for time in range(1, accountant.releases + 1):
        assert accountant.bpl(time) == batch.bpl[time - 1]
        assert accountant.fpl(time) == batch.fpl[time - 1]
        assert accountant.tpl(time) == batch.tpl[time - 1]


def assert_equals_the_batch(accountant):
    epsilons = list(accountant.epsilons)
    assert_levels_of(accountant, population_leakage(epsilons, accountant.adversaries))
    for name, user in accountant.adversaries.items():
        assert accountant.leakage(name) == leakage(epsilons, user)


class Stream(RuleBasedStateMachine):
    """Spend, ask now and then at any time, fail now and then: the batch always agrees."""

    def __init__(self):
        super().__init__()
        self.accountant = Accountant(USERS)
        self.spent = []

    @rule(text=st.sampled_from(BUDGETS), times=st.integers(1, 3))
    def spend(self, text, times):
        for _ in range(times):
            now = self.accountant.spend(parse_level(text))
            self.spent.append(parse_level(text))
        batch = {name: leakage_of(self.spent, user).bpl[-1] for name, user in USERS.items()}
        best = max(batch.values())
        assert now.level == best
        assert now.attained_by == tuple(name for name, level in batch.items() if level == best)

    @precondition(lambda self: self.spent)
    @rule(data=st.data())
    def ask_one_time(self, data):
        time = data.draw(st.integers(1, len(self.spent)))
        batch = population_leakage(self.spent, USERS)
        assert self.accountant.fpl(time) == batch.fpl[time - 1]
        assert self.accountant.tpl(time) == batch.tpl[time - 1]

    @precondition(lambda self: 0 < len(self.spent) <= 12)
    @rule()
    def ask_everything(self):
        assert_equals_the_batch(self.accountant)

    @rule(wrong=st.sampled_from([None, 0.1, "log(2)"]))
    def fail(self, wrong):
        with pytest.raises((TypeError, AttributeError)):
            self.accountant.spend(wrong)

    @invariant()
    def what_was_spent_is_kept(self):
        assert list(self.accountant.epsilons) == self.spent
        assert self.accountant.releases == len(self.spent)


Stream.TestCase.settings = examples(15, stateful_step_count=12)
TestStream = Stream.TestCase


@examples(15)
@given(
    st.lists(st.sampled_from(["0.1", "0.1", "1/3", "inf", "0"]), min_size=1, max_size=7), matrices(1, 3), matrices(1, 3)
)
def test_any_matrices_and_budgets_of_every_kind(texts, backward, forward):
    accountant = Accountant({"user": Adversary.knowing(*of_one_size(backward, forward)), "unaware": Adversary()})
    for text in texts:
        accountant.spend(parse_level(text))
        assert_equals_the_batch(accountant)


def test_forward_leakage_is_kept_between_equal_releases():
    """With equal budgets FPL at t after T + 1 releases is what it was at t − 1 after T: the very same levels."""
    accountant = Accountant({"user": USERS["both"]})
    for _ in range(5):
        accountant.spend(parse_level("0.1"))
    before = accountant.leakage("user").fpl
    accountant.spend(parse_level("0.1"))
    after = accountant.leakage("user").fpl
    assert all(old is new for old, new in zip(before, after[1:], strict=True))
    accountant.spend(parse_level("0.2"))
    assert accountant.leakage("user").fpl[-2] is not after[-1]


def test_a_spend_that_cannot_be_decided_leaves_everything_as_it_was():
    """PART twice against WHOLE: with a user knowing nothing and one whose BPL is the sum, the maximum is undecided."""
    accountant = Accountant({"sum": Adversary.knowing(backward=strongest(2)), "unaware": Adversary()})
    accountant.spend(PART)
    accountant.spend(PART)
    before = (accountant.leakage("sum"), accountant.leakage("unaware"), accountant.epsilons)
    # The budgets differ by structure only: WHOLE after a release of PART + PART asks whether they are equal.
    accountant.spend(WHOLE)
    with pytest.raises(Undecided):
        accountant.spend(PART + PART)
    assert accountant.releases == 3
    assert accountant.epsilons[:2] == before[2]
    assert accountant.leakage("sum").bpl[:2] == before[0].bpl
    assert len(accountant.leakage("sum").bpl) == len(accountant.leakage("unaware").bpl) == 3
    accountant.spend(Level.of(1))
    assert accountant.leakage("unaware") == leakage(list(accountant.epsilons), Adversary())


@pytest.mark.parametrize("time", [0, -1, 3, 10**9])
def test_times_that_are_not_there(time):
    accountant = Accountant(USERS)
    accountant.spend(ZERO)
    accountant.spend(ZERO)
    for ask in (accountant.bpl, accountant.fpl, accountant.tpl):
        with pytest.raises(InvalidRequest, match=rf"time .*{time}\b"):
            ask(time)


def test_other_errors():
    with pytest.raises(InvalidRequest, match="no user"):
        Accountant({})
    with pytest.raises(InvalidRequest, match="'nobody'"):
        Accountant(USERS).leakage("nobody")


def test_views_do_not_let_anything_in():
    accountant = Accountant(USERS)
    accountant.spend(ZERO)
    accountant.adversaries.clear()
    assert set(accountant.adversaries) == set(USERS)
    assert isinstance(accountant.epsilons, tuple)
    assert accountant.leakage("both").tpl == (ZERO,)


PEOPLE = {
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


SPENDS = ["log(11/10)", "log(101/100)", "log(101/100)", "log(3/2)", "0", "log(2)"]


@examples(20)
@given(
    st.sampled_from(["log(6/5)", "log(2)", "log(5/2)"]),
    st.lists(st.sampled_from(SPENDS), min_size=1, max_size=7),
    st.booleans(),
)
def test_refused_exactly_where_the_batch_exceeds_the_cap(cap, texts, ask):
    limit = parse_level(cap)
    accountant = Accountant(PEOPLE, limit)
    accepted = []
    for text in texts:
        epsilon = parse_level(text)
        greatest = [one.level.ratio for one in population_leakage([*accepted, epsilon], PEOPLE).tpl]
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
        assert_levels_of(accountant, population_leakage(accepted, PEOPLE))


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
    accountant = Accountant({"unaware": Adversary(), "future": PEOPLE["future"], "again": PEOPLE["future"]}, log(2))
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
    accountant = Accountant(PEOPLE, Level.of(0))
    accountant.spend(Level.of(0))
    with pytest.raises(InfeasibleBudget):
        accountant.spend(log(Fraction(101, 100)))
    assert accountant.releases == 1


def test_a_cap_that_cannot_be_compared_spends_nothing():
    """PART twice against WHOLE: neither above nor below, so the release is not accounted for."""
    accountant = Accountant({"sum": Adversary.knowing(backward=strongest(2))}, WHOLE)
    accountant.spend(PART)
    with pytest.raises(Undecided):
        accountant.spend(PART)
    assert accountant.releases == 1
    assert accountant.leakage("sum") == leakage(list(accountant.epsilons), Adversary.knowing(backward=strongest(2)))


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
