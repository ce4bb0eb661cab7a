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
from .regions import Region, draw_region
from .reported import NAMES, REPORTED, of_names

KINDS = ("range", "residue", "structure", "calls", "one in 500")
BEGIN, END = "<!-- wrong implementations -->", "<!-- /wrong implementations -->"


def drawn(seed: int, each: int, operations: list[str]) -> list[Wrong]:
    """Draw wrong implementations, so many of each operation with kinds in turn, and add those of `reported`."""
    found = []
    for op in operations:
        random = Random(f"wrong implementations {op} {seed}")
        for number in range(each):
            kind = KINDS[number % len(KINDS)]
            region = draw_region(random, op, kind)
            found.append(Wrong(op, region, draw_mistake(random, op, region)))
        found += [Wrong(op, one.region(), one.mistake()) for one in REPORTED if op in one.ops]
        if op == "estimate":
            everywhere = Region("names", "", lambda _request, _calls: True)
            found += [Wrong(op, everywhere, of_names(place)) for place in range(len(NAMES))]
    return found


def table(played: list[Played]) -> list[str]:
    """Return the counts of each operation in Markdown, and those that got away."""
    operations: dict[str, list[Played]] = defaultdict(list)
    for one in played:
        operations[one.wrong.op].append(one)
    lines = ["| operation | drawn | found | after reports, and of names | found |", "|---|---|---|---|---|"]
    for op, own in operations.items():
        counts = Counter((one.wrong.region.kind in KINDS, bool(one.found_by)) for one in own)
        numbers = [(counts[kind, 0] + counts[kind, 1], counts[kind, 1]) for kind in (True, False)]
        lines.append(f"| `{op}` | " + " | ".join(f"{all_} | {found}" for all_, found in numbers) + " |")
    away = [one for one in played if not one.found_by]
    lines += ["", f"Not found, {len(away)} of {len(played)}:", ""] if away else []
    lines += [f"- {one.wrong}; answers that differed from the right one: {one.wrongly}" for one in away]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.wrong_implementations", description=__doc__)
    parser.add_argument("--sample", type=int, default=100, help="how many are drawn of each operation")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn; the questions are those of seed 0")
    parser.add_argument("--operations", nargs="+", default=list(OPERATIONS), choices=list(OPERATIONS))
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
    lines = table(played)
    print("\n".join(lines))
    if options.publish:
        text = options.publish.read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        _, after = rest.split(END)
        options.publish.write_text("\n".join([before + BEGIN, *lines, END + after]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
