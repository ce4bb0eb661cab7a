"""The options that say what is released: budgets, and numbers of releases."""

from __future__ import annotations

from ..contract.limits import MOST_RELEASES, check_count
from ..reference import InvalidRequest, Level
from ..wire.numerals import Reader
from .files import Files


def budgets_of(
    files: Files, epsilon: str | None, steps: int | None, epsilons: str | None, default_steps: int | None
) -> list[Level]:
    """Return the budgets of a stream: one for so many steps, or a list or file of them. Raises: InvalidRequest."""
    if (epsilon is None) == (epsilons is None):
        raise InvalidRequest("give either --epsilon and --steps, or --epsilons")
    if epsilons is not None:
        if steps is not None:
            raise InvalidRequest("--steps belongs to --epsilon")
        budgets = files.levels(epsilons)
        if not budgets:
            raise InvalidRequest("--epsilons: there is no release")
        check_count(len(budgets), MOST_RELEASES, "releases")
        return budgets
    steps = default_steps if steps is None else steps
    if steps is None:
        raise InvalidRequest("--epsilon needs --steps")
    if steps < 1:
        raise InvalidRequest(f"--steps is at least 1, not {steps}")
    check_count(steps, MOST_RELEASES, "releases")
    return [Reader().level(epsilon, "--epsilon")] * steps


def whole_numbers(text: str | None, option: str) -> list[int]:
    """Return the whole numbers from 1 of an option's text, as in 1,5,10. Raises: InvalidRequest."""
    if text is None:
        return []
    numbers = []
    for part in text.split(","):
        word = part.strip()
        if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0):
            raise InvalidRequest(f"{option}: {part!r} is not a whole number from 1, as in 1,5,10")
        numbers.append(int(word))
    return numbers
