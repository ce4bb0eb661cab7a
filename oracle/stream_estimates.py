"""What is estimated in Python from a log or from sequences: the parameters of a stream, or a law."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from .api import in_python
from .data.doubt import DROP, REFUSE, Readings, sequence_of
from .data.estimates import Estimate, observed_value, with_absorbing
from .data.files import ROLES
from .data.fit import Observations
from .data.logs import LogColumns
from .data.sequences import observed_transitions
from .data.steps import ERROR, Duration, steps_of
from .data.visit_counts import count_log
from .reference import InvalidRequest, TransitionCounts
from .reference.numbers import exact
from .wire.values import counts_value

LAW = "law"


def of_log(
    log: object,
    columns: LogColumns,
    options: dict[str, Any],
    *,
    step: str | None = None,
    gaps: str = ERROR,
    duplicates: str = ERROR,
    separator: str | None = None,
    missing: str = REFUSE,
) -> dict[str, Any]:
    """Return what a log says, as the parameters of a stream take it, or under the key LAW.

    Args: as `Stream.of_log`; options, of which those of `Estimate` are taken out. Raises: as `Stream.of_log`.
    """
    with in_python():
        readings = Readings(missing=missing, comment=options.get("comment"))
        if duplicates not in (ERROR, DROP):
            raise InvalidRequest(f"duplicates is {ERROR} or {DROP}, not {duplicates!r}")
        asked, steps = _asked(options), steps_of(step, gaps, duplicates == DROP)
        seen = asked.observations()
        found = count_log(log, columns, steps, readings, separator=separator, seen=seen)
        return _estimated(asked, found.counts, seen, found.step(steps))


def of_sequences(
    sequences: Iterable[Sequence[object]],
    options: dict[str, Any],
    *,
    missing: str = REFUSE,
    header: str = REFUSE,
    ids: str = REFUSE,
) -> dict[str, Any]:
    """Return what sequences say, as `of_log`."""
    with in_python():
        asked, readings = _asked(options), Readings(missing=missing, header=header, ids=ids)
        counts, seen = observed_transitions(sequences, readings, seen=asked.observations())
        return _estimated(asked, counts, seen, None)


def _asked(reading: dict[str, Any]) -> Estimate:
    """Take what is to be estimated out of the parameters of a stream. Raises: InvalidRequest."""
    given = {own.name: reading.pop(own.name) for own in fields(Estimate) if own.name in reading}
    given["absorbing"] = tuple(map(str, sequence_of(given.get("absorbing", ()), "absorbing states")))
    if "smoothing" in given:
        given["smoothing"] = exact(given["smoothing"])
    return Estimate(**given)


def _estimated(asked: Estimate, counts: TransitionCounts, seen: Observations, step: Duration | None) -> dict[str, Any]:
    """Return what was estimated, as `of_log`."""
    counts, fit = with_absorbing(counts, asked.absorbing), seen.fit()
    value = asked.value(counts, seen, step, fit)
    if value is not None:
        return {LAW: value} if asked.is_law else dict.fromkeys(ROLES, value)
    told = observed_value(step, fit)
    if not asked.added:
        return {"forward": counts_value(counts) | told}
    matrix = {"states": list(counts.states), "forward": counts.forward(asked.added).texts()}
    return {"forward": matrix | {"transitions": sum(map(sum, counts.transitions))} | told}
