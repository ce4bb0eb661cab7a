"""Facts of an audit in words, and its conclusions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from ..models.chain import OneChain
from ..models.paper_bound import PaperBound
from ..output.sheets import DIGITS_IN_BRIEF, Output, bracketed, counted, odds_note
from ..reference import Enclosure, Level
from ..reference.decimals import fraction_to_text, outward
from .audit import Audit, MatrixAudit, ModelAudit, Worst
from .structure import Structure, birkhoff

_LONGEST_LEVEL, _LONGEST_NUMBER = 16, 12
_LISTED = 8

_ABOUT = "over an infinite horizon the results describe an adversary who believes both matrices, not one chain"


def number_text(value: Fraction, output: Output) -> str:
    """Return a rational ≥ 0 exactly if that is short, else an enclosure, or rounded up to few digits."""
    exact = fraction_to_text(value)
    return exact if len(exact) <= _LONGEST_NUMBER else _enclosed(partial(outward, value, value), output)


def _enclosed(enclose: Callable[[int], Enclosure], output: Output) -> str:
    enclosure = enclose(DIGITS_IN_BRIEF if output.in_brief else output.digits)
    return str(enclosure.upper) if output.in_brief else bracketed(str(enclosure.lower), str(enclosure.upper))


def listed(items: Sequence[object], most: int = _LISTED) -> str:
    """Return the first items, and their number if there are more."""
    shown = " ".join(str(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} … ({len(items)})"


def times_text(times: Sequence[int]) -> str:
    """Return times, consecutive ones by their ends."""
    if len(times) > 2 and times[-1] - times[0] == len(times) - 1:
        return f"times {times[0]} to {times[-1]}"
    return f"time{'s' if len(times) > 1 else ''} {', '.join(map(str, times[:_LISTED]))}{' …' * (len(times) > _LISTED)}"


def names_text(names: Sequence[str], total: int) -> str:
    """Return users' names, a few of many. Args: total, the number of users."""
    if len(names) == total > 1:
        return f"all {total}"
    return ", ".join(names[:3]) + (f" … ({len(names)})" if len(names) > 3 else "")


def state_text(matrix: MatrixAudit, index: int) -> str:
    """Return the number of a state, from 1, and its name if it has one."""
    return f"{index + 1} ({matrix.states[index]})" if matrix.states else str(index + 1)


def _rows_text(matrix: MatrixAudit, rows: tuple[int, int]) -> str:
    return " and ".join(state_text(matrix, row) for row in rows)


def facts(matrix: MatrixAudit, output: Output) -> Iterator[tuple[str, str]]:
    """Yield the facts of a matrix with their names."""
    found, loss = matrix.structure, matrix.loss
    yield "states", str(found.n)
    yield "zeros", f"{found.zeros} of {found.n**2} entries"
    yield "kind", _kind(found)
    yield "chain", _chain(found)
    yield "stationary distribution", _stationary(matrix, output)
    yield "bits of denominators", f"at most {found.entry_bits} in an entry, {found.row_bits} in a row"
    yield "as doubles", _as_doubles(found)
    yield "equal rows", _equal_rows(found)
    if found.nearest is not None:
        distance = number_text(found.nearest.value, output)
        yield "nearest rows that differ", f"{_rows_text(matrix, found.nearest.rows)}: total variation {distance}"
    if (witness := loss.pieces[0].witness) is not None:
        distance = number_text(loss.slope_at_zero, output)
        yield "furthest rows", f"{_rows_text(matrix, (witness.row_q, witness.row_d))}: total variation {distance}"
    yield "rows that share no column", _disjoint(matrix)
    yield "pieces of L", str(len(loss.pieces))
    yield "slope of L at 0", f"{number_text(loss.slope_at_zero, output)}, Dobrushin's coefficient"
    yield "L(∞)", output.words(loss.at_infinity)
    yield "Birkhoff's bound", _birkhoff(matrix, output)
    yield "paper's bound infinite", critical_text(matrix.critical, output)


def _kind(found: Structure) -> str:
    if found.is_identity:
        return "identity" if found.n > 1 else "one state"
    if found.is_permutation:
        return "permutation"
    if found.all_rows_equal:
        return "all rows equal: no correlation"
    return "doubly stochastic" if found.is_doubly_stochastic else "general"


def _chain(found: Structure) -> str:
    if found.is_irreducible:
        period = found.classes[0].period
        return "irreducible, aperiodic" if period == 1 else f"irreducible, period {period}"
    closed = found.closed_classes
    transient = found.n - sum(len(each.states) for each in closed)
    named = [
        f"{{{listed([state + 1 for state in each.states])}}}" + f" with period {each.period}" * (each.period != 1)
        for each in closed[:_LISTED]
    ]
    more = "; …" if len(closed) > _LISTED else ""
    return f"reducible: {len(closed)} closed ({'; '.join(named)}{more}), {transient} of {found.n} states transient"


def _stationary(matrix: MatrixAudit, output: Output) -> str:
    found = matrix.structure
    if len(found.closed_classes) > 1:
        return f"not unique: {len(found.closed_classes)} closed classes"
    if (distribution := found.stationary) is None:
        return "unique, not computed"
    if found.n <= _LISTED:
        return "  ".join(number_text(value, output) for value in distribution)
    order = sorted(range(found.n), key=distribution.__getitem__)
    low, high = (
        f"{number_text(distribution[end], output)} of {state_text(matrix, end)}" for end in order[:: found.n - 1]
    )
    return f"unique, from {low} to {high}"


def _as_doubles(found: Structure) -> str:
    doubles = found.as_doubles
    if not doubles.inexact:
        return "every entry is a double"
    text = f"{doubles.inexact} of {found.n**2} entries are not doubles"
    if not doubles.spoilt:
        return f"{text}; rows of doubles still sum to 1"
    miss = outward(abs(doubles.greatest_miss), abs(doubles.greatest_miss), 3).upper
    return f"{text}; {len(doubles.spoilt)} of {found.n} rows of doubles do not sum to 1, by up to {miss}"


def _equal_rows(found: Structure) -> str:
    if found.all_rows_equal:
        return "all" if found.n > 1 else "none"
    groups = "; ".join(listed([row + 1 for row in group]) for group in found.equal_rows[:_LISTED])
    return f"{groups}{'; …' if len(found.equal_rows) > _LISTED else ''}" if groups else "none"


def _disjoint(matrix: MatrixAudit) -> str:
    found = matrix.structure
    if found.disjoint is None:
        return "none"
    return f"{counted(found.disjoint_pairs, 'pair')}, as {_rows_text(matrix, found.disjoint)}: L(α) = α"


def _birkhoff(matrix: MatrixAudit, output: Output) -> str:
    found = matrix.structure
    if not found.contrast_known:
        return "not computed"
    if found.contrast is None:
        return "gives none: a column is positive in one row and zero in another"
    return f"L(α) ≤ {_enclosed(partial(birkhoff, found.contrast.value), output)}·α"


def critical_text(critical: Level | None, output: Output) -> str:
    """Return the budget from which the paper's bound is infinite, in words."""
    if critical is None:
        return "at no budget"
    if critical.is_zero:
        return "at every positive budget"
    exact, words = critical.exact_text, output.words(critical)
    short = output.in_brief and exact is not None and "(" in exact and len(exact) <= _LONGEST_LEVEL
    return f"from ε = {exact} ({words}) on" if short else f"from ε = {words} on"


def findings(audit: Audit, output: Output) -> Iterator[str]:
    """Yield the conclusions, a sentence each."""
    least, greatest = output.words(min(audit.epsilons)), output.words(audit.greatest)
    asked = greatest if min(audit.epsilons) == audit.greatest else f"{least} to {greatest}"
    worst = _by_model(
        audit, lambda own: f"{_of(audit, own.worst['tpl'], output)} at {times_text(own.worst['tpl'].times)}"
    )
    yield f"{counted(len(audit.epsilons), 'release')} of {asked}: TPL is at most {worst}."
    yield odds_note(audit.everyone[audit.models[0].key].worst["tpl"].level)
    yield _over_all_time(audit, output)
    yield _allowed(audit, output)
    yield from _chains(audit, output)
    yield from _revealing_value(audit, output)
    yield from _doubles(audit)


def _by_model(audit: Audit, told: Callable[[ModelAudit], str]) -> str:
    """Return a text for each model, once if it is the same for both."""
    texts = {model.title: told(audit.everyone[model.key]) for model in audit.models}
    if len(texts) > 1 and len(set(texts.values())) == 1:
        return f"{next(iter(texts.values()))} by both models"
    return ", ".join(f"{text} by the {title}" for title, text in texts.items())


def _whose(audit: Audit, worst: Worst) -> str:
    return f" ({names_text(worst.names, len(audit.users))})" if len(audit.users) > 1 else ""


def _of(audit: Audit, worst: Worst, output: Output) -> str:
    return f"{output.words(worst.level)}{_whose(audit, worst)}"


def _over_all_time(audit: Audit, output: Output) -> str:
    def rises(own: ModelAudit) -> str:
        limit = own.suprema["tpl"]
        whose = _of(audit, limit, output)
        return f"grows without bound{_whose(audit, limit)}" if limit.level.is_infinite else f"stays within {whose}"

    budget, critical = output.words(audit.greatest), audit.critical
    text = f"{budget} at every release over an infinite horizon: TPL {_by_model(audit, rises)}"
    if PaperBound.key not in audit.everyone:
        return f"{text}."
    if critical is None:
        return f"{text}. The paper's bound is finite for every finite budget."
    boundary = f"{text}. The paper's bound is infinite {critical_text(critical.level, output)}{_whose(audit, critical)}"
    if critical.level.is_zero or audit.greatest >= critical.level:
        return f"{boundary}."
    return f"{boundary}, which is {output.words((critical.level - audit.greatest).to_spend())} more."


def _allowed(audit: Audit, output: Output) -> str:
    def told(own: ModelAudit) -> str:
        return "no constant budget" if own.constant is None else f"{_of(audit, own.constant, output)} at every release"

    text = f"TPL within {output.words(audit.alpha)} over an infinite horizon: {_by_model(audit, told)}"
    refusals = "; ".join(dict.fromkeys(own.refusal for own in audit.everyone.values() if own.refusal))
    return f"{text}: {refusals}." if refusals else f"{text}."


def _chains(audit: Audit, output: Output) -> Iterator[str]:
    """Yield whether both matrices of the user belong to one chain; of several users those whose do not."""
    known = [(user, user.chain) for user in audit.users if user.chain is not None]
    if len(audit.users) == 1:
        yield from (_chain_text(audit, chain, output) for _, chain in known)
    elif apart := [user.name for user, chain in known if not chain.fits]:
        yield f"P^B is not the reversal of P^F: {names_text(apart, len(audit.users))}. {_ABOUT[0].upper()}{_ABOUT[1:]}."


def _chain_text(audit: Audit, chain: OneChain, output: Output) -> str:
    """Return whether P^B is the reversal of P^F, the consequence, and the leakage with the reversal."""
    if chain.fits:
        return "P^B is the reversal of P^F: both describe one stationary chain at all times."
    if chain.difference is None:
        return f"P^F has no reversal: {chain.refusal}. At any single time the two are consistent; {_ABOUT}."
    place = "row {}, column {}".format(*(index + 1 for index in chain.place))
    text = (
        f"P^B is not the reversal of P^F: entries differ by up to {number_text(chain.difference, output)} ({place}). "
        f"At any single time the two are consistent; {_ABOUT}. `tploracle reverse --stationary` makes the reversal"
    )
    levels = {model.title: audit.users[0].models[model.key].with_reversal for model in audit.models}
    told = ", ".join(f"{output.words(level)} by the {title}" for title, level in levels.items() if level is not None)
    return f"{text}; with it TPL stays within {told}." if told else f"{text}."


def _revealing_value(audit: Audit, output: Output) -> Iterator[str]:
    """Yield the single value that reveals most about the others to an adversary who knows it."""
    found = next((own.revealing_value for own in audit.everyone.values() if own.revealing_value is not None), None)
    if found is None:
        return
    user = found.name or audit.users[0].name
    of_user = [matrix for matrix in audit.matrices if any(name == user for name, _ in matrix.used_as)]
    matrix = next((matrix for matrix in of_user if matrix.states), of_user[0])
    whose = f" of {user}" if len(audit.users) > 1 else ""
    known = f"the value {state_text(matrix, found.value)}{whose} at time {found.time}"
    level, none = output.words(found.level), f"one who knows no value, up to {output.words(found.plain)}"
    if found.raises:
        yield f"An adversary who also knows {known} learns up to {level}; {none}."
    else:
        yield f"An adversary who also knows a single value learns up to {level} ({known}); {none}."


def _doubles(audit: Audit) -> Iterator[str]:
    found = [hazard for matrix in audit.matrices for hazard in matrix.hazards]
    found += [hazard for user in audit.users for hazard in user.hazards]
    if not found:
        yield "Doubles: no hazard was found at the levels and budgets tried."
        return
    names = list(dict.fromkeys(hazard.name for hazard in found))
    unsafe = list(dict.fromkeys(hazard.name for hazard in found if hazard.unsafe))
    count = f"{len(unsafe)} with answers that promise too much (UNSAFE): {', '.join(unsafe)}"
    told = count if unsafe else "none with an answer that promises too much"
    yield f"Doubles: {counted(len(names), 'hazard')}, {told}."
