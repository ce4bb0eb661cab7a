"""An accountant to and from exact texts, as the ledger keeps them: what is loaded is what was saved."""

from __future__ import annotations

from ..contract.limits import MOST_ADVERSARIES, check_count, check_leakage
from ..data.adversaries import adversaries_of, losses_of
from ..data.files import ROLES
from ..data.ledger_chain import STATE_FORMAT
from ..data.ledger_file import BOUNDS, BY_RECURSION, BY_WORST_CASE
from ..models import NAMES, models
from ..models.model import Account
from ..models.neighbours import ADD_REMOVE, REPLACE, Neighbours
from ..reference import INFINITE, Adversary, InvalidRequest, Level, TransitionMatrix
from ..reference.paper.loss import Progress
from ..solvers.worst_case.accounts import TightAccountant
from ..wire.numerals import Reader
from ..wire.strict_json import Object, as_object, as_string, check_keys

VERSION = 1

REPLACED = Neighbours()


def state_of(accountant: Account, neighbours: Neighbours = REPLACED) -> Object:
    """Return the whole state of an accountant. Exact. Raises: Undecided for a budget without an exact notation.

    Args: neighbours, of the budgets that are given; those of the state are under replacement.
    """
    kept = BY_WORST_CASE if isinstance(accountant, TightAccountant) else BY_RECURSION
    bound = f"{kept} {ADD_REMOVE}" if neighbours.converts else kept
    cap = {} if accountant.cap.is_infinite else {"cap": accountant.cap.full_text()}
    return {
        "format": STATE_FORMAT,
        "version": VERSION,
        "adversaries": {name: _known(adversary) for name, adversary in accountant.adversaries.items()},
        **cap,
        **({} if bound == BY_RECURSION else {"bound": bound}),
        "epsilons": [epsilon.full_text() for epsilon in accountant.epsilons],
    }


def accountant_of(state: object, progress: Progress | None = None) -> Account:
    """Rebuild the accountant from its state: each budget is spent again, so that every leakage is as it was, exactly.

    Raises: InvalidRequest naming the key that is wrong, and the contract's errors for its matrices and levels.
    """
    value = as_object(state, "the state")
    check_keys(value, ("format", "version", "adversaries", "epsilons"), ("cap", "bound"), "the state")
    if as_string(value["format"], "format") != STATE_FORMAT:
        raise InvalidRequest(f"the format is not {STATE_FORMAT}")
    if value["version"] != VERSION or value["version"] is True:
        raise InvalidRequest(f"the state has another version than {VERSION}")
    adversaries = as_object(value["adversaries"], "adversaries")
    check_count(len(adversaries), MOST_ADVERSARIES, "adversaries")
    matrices = {name: _matrices(name, known) for name, known in adversaries.items()}
    cap = Reader().level(value["cap"], "cap") if "cap" in value else INFINITE
    keeper = NAMES[0] if _bound(value)[0] == BY_WORST_CASE else NAMES[1]
    return opened_with(matrices, Reader().levels(value["epsilons"], "epsilons"), cap, keeper, progress)


def neighbours_of(state: Object) -> Neighbours:
    """Return whose ε the account is given: what it was begun with. Raises: InvalidRequest."""
    return Neighbours(_bound(state)[1])


def _bound(state: Object) -> tuple[str, str]:
    """Return by what an account is kept, and whose ε it is given."""
    kept, _, kind = as_string(state.get("bound", BY_RECURSION), "bound").partition(" ")
    if kept not in BOUNDS or kind not in ("", ADD_REMOVE):
        raise InvalidRequest(f"the bound is one of {', '.join(BOUNDS)}, perhaps with {ADD_REMOVE}")
    return kept, kind or REPLACE


def opened_with(
    matrices: dict[str, dict[str, TransitionMatrix]],
    epsilons: list[Level],
    cap: Level = INFINITE,
    keeper: str = NAMES[1],
    progress: Progress | None = None,
) -> Account:
    """Return an account of users who know these matrices by role, after these releases. Raises: as above.

    Args: keeper, the name of the model whose TPL the cap is about. InfeasibleBudget where the releases exceed the cap.
    """
    adversaries = adversaries_of(matrices, progress=progress)
    check_leakage(epsilons, losses_of(adversaries), 1, len(adversaries))
    (model,) = models(keeper)
    return model.account(adversaries, cap, epsilons)


def _known(adversary: Adversary) -> Object:
    losses = zip(ROLES, (adversary.backward, adversary.forward), strict=True)
    return {role: loss.matrix.texts() for role, loss in losses if loss is not None}


def _matrices(name: str, known: object) -> dict[str, TransitionMatrix]:
    value = as_object(known, f"adversary {name!r}")
    check_keys(value, (), ROLES, f"adversary {name!r}")
    reader = Reader()
    return {role: reader.matrix(value[role], f"{name!r}, {role}") for role in ROLES if role in value}
