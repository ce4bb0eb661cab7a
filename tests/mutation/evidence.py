"""Mutants against `verify`: where a claim covers what is broken, a piece of its evidence must fail.

A mutant within a function is tried with the pieces that call the function, the quickest first; a piece that does not
end has noticed it too. What no piece calls no claim covers.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType

from tploracle.proofs_checks import register
from tploracle.proofs_checks.register import Evidence, EvidenceKind
from tploracle.proofs_checks.trial import all_evidence

from . import session
from .judging import Run
from .operators import Mutant
from .session import KILLED, SURVIVED, TIMED_OUT

ENOUGH = 20.0
"""Seconds of evidence, as traced, that a mutant is tried with."""

NOT_COVERED, TOLD = "not covered", "reported differently"
"""TOLD: all holds, but what is found or gone through is another, so that docs/claims.md is no longer in step."""


@dataclass(frozen=True)
class Called:
    """What a piece of evidence called, as modules and functions, what it told and showed, and the time while traced."""

    piece: Evidence
    functions: frozenset[tuple[str, str]]
    told: tuple[str | None, str]
    showed: list[list[str]]
    seconds: float


def called_by(piece: Evidence, files: dict[str, str]) -> Called:
    """Look at a piece in a child and note the functions of these files that it calls. Raises: RuntimeError."""

    def work(report: Callable[[object], None]) -> None:
        found: set[tuple[str, str]] = set()

        def entered(frame: FrameType, _event: str, _argument: object) -> None:
            if (name := files.get(frame.f_code.co_filename)) is not None:
                found.add((name, frame.f_code.co_qualname))

        start = time.process_time()
        sys.settrace(entered)
        try:
            outcome = register.look(piece)
        finally:
            sys.settrace(None)
        seconds = time.process_time() - start
        report([outcome.error, sorted(found), outcome.found, outcome.covered, showed(outcome), seconds])

    (said,), _ = session.forked(work, None)
    assert isinstance(said, list)
    error, functions, found, covered, shown, seconds = said
    if error is not None:
        raise RuntimeError(f"{piece.name} fails without a mutant: {error}")
    called = frozenset((module, function) for module, function in functions)
    return Called(piece, called, (found, covered), shown, seconds)


def showed(outcome: register.TrialOutcome) -> list[list[str]]:
    """Return what came out of the comparisons of a piece, by claim: where that is another, a verdict falls."""
    return sorted([name, bearing.name] for name, bearing in outcome.bearings.items())


def judged(run: Run, mutant: Mutant, traced: Sequence[Called], alive: session.Alive) -> str:
    """Return the verdict on a mutant within a function, or that no piece of evidence calls the function."""
    able = sorted((c for c in traced if (mutant.module, mutant.function) in c.functions), key=lambda c: c.seconds)
    chosen, spent = [], 0.0
    for one in able:
        spent += one.seconds
        if chosen and spent > ENOUGH:
            break
        chosen.append(one)
    if not chosen:
        return NOT_COVERED
    put = session.exchanged(run.every[mutant.module], mutant, alive)

    def work(report: Callable[[object], None]) -> None:
        put()
        verdict = SURVIVED
        for one in chosen:
            register.PATIENCE = session.SECONDS + session.PATIENCE * one.seconds
            outcome = register.look(one.piece)
            if not outcome.held:
                report(TIMED_OUT if str(outcome.error).startswith("no end") else KILLED)
                return
            if showed(outcome) != one.showed:
                report(KILLED)
                return
            if (outcome.found, outcome.covered) != one.told:
                verdict = TOLD
        report(verdict)

    limit = session.START + session.PATIENCE_IN_ALL * sum(one.seconds for one in chosen)
    said, ended_by = session.forked(work, limit)
    return str(said[-1]) if said else TIMED_OUT if ended_by in session.OUT_OF_TIME else KILLED


def tried(run: Run) -> tuple[dict[str, Counter[str]], list[str]]:
    """Judge the mutants within functions. Returns: how many of each verdict by module, and those that survived."""
    print("looking at the evidence without a mutant ...", flush=True)
    pieces = [piece for piece in all_evidence() if piece.kind is not EvidenceKind.THEOREM]
    traced = [called_by(piece, run.files) for piece in pieces]
    alive = session.functions(list(run.files))
    counts: dict[str, Counter[str]] = {}
    survivors = []
    mutants = [mutant for mutant in run.mutants if mutant.function is not None]
    for number, mutant in enumerate(mutants, 1):
        verdict = judged(run, mutant, traced, alive)
        if verdict == SURVIVED:
            verdict = "explained" if mutant.id in run.explanations else SURVIVED
        counts.setdefault(mutant.module, Counter())[verdict] += 1
        if verdict == SURVIVED:
            survivors.append(mutant.id)
            print(f"{number}/{len(mutants)} {verdict}: {mutant.id}", flush=True)
        elif number % 10 == 0:
            print(f"{number}/{len(mutants)}", dict(sum(counts.values(), Counter())), flush=True)
    return counts, survivors
