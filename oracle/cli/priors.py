"""`--prior`: an adversary who does not know which of the candidates holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..models.priors import EQUAL, Prior
from ..output.sheets import Cell, Output, Sheet, odds
from ..reference import Adversary, Level
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .declared import option

PRIOR = f"P1,P2,…|{EQUAL}"
"""What the option takes."""

prior_option: Any = option(metavar=PRIOR, help="Assume an adversary who knows only the probability of each candidate.")

MIXED = "An adversary with a prior over the candidates: TPL, attained and at most"


def prior_of(text: str, adversaries: Mapping[str, Adversary]) -> Prior:
    """Read the probabilities of the candidates, in order. Raises: InvalidNumber; as `Prior.of`."""
    if text == EQUAL:
        return Prior.of(text, adversaries)
    parts = enumerate(text.split(","), 1)
    return Prior.of([Reader().number(part.strip(), f"--prior {place}") for place, part in parts], adversaries)


def told(prior: Prior, kept: Level, output: Output) -> str:
    """Say what a budget is to an adversary who is certain of a candidate. Args: kept, the level of each."""
    return (
        f"That is {output.words(kept)} or less to an adversary who is certain of a candidate; not knowing "
        f"which adds at most {output.words(prior.cost())} (the mixture rule)."
    )


def shown(prior: Prior, budgets: Sequence[Level], times: Sequence[int], output: Output) -> tuple[Object, Sheet, str]:
    """Return the bounds of TPL at these times, as a value and a table, and the greatest of them in words."""
    found = prior.leakage(budgets)
    lower, upper = ([output.level(bounds[time - 1]) for time in times] for bounds in (found.lower, found.upper))
    rows: list[list[Cell]] = [[time, *levels] for time, *levels in zip(times, lower, upper, strict=True)]
    worst = max(found.upper)
    text = (
        f"To an adversary with this prior TPL is at most {output.words(worst)}, and at least "
        f"{output.words(max(found.lower))} by some mechanism: odds between two values at one time "
        f"change {odds(worst)}."
    )
    sheet = Sheet(MIXED, ("time", "attained", "at most"), rows, (output.numerals,))
    return {"times": list(times), "attained": lower, "at_most": upper}, sheet, text
