"""The ledger when power is lost at any moment: what `spend` has reported is there, whole and once, and can be read."""

from contextlib import nullcontext
from random import Random

import pytest

from ...fuzz.forged import in_this_process
from ...lost_power import CAN_RECORD
from ...lost_power.ledger import lost, spends
from ...profiles import FACTOR, some

pytestmark = pytest.mark.skipif(not CAN_RECORD, reason="no Linux, or no C compiler")
TRIES = 4 * (FACTOR or 1)
BUDGETS = [[f"1/{number}"] * (1 + number % 3) for number in range(11, 17)]
"""The budgets of each command."""


@pytest.fixture(autouse=True, params=["here", pytest.param("apart", marks=pytest.mark.slow)])
def _reading(request):
    """Read what is found in this process alone, which is quicker, or as users do."""
    with in_this_process() if request.param == "here" else nullcontext():
        yield


def test_what_was_reported_outlasts_a_loss_of_power(tmp_path):
    disk, steps = spends(tmp_path / "a", BUDGETS)
    assert [kind for kind, *_ in steps].count("show") == len(BUDGETS)
    assert lost(disk, steps, BUDGETS, scratch=tmp_path / "found", random=Random(0), tries=TRIES) == ""


@pytest.mark.parametrize("synchronous", some(["NORMAL", "OFF", "FULL"], 3))
def test_writes_that_are_not_synced_are_found(tmp_path, synchronous):
    disk, steps = spends(tmp_path / "a", BUDGETS, synchronous)
    assert lost(disk, steps, BUDGETS, scratch=tmp_path / "found", random=Random(0), tries=TRIES)
