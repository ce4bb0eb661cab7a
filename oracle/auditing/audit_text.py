"""Single facts of an audit in words, for the screen and the page alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ..output.sheets import SafeDoubles, bracketed, odds_note
from ..reference import Level
from ..reference.decimals import fraction_to_text, outward
from .audit import Audit, MatrixAudit, UserAudit, Worst
from .structure import StateClass, Structure, birkhoff
from .worst_case import OneChain

_LONGEST_LEVEL, _LONGEST_NUMBER = 16, 12
_LISTED = 8

RECURSIONS_NOTE = (
    "Leakages, suprema and budgets are those of the paper's recursions, which are upper bounds in general."
)

_ABOUT = "what is said of both for ever is about an adversary who believes both, not about one chain"

EXACT_NOTE = "Bound: by the paper's recursions, an upper bound. Exact: some mechanism attains it, and none exceeds it."


def level_text(level: Level, digits: int) -> str:
    """Write a level: its safe double where that is asked for, else its enclosure, and its exact form where short."""
    if level.is_infinite:
        return "inf"
    if isinstance(digits, SafeDoubles):
        return repr(float(level))
    enclosure = level.enclosure(digits)
    numeral, exact = bracketed(str(enclosure.lower), str(enclosure.upper)), level.exact_text
    return f"{numeral} = {exact}" if exact is not None and "(" in exact and len(exact) <= _LONGEST_LEVEL else numeral


def number_text(value: Fraction, digits: int) -> str:
    """Write a rational ≥ 0: exactly where that is short, else as an enclosure."""
    exact = fraction_to_text(value)
    if len(exact) <= _LONGEST_NUMBER:
        return exact
    enclosure = outward(value, value, digits)
    return bracketed(str(enclosure.lower), str(enclosure.upper))


def listed(items: Sequence[object], most: int = _LISTED) -> str:
    """Write the first items, and how many there are where not all are written."""
    shown = " ".join(str(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} … ({len(items)})"


def times_text(times: Sequence[int]) -> str:
    """Write times: a run by its ends."""
    if len(times) > 2 and times[-1] - times[0] == len(times) - 1:
        return f"times {times[0]} to {times[-1]}"
    return f"time{'s' if len(times) > 1 else ''} {', '.join(map(str, times[:_LISTED]))}{' …' * (len(times) > _LISTED)}"


def names_text(names: Sequence[str], total: int, most: int = 3) -> str:
    """Write users' names, of so many users in all."""
    if len(names) == total > 1:
        return f"all {total}"
    return ", ".join(names[:most]) + (f" … ({len(names)})" if len(names) > most else "")


def state_text(matrix: MatrixAudit, index: int) -> str:
    """Write a state by its number, from 1, and its name if it has one."""
    return f"{index + 1} ({matrix.states[index]})" if matrix.states else str(index + 1)


def rows_text(matrix: MatrixAudit, rows: tuple[int, int]) -> str:
    """Write two rows by their states."""
    return " and ".join(state_text(matrix, row) for row in rows)


def facts(matrix: MatrixAudit, digits: int) -> Iterator[tuple[str, str]]:
    """Yield what a matrix is like, each fact with its name."""
    found, loss = matrix.structure, matrix.loss
    yield "states", str(found.n)
    yield "zeros", f"{found.zeros} of {found.n**2} entries"
    yield "kind", _kind(found)
    yield "chain", _chain(found)
    yield "stationary distribution", _stationary(matrix, digits)
    yield "bits of denominators", f"at most {found.entry_bits} in an entry, {found.row_bits} in a row"
    yield "as doubles", _as_doubles(found)
    yield "equal rows", _equal_rows(found)
    if found.nearest is not None:
        distance = number_text(found.nearest.value, digits)
        yield "nearest rows that differ", f"{rows_text(matrix, found.nearest.rows)}: total variation {distance}"
    if (witness := loss.pieces[0].witness) is not None:
        distance = number_text(loss.slope_at_zero, digits)
        yield "furthest rows", f"{rows_text(matrix, (witness.row_q, witness.row_d))}: total variation {distance}"
    yield "rows that share no column", _disjoint(matrix)
    yield "pieces of L", str(len(loss.pieces))
    yield "slope of L at 0", f"{number_text(loss.slope_at_zero, digits)}, Dobrushin's coefficient"
    yield "L(∞)", level_text(loss.at_infinity, digits)
    yield "Birkhoff's bound", _birkhoff(matrix, digits)
    yield "leakage without bound", critical_text(matrix.critical, digits)


def _kind(found: Structure) -> str:
    if found.is_identity:
        return "identity" if found.n > 1 else "one state"
    if found.is_permutation:
        return "permutation"
    if found.all_rows_equal:
        return "all rows equal: nothing is correlated"
    return "doubly stochastic" if found.is_doubly_stochastic else "general"


def _chain(found: Structure) -> str:
    if found.is_irreducible:
        period = found.classes[0].period
        return "irreducible, aperiodic" if period == 1 else f"irreducible, period {period}"
    closed = found.closed_classes
    transient = found.n - sum(len(each.states) for each in closed)
    named = "; ".join(_class_text(each) for each in closed[:_LISTED])
    more = "; …" if len(closed) > _LISTED else ""
    return f"reducible: {len(closed)} closed ({named}{more}), {transient} of {found.n} states transient"


def _class_text(found: StateClass) -> str:
    period = "" if found.period == 1 else f" with period {found.period}"
    return f"{{{listed([state + 1 for state in found.states])}}}{period}"


def _stationary(matrix: MatrixAudit, digits: int) -> str:
    found = matrix.structure
    if len(found.closed_classes) > 1:
        return f"not unique: {len(found.closed_classes)} closed classes"
    if (distribution := found.stationary) is None:
        return "unique, not worked out"
    if found.n <= _LISTED:
        return "  ".join(number_text(value, digits) for value in distribution)
    order = sorted(range(found.n), key=distribution.__getitem__)
    low, high = (
        f"{number_text(distribution[end], digits)} of {state_text(matrix, end)}" for end in order[:: found.n - 1]
    )
    return f"unique, from {low} to {high}"


def _as_doubles(found: Structure) -> str:
    doubles = found.as_doubles
    if not doubles.inexact:
        return "every entry is a double"
    text = f"{doubles.inexact} of {found.n**2} entries are no doubles"
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
    pairs = f"{found.disjoint_pairs} pair{'s' if found.disjoint_pairs > 1 else ''}"
    return f"{pairs}, as {rows_text(matrix, found.disjoint)}: L(α) = α"


def _birkhoff(matrix: MatrixAudit, digits: int) -> str:
    found = matrix.structure
    if not found.contrast_known:
        return "not worked out"
    if found.contrast is None:
        return "says nothing: a column has mass in one row and none in another"
    enclosure = birkhoff(found.contrast.value, digits)
    return f"L(α) ≤ {bracketed(str(enclosure.lower), str(enclosure.upper))}·α"


def critical_text(critical: Level | None, digits: int) -> str:
    """Write from which budget on leakage grows without bound."""
    if critical is None:
        return "at no budget"
    return "at every positive budget" if critical.is_zero else f"from ε = {level_text(critical, digits)} on"


def findings(audit: Audit, digits: int) -> Iterator[str]:
    """Yield what matters most, a sentence each."""
    count, asked = len(audit.epsilons), _budgets_text(audit, digits)
    worst = audit.worst("tpl")
    releases = f"{count} release{'s' if count > 1 else ''} of {asked}"
    yield f"{releases}: TPL is at most {_of(audit, worst, digits)}, at {times_text(worst.times)}."
    yield odds_note(worst.level)
    yield _for_ever(audit, digits)
    yield _allowed(audit, digits)
    yield from _exactly(audit, digits)
    yield from _chains(audit, digits)
    yield from _doubles(audit)


def _budgets_text(audit: Audit, digits: int) -> str:
    least = min(audit.epsilons)
    if least == audit.greatest:
        return level_text(audit.greatest, digits)
    return f"{level_text(least, digits)} to {level_text(audit.greatest, digits)}"


def _of(audit: Audit, worst: Worst, digits: int) -> str:
    names = f" ({names_text(worst.names, len(audit.users))})" if len(audit.users) > 1 else ""
    return f"{level_text(worst.level, digits)}{names}"


def _for_ever(audit: Audit, digits: int) -> str:
    budget, limit, critical = level_text(audit.greatest, digits), audit.worst_supremum("tpl"), audit.critical
    whose = _of(audit, limit, digits)
    rises = f"grows without bound{whose.removeprefix('inf')}" if limit.level.is_infinite else f"stays within {whose}"
    text = f"{budget} kept up for ever: TPL {rises}"
    if critical is None:
        return f"{text}; it is bounded for every finite budget."
    if critical.level.is_zero:
        return f"{text}; every positive budget makes it grow without bound{_of(audit, critical, digits)[1:]}."
    boundary = f"{text}; without bound from ε = {_of(audit, critical, digits)} on"
    if audit.greatest < critical.level:
        return f"{boundary}, {level_text(critical.level - audit.greatest, 3)} more."
    return f"{boundary}."


def _allowed(audit: Audit, digits: int) -> str:
    aim = f"TPL within {level_text(audit.alpha, digits)} for ever"
    if (constant := audit.constant) is not None:
        return f"{aim}: {_of(audit, constant, digits)} at every release."
    refused = next(user for user in audit.users if user.constant is None)
    whose = f" of {refused.name}" if len(audit.users) > 1 else ""
    return f"{aim}: no constant budget{whose}: {refused.refusal}."


def _exactly(audit: Audit, digits: int) -> Iterator[str]:
    """Yield the exact worst case beside what the sentences before say of the recursions."""
    worst, limit, constant = audit.exact_worst("tpl"), audit.exact_worst("for_ever"), audit.exact_constant
    if worst is None or limit is None:
        return
    rises = "grows without bound" if limit.level.is_infinite else f"stays within {_of(audit, limit, digits)}"
    allowed = "no constant budget" if constant is None else f"{_of(audit, constant, digits)} at every release"
    aim = f"TPL within {level_text(audit.alpha, digits)} for ever"
    yield (
        f"Exact worst case, attained by some mechanism and exceeded by none: TPL is at most "
        f"{_of(audit, worst, digits)}, at {times_text(worst.times)}; {level_text(audit.greatest, digits)} kept up for "
        f"ever: TPL {rises}; {aim}: {allowed}."
    )


def _chains(audit: Audit, digits: int) -> Iterator[str]:
    """Yield whether both matrices of a user are one chain's; of several users how many are not."""
    known = [user for user in audit.users if user.chain is not None]
    if len(audit.users) == 1:
        yield from (chain_text(user.chain, digits) for user in known if user.chain is not None)
        return
    apart = [user.name for user in known if user.chain is not None and not user.chain.fits]
    if apart:
        whose = names_text(apart, len(audit.users))
        yield f"P^B is not the reversal of P^F: {whose}. {_ABOUT[0].upper()}{_ABOUT[1:]}."


def chain_text(chain: OneChain, digits: int) -> str:
    """Write whether P^B is the reversal of P^F, what follows, and what the reversal would change."""
    if chain.fits:
        return "P^B is the reversal of P^F: both are one stationary chain's at all times."
    if chain.difference is None:
        return f"P^F has no reversal: {chain.refusal}. At any one time the two fit together; {_ABOUT}."
    place = "row {}, column {}".format(*(index + 1 for index in chain.place))
    text = (
        f"P^B is not the reversal of P^F: entries differ by up to {number_text(chain.difference, 3)} ({place}). At any "
        f"one time the two fit together; {_ABOUT}. `tploracle reverse --stationary` makes the reversal"
    )
    if chain.for_ever is None:
        return f"{text}."
    recursions, exact = (level_text(level, digits) for level in chain.for_ever)
    return f"{text}; with it TPL stays within {recursions} for ever by the recursions, {exact} exactly."


def _doubles(audit: Audit) -> Iterator[str]:
    found = [hazard for matrix in audit.matrices for hazard in matrix.hazards]
    found += [hazard for user in audit.users for hazard in user.hazards]
    if not found:
        yield "Doubles: no hazard shows in what was tried."
        return
    names = list(dict.fromkeys(hazard.name for hazard in found))
    unsafe = list(dict.fromkeys(hazard.name for hazard in found if hazard.unsafe))
    text = f"Doubles: {len(names)} hazard{'s' if len(names) > 1 else ''}"
    yield (
        f"{text}, {len(unsafe)} with answers that promise too much (UNSAFE): {', '.join(unsafe)}."
        if unsafe
        else (f"{text}, none with an answer that promises too much.")
    )


def user_row(user: UserAudit, digits: int) -> list[str]:
    """Return one user's row: what the users' table has."""
    worst = user.worst["tpl"]
    return [
        user.name,
        level_text(worst.level, digits),
        times_text(worst.times).partition(" ")[2],
        level_text(user.suprema["tpl"], digits),
        critical_text(user.critical, digits).removeprefix("from ε = ").removesuffix(" on"),
        "none" if user.constant is None else level_text(user.constant, digits),
    ]


USER_COLUMNS = ("user", "worst TPL", "time", "TPL for ever", "without bound from", "budget for ever")
