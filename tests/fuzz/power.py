"""Commands that spend on one ledger, and a loss of power after each step: what was reported is recorded, and once."""

import tempfile
from pathlib import Path

from ..lost_power.ledger import lost, spends
from .finding import require

BUDGETS = ("1/100", "log(101/100)", "inf")


def attack(random):
    """Record some commands, and lose power after each of their steps. Raises: Finding."""
    budgets = [random.choices(BUDGETS, k=random.choice((1, 2, 3, 40))) for _ in range(random.randrange(1, 5))]
    with tempfile.TemporaryDirectory() as name:
        disk, steps = spends(Path(name, "ledger"), budgets)
        wrong = lost(disk, steps, budgets, scratch=Path(name, "found"), random=random, tries=1)
        require(not wrong, wrong, str(budgets).encode())
