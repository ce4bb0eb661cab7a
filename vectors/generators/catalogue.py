"""All vectors: the drafts of every generator, in order, and the files that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tploracle.conformance.lint import FLAGS_FILE
from tploracle.conformance.model import WIRE
from tploracle.contract.operations import OPERATIONS
from tploracle.proofs_checks.checker import Rejected
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import Object

from . import (
    budgets,
    budgets_of_shapes,
    control,
    data_matrices,
    long_streams,
    loss_at_levels,
    loss_at_transitions,
    loss_by_algorithms,
    loss_function_shapes,
    loss_functions,
    loss_of_entries,
    loss_of_rows,
    loss_of_sizes,
    refusals,
    refused_matrices,
    streams,
    suprema,
    supremum_boundaries,
    supremum_of_entries,
    windows,
    wire,
)
from .confirm import RoadsDiffer
from .draft import Draft, EdgeBroken
from .render import file_text, flags_text
from .tiers import all_of, tiers_of
from .vector import vector_of

GENERATORS: tuple[Callable[[], Iterator[Draft]], ...] = (
    loss_at_levels.drafts,
    loss_of_rows.drafts,
    loss_of_entries.drafts,
    loss_of_sizes.drafts,
    loss_by_algorithms.drafts,
    loss_at_transitions.drafts,
    loss_functions.drafts,
    loss_function_shapes.drafts,
    streams.drafts,
    long_streams.drafts,
    suprema.drafts,
    supremum_boundaries.drafts,
    supremum_of_entries.drafts,
    windows.drafts,
    budgets.drafts,
    budgets_of_shapes.drafts,
    control.drafts,
    data_matrices.drafts,
    refused_matrices.drafts,
    refusals.drafts,
)
"""The generators of cases about operations."""

BROKEN = (EdgeBroken, RoadsDiffer, Rejected)
"""What is raised where a case is not what it is there for, or its value is not confirmed."""

Progress = Callable[[int, int], None]
"""Called with the vectors made, and the vectors in all."""


def drafts_by_file() -> dict[str, list[Draft]]:
    """Return the drafts of each vector file, by the operation that it is named after, and "wire".

    Raises: EdgeBroken where a case is not what it is there for; ValueError for an id that occurs twice.
    """
    files: dict[str, list[Draft]] = {op: [] for op in OPERATIONS}
    files[WIRE] = list(wire.drafts())
    for generator in GENERATORS:
        for draft in generator():
            files[draft.op].append(draft)
    seen: set[str] = set()
    for draft in all_of(files.values()):
        if draft.id in seen:
            raise ValueError(f"two cases have the id {draft.id}")
        seen.add(draft.id)
    return files


def file_name(op: str) -> str:
    """Return the name of the vector file of an operation."""
    return f"{op}.json"


def generated(progress: Progress = lambda _done, _total: None) -> dict[str, str]:
    """Make all vector files: answered by the oracle, confirmed by a second road, certified.

    Returns: their texts by name. Raises: EdgeBroken, RoadsDiffer and Rejected, each naming the case.
    """
    files = drafts_by_file()
    tiers, done = tiers_of(all_of(files.values())), 0
    texts: dict[str, str] = {}
    for op, drafts in files.items():
        session, vectors = Session(), list[Object]()
        for draft in drafts:
            vectors.append(vector_of(draft, tiers[draft.id], session))
            done += 1
            progress(done, len(tiers))
        texts[file_name(op)] = file_text(op, vectors)
    return {**texts, FLAGS_FILE: flags_text()}


def errata_shown(files: Mapping[str, list[Draft]]) -> set[str]:
    """Return the errata that some case shows."""
    return {erratum for drafts in files.values() for draft in drafts for erratum in draft.errata}
