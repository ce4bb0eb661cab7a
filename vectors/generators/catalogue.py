"""All vectors: the drafts of every table in order, the tier of each, and the files that they make."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence

from tploracle.certificates.checker import NotDecided, Rejected
from tploracle.conformance.ask.cases import FLAGS_FILE
from tploracle.conformance.model import TIERS, WIRE
from tploracle.contract.operations import OPERATIONS
from tploracle.proofs_checks.trial import all_errata
from tploracle.reference.paper.loss import Progress
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import Object

from .confirm import RecomputationDiffers
from .draft import Draft, EdgeBroken
from .input_parts import CASES
from .tables import listed
from .vector import file_text, flags_text, vector_of

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


NOT_SHOWN: dict[str, str] = tomllib.loads((CASES / "not_shown.toml").read_text(encoding="utf-8"))
"""Why no vector can show it, by erratum."""

GENERATOR_ERRORS = (EdgeBroken, RecomputationDiffers, Rejected, NotDecided)
"""What is raised where a case is not what it is there for, or its value is not confirmed."""


def drafts_by_file() -> dict[str, list[Draft]]:
    """Return the drafts of each vector file, by the operation that it is named after, and "wire".

    Raises: EdgeBroken where a case is not what it is there for; ValueError for an id that occurs twice.
    """
    files = {name: list(listed(name)) for name in (*OPERATIONS, WIRE)}
    seen: set[str] = set()
    for draft in all_of(files.values()):
        if draft.id in seen:
            raise ValueError(f"two cases have the id {draft.id}")
        seen.add(draft.id)
    return files


def generated(progress: Progress = lambda _done, _total: None) -> dict[str, str]:
    """Make all vector files: answered by the oracle, confirmed by an independent recomputation, certified.

    Returns: their texts by name. Raises: GENERATOR_ERRORS, each naming the case.
    """
    files = drafts_by_file()
    if missing := {erratum.id for erratum in all_errata()} - errata_shown(files) - NOT_SHOWN.keys():
        raise EdgeBroken(f"no case shows the errata {', '.join(sorted(missing))}, and it is not said why")
    tiers, done = tiers_of(all_of(files.values())), 0
    texts: dict[str, str] = {}
    for op, drafts in files.items():
        session, vectors = Session(), list[Object]()
        for draft in drafts:
            vectors.append(vector_of(draft, tiers[draft.id], session))
            done += 1
            progress(done, len(tiers))
        texts[f"{op}.json"] = file_text(op, vectors)
    return {**texts, FLAGS_FILE: flags_text()}


def errata_shown(files: Mapping[str, list[Draft]]) -> set[str]:
    """Return the errata that some case shows."""
    return {erratum for drafts in files.values() for draft in drafts for erratum in draft.errata}
