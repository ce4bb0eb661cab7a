"""Budgets beyond pure ε as text: (1/10, 1/1000000), gaussian(sigma=10, sensitivity=1), zcdp(rho=1/200)."""

from __future__ import annotations

import re

from ..reference import ApproximateBudget, ConcentratedBudget, GaussianBudget, InvalidRequest, PrivacyBudget
from ..reference.decimals import fraction_to_text
from .numerals import Reader

_GAUSSIAN = re.compile(r"gaussian\(sigma=([^,]+), sensitivity=([^,]+)\)")
_CONCENTRATED = re.compile(r"zcdp\(rho=([^,]+)\)")
_APPROXIMATE = re.compile(r"\((.+), ([^,]+)\)")


def budget_text(budget: PrivacyBudget) -> str:
    """Return a budget as text: of pure ε the level alone. Exact. Raises: Undecided for an ε without exact notation."""
    if isinstance(budget, GaussianBudget):
        sigma, sensitivity = map(fraction_to_text, (budget.sigma, budget.sensitivity))
        return f"gaussian(sigma={sigma}, sensitivity={sensitivity})"
    if isinstance(budget, ConcentratedBudget):
        return f"zcdp(rho={fraction_to_text(budget.rho)})"
    epsilon = budget.epsilon.full_text()
    return f"({epsilon}, {fraction_to_text(budget.delta)})" if budget.delta else epsilon


def budget_of(text: str, where: str) -> PrivacyBudget:
    """Return the budget that a text is of. Raises: the contract's errors, naming where; InvalidRequest."""
    read = Reader()
    if found := _GAUSSIAN.fullmatch(text):
        return GaussianBudget(read.number(found[1], where), read.number(found[2], where))
    if found := _CONCENTRATED.fullmatch(text):
        return ConcentratedBudget(read.number(found[1], where))
    if found := _APPROXIMATE.fullmatch(text):
        return ApproximateBudget(read.level(found[1], where), read.number(found[2], where))
    if text.startswith(("gaussian", "zcdp", "(")):
        raise InvalidRequest(f"{where}: {text[:60]!r} is no budget")
    return ApproximateBudget(read.level(text, where))
