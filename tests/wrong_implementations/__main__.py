"""Draw wrong implementations, and count how many of them the standard tier finds: `make conform-mutants`."""

import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

from tploracle.contract.operations import OPERATIONS

from .mistakes import draw_mistake
from .play import Asked, Played, Wrong, play
from .regions import draw_region

KINDS = ("range", "residue", "structure", "calls", "one in 500")
OF_THE_PAPER = [op for op in OPERATIONS if not op.startswith("worst_case") and op != "leakage_profile"]
BEGIN, END = "<!-- wrong implementations -->", "<!-- /wrong implementations -->"


def drawn(seed: int, sample: int, operations: list[str]) -> list[Wrong]:
    """Draw wrong implementations: their operations and kinds of regions in turn, all else at random."""
    random = Random(f"wrong implementations {seed}")
    found = []
    for number in range(sample):
        op, kind = operations[number % len(operations)], KINDS[number // len(operations) % len(KINDS)]
        found.append(Wrong(op, draw_region(random, op, kind), draw_mistake(random, op, kind == KINDS[-1])))
    return found


def table(played: list[Played]) -> list[str]:
    """Return the counts in Markdown, and those that got away."""
    kinds: dict[str, list[Played]] = defaultdict(list)
    for one in played:
        kinds[one.wrong.region.kind].append(one)
    lines = ["| wrong on | drawn | found |", "|---|---|---|"]
    lines += [f"| {kind} | {len(some)} | {sum(bool(one.found_by) for one in some)} |" for kind, some in kinds.items()]
    away = [one for one in played if not one.found_by]
    lines += ["", f"Not found, {len(away)} of {len(played)}:", ""] if away else []
    lines += [f"- {one.wrong}; answers that differed from the right one: {one.wrongly}" for one in away]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.wrong_implementations", description=__doc__)
    parser.add_argument("--sample", type=int, default=520, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn; the questions are those of seed 0")
    parser.add_argument("--operations", nargs="+", default=OF_THE_PAPER, choices=list(OPERATIONS))
    parser.add_argument("--publish", type=Path, help="a page whose table is written anew")
    options = parser.parse_args()
    wrongs = drawn(options.seed, options.sample, options.operations)
    played: list[Played] = []
    for op in options.operations:
        began = time.process_time()
        asked = Asked(op)
        own = [play(wrong, asked) for wrong in wrongs if wrong.op == op]
        played += own
        found = Counter(bool(one.found_by) for one in own)
        seconds = time.process_time() - began
        print(
            f"{op}: {len(asked.cases):,} questions, {found[True]} of {len(own)} found, {seconds:.0f} s", file=sys.stderr
        )
    lines = table(sorted(played, key=lambda one: KINDS.index(one.wrong.region.kind)))
    print("\n".join(lines))
    if options.publish:
        text = options.publish.read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        _, after = rest.split(END)
        options.publish.write_text("\n".join([before + BEGIN, *lines, END + after]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
