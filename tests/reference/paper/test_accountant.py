"""The accountant equals the computation at once after every release, and reuses what does not change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tploracle.reference import (
    INFINITE,
    ZERO,
    Accountant,
    Adversary,
    InvalidRequest,
    Level,
    TransitionMatrix,
    Undecided,
    leakage,
    parse_level,
    population_leakage,
    strongest,
)
from tploracle.reference import leakage as leakage_of
from tploracle.reference.surds import square_root

from ...profiles import examples
from ...strategies import matrices, of_one_size

MODERATE, OTHER = of_one_size(
    TransitionMatrix.of([["0.8", "0.2"], ["0", "1"]]),
    TransitionMatrix.of([["0.1", "0.2", "0.7"], ["0.3", "0.3", "0.4"], ["0.5", "0.3", "0.2"]]),
)
USERS = {
    "both": Adversary.knowing(MODERATE, OTHER),
    "swapped": Adversary.knowing(OTHER, MODERATE),
    "past": Adversary.knowing(backward=MODERATE),
    "future": Adversary.knowing(forward=OTHER),
    "again": Adversary.knowing(MODERATE, OTHER),
    "unaware": Adversary(),
}
# Few, so that they repeat and the reuse comes into play; each also in another writing of the same level.
BUDGETS = ["log(11/10)", "log(1.1)", "log(2)", "log(4/2)", "0", "log(1)", "log(101/100)"]


def assert_equals_the_batch(accountant):
    epsilons = list(accountant.epsilons)
    batch = population_leakage(epsilons, accountant.adversaries)
    for time in range(1, accountant.releases + 1):
        assert accountant.bpl(time) == batch.bpl[time - 1]
        assert accountant.fpl(time) == batch.fpl[time - 1]
        assert accountant.tpl(time) == batch.tpl[time - 1]
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
    """√2·√3 against √6: with one user knowing nothing and one whose BPL is the sum, the maximum is undecided."""
    accountant = Accountant({"sum": Adversary.knowing(backward=strongest(2)), "unaware": Adversary()})
    first, second = Level.of_ratio(square_root(2)), Level.of_ratio(square_root(3))
    accountant.spend(first)
    accountant.spend(second)
    before = (accountant.leakage("sum"), accountant.leakage("unaware"), accountant.epsilons)
    # The budgets differ by structure only: log √6 again after a release of log √2 + log √3 asks whether they are equal.
    accountant.spend(Level.of_ratio(square_root(6)))
    with pytest.raises(Undecided):
        accountant.spend(first + second)
    assert accountant.releases == 3
    assert accountant.epsilons[:2] == before[2]
    assert accountant.leakage("sum").bpl[:2] == before[0].bpl
    assert len(accountant.leakage("sum").bpl) == len(accountant.leakage("unaware").bpl) == 3
    accountant.spend(Level.of(1))
    assert accountant.leakage("unaware") == leakage(list(accountant.epsilons), Adversary())


def test_a_failed_first_spend():
    accountant = Accountant(USERS)
    with pytest.raises(AttributeError):
        accountant.spend("0.1")
    assert accountant.releases == 0
    accountant.spend(ZERO)
    accountant.spend(INFINITE)
    assert accountant.bpl(2).level.is_infinite
    assert accountant.bpl(2).attained_by == tuple(USERS)


@pytest.mark.parametrize("time", [0, -1, 3, 10**9])
def test_times_that_are_not_there(time):
    accountant = Accountant(USERS)
    accountant.spend(ZERO)
    accountant.spend(ZERO)
    for ask in (accountant.bpl, accountant.fpl, accountant.tpl):
        with pytest.raises(InvalidRequest, match=f"time {time} "):
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
