"""Flags for `allocate` and `control`: schedules of budgets, and what is left below a cap."""

from __future__ import annotations

from tploracle.reference import Level, budgets
from tploracle.reference.levels import ZERO

from . import printed_facts as printed
from .asked import Asked
from .flag import Fact, Flag
from .flags_of_time import of_op
from .row_facts import is_beside


def _quantified(least: int, most: int) -> Fact:
    return lambda asked: (
        asked.input.get("method") == "quantified" and least <= asked.integer("horizon") <= most and bool(asked.matrices)
    )


def _certain(asked: Asked) -> bool:
    return any(loss is not None and loss.is_identity for loss in (asked.adversary.backward, asked.adversary.forward))


def _no_loss(asked: Asked) -> bool:
    return all(loss is None or loss.is_zero for loss in (asked.adversary.backward, asked.adversary.forward))


def _asymmetric(asked: Asked) -> bool:
    return asked.adversary.coefficients[0] != asked.adversary.coefficients[1]


def _without_end(asked: Asked) -> bool:
    return not asked.level("alpha").is_infinite and not _certain(asked) and printed.bisection_does_not_end(asked)


def _middle_at_the_end(asked: Asked) -> bool:
    if asked.input.get("method") != "quantified" or asked.integer("horizon") < 3 or asked.level("alpha").is_infinite:
        return False
    schedule = list(budgets(asked.level("alpha"), asked.adversary).quantified(asked.integer("horizon")))
    return printed.middle_budget_falls_short_at_the_end(asked, schedule)


def _carried(asked: Asked) -> Level:
    return asked.loss(asked.level("previous"))


def _just_under_cap(asked: Asked) -> bool:
    carried, cap = _carried(asked), asked.level("cap")
    return carried < cap and not cap.is_infinite and is_beside(carried, cap)


FLAGS = (
    Flag(
        "HorizonOne",
        "A schedule of one release is given all of α; Algorithm 8 as printed assigns it twice, α_B and then α_F.",
        "Part of the budget is wasted on every single release.",
        _quantified(1, 1),
    ),
    Flag(
        "HorizonTwo",
        "A schedule of two releases has no middle: the middle budget is given to one of them.",
        "TPL is not α; a release is noisier than it need be.",
        _quantified(2, 2),
    ),
    Flag(
        "HorizonThree",
        "The shortest schedule with a middle: an index off by one gives the middle budget to an end.",
        "TPL passes α, or stays below it.",
        _quantified(3, 3),
    ),
    Flag(
        "MiddleAtTheEnd",
        "Section 5 as printed gives the middle budget to [2, T]; the last release must have α_F.",
        "TPL at the end stays below α: noise for nothing.",
        of_op("allocate", _middle_at_the_end),
    ),
    Flag(
        "BisectionWithoutEnd",
        "The budgets are no dyadic part of α: the printed loops wait for two reals to be equal.",
        "The program never ends, or ends by luck of rounding with a budget on either side of the true one.",
        of_op("allocate", _without_end),
    ),
    Flag(
        "CertainCorrelation",
        "L^B or L^F is the identity, so that no positive budget can go on for ever: Algorithm 7 goes on for "
        "ever instead, Algorithm 8 ends with 0.",
        "The program hangs, or hands out a budget of 0, whose noise is infinite.",
        of_op("allocate", lambda asked: _certain(asked) and not asked.level("alpha").is_zero),
    ),
    Flag(
        "NoLoss",
        "Nothing is correlated, or known: a bisection that starts inside (0, α) never reaches α.",
        "Less than α is handed out, for ever.",
        of_op("allocate", lambda asked: _no_loss(asked) and not asked.level("alpha").is_zero),
    ),
    Flag(
        "Asymmetric",
        "The two loss functions differ, and with them the first and the last budget: they are mixed up.",
        "TPL passes α inside the stream.",
        of_op("allocate", lambda asked: _asymmetric(asked) and not asked.level("alpha").is_zero),
    ),
    Flag(
        "BudgetForEver",
        "The constant budget of Algorithm 7: it is made safe for some number of releases, not for all.",
        "Sooner or later TPL passes α.",
        of_op(
            "allocate", lambda asked: asked.input.get("method") == "upper-bound" and not asked.level("alpha").is_zero
        ),
    ),
    Flag(
        "NothingToSpend",
        "The level asked for is 0: a budget of 0 is handed out as if it were one.",
        "A mechanism is called with infinite noise.",
        of_op("allocate", lambda asked: asked.level("alpha").is_zero),
    ),
    Flag(
        "FirstRelease",
        "Nothing was released before: L(0) comes out as NaN.",
        "The first release of every stream is refused, or not limited at all.",
        of_op("control", lambda a: a.level("previous").is_zero and a.level("cap") > ZERO),
    ),
    Flag(
        "ExactlyAtCap",
        "What is carried over is exactly the cap: a budget of 0, or the tiny one that rounding leaves, is handed out.",
        "The cap is passed, or a mechanism is called with infinite noise.",
        of_op("control", lambda a: _carried(a) == a.level("cap") and not a.level("cap").is_infinite),
    ),
    Flag(
        "JustUnderCap",
        "What is carried over is below the cap by at most 1.1 parts in 10^12: the difference cancels.",
        "A budget without a right digit, which passes the cap when it is spent.",
        of_op("control", _just_under_cap),
    ),
    Flag(
        "CarriedOver",
        "What is carried over is above the cap: the difference is negative, and handed out, or its absolute value is.",
        "The cap, which is passed already, is passed further.",
        of_op("control", lambda a: not a.level("cap").is_infinite and _carried(a) > a.level("cap")),
    ),
)
