"""Which tier asks a case first: "smoke" a few that show everything, "full" the expensive ones, "standard" the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tploracle.conformance.model import TIERS

from .draft import Draft

SMOKE, STANDARD, FULL = TIERS


def shown(draft: Draft) -> set[object]:
    """Return what a case shows: flags, errata, its error, and its operation in its kind of numbers."""
    return {*draft.flags, *draft.errata, draft.error, (draft.op, draft.numbers)}


def tiers_of(drafts: Sequence[Draft]) -> dict[str, str]:
    """Return the tier of each case by its id.

    The tier smoke is made greedily: again and again the first case that shows the most of what none before it shows,
    until everything is shown that a case of the tier standard can show.
    """
    quick = [draft for draft in drafts if not draft.full]
    left = set[object]().union(*map(shown, quick))
    chosen: set[str] = set()
    while left:
        best = max(quick, key=lambda draft: len(shown(draft) & left))
        chosen.add(best.id)
        left -= shown(best)
    return {draft.id: SMOKE if draft.id in chosen else FULL if draft.full else STANDARD for draft in drafts}


def all_of(files: Iterable[Sequence[Draft]]) -> list[Draft]:
    """Return the drafts of all files in order."""
    return [draft for drafts in files for draft in drafts]
