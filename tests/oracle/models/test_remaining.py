"""What may still be spent: it keeps the cap at every time, and hardly more does."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.models.remaining import remaining
from tploracle.reference import Accountant, Adversary, InfeasibleBudget, Level, parse_level

from ...matrices import MODERATE, PAPER_L
from ...profiles import examples
from ...strategies import matrices, of_one_size

BUDGETS = st.lists(st.sampled_from(["0", "0.01", "0.2", "log(11/10)", "1/3"]), max_size=5)


def account(adversaries, cap, budgets):
    accountant = Accountant(adversaries, parse_level(cap))
    for budget in budgets:
        try:
            accountant.spend(parse_level(budget))
        except InfeasibleBudget:
            break
    return accountant


def may_spend(accountant, level):
    try:
        Accountant(accountant.adversaries, accountant.cap, [*accountant.epsilons, level])
    except InfeasibleBudget:
        return False
    return True


def is_tight(accountant):
    left = remaining(accountant)
    excess = left.excess_bounds()[0]
    above = Level.of_ratio(1 + excess + max(excess, Fraction(1, 10**9)) / 10**9)
    return may_spend(accountant, left) and not may_spend(accountant, above)


@pytest.mark.parametrize("cap", ["1/2", "1", "log(3)", "5"])
@pytest.mark.parametrize("budgets", [[], ["0.2"], ["0.1", "0.3", "0.05"], ["0.3"] * 20, ["0"] * 3])
@pytest.mark.parametrize("known", [(None, None), (MODERATE, None), (None, MODERATE), (MODERATE, PAPER_L)])
def test_what_is_left_keeps_the_cap_and_no_more_does(known, budgets, cap):
    assert is_tight(account({"a": Adversary.knowing(*of_one_size(*known))}, cap, budgets))


def test_of_several_the_least_is_left():
    alone = [{"a": Adversary.knowing(MODERATE, MODERATE)}, {"b": Adversary.knowing(PAPER_L, PAPER_L)}]
    ratios = [remaining(account(each, "1", ["0.2"])).ratio for each in (*alone, alone[0] | alone[1])]
    assert ratios[2] == min(ratios[:2])


@given(st.integers(2, 4).flatmap(lambda n: st.tuples(matrices(n, n), matrices(n, n))), BUDGETS)
@examples(25)
def test_what_is_left_of_anyones(known, budgets):
    assert is_tight(account({"a": Adversary.knowing(*known)}, "1", budgets))


def test_without_a_cap_there_is_no_bound():
    assert remaining(Accountant({"a": Adversary.knowing(MODERATE)})) is None
