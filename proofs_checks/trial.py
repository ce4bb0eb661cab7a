"""The paper on trial: all its claims in order, and the run of their evidence."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import closing
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ..reference.errors import Undecided
from ..system.bounded import Pool
from . import claims as files_of_claims
from .compared import Compared
from .errata import BY_HAND, ERRATA, TEXTS, WITHDRAWN
from .faults import formulas, without_marks
from .register import ClaimVerdict, Consequence, Erratum, Evidence, Nature, PaperClaim, TrialOutcome, look, verdict_of
from .theorems import THEOREMS
from .transcript import SOURCE_VARIABLE

FILES = [import_module(f"{files_of_claims.__name__}.{file.name}") for file in iter_modules(files_of_claims.__path__)]
"""Every module of claims."""

SECTIONS = {
    "The supremum theorem, first and in full": (
        "thm:sup", "eq:thm_sup_proof", "algo:findSup", "Example 5", "fig:example_sup",
    ),
    "1–2 Introduction, preliminaries": (
        "Abstract, any mechanism", "fig:corr_example", "example", "Section 1, a group", "def:dp", "Theorem 1",
        "def:pl", "tb:notation",
    ),
    "3 Analyzing temporal privacy leakage": (
        "def:temporal_corr", "fig:mc", "def:adversary_t", "fig:tpl", "def:tpl", "eq:tpl3", "thm:analysis_tpl",
        "Section 3.2, PL_0", "Definition 6", "Definition 7", "eq:tpl_comp1", "eq:tpl_comp2", "eq:bpl_cal", "eq:bpl_f",
        "example:bpl",
        "eq:fpl_cal", "eq:fpl_f", "example:fpl", "remark", "Section 3.2, P^B and FPL", "def:DP", "def:combined_pl",
        "thm:composition", "col:user-level", "thm:sequential_composition", "tb:composition", "Section 3.4, Pufferfish",
        "Section 3.5, personal budgets", "Section 3.5, sets of matrices",
    ),
    "4 Calculating temporal privacy leakage": (
        "eq:bpl_cal_1st", "eq:lfp_M", "eq:lfp", "eq:lfp_end", "eq:lfp_end2", "Section 4.1, simplex",
        "Section 4.2, x⁺ and x⁻", "thm:lfp", "eq:cond1", "eq:cond2", "eq:lfp_sol_b", "col:q_d", "algo:cal_bpl",
        "Section 4.2, removal of several indices",
        "thm:algo_extreme1", "thm:algo_extreme2", "Section 4.2, complexity of Algorithm 1", "thm:lfp_k_case",
        "thm:lfp_seg_func", "algo:precomp1", "Worked example of Algorithm 2", "algo:calc_precomp",
        "Section 4.3, complexity of Algorithm 2", "Section 4.3, complexity of Algorithm 3", "col:L_func",
        "fig:example_L_func", "example:L_func", "Section 4.4, cost of the simple idea",
        "Section 4.4, the simple idea may not be correct", "thm:gen_L_func", "algo:gen_L_func",
        "Section 4.4, what k ≤ 0 implies", "algo:cal_bpl_func", "Section 4.4, complexity of Algorithm 5",
        "Section 4.4, complexity of Algorithm 4", "Section 4.4, cost in all",
    ),
    "5 Bounding temporal privacy leakage": (
        "Section 5, all but the strongest", "algo:release1", "Section 5, constant budgets",
        "eq:release2_a", "eq:release2_b", "algo:release2",
    ),
    "6 Experimental evaluation": (
        "Section 6.1, 100 random matrices", "fig:ex_runtime", "eq:laplace_smoothing", "fig:ex_tpl",
        "Section 6.2, s and n", "Section 6.2, 8 and 80 timestamps", "Section 6.2, not substantially lower",
        "fig:ex_budgets", "fig:ex_utility",
    ),
    "Appendix: proofs": (
        "pf:eq:tpl1", "pf:eq:tpl_expanded0", "pf:eq:tpl_expanded1", "pf:eq:tpl_expanded2", "thm:Dinkelbach",
        "lem:lfp_proof", "eq:opt_sol", "eq:1", "eq:2", "eq:thm_max", "eq:last",
    ),
}  # fmt: skip
"""The claims by section, the supremum theorem first, then in the paper's order."""

TrialProgress = Callable[[int, int, TrialOutcome], None]
"""Called with the pieces of evidence done, those in all, and the one just done."""


_CLAIMS = {claim.id: claim for file in FILES for claim in file.CLAIMS}


_WRITTEN = {
    piece.name: piece
    for piece in (*(value for file in FILES for value in vars(file).values() if isinstance(value, Evidence)), *THEOREMS)
}


def all_evidence() -> tuple[Evidence, ...]:
    """Return every piece of evidence once: what the files of claims have, then what Rocq proved."""
    about: defaultdict[str, list[str]] = defaultdict(list)
    for claim in _CLAIMS.values():
        for name in (*claim.grounds, *claim.checks):
            about[name].append(claim.id)
    return tuple(
        replace(piece, shows=_as_read(piece.shows), about=tuple(dict.fromkeys((*piece.about, *about[name]))))
        for name, piece in _WRITTEN.items()
    )


def all_claims() -> tuple[PaperClaim, ...]:
    """Return every claim of the register with the evidence that bears on it, in the order of `SECTIONS`.

    What is wrong with an item, and its witness, is told once, by its errata, whose numbers evidence computes.
    """
    pieces = {piece.name: piece for piece in all_evidence()}
    claims = []
    for claim in (_CLAIMS[name] for names in SECTIONS.values() for name in names):
        proved = (piece.name for piece in THEOREMS if claim.id in piece.about)
        named = dict.fromkeys((*claim.grounds, *claim.checks, *proved))
        faults = f"see {', '.join(claim.errata)}" if claim.errata else None
        said = {name: getattr(claim, name) for name in ("statement", "corrected", "witness")}
        said["by_hand"] = BY_HAND.get(claim.id)
        texts = {name: _as_read(text) if text else faults for name, text in said.items()}
        held = tuple(pieces[name] for name in named)
        claims.append(replace(claim, **texts, evidence=held, formulas=formulas(BY_HAND.get(claim.id))))
    return tuple(claims)


LABELLED = r"\[([a-z]+:[^\]]+|example|remark|(?:Section|Example|Definition|Theorem) [^\]]+)\]"
"""An item of the paper in a text of the register: its label, or what it goes by without one."""

_NUMBERS = {label: claim.number.split(", ")[0] for claim in _CLAIMS.values() for label in claim.labels}


def _as_read(text: str) -> str:
    """Return a text of the register with items by number. Raises: KeyError for a label that no claim has."""
    return re.sub(LABELLED, lambda found: _NUMBERS[found[1]], without_marks(text))


def all_errata() -> tuple[Erratum, ...]:
    """Return every erratum as it is read, with the evidence that shows it and the items that cite it, worst first."""
    evidence, found = all_evidence(), []
    for erratum in ERRATA:
        written = {name: text for name in TEXTS if (text := getattr(erratum, name))}
        read: dict[str, Any] = {name: _as_read(text) for name, text in written.items()}
        citing = (
            claim.number
            for names in SECTIONS.values()
            for name in names
            if erratum.id in (claim := _CLAIMS[name]).errata
        )
        found.append(
            replace(
                erratum,
                **read,
                evidence=tuple(piece for piece in evidence if erratum.id in piece.errata),
                place="; ".join(dict.fromkeys(citing)),
                formulas=formulas(*written.values()),
            )
        )
    return tuple(found)


def withdrawn() -> dict[str, str]:
    """Return what was held against the paper and has not survived its defence, by number, and why."""
    return {name: _as_read(why) for name, why in WITHDRAWN.items()}


def evidence_of(claims: Sequence[PaperClaim], errata: Sequence[Erratum] = ()) -> tuple[Evidence, ...]:
    """Return the evidence of claims and errata, each piece once."""
    pieces = {piece.name: piece for piece in _held((*claims, *errata))}
    return tuple(pieces.values())


def _held(holders: Sequence[PaperClaim | Erratum]) -> Iterator[Evidence]:
    for holder in holders:
        yield from holder.evidence


@dataclass(frozen=True)
class TrialReport:
    """What came of a run: an outcome for each piece of evidence, by name."""

    claims: tuple[PaperClaim, ...]
    errata: tuple[Erratum, ...]
    outcomes: dict[str, TrialOutcome]

    def stands(self, holder: PaperClaim | Erratum) -> bool:
        """Whether all the evidence of a claim or an erratum held, and what is said of it follows from the evidence."""
        held = bool(holder.evidence) and all(self.outcomes[piece.name].held for piece in holder.evidence)
        if isinstance(holder, Erratum):
            return held and not self.fault(holder)
        return held and self.found(holder) is holder.verdict and not self.untold(holder)

    def fault(self, erratum: Erratum) -> str:
        """Return what does not follow from the evidence of an erratum that held, in words; "" where all does."""
        outcomes = [self.outcomes[piece.name] for piece in erratum.evidence]
        if not all(outcome.held for outcome in outcomes):
            return ""
        found = self.nature(erratum), self.consequence(erratum)
        if found != (erratum.nature, erratum.consequence):
            shown = f"{found[0].value if found[0] else 'no fault'}, {found[1].value}"
            return f"it is graded {erratum.nature.value}, {erratum.consequence.value}; its evidence shows {shown}"
        return self.untold(erratum)

    def untold(self, holder: PaperClaim | Erratum) -> str:
        """Return which formula of the texts of a claim or an erratum no evidence computes, in words; "" where none."""
        outcomes = (self.outcomes[piece.name] for piece in holder.evidence)
        told = {formula for outcome in outcomes for name, formula in outcome.told if name == holder.id}
        left = sorted(holder.formulas - told)
        return f"no evidence computes “{left[0]}”" if left else ""

    def nature(self, erratum: Erratum) -> Nature | None:
        """Return the gravest of what the facts of its evidence show; None where nothing differs."""
        roles = {fact.role for fact in self._facts(erratum) if fact.equal < fact.cases}
        roles |= {Nature.STATEMENT.value} if "printed" in roles else set()
        return next((nature for nature in Nature if nature.value in roles), None)

    def consequence(self, erratum: Erratum) -> Consequence:
        """Return what the leakages that its evidence compared come to."""
        facts = self._facts(erratum)
        if any(fact.below for fact in facts):
            return Consequence.UNSAFE
        return Consequence.SAFE if any(fact.above for fact in facts) else Consequence.NONE

    def _facts(self, erratum: Erratum) -> list[Compared]:
        found = (self.outcomes[piece.name].facts.get(erratum.id) for piece in erratum.evidence)
        return [fact for fact in found if fact is not None]

    def found(self, claim: PaperClaim) -> ClaimVerdict | None:
        """Return the verdict on a claim that follows from the facts of what it rests on."""
        if not claim.grounds:
            return ClaimVerdict.DEFINITION
        kinds = {piece.name: piece.kind for piece in claim.evidence}
        shown = ((kinds.get(name), self.outcomes[name].bearings.get(claim.id)) for name in claim.grounds)
        return verdict_of((kind, bearing) for kind, bearing in shown if kind and bearing)

    def seconds(self, holder: PaperClaim | Erratum) -> float:
        """Return how long the evidence of a claim took; evidence that several share counts for each."""
        return sum(self.outcomes[piece.name].seconds for piece in holder.evidence)

    @property
    def holds(self) -> bool:
        """Whether all evidence held and every verdict follows from it."""
        held = all(outcome.held for outcome in self.outcomes.values())
        return held and all(map(self.stands, self.claims)) and all(map(self.stands, self.errata))

    @property
    def unfounded(self) -> tuple[PaperClaim, ...]:
        """The claims whose written verdict is not the one that follows from their evidence."""
        return tuple(claim for claim in self.claims if self.found(claim) is not claim.verdict)


def verify(
    claims: Sequence[PaperClaim], errata: Sequence[Erratum] = (), jobs: int = 1, progress: TrialProgress | None = None
) -> TrialReport:
    """Run the evidence of claims and errata, each piece once.

    Args: jobs, how many processes; progress. Returns: all outcomes. Raises: MissingProver; Undecided where one of the
    processes is ended from outside.
    """
    pieces = evidence_of(claims, errata)
    outcomes = {}
    with closing(_outcomes(pieces, jobs)) as coming:
        for outcome in coming:
            outcomes[outcome.name] = outcome
            if progress:
                progress(len(outcomes), len(pieces), outcome)
    return TrialReport(tuple(claims), tuple(errata), outcomes)


def _outcomes(pieces: Sequence[Evidence], jobs: int) -> Generator[TrialOutcome]:
    if jobs < 2 or len(pieces) < 2 * jobs:
        yield from map(look, pieces)
        return
    pool = Pool(jobs)
    try:
        waiting: set[Future[TrialOutcome]] = {
            pool.submit(_look_up, piece.name, os.environ.get(SOURCE_VARIABLE)) for piece in pieces
        }
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except BrokenExecutor:
        raise Undecided(
            "a process that looks at evidence was ended from outside, so nothing is decided; run it again, with "
            "--jobs 1 if memory was short"
        ) from None
    finally:
        pool.shutdown(wait=False)


def _look_up(name: str, paper: str | None) -> TrialOutcome:
    """Run one piece of evidence in another process, found by its name. Args: paper, the path of the paper's source."""
    if paper:
        os.environ[SOURCE_VARIABLE] = paper
    return look(next(piece for piece in evidence_of(all_claims(), all_errata()) if piece.name == name))
