"""Mutants against `verify`: where a claim covers what is broken, a piece of its evidence must fail.

`make mutants EVIDENCE=yes`. What no piece calls, no claim covers.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .__main__ import EXPLAINED, KILLED, PLACES, SURVIVED, arguments, chosen, draw, read_explanations, sources
from .asking import ROOT, TIMED_OUT, Asked, Panel, digest, digest_of, table

ENOUGH = 20.0
"""Seconds of evidence, the quickest first, that a mutant is tried with."""

NOT_COVERED, REPORTED = "not covered", "reported differently"
"""REPORTED: all holds, but another result or coverage is reported, so that docs/claims.md is out of date."""


def looked(piece: Any) -> str:
    """Look at a piece of evidence, and return whether it held, what it showed by claim, and what it reported."""
    from tploracle.proofs_checks import register

    outcome = register.look(piece)
    showed = sorted([name, bearing.name] for name, bearing in outcome.bearings.items())
    return json.dumps([outcome.error is None, showed, outcome.found, outcome.covered])


def begin(_groups: Sequence[str], use: Callable[[Asked], None]) -> None:
    """Import the evidence, and hand over its pieces by name; in a child."""
    from tploracle.proofs_checks.register import EvidenceKind
    from tploracle.proofs_checks.trial import all_evidence

    use({piece.name: partial(looked, piece) for piece in all_evidence() if piece.kind is not EvidenceKind.THEOREM})


def verdict(outcomes: Mapping[str, str], sound: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what became of a mutant, from what each piece said with it and without it."""
    kinds = {NOT_COVERED} if not outcomes else {SURVIVED}
    for name, said in outcomes.items():
        if said != sound[name]["outcome"]:
            same = said.startswith("[") and json.loads(said)[:2] == json.loads(sound[name]["outcome"])[:2]
            kinds.add(REPORTED if same else TIMED_OUT if said == TIMED_OUT else KILLED)
    return next(kind for kind in (KILLED, TIMED_OUT, REPORTED, SURVIVED, NOT_COVERED) if kind in kinds)


def main() -> int:
    """Try the mutants within functions, and report; 1 if one survives and no explanation says why."""
    asked = arguments("mutation.evidence").parse_args()
    every = sources(asked, PLACES[:1])
    mutants = draw([mutant for mutant in chosen(asked, every) if mutant.function is not None], asked.sample)
    folders = digest_of(*(ROOT / folder for folder in ("reference", "solvers", "proofs_checks")))
    kept = asked.build / f"evidence-{digest(str(asked.source), folders)}"
    panel = Panel(begin, ["evidence"], every, kept, asked.jobs, enough=ENOUGH)
    found = panel.examine(mutants)
    explained, _ = read_explanations(asked.survivors, [mutant.id for mutant in mutants])
    counts = {mutant.module: Counter[str]() for mutant in mutants}
    survivors = []
    for mutant in mutants:
        kind = verdict(found[mutant.id], panel.known)
        kind = EXPLAINED if kind == SURVIVED and mutant.id in explained else kind
        counts[mutant.module][kind] += 1
        survivors += [mutant.id] if kind == SURVIVED else []
    columns = (KILLED, TIMED_OUT, REPORTED, EXPLAINED, SURVIVED, NOT_COVERED)
    print(*(f"{SURVIVED}: {mutant}" for mutant in survivors), "", *table("module", counts, columns), sep="\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
