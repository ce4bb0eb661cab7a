"""The operations on bounds over time: supremum, composition, allocate and control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..contract.limits import check_leakage
from ..contract.promises import Promise, allocated
from ..reference import Adversary, Level, Supremum, composition, control, leakage, supremum
from ..reference.decimals import fraction_to_text
from .strict_json import Object, as_integer, as_string
from .values import level_value, level_values, witness_value

if TYPE_CHECKING:
    from .requests import Question


def supremum_value(found: Supremum, digits: int) -> Object:
    """Return the supremum, the coefficients that rule at it, and their witness."""
    return {
        **level_value(found.level, digits),
        "q": fraction_to_text(found.q),
        "d": fraction_to_text(found.d),
        **witness_value(found.witness),
    }


def answer_supremum(question: Question) -> Object:
    """Answer `supremum`: the level that BPL or FPL rises to with one budget at every time."""
    epsilon = question.reader.level(question.given["epsilon"], "epsilon")
    loss = question.loss("matrix")
    check_leakage([epsilon], [loss], question.digits)
    return supremum_value(supremum(loss, epsilon), question.digits)


def answer_composition(question: Question) -> Object:
    """Answer `composition`: the leakage of the releases of one window together."""
    given, digits = question.given, question.digits
    epsilons = question.reader.levels(given["epsilons"], "epsilons")
    start, length = as_integer(given["start"], "start"), as_integer(given["length"], "length")
    adversary = _adversary(question)
    losses = [loss for loss in (adversary.backward, adversary.forward) if loss is not None]
    check_leakage(epsilons, losses, digits)
    return level_value(composition(leakage(epsilons, adversary), epsilons, start, length), digits)


def answer_allocate(question: Question) -> Object:
    """Answer `allocate`: the budgets that keep TPL at most alpha."""
    given, digits = question.given, question.digits
    alpha = question.reader.level(given["alpha"], "alpha")
    horizon = as_integer(given["horizon"], "horizon") if "horizon" in given else None
    promise = Promise(alpha, as_string(given["method"], "method"), horizon)
    return {"epsilons": schedule_value(allocated(promise, _adversary(question), digits), digits)}


def schedule_value(epsilons: tuple[Level, ...], digits: int) -> list[Object]:
    """Return the budgets in order; each distinct one is enclosed once."""
    distinct = {id(epsilon): epsilon for epsilon in epsilons}
    values = dict(zip(distinct, level_values(distinct.values(), digits), strict=True))
    return [values[id(epsilon)] for epsilon in epsilons]


def answer_control(question: Question) -> Object:
    """Answer `control`: the budget that may be spent now so that BPL stays within a cap."""
    reader, given = question.reader, question.given
    previous, cap = (reader.level(given[key], key) for key in ("previous", "cap"))
    return level_value(control(question.loss("matrix"), previous, cap), question.digits)


def _adversary(question: Question) -> Adversary:
    return Adversary(*(question.loss(role) if role in question.given else None for role in ("backward", "forward")))
