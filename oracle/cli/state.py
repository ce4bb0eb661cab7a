"""An accountant to and from the exact texts of a ledger: what is loaded is what was saved."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ..checked import CheckedAccountant
from ..contract.limits import MOST_ADVERSARIES, check_count, check_leakage
from ..data.adversaries import adversaries_of, losses_of, pairs_at_delta
from ..data.clock import ONE_NUMBER, is_timed, recorded_at_delta, recorded_by_time
from ..data.files import ROLES
from ..data.ledger_chain import RecordedAccount
from ..data.ledger_file import AT_DELTA, BOUNDS, BY_RECURSION, BY_WORST_CASE
from ..data.steps import Duration
from ..models import NAMES, models
from ..models.model import Account
from ..models.neighbours import ADD_REMOVE, REPLACE, Neighbours
from ..models.profile_account import ProfileAccount
from ..reference import INFINITE, Adversary, InvalidRequest, Level, TransitionMatrix
from ..reference.decimals import fraction_to_text
from ..reference.paper.loss import Progress
from ..reference.stepwise import KnownCorrelation
from ..wire.budget_texts import budget_of, budget_text
from ..wire.numerals import Reader
from ..wire.strict_json import Object, as_object, as_string, check_keys, decode, encode

REPLACED = Neighbours()

_TOLD = " told="
"""What stands in a bound before the JSON of `told_of`."""


def recorded_account(
    accountant: Account | ProfileAccount, neighbours: Neighbours = REPLACED, told: Object | None = None
) -> RecordedAccount:
    """Return the whole state of an accountant. Exact. Raises: Undecided for a budget without an exact notation.

    Args: neighbours, of the budgets that users give; the recorded ones are under replacement; told,
    what the matrices were estimated from, as `told_of` returns it.
    """
    bound = [BY_WORST_CASE if isinstance(accountant, CheckedAccountant | ProfileAccount) else BY_RECURSION]
    if isinstance(accountant, ProfileAccount):
        known = {name: _texts(dict(zip(ROLES, pair, strict=True))) for name, pair in accountant.known.items()}
        budgets = [budget_text(budget) for budget in accountant.budgets]
        bound.append(f"{AT_DELTA}{fraction_to_text(accountant.delta)}")
    else:
        known = {name: _texts(_matrices_of(adversary)) for name, adversary in accountant.adversaries.items()}
        budgets = [epsilon.full_text() for epsilon in accountant.epsilons]
    bound += [ADD_REMOVE] * neighbours.converts
    words = " ".join(bound) + (f"{_TOLD}{encode(told)}" if told else "")
    return RecordedAccount(known, accountant.cap.full_text(), words, budgets)


def accountant_of(account: RecordedAccount, progress: Progress | None = None, new: int = 1) -> Account | ProfileAccount:
    """Rebuild an accountant from its record.

    In pure ε each budget is spent again, so that every leakage is as it was, exactly; at a δ, of releases with times,
    the last `new` ones. Raises: InvalidRequest naming the wrong part, and the contract's errors for its matrices and
    levels; InfeasibleBudget where these exceed its cap.
    """
    adversaries = as_object(account.adversaries, "adversaries")
    check_count(len(adversaries), MOST_ADVERSARIES, "adversaries")
    matrices = {name: _matrices(name, known) for name, known in adversaries.items()}
    cap = Reader().level(account.cap, "cap")
    kept, delta, _ = _bound(account)
    if delta is not None:
        pairs, texts = pairs_at_delta(matrices), account.epsilons
        if not is_timed(texts):
            return ProfileAccount(pairs, cap, delta, [budget_of(text, "epsilons") for text in texts])
        clock = clock_of(account)
        opened = ProfileAccount(pairs, cap, delta, recorded_at_delta(texts[: len(texts) - new], clock))
        opened.become(recorded_at_delta(texts, clock), progress or (lambda _done, _total: None))
        return opened
    keeper = NAMES[0] if kept == BY_WORST_CASE else NAMES[1]
    if is_timed(account.epsilons):
        levels = recorded_by_time(account.epsilons, clock_of(account))
    else:
        levels = Reader().levels(list(account.epsilons), "epsilons")
    return opened_with(matrices, levels, cap, keeper, progress)


def told_of(account: RecordedAccount) -> Object:
    """Return what the account says of its matrices: "estimate", "step", "fit" and "clock". Raises: InvalidRequest."""
    _, found, text = account.bound.partition(_TOLD)
    told = as_object(decode(text), "bound") if found else {}
    check_keys(told, (), ("estimate", "step", "fit", "clock"), "bound")
    return told


def clock_of(account: RecordedAccount) -> Duration:
    """Return the time from one value to the next. Raises: InvalidRequest."""
    told = told_of(account)
    return Duration.of(as_string(told["clock"], "clock"), "clock") if "clock" in told else ONE_NUMBER


def neighbours_of(account: RecordedAccount) -> Neighbours:
    """Return the neighbours of the ε that users give an account. Raises: InvalidRequest."""
    return Neighbours(_bound(account)[2])


def _bound(account: RecordedAccount) -> tuple[str, Fraction | None, str]:
    """Return the bound that enforces the cap, the δ (None in an account of pure ε), and the neighbours."""
    kept, *words = account.bound.partition(_TOLD)[0].split(" ")
    kind = words.pop() if words[-1:] == [ADD_REMOVE] else REPLACE
    delta = words.pop().removeprefix(AT_DELTA) if words and words[-1].startswith(AT_DELTA) else None
    if kept not in BOUNDS or words or (delta is not None and kept != BY_WORST_CASE):
        raise InvalidRequest(f"the bound is one of {', '.join(BOUNDS)}, perhaps with {ADD_REMOVE}, the latter with a δ")
    return kept, None if delta is None else Reader().number(delta, "bound"), kind


def opened_with(
    matrices: dict[str, dict[str, TransitionMatrix]],
    epsilons: list[Level],
    cap: Level = INFINITE,
    keeper: str = NAMES[1],
    progress: Progress | None = None,
) -> Account:
    """Return an account of users who know these matrices by role, after these releases.

    Args: keeper, the name of the model whose TPL the cap limits. Raises: InfeasibleBudget if the releases exceed it.
    """
    adversaries = adversaries_of(matrices, progress=progress)
    check_leakage(epsilons, losses_of(adversaries), 1, len(adversaries))
    (model,) = models(keeper)
    return model.account(adversaries, cap, epsilons)


def _matrices_of(adversary: Adversary) -> dict[str, KnownCorrelation | None]:
    losses = zip(ROLES, (adversary.backward, adversary.forward), strict=True)
    return {role: None if loss is None else loss.matrix for role, loss in losses}


def _texts(matrices: Mapping[str, KnownCorrelation | None]) -> Object:
    return {role: matrix.texts() for role, matrix in matrices.items() if isinstance(matrix, TransitionMatrix)}


def _matrices(name: str, known: object) -> dict[str, TransitionMatrix]:
    value = as_object(known, f"adversary {name!r}")
    check_keys(value, (), ROLES, f"adversary {name!r}")
    reader = Reader()
    return {role: reader.matrix(value[role], f"{name!r}, {role}") for role in ROLES if role in value}
