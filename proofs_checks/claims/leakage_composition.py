"""Several releases together: Definitions 4, 8 and 9, Theorem 3, Corollary 1, Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from ...reference.definitions import LiteralStream
from ...reference.levels import Level
from ...reference.paper.composition import composition, first_failure, guarantee, independent
from ...reference.paper.leakage import Adversary, Leakage, leakage
from ...reference.worst_case.mechanisms import randomized_response
from ..compared import compared
from ..coverage import left_out, over
from ..families import TWO, log, matrices, matrix, ratio_of, shown_stream, streams_of_two_values
from ..faults import slip, told
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from .leakage_recursions import recursion


@evidence(EvidenceKind.ENUMERATION, "chains with all transitions possible")
def composition_attained() -> str:
    """Where all transitions are possible, TPL of a window is BPL of its first + budgets between + FPL of its last."""
    mechanism, tried = randomized_response(2, TWO), 0
    for stream in streams_of_two_values(4, 4, mechanism):
        if not all(all(row) for row in stream.forward.rows):
            left_out("an impossible transition")
            continue
        for start, length in over("windows (start, length)", ((1, 2), (2, 2), (2, 3), (1, 3))):
            end = start + length - 1
            said = stream.bpl(start) + stream.fpl(end)
            said = said + log(2 ** (length - 2)) if length > 2 else said
            require(stream.sequence_tpl(start, length) == said, f"{shown_stream(stream)}: {start}..{end}")
            tried += 1
    exhausted(tried, 108)
    return f"{tried} windows, equal throughout"


@evidence(EvidenceKind.ENUMERATION, "from the definitions", errata="E24")
def composition_strict() -> str:
    """Where transitions are impossible the sum is only an upper bound: its ends may exclude each other."""
    mechanism, witness = randomized_response(2, TWO), None
    for stream in streams_of_two_values(4, 2, mechanism):
        true, said = stream.sequence_tpl(2, 2), stream.bpl(2) + stream.fpl(3)
        require(true <= said, f"{shown_stream(stream)}: the sum is exceeded")
        if true < said and witness is None:
            witness = f"{shown_stream(stream)}, M² and M³: {true.exact_text} < {said.exact_text}"
    require(witness is not None, "equality throughout")
    return f"smallest strict: {witness}"


@evidence(EvidenceKind.BRUTE_FORCE, "the recursions' sum against the definitions")
def composition_safe() -> str:
    """The reference's composition, from the recursions, is never below the definition."""
    mechanism, tried = randomized_response(2, TWO), 0
    epsilons = [log(2)] * 4
    for stream in streams_of_two_values(4, 2, mechanism):
        bpl = tuple(recursion(stream, t) for t in range(1, 5))
        own = leakage(epsilons, Adversary.knowing(forward=stream.forward))
        own = type(own)(bpl, own.fpl, own.tpl)
        for start, length in over("windows (start, length)", ((1, 2), (1, 3), (1, 4), (2, 2), (2, 3), (3, 2))):
            satisfied = stream.sequence_tpl(start, length) <= composition(own, epsilons, start, length)
            compared(("thm:composition", "tb:composition"), True, satisfied)
            tried += 1
    exhausted(tried, 42)
    return f"{tried} windows"


@evidence(EvidenceKind.ENUMERATION, "randomized response")
def user_level() -> str:
    """All releases together leak Σε_t where every value is always possible; correlation does not matter."""
    tried = 0
    for times in over("T", (1, 2, 3)):
        for stream in streams_of_two_values(times, 3, randomized_response(2, TWO)):
            found = stream.sequence_tpl(1, times)
            require(found <= log(2**times), f"{shown_stream(stream)}: more than the sum")
            if all(all(row) for row in stream.forward.rows):
                require(found == log(2**times), f"{shown_stream(stream)}: {found!r}")
            tried += 1
    exhausted(tried, 88)
    return f"{tried} streams"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E24")
def user_level_strict() -> str:
    """Where a value is impossible at some time the whole leaks less than Σε_t: an upper bound."""
    stream = LiteralStream((Fraction(1, 2), Fraction(1, 2)), matrix("1 0", "1 0"), (randomized_response(2, TWO),) * 2)
    found = stream.sequence_tpl(1, 2)
    require(found == log(2), f"{found!r}")
    compared(("col:user-level", "E24"), log(4), found, leakage=True)
    told("E24", {"P": stream.forward, "T": 2, "e^ε": TWO, "leakage": found, "sum": log(TWO) + log(TWO)})
    require(stream.tpl(2).is_zero, f"one value alone is told apart: {stream.tpl(2)!r}")
    return "after the first time the value is known: one budget leaks, and not both"


def _check_guarantee(own: Leakage, epsilons: Sequence[Level], length: int) -> None:
    """Check Table 2 written out: sums of budgets on independent data, Theorem 3 together, TPL for one release.

    And that Definition 8 fails first where TPL first exceeds a level.
    """
    found = guarantee(own, epsilons, length)
    require(found.independent == log(2**length) == independent(epsilons, 1, length), f"independent: {found}")
    windows = []
    for start in range(1, len(epsilons) - length + 2):
        said = own.tpl[start - 1]
        if length > 1:
            said = own.bpl[start - 1] + own.fpl[start + length - 2] + log(2 ** (length - 2))
        require(composition(own, epsilons, start, length) == said, f"{length} releases from {start} on")
        windows.append(said)
    require(found.correlated == max(windows), f"correlated: {found}")
    highest = max(own.tpl)
    lower = log(ratio_of(highest) * Fraction(999, 1000))
    first = next(time for time, level in enumerate(own.tpl, 1) if level > lower)
    require((first_failure(own, highest), first_failure(own, lower)) == (None, first), f"{own.tpl}")


_WORST_CASE = ((738, r"\alpha \leq T\epsilon"), (1451, r"In Figure \ref{fig:ex_runtime}(d)"))


@evidence(EvidenceKind.ENUMERATION, "as P^B and as P^F, by the recursions", errata="E31")
def table_2() -> str:
    """Event level: ε ≤ α ≤ Tε, both ends met; user level: BPL_1 + budgets + FPL_T = Tε whatever the correlation."""
    for times in over("T", range(1, 6)):
        epsilons, met = [log(2)] * times, set()
        for backward, forward in product(matrices(2, 3), repeat=2):
            own = leakage(epsilons, Adversary.knowing(backward, forward))
            for level in own.tpl:
                compared("tb:composition", True, log(2) <= level <= log(2**times))
                met.add(ratio_of(level))
            slip("E31", log(2 ** (times + 1)), max(own.bpl), _WORST_CASE)
            if times == 1:
                told("E31", {"T": 1, "BPL": own.bpl[0], "ε": epsilons[0], "printed": log(2 ** (times + 1))})
            for length in range(1, times + 1):
                _check_guarantee(own, epsilons, length)
            require(composition(own, epsilons, 1, times) == log(2**times) or times == 1, "user level")
        require({TWO, Fraction(2**times)} <= met, f"T = {times}: the ends are not met")
    return "ε and Tε are both attained for every T"


CLAIMS = (
    PaperClaim("def:adversary_t", Item.DEFINITION, "Definition 4", "Adversary_T",
        "Knows all other users' data and P^B, P^F, both or neither.", ClaimVerdict.DEFINITION, errata=("E39",),
        corrected="∅ is the belief that the times are independent; who is uncertain of the correlation can learn more.",
        checks=("leakage.definitions_one_matrix_each", "leakage.a_mixture_of_chains")),
    PaperClaim("def:DP", Item.DEFINITION, "Definition 8", "α-DP_T", "TPL at every time is at most α.",
        ClaimVerdict.DEFINITION,
        checks=("leakage.table_2",)),
    PaperClaim("def:combined_pl", Item.DEFINITION, "Definition 9", "TPL of a sequence",
        "The same with the values of a whole window given.",
        ClaimVerdict.DEFINITION,
        corrected="Over sequences of values that the chain can take; elsewhere the ratio has no meaning.",
        checks=("leakage.definitions_over_paths", "leakage.composition_attained", "leakage.user_level")),
    PaperClaim(
        "thm:composition", Item.THEOREM, "Theorem 3, Eq. (16)", "Sequential composition",
        "A window satisfies (α_t^B + Σ ε between + α_{t+j}^F)-DP_T.", ClaimVerdict.HOLDS,
        corrected="“Satisfies” says at most that, and so it is. The proof has equalities: they need that all "
        "transitions are possible.",
        errata=("E24", "E45"),
        grounds=("leakage.composition_safe", "Chain.theorem_3"),
        checks=("leakage.recursions_with_their_budgets", "leakage.composition_attained"),
    ),
    PaperClaim("col:user-level", Item.COROLLARY, "Corollary 1", "User level", "All releases together leak Σε_t.",
        ClaimVerdict.UPPER_BOUND,
        corrected="At most Σε_t; equal where all values are possible at all times and after one another.",
        errata=("E24",),
        grounds=("leakage.user_level_strict", "Chain.corollary_1"),
        checks=("leakage.user_level",)),
    PaperClaim("tb:composition", Item.TABLE, "Table 2", "Guarantees on independent and correlated data",
        "Event level ε ≤ α ≤ Tε; w-event by [thm:composition]; user level Tε.", ClaimVerdict.HOLDS, also=("tb:diff",),
        grounds=("leakage.table_2", "leakage.composition_safe"),
        checks=("leakage.recursions_with_their_budgets",)),
)  # fmt: skip
