"""What is done wrong in a run: a cause is named where its answers, worked out anew, tell it from all else.

An answer tells where one cause alone gives it, with any of its parameters, and none of the simple answers: 0, ∞, a
level of the input, the same number for different truths, the truth multiplied or shifted by the same number again and
again. Two such answers prove a cause, to inputs with different truths or answers: the first half of them fixes the
parameter, the second confirms it. What shows in no number (an error, NaN, no answer) is no cause by what its input is
like.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from math import inf, isclose, isfinite
from statistics import median_low

from ...mistakes.catalogue import CAUSES
from ...mistakes.mistake import ANY_NUMBER, SAME, Clues, Judged, Mistake
from ...mistakes.question import Question
from ..model import Failure, Result
from ..report.texts import request_text
from .features import Features, features_of, input_of

FEWEST_BEYOND, FEWEST_BEFORE, MOST_BEYOND = 3, 5, Fraction(4, 5)
"""Answers that fail from a size on, and that pass below it; and the least part of those from it on that fails."""

_STEADY, _LEAST_OFF = 1e-9, 2.0**-51
"""Relative distance of two factors or shifts that count as the same; and the absolute distance of two factors."""

_NO_NUMBER = ("0", "inf", "nan")

Separates = Callable[[str, Sequence[int]], Fraction]
"""How well the best structure of inputs separates some failures of an operation from what passes, from 0 to 1."""

Parameters = Mapping[str, frozenset[object]]
"""The causes that give an answer, by their ids, with their parameters."""


def clues_of(result: Result) -> Clues:
    """Return what a failure says of its cause."""
    case, judgement = result.case, result.judgement
    truth, given = judgement.numbers or (None, None)
    said = f"{judgement.given} {judgement.detail}"
    judged = Judged(judgement.failure, judgement.ulps, judgement.which, truth, given, said)
    return Clues(Question(case.op, case.numbers, case.input, judgement.place, input_of(case)), judged)


def causes_of(
    failing: Sequence[Result], passing: Mapping[str, Sequence[Result]], separates: Separates
) -> list[Mistake | None]:
    """Return the cause of each failure, None where none is proven. Args: passing, by operation."""
    clues = [clues_of(result) for result in failing]
    given = [_given_by(one) for one in clues]
    of_operation: dict[str, list[int]] = defaultdict(list)
    for place, result in enumerate(failing):
        of_operation[result.case.part].append(place)
    simple = {place for place, one in enumerate(clues) if _is_simple(one)}
    for places in of_operation.values():
        simple.update(places[k] for k in _same_again([clues[place] for place in places]))
    proofs = {cause.id: _proof(cause, failing, given, simple) for cause in CAUSES if not cause.beyond}
    proven = {name: proof for name, proof in proofs.items() if proof is not None}

    def fits(place: int, cause: Mistake) -> bool:
        if cause.id not in proven or cause.id not in given[place]:
            return False
        return cause.is_plain or proven[cause.id][1] in given[place][cause.id]

    found: list[Mistake | None] = []
    for place in range(len(failing)):
        fitting = [cause for cause in CAUSES if fits(place, cause) and not cause.is_general]
        found.append(max(fitting, key=lambda cause: proven[cause.id][0], default=None))
    for op, places in of_operation.items():
        wrong = [k for k in places if failing[k].judgement.failure in (*ANY_NUMBER, Failure.ROUNDING)]
        for cause in CAUSES:
            own = {k for k in wrong if cause.is_general and fits(k, cause)}
            if len(own) >= FEWEST_BEFORE and len(own) >= MOST_BEYOND * len(wrong):
                for place in own:
                    found[place] = cause
        left = [k for k in places if found[k] is None]
        limit = _limit([failing[k] for k in left], passing.get(op, ()))
        if limit is not None and separates(op, left) < 1:
            for place in left:
                found[place] = limit
    return found


def _given_by(clues: Clues) -> Parameters:
    fitting = {cause.id: cause.parameters(clues) for cause in CAUSES if not cause.beyond}
    return {name: parameters for name, parameters in fitting.items() if parameters}


def _proof(
    cause: Mistake, failing: Sequence[Result], given: Sequence[Parameters], simple: Container[int]
) -> tuple[int, object] | None:
    """Return how many answers prove a cause, and its parameter; None where it is not proven."""
    telling: dict[object, frozenset[object]] = {}
    for place, (result, own) in enumerate(zip(failing, given, strict=True)):
        if cause.id in own and (cause.proofs == 1 or place not in simple) and (cause.is_plain or len(own) == 1):
            judged = result.judgement
            telling.setdefault(judged.numbers or request_text(result.case), own[cause.id])
    if len(telling) < cause.proofs:
        return None
    if cause.is_plain:
        return len(telling), ""
    first, second = [*telling.values()][::2], [*telling.values()][1::2]
    counts = Counter(parameter for parameters in first for parameter in parameters)
    parameter, number = max(counts.items(), key=lambda item: item[1])
    confirmed = sum(parameter in parameters for parameters in second)
    return (number + confirmed, parameter) if confirmed and 2 * confirmed >= len(second) else None


def _is_simple(clues: Clues) -> bool:
    """Whether an answer is 0, ∞, NaN or a level of the input, which no formula is needed for; or none at all."""
    if clues.failure is Failure.VALUE_FOR_ERROR:
        return any(_is_no_number(text) for text in clues.said.partition("a value:")[2].split()[:1])
    if clues.given is None:
        return clues.failure is not Failure.MALFORMED and "complex" not in clues.said.lower()
    return not isfinite(clues.given) or clues.given == 0 or is_of_input(clues)


def _is_no_number(text: str) -> bool:
    return text.lower() in _NO_NUMBER or text.startswith(("0x0.0p", "0x0p"))


def is_of_input(clues: Clues) -> bool:
    """Whether an answer is a level of the input."""
    return clues.given is not None and any(isclose(clues.given, level, rel_tol=SAME) for level in clues.levels)


def _same_again(clues: Sequence[Clues]) -> set[int]:
    """Return the places of the answers that are one number, or the truth by one factor or shift, again and again.

    One number: for different truths. A factor or a shift: of at least half of the answers that are numbers.
    """
    numbers = {
        place: (one.truth, one.given)
        for place, one in enumerate(clues)
        if one.truth is not None and one.given is not None and isfinite(one.truth) and isfinite(one.given)
    }
    truths: dict[float, set[float]] = defaultdict(set)
    for truth, given in numbers.values():
        truths[given].add(truth)
    found = {place for place, (_, given) in numbers.items() if len(truths[given]) > 1}
    for is_factor in (True, False):
        found.update(place for place, is_steady in steady(numbers, is_factor).items() if is_steady)
    return found


def steady(numbers: Mapping[int, tuple[float, float]], is_factor: bool) -> dict[int, bool]:
    """Return which of these answers are the truth by the factor, or the shift, of at least half of them.

    Args: numbers, truths and answers by any key. Returns: for each key whether, of two truths or more; else none.
    """
    off = {
        key: given / truth - 1 if is_factor else given - truth
        for key, (truth, given) in numbers.items()
        if truth or not is_factor
    }
    if len({numbers[key][0] for key in off}) < 2:
        return {}
    middle = median_low(off.values())
    near = {
        key: isclose(one, middle, rel_tol=_STEADY, abs_tol=_LEAST_OFF * (1 if is_factor else numbers[key][0]))
        for key, one in off.items()
    }
    return near if len({numbers[key] for key, is_near in near.items() if is_near}) >= max(2, len(near) / 2) else {}


def _limit(failing: Sequence[Result], passing: Iterable[Result]) -> Mistake | None:
    """Return the limit that explains failures of an operation, if there is one, and of one sort of size only."""
    kinds = {one.judgement.failure for one in failing}
    if len(failing) < FEWEST_BEYOND or not kinds <= {*_ANY_LIMIT}:
        return None
    sizes, passed = ([features_of(one.case) for one in some] for some in (failing, passing))
    found = [cause for cause in CAUSES if kinds.issubset(cause.failures) and _is_limit(cause, sizes, passed)]
    return found[0] if len(found) == 1 else None


_ANY_LIMIT = {failure for cause in CAUSES if cause.beyond for failure in cause.failures}


def _is_limit(cause: Mistake, failing: Sequence[Features], passing: Sequence[Features]) -> bool:
    """Whether answers fail from a size on and pass below it; half of the failures say from which."""
    if not cause.beyond:
        return False

    def size(one: Features) -> float:
        return getattr(one, cause.beyond) or 0

    first = min(map(size, failing[::2]), default=inf)
    beyond = sum(size(one) >= first for one in failing)
    spared = sum(size(one) >= first for one in passing)
    return (
        beyond >= MOST_BEYOND * len(failing)
        and beyond >= MOST_BEYOND * (beyond + spared)
        and len(passing) - spared >= FEWEST_BEFORE
        and cause.least <= first <= cause.most
    )
