"""Accountants for independent records, fed with the budgets that are exported to them: what interpretation.md says."""

from fractions import Fraction

import pytest
from dp_accounting import NeighboringRelation, dp_event, pld, rdp

import tploracle
from tploracle import TransitionMatrix

ADD_OR_REMOVE_ONE, REPLACE_ONE = NeighboringRelation.ADD_OR_REMOVE_ONE, NeighboringRelation.REPLACE_ONE
MATRIX = TransitionMatrix.of([["0.8", "0.2"], ["0.1", "0.9"]])
KNOWN = tploracle.adversary(backward=MATRIX, forward=MATRIX)
EXPORTED = [float(budget) for budget in tploracle.budgets(1, KNOWN).quantified(20)]


@pytest.mark.parametrize("make", [pld.PLDAccountant, rdp.RdpAccountant])
@pytest.mark.parametrize(("relation", "part"), [(ADD_OR_REMOVE_ONE, 2), (REPLACE_ONE, 1)])
def test_dp_accounting_composes_them_to_at_most_their_sum(make, relation, part):
    """Where a record is added or removed half of each budget is spent, where one is replaced all of it."""
    accountant = make(neighboring_relation=relation)
    event = dp_event.LaplaceDpEvent(noise_multiplier=1)
    if not accountant.supports(event):
        assert (make, relation) == (pld.PLDAccountant, REPLACE_ONE)
        return
    for double in EXPORTED:
        accountant.compose(dp_event.LaplaceDpEvent(noise_multiplier=part / double))
    spent = [accountant.get_epsilon(delta) for delta in (1e-12, 1e-6, 1e-2)]
    assert spent == sorted(spent, reverse=True)
    assert 1 / part < spent[-1] < spent[0] <= sum(EXPORTED) / part * 1.01  # it rounds to a grid


def test_none_of_them_sees_what_one_event_leaks():
    """Each release alone is about an event to them: less than its TPL, which is close to 1 and, rounded down, below."""
    tpl = tploracle.paper_bound_leakage([Fraction(double) for double in EXPORTED], KNOWN).tpl
    assert all(Fraction(999, 1000) < level.enclosure(20).lower <= level.enclosure(20).upper <= 1 for level in tpl)
    assert max(EXPORTED) < 0.9
