"""An audit as one JSON object: levels as the contract writes them, doubles in hexadecimal, rows and states from 1.

Where digits are `SafeDoubles` each level has its safe double beside it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..models.chain import OneChain
from ..models.paper_bound import PaperBound
from ..output.records import plain, record
from ..output.sheets import level_cell
from ..wire.strict_json import Object
from ..wire.values import value_of, witness_value
from .audit import TABLE_LEVELS, Audit, MatrixAudit, ModelAudit, UserAudit, Worst
from .comparison import Comparison, Measurement, Reading
from .hazards import Hazard
from .measurements import MatrixMeasurements
from .revealing_values import RevealingValue
from .structure import AsDoubles, RowPair, StateClass, Structure, birkhoff


def audit_value(audit: Audit, told: str, digits: int) -> Object:
    """Return the whole report. Args: told, what to conclude, a line each. Raises: Undecided."""
    models = {key: plain(found, digits) for key, found in audit.everyone.items()}
    if PaperBound.key in models:
        models[PaperBound.key]["without_bound_from"] = plain(audit.critical, digits)
    return record(audit, "epsilons alpha users matrices left_out", digits, findings=told.splitlines(), **models)


@plain.register
def _worst(worst: Worst, digits: int) -> Object:
    value: Object = level_cell(worst.level, digits)
    value |= {"attained_by": list(worst.names)} if worst.names else {}
    return value | ({"times": list(worst.times)} if worst.times else {})


@plain.register
def _model(found: ModelAudit, digits: int) -> Object:
    known = {} if found.revealing_value is None else {"most_telling": found.revealing_value}
    names = "leakage worst suprema schedule"
    return record(found, names, digits, constant_budget=found.constant, refusal=found.refusal or None, **known)


@plain.register
def _revealing_value(found: RevealingValue, digits: int) -> Object:
    user = {"user": found.name} if found.name else {}
    return record(found, "time", digits, value=found.value + 1, tpl=found.level, **user)


@plain.register
def _user(user: UserAudit, digits: int) -> Object:
    models = {key: plain(own, digits) | record(own, "with_reversal", digits) for key, own in user.models.items()}
    if PaperBound.key in models:
        models[PaperBound.key]["without_bound_from"] = plain(user.critical, digits)
        models[PaperBound.key]["ruling"] = {
            role: record(found, "q d") | witness_value(found.witness) for role, found in user.ruling.items()
        }
    own = {"doubles": user.measurements, "hazards": user.hazards, "one_chain": user.chain}
    return record(user, "name roles", digits, **models, **own)


@plain.register
def _chain(chain: OneChain, _digits: int) -> Object:
    place = None if chain.difference is None else _from_one(chain.place)
    return record(chain, "difference", is_reversal=chain.fits, place=place, refusal=chain.refusal or None)


@plain.register
def _matrix(matrix: MatrixAudit, digits: int) -> Object:
    values = [{"alpha": alpha, **plain(v, digits)} for alpha, v in zip(TABLE_LEVELS, matrix.values, strict=True)]
    return record(
        matrix,
        "structure hazards",
        digits,
        used_as=[{"user": user, "role": role} for user, role in matrix.used_as],
        states=matrix.states or None,
        loss_function={
            **value_of("loss_function", {"pieces": matrix.loss.pieces}, digits),
            **record(matrix.loss, "slope_at_zero at_infinity", digits, values=values),
        },
        without_bound_from=matrix.critical,
        doubles=matrix.measurements,
    )


@plain.register
def _structure(found: Structure, digits: int) -> Object:
    """Return the facts about a matrix; rows and states count from 1."""
    return record(
        found,
        "n zeros entry_bits row_bits classes stationary contrast contrast_known as_doubles",
        irreducible=found.is_irreducible,
        identity=found.is_identity,
        permutation=found.is_permutation,
        doubly_stochastic=found.is_doubly_stochastic,
        equal_rows=map(_from_one, found.equal_rows),
        pairs_without_common_column=found.disjoint_pairs,
        first_without_common_column=None if found.disjoint is None else _from_one(found.disjoint),
        nearest_rows=found.nearest,
        birkhoff=None if found.contrast is None else birkhoff(found.contrast.value, digits),
    )


@plain.register
def _class(found: StateClass, _digits: int) -> Object:
    return record(found, "closed period", states=_from_one(found.states))


@plain.register
def _as_doubles(found: AsDoubles, _digits: int) -> Object:
    own = {"moved": found.inexact, "rows_that_miss_1": _from_one(found.spoilt)}
    return record(found, "greatest_miss vanished subnormal", **own)


@plain.register
def _row_pair(pair: RowPair, _digits: int) -> Object:
    return record(pair, "value exact", rows=_from_one(pair.rows))


def _from_one(indices: Iterable[int]) -> list[int]:
    return [index + 1 for index in indices]


@plain.register
def _measurements(found: MatrixMeasurements, digits: int) -> Object:
    return record(found, "losses suprema", digits, rounded_matrix=found.rounded)


@plain.register
def _measurement(found: Measurement, digits: int) -> Object:
    return record(found, "note truth", digits, answers=found.comparisons, **_asked(found))


def _asked(found: Measurement) -> Object:
    """Return what was asked: a level as a double in hexadecimal, a number of releases as it is."""
    return {"asked": found.name, "given": found.given if isinstance(found.given, int) else found.given.hex()}


@plain.register
def _comparison(found: Comparison, _digits: int) -> Object:
    value = None if found.answer.value is None else found.answer.value.hex()
    return record(found.answer, "kind detail", value=value, ulps=found.ulps, unsafe=found.unsafe, text=str(found))


@plain.register
def _hazard(found: Hazard, digits: int) -> Object:
    return record(found, "name unsafe title why instead facts measured repaired", digits)


@plain.register
def _reading(found: Reading, digits: int) -> Object:
    answer = plain(found.comparison, digits) | {"text": str(found)}
    return record(found, "method", **_asked(found.measurement), **answer)
