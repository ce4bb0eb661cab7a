"""Draw wrong implementations, and count how many of them the standard tier finds: `make conform-mutants`."""

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from zlib import crc32

from tploracle.conformance.ask.budget import budget_of
from tploracle.conformance.ask.seeded import seeded_of_each
from tploracle.conformance.ask.sizes import sizes_cases
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import encode

from .mistakes import draw_mistake, right_answer
from .play import Asked, Played, Wrong, play
from .population import is_wrong_somewhere
from .regions import Region, draw_region
from .reported import NAMES, REPORTED, of_names

KINDS = ("range", "residue", "structure", "calls", "one in 500")
BEGIN, END = "<!-- wrong implementations -->", "<!-- /wrong implementations -->"

FOUND = Path(__file__).with_name("found.json")
"""What runs found, by operation and seed."""

ONE_IN = 40
"""Of the questions one in ONE_IN is compared with those of the run."""


def drawn(seed: int, each: int, operations: list[str]) -> list[Wrong]:
    """Draw wrong implementations, so many of each operation with kinds in turn, and add those of `reported`.

    In the place of one that is wrong nowhere (`population`) another of its kind is drawn.
    """
    found = []
    for op in operations:
        random, answer = Random(f"wrong implementations {op} {seed}"), partial(right_answer, Session())
        for number in range(each):
            kind = KINDS[number % len(KINDS)]
            again = Random(f"wrong implementations {op} {seed} {number}")
            one, rejected = _draw(random, op, kind), 0
            while not is_wrong_somewhere(again, op, one.region, one.mistake, answer):
                one, rejected = _draw(again, op, kind), rejected + 1
            found.append(replace(one, rejected=rejected))
        found += [Wrong(op, one.region(), one.mistake()) for one in REPORTED if op in one.ops]
        if op == "estimate":
            everywhere = Region("names", "", lambda _request, _calls: True)
            found += [Wrong(op, everywhere, of_names(place)) for place in range(len(NAMES))]
    return found


def _draw(random: Random, op: str, kind: str) -> Wrong:
    region = draw_region(random, op, kind)
    return Wrong(op, region, draw_mistake(random, op, region))


def measured(op: str, played: list[Played]) -> dict:
    """Return what is kept in FOUND of an operation and a seed: how many were drawn and found, and which were not."""
    counts = Counter((one.wrong.region.kind in KINDS, bool(one.found_by)) for one in played)
    numbers = {kind: [counts[kind, False] + counts[kind, True], counts[kind, True]] for kind in (True, False)}
    return {
        "drawn and found": numbers[True],
        "rejected": sum(one.wrong.rejected for one in played),
        "after reports, and found": numbers[False],
        "not found": [
            f"{one.wrong}; answers that differed from the right one: {one.wrongly}"
            for one in played
            if not one.found_by
        ],
        "of": digest(op, [one.wrong for one in played]),
    }


def digest(op: str, wrong: list[Wrong]) -> str:
    """Return a short text that is another one where other questions are asked, or of other implementations.

    Of the questions one in ONE_IN is looked at, drawn from its id as in a run.
    """
    budget = budget_of("standard", OPERATIONS)
    counts = {tier: {op: number[op]} for tier, number in budget.sizes.items()}

    def wanted(_op: str, case_id: str) -> bool:
        return crc32(case_id.encode()) % ONE_IN == 0

    cases = [
        *seeded_of_each(0, {op: budget.seeded[op]}, [FLOAT64], wanted),
        *sizes_cases(0, counts, None, wanted),
    ]
    texts = [*(encode(case.input) for case in cases), *map(str, wrong)]
    return sha256("\n".join(texts).encode()).hexdigest()[:16]


def table(found: dict[str, dict[str, dict]]) -> list[str]:
    """Return what was found of each operation by seed in Markdown, and what got away."""
    seeds = sorted({seed for runs in found.values() for seed in runs}, key=int)
    names = ["operation", *(f"seed {seed}" for seed in seeds), "rejected", "after reports, and of names"]
    rows, away, number = [names, ["---"] * len(names)], list[str](), 0
    for op in (op for op in OPERATIONS if op in found):
        runs = [found[op].get(seed) for seed in seeds]
        measured_runs = [run for run in runs if run is not None]
        cells = ["" if run is None else _of(run["drawn and found"]) for run in runs]
        rejected = sum(run["rejected"] for run in measured_runs)
        rows.append([f"`{op}`", *cells, str(rejected), _of(measured_runs[0]["after reports, and found"])])
        number += sum(run[key][0] for run in measured_runs for key in ("drawn and found", "after reports, and found"))
        away += [
            f"- seed {seed}: {one}" for seed, run in zip(seeds, runs, strict=True) if run for one in run["not found"]
        ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [*lines, *(["", f"Not found, {len(away)} of {number}:", "", *away] if away else [])]


def _of(drawn_and_found: list[int]) -> str:
    return f"{drawn_and_found[1]} of {drawn_and_found[0]}"


def published(page: str, found: dict[str, dict[str, dict]]) -> str:
    """Return a page with the table of what was found in its place."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return "\n".join([before + BEGIN, *table(found), END + after])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.wrong_implementations", description=__doc__)
    parser.add_argument("--sample", type=int, default=100, help="how many are drawn of each operation")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1], help="of what is drawn; questions have seed 0")
    parser.add_argument("--operations", nargs="+", default=list(OPERATIONS), choices=list(OPERATIONS))
    parser.add_argument("--publish", type=Path, help="a page whose table is written anew")
    options = parser.parse_args()
    found = json.loads(FOUND.read_text(encoding="utf-8")) if options.publish else {}
    for op in options.operations:
        asked = Asked(op)
        for seed in options.seeds:
            began = time.process_time()
            own = [play(wrong, asked) for wrong in drawn(seed, options.sample, [op])]
            found[op] = {**found.get(op, {}), str(seed): measured(op, own)}
            number, seconds = sum(bool(one.found_by) for one in own), time.process_time() - began
            words = f"{op}, seed {seed}: {len(asked.cases):,} questions, {number} of {len(own)} found, {seconds:.0f} s"
            print(words, file=sys.stderr, flush=True)
            if options.publish:
                FOUND.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
                page = options.publish.read_text(encoding="utf-8")
                options.publish.write_text(published(page, found), encoding="utf-8")
    print("\n".join(table(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
