"""Mutants against `verify`: where a claim covers what is broken, a piece of its evidence must fail.

`make mutants EVIDENCE=yes`. What no piece calls, no claim covers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from .__main__ import read_explanations, table
from .asking import Asked, Panel
from .judging import KILLED, ROOT, SURVIVED, TIMED_OUT, Records, digest
from .operators import modules

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


def begin() -> Asked:
    """Import the evidence, and return its pieces by name; in a child."""
    from tploracle.proofs_checks.register import EvidenceKind
    from tploracle.proofs_checks.trial import all_evidence

    return {piece.name: partial(looked, piece) for piece in all_evidence() if piece.kind is not EvidenceKind.THEOREM}


def verdict(outcomes: dict[str, str], sound: dict[str, dict[str, Any]]) -> str:
    """Return what became of a mutant, from what each piece said with it and without it."""
    if not outcomes:
        return NOT_COVERED
    kinds = set()
    for name, said in outcomes.items():
        if said != sound[name]["outcome"]:
            same = said.startswith("[") and json.loads(said)[:2] == json.loads(sound[name]["outcome"])[:2]
            kinds.add(REPORTED if same else TIMED_OUT if said == TIMED_OUT else KILLED)
    return next((kind for kind in (KILLED, TIMED_OUT, REPORTED) if kind in kinds), SURVIVED)


def main() -> int:
    """Try the mutants within functions, and report; 1 if one survives and no explanation says why."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.evidence", description=__doc__)
    parser.add_argument("modules", nargs="*", help="only the mutants of these modules")
    parser.add_argument("--source", type=Path, default=ROOT / "reference", help="the folder of the modules")
    parser.add_argument("--sample", type=int, help="number of mutants to draw, always the same ones")
    parser.add_argument("--jobs", type=int, default=1, help="processes that try mutants")
    asked = parser.parse_args()
    every = {module.name: module for module in modules(asked.source.resolve())}
    chosen = [module for name, module in every.items() if name in asked.modules or not asked.modules]
    mutants = [mutant for module in chosen for mutant in module.mutants if mutant.function is not None]
    mutants = sorted(mutants, key=lambda mutant: digest(mutant.id))[: asked.sample]
    paths = [path for folder in ("reference", "solvers", "proofs_checks") for path in (ROOT / folder).rglob("*.py")]
    key = digest(str(asked.source), *(path.read_text("utf-8") for path in sorted(paths)))
    panel = Panel(begin, every, Records(ROOT / "build" / "mutation", f"evidence-{key}"), asked.jobs)
    found = panel.examine(mutants, ENOUGH)
    explained = read_explanations(Path(__file__).with_name("survivors.toml"))
    counts = {mutant.module: Counter[str]() for mutant in mutants}
    survivors = []
    for mutant in mutants:
        kind = verdict(found[mutant.id], panel.known)
        kind = "explained" if kind == SURVIVED and mutant.id in explained else kind
        counts[mutant.module][kind] += 1
        survivors += [mutant.id] if kind == SURVIVED else []
    columns = (KILLED, TIMED_OUT, REPORTED, "explained", SURVIVED, NOT_COVERED)
    print(*(f"{SURVIVED}: {mutant}" for mutant in survivors), "", *table("module", counts, columns), sep="\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
