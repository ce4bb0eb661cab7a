"""Mistakes after public reports on libraries for Markov chains and for privacy, in our words and on our operations."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import expm1, inf, nextafter

from .mistakes import Answer, Mistake, changed_levels
from .regions import (
    KEYS,
    Matrix,
    Region,
    Request,
    closed_classes,
    columns_sum_to_one,
    leaves_something,
    level,
    matrices,
    states,
    turns_beside_transient,
)

_LEVELS = ("loss", "leakage", "supremum", "composition", "worst_case_leakage", "worst_case_supremum", "leakage_profile")
_BUDGETS = ("allocate", "control", "worst_case_allocate")
_SCHEDULES = ("leakage", "composition", "worst_case_leakage")
_MATRICES = (*_LEVELS, *_BUDGETS, "loss_function", "smooth", "reverse")


@dataclass(frozen=True)
class Reported:
    """of: the report; words: what is done; ops: where it can be; given: the answer, None where it is the right one."""

    of: str
    words: str
    ops: tuple[str, ...]
    given: Callable[[Request, dict, Answer], dict | None]

    def region(self) -> Region:
        return Region("reported", f"after {self.of}", lambda _request, _calls: True)

    def mistake(self) -> Mistake:
        return Mistake(self.words, lambda request, right, _last, answer: self.given(request, right, answer) or right)


def _asked(change: Callable[[dict], dict | None], request: Request, _right: dict, answer: Answer) -> dict | None:
    """Answer another question, where the change makes one that has an answer."""
    given = change(request["input"])
    told = None if given is None else answer({**request, "input": given})
    return told if told is None or "value" in told else None


def _levels(change: Callable[[float], float], _request: Request, right: dict, _answer: Answer) -> dict:
    return changed_levels(right, change)


def _with_matrices(change: Callable[[Matrix], Matrix], given: dict) -> dict:
    def changed(known: object) -> object:
        if isinstance(known, list):
            return change(known)
        return {kind: [change(rows) for rows in several] for kind, several in known.items()}

    return {**given, **{key: changed(given[key]) for key in KEYS if key in given}}


def _transposed(rows: Matrix) -> Matrix:
    return [list(column) for column in zip(*rows, strict=True)]


def _first_class(given: dict) -> dict | None:
    """Keep the states of the first closed class alone, where there are several."""
    found = matrices({"input": given})
    if len(found) != 1:
        return None
    (rows,) = found
    kept = sorted(min(closed_classes(rows), key=min))
    return _with_matrices(lambda rows: [[rows[j][k] for k in kept] for j in kept], given)


def _without_small_entries(rows: Matrix) -> Matrix:
    """Leave out what is below 2^-20; the greatest entry of a row takes it, so that the row sums to 1."""
    found = []
    for row in rows:
        entries = [Fraction(float.fromhex(text)) for text in row]
        kept = [entry if entry >= Fraction(1, 2**20) else Fraction(0) for entry in entries]
        kept[kept.index(max(kept))] += 1 - sum(kept)
        found.append([float(entry).hex() for entry in kept])
    return found


def _sequences(change: Callable[[list[list[str]]], list[list[str]]], given: dict) -> dict:
    return {**given, "sequences": change(given["sequences"])}


def _names(change: Callable[[str], str], given: dict) -> dict:
    return _sequences(lambda several: [[change(name) for name in walk] for walk in several], given)


def _columns(several: list[list[str]]) -> list[list[str]]:
    return [list(walk) for walk in zip(*several, strict=False)]


def _in_another_order(request: Request, right: dict, _answer: Answer) -> dict:
    """Rows and columns are in the order of the names in lower case, and the names stay where they were."""
    value = right["value"]
    order = sorted(range(len(value["states"])), key=lambda place: value["states"][place].lower())
    moved = {key: [[value[key][j][k] for k in order] for j in order] for key in ("forward", "backward")}
    return {"value": {**value, **moved}}


def _first_budget(given: dict) -> dict:
    return {**given, "epsilons": given["epsilons"][:1] * len(given["epsilons"])}


def _in_millionths(given: dict) -> dict:
    finite = [text if text == "inf" else (int(float.fromhex(text) * 1e6) / 1e6).hex() for text in given["epsilons"]]
    return {**given, "epsilons": finite}


def _refused(_request: Request, _right: dict, _answer: Answer) -> dict:
    return {"error": {"name": "InvalidRequest", "message": "nan"}}


def _where(holds: Callable[[Request], bool], given: Callable[[Request, dict, Answer], dict | None]) -> Callable:
    return lambda request, right, answer: given(request, right, answer) if holds(request) else None


def _of_a_matrix(holds: Callable[[Matrix], bool]) -> Callable[[Request], bool]:
    return lambda request: any(holds(rows) for rows in matrices(request))


_is_beside = _of_a_matrix(lambda rows: len(rows) > 2 and turns_beside_transient(rows))
_transposes = partial(_asked, partial(_with_matrices, _transposed))
_SMALLEST = 2.0**-26

REPORTED = (
    Reported(
        "openturns/openturns#2673",
        "a matrix whose columns sum to 1 is transposed",
        _MATRICES,
        _where(_of_a_matrix(columns_sum_to_one), _transposes),
    ),
    Reported(
        "QuantEcon/QuantEcon.py#684",
        "the period of a chain with transient states is taken for 1",
        ("worst_case_supremum",),
        _where(_is_beside, partial(_levels, lambda value: min(value, 1e6))),
    ),
    Reported(
        "spedygiorgio/markovchain#59",
        "a transient class counts as a closed one",
        ("worst_case_supremum", "supremum"),
        _where(_of_a_matrix(leaves_something), partial(_levels, lambda value: inf if value else value)),
    ),
    Reported(
        "sympy/sympy#19011",
        "of several closed classes the first alone is looked at",
        ("loss", "supremum", "control", "worst_case_supremum", "worst_case_leakage", "leakage"),
        _where(_of_a_matrix(lambda rows: len(closed_classes(rows)) > 1), partial(_asked, _first_class)),
    ),
    Reported(
        "spedygiorgio/markovchain#107",
        "time runs down the columns of sequences",
        ("estimate",),
        partial(_asked, partial(_sequences, _columns)),
    ),
    Reported(
        "probml/pmtk3#24",
        "of several sequences the first alone is counted",
        ("estimate",),
        partial(_asked, partial(_sequences, lambda several: several[:1])),
    ),
    Reported(
        "mhahsler/pomdp#3",
        "rows and columns are in the order of the alphabet, names in that of the model",
        ("estimate",),
        _in_another_order,
    ),
    Reported(
        "hmmlearn/hmmlearn#65",
        "entries below a limit are left out",
        _MATRICES,
        partial(_asked, partial(_with_matrices, _without_small_entries)),
    ),
    Reported(
        "probml/dynamax#292",
        "a zero in the matrix makes no number of all",
        _MATRICES,
        _where(_of_a_matrix(lambda rows: any("0x0p+0" in row for row in rows)), _refused),
    ),
    Reported(
        "microsoft/prv_accountant#17",
        "a small δ is taken for a greater one",
        ("leakage_profile",),
        partial(_asked, lambda given: {**given, "delta": max(float.fromhex(given["delta"]), 1e-9).hex()}),
    ),
    Reported(
        "meta-pytorch/opacus#606",
        "large levels are refused",
        (*_LEVELS, *_BUDGETS),
        _where(lambda request: level(request) > 32, _refused),
    ),
    Reported(
        "tensorflow/privacy#166",
        "small levels are 0",
        _LEVELS,
        partial(_levels, lambda value: value if value >= _SMALLEST else 0.0),
    ),
    Reported(
        "opendp/opendp#2820",
        "levels are rounded down to single precision",
        _LEVELS,
        partial(_levels, lambda value: value if value == inf else value * (1 - 2.0**-24)),
    ),
    Reported(
        "opendp/opendp#2131",
        "a budget is kept up by the last bit",
        _BUDGETS,
        partial(_levels, lambda value: value if value in (0.0, inf) else nextafter(nextafter(value, inf), inf)),
    ),
    Reported(
        "google/differential-privacy#101",
        "a threshold is cut off after three decimals",
        _LEVELS,
        partial(_levels, lambda value: value if value == inf else int(value * 1000) / 1000),
    ),
    Reported(
        "w3c/attribution#161",
        "budgets are kept in millionths",
        _SCHEDULES,
        partial(_asked, _in_millionths),
    ),
    Reported(
        "opendp/smartnoise-sdk#621",
        "a logarithm is left out",
        _LEVELS,
        partial(_levels, lambda value: expm1(value) if value < 700 else value),
    ),
    Reported(
        "microsoft/prv_accountant#15",
        "budgets that differ count as the first",
        _SCHEDULES,
        partial(_asked, _first_budget),
    ),
    Reported(
        "QuantEcon/QuantEcon.py#252",
        "states and their places are confused above two states",
        ("reverse", "smooth"),
        _where(lambda request: states(request) > 2, partial(_asked, partial(_with_matrices, lambda rows: rows[::-1]))),
    ),
)
"""Each operation has two at least; none is right on all questions, as a loss function with rows in another order is."""

NAMES = (
    ("names are stripped", str.strip),
    ("names are in lower case", str.lower),
    ("names are in composed form", partial(unicodedata.normalize, "NFC")),
    ("names are in compatible form", partial(unicodedata.normalize, "NFKC")),
    ("leading zeros are left out", lambda name: name.lstrip("0") or "0"),
    ("names are of eight characters", lambda name: name[:8]),
    ("what is no ASCII is left out", lambda name: name.encode("ascii", "replace").decode()),
    ("names that are numbers are numbers", lambda name: str(int(name)) if name.strip().isdecimal() else name),
)


def of_names(place: int) -> Mistake:
    """Return a mistake by which names that differ are one."""
    words, change = NAMES[place % len(NAMES)]
    given = partial(_asked, partial(_names, change))
    return Mistake(words, lambda request, right, _last, answer: given(request, right, answer) or right)
