"""An audit as one JSON object: levels as the contract writes them, doubles in hexadecimal, rows and states from 1.

Where digits are `SafeDoubles` each level has its safe double beside it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..models.chain import OneChain
from ..output.sheets import level_cell
from ..proofs_checks.in_doubles import DoubleAnswer
from ..reference import Enclosure, Level
from ..reference.decimals import fraction_to_text
from ..wire.strict_json import Object
from ..wire.values import row_texts, value_of, witness_value
from .audit import TABLE_LEVELS, Audit, MatrixAudit, ModelAudit, UserAudit, Worst
from .comparison import Comparison, Measurement, Reading
from .hazards import Hazard
from .known_values import Telling
from .measurements import MatrixMeasurements
from .structure import RowPair, Structure, birkhoff

_PAPER = "paper_bound"


def audit_value(audit: Audit, told: str, digits: int) -> Object:
    """Return the whole report. Args: told, what to conclude, a line each. Raises: Undecided."""
    critical = audit.critical
    models = {key: _model(found, digits) for key, found in audit.everyone.items()}
    if _PAPER in models:
        models[_PAPER]["without_bound_from"] = None if critical is None else _worst(critical, digits)
    return {
        "findings": told.splitlines(),
        "epsilons": [level_cell(epsilon, digits) for epsilon in audit.epsilons],
        "alpha": level_cell(audit.alpha, digits),
        **models,
        "users": [_user(user, digits) for user in audit.users],
        "matrices": [_matrix(matrix, digits) for matrix in audit.matrices],
        "left_out": list(audit.left_out),
    }


def _worst(worst: Worst, digits: int) -> Object:
    value: Object = level_cell(worst.level, digits)
    value |= {"attained_by": list(worst.names)} if worst.names else {}
    return value | ({"times": list(worst.times)} if worst.times else {})


def _optional(level: Level | None, digits: int) -> Object | None:
    return None if level is None else level_cell(level, digits)


def _model(found: ModelAudit, digits: int) -> Object:
    """Return what a model says of one user, or of the worst of several."""
    return {
        "leakage": {kind: [_worst(each, digits) for each in levels] for kind, levels in found.leakage.items()},
        "worst": {kind: _worst(worst, digits) for kind, worst in found.worst.items()},
        "suprema": {kind: _worst(worst, digits) for kind, worst in found.suprema.items()},
        "constant_budget": None if found.constant is None else _worst(found.constant, digits),
        "schedule": {place: _worst(worst, digits) for place, worst in found.schedule.items()},
        "refusal": found.refusal or None,
        **({} if found.telling is None else {"most_telling": _telling(found.telling, digits)}),
    }


def _telling(found: Telling, digits: int) -> Object:
    """Return the value that would reveal most if it were known, from 1, and the greatest TPL if it is."""
    whose = {"user": found.name} if found.name else {}
    return {**whose, "time": found.time, "value": found.value + 1, "tpl": level_cell(found.level, digits)}


def _user(user: UserAudit, digits: int) -> Object:
    models = {
        key: {**_model(found, digits), "with_reversal": _optional(found.with_reversal, digits)}
        for key, found in user.models.items()
    }
    if _PAPER in models:
        models[_PAPER]["without_bound_from"] = _optional(user.critical, digits)
        models[_PAPER]["ruling"] = {
            role: {"q": fraction_to_text(found.q), "d": fraction_to_text(found.d), **witness_value(found.witness)}
            for role, found in user.ruling.items()
        }
    return {
        "name": user.name,
        "roles": list(user.roles),
        **models,
        "doubles": _measurements(user.measurements, digits),
        "hazards": _hazards(user.hazards),
        "one_chain": None if user.chain is None else _chain(user.chain),
    }


def _chain(chain: OneChain) -> Object:
    return {
        "is_reversal": chain.fits,
        "difference": None if chain.difference is None else fraction_to_text(chain.difference),
        "place": None if chain.difference is None else _from_one(chain.place),
        "refusal": chain.refusal or None,
    }


def _matrix(matrix: MatrixAudit, digits: int) -> Object:
    values = zip(TABLE_LEVELS, matrix.values, strict=True)
    return {
        "used_as": [{"user": user, "role": role} for user, role in matrix.used_as],
        "states": list(matrix.states) or None,
        "structure": structure_value(matrix.structure, digits),
        "loss_function": {
            **value_of("loss_function", {"pieces": matrix.loss.pieces}, digits),
            "slope_at_zero": fraction_to_text(matrix.loss.slope_at_zero),
            "at_infinity": level_cell(matrix.loss.at_infinity, digits),
            "values": [{"alpha": alpha, **level_cell(value, digits)} for alpha, value in values],
        },
        "without_bound_from": _optional(matrix.critical, digits),
        "doubles": None if matrix.measurements is None else _doubles(matrix.measurements, digits),
        "hazards": _hazards(matrix.hazards),
    }


def structure_value(found: Structure, digits: int) -> Object:
    """Return the facts about a matrix; rows and states count from 1."""
    contrast, doubles = found.contrast, found.as_doubles
    return {
        "n": found.n,
        "zeros": found.zeros,
        "entry_bits": found.entry_bits,
        "row_bits": found.row_bits,
        "irreducible": found.is_irreducible,
        "classes": [
            {"states": _from_one(each.states), "closed": each.closed, "period": each.period} for each in found.classes
        ],
        "stationary": None if found.stationary is None else row_texts(found.stationary),
        "identity": found.is_identity,
        "permutation": found.is_permutation,
        "doubly_stochastic": found.is_doubly_stochastic,
        "equal_rows": [_from_one(group) for group in found.equal_rows],
        "pairs_without_common_column": found.disjoint_pairs,
        "first_without_common_column": None if found.disjoint is None else _from_one(found.disjoint),
        "nearest_rows": _row_pair(found.nearest),
        "contrast": _row_pair(contrast),
        "contrast_known": found.contrast_known,
        "birkhoff": None if contrast is None else _enclosure(birkhoff(contrast.value, digits)),
        "as_doubles": {
            "moved": doubles.inexact,
            "rows_that_miss_1": _from_one(doubles.spoilt),
            "greatest_miss": fraction_to_text(doubles.greatest_miss),
            "vanished": doubles.vanished,
            "subnormal": doubles.subnormal,
        },
    }


def _from_one(indices: Iterable[int]) -> list[int]:
    return [index + 1 for index in indices]


def _row_pair(pair: RowPair | None) -> Object | None:
    if pair is None:
        return None
    return {"rows": _from_one(pair.rows), "value": fraction_to_text(pair.value), "exact": pair.exact}


def _enclosure(enclosure: Enclosure) -> Object:
    return {"lower": str(enclosure.lower), "upper": str(enclosure.upper)}


def _doubles(measurements: MatrixMeasurements, digits: int) -> Object:
    return {
        "losses": _measurements(measurements.losses, digits),
        "suprema": _measurements(measurements.suprema, digits),
        "rounded_matrix": None if measurements.rounded is None else _measurements(measurements.rounded, digits),
    }


def _measurements(measurements: Iterable[Measurement], digits: int) -> list[Object]:
    return [
        {
            "asked": measurement.name,
            "given": _given(measurement),
            "note": measurement.note,
            "truth": level_cell(measurement.truth, digits),
            "answers": {method: _comparison(comparison) for method, comparison in measurement.comparisons.items()},
        }
        for measurement in measurements
    ]


def _given(measurement: Measurement) -> str | int:
    """Return the double that was asked about in hexadecimal; a number of releases as it is."""
    return measurement.given if isinstance(measurement.given, int) else measurement.given.hex()


def _comparison(comparison: Comparison) -> Object:
    return {**_answer(comparison.answer), "ulps": comparison.ulps, "unsafe": comparison.unsafe, "text": str(comparison)}


def _answer(answer: DoubleAnswer) -> Object:
    value = None if answer.value is None else answer.value.hex()
    return {"kind": answer.kind.value, "value": value, "detail": answer.detail}


def _hazards(hazards: Iterable[Hazard]) -> list[Object]:
    return [
        {
            "name": hazard.name,
            "unsafe": hazard.unsafe,
            "title": hazard.title,
            "why": hazard.why,
            "instead": hazard.instead,
            "facts": list(hazard.facts),
            "measured": [_reading(each) for each in hazard.measured],
            "repaired": [_reading(each) for each in hazard.repaired],
        }
        for hazard in hazards
    ]


def _reading(reading: Reading) -> Object:
    measurement = reading.measurement
    asked: Object = {"asked": measurement.name, "given": _given(measurement), "method": reading.method}
    return {**asked, **_comparison(reading.comparison), "text": str(reading)}
