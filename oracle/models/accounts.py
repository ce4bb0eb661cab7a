"""An account by the model that keeps it, beside the paper's bound, and what both leave to be spent."""

from __future__ import annotations

from ..checked import CheckedAccountant
from ..reference import INFINITE, ZERO, InfeasibleBudget, Level
from . import models
from .model import Account, Model


def beside(account: Account) -> dict[Model, Account]:
    """Return the account by the model that keeps it, and by the paper's bound beside the exact worst case."""
    worst_case, paper_bound = models()
    if not isinstance(account, CheckedAccountant):
        return {paper_bound: account}
    try:
        other = paper_bound.account(account.adversaries, account.cap, account.epsilons)
    except InfeasibleBudget:
        other = paper_bound.account(account.adversaries, INFINITE, account.epsilons)
    return {worst_case: account, paper_bound: other}


def left_of(account: Account, by_paper: Level | None) -> Level | None:
    """Return what may still be spent; both are lower bounds, and what the paper's bound admits the worst case does."""
    left = account.remaining()
    if left is None or by_paper is None:
        return left
    return max(left, by_paper, key=Level.double_below)


def left_by_paper(account: Account, by_paper: Account) -> Level | None:
    """Return what the paper's bound leaves below the cap; 0 where it is above the cap already, and has none."""
    if by_paper.cap.is_infinite and not account.cap.is_infinite:
        return ZERO.to_spend()
    return by_paper.remaining()
