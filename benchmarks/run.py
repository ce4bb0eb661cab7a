"""Time the exact answers against floats written to be fast, in numpy and in C, and what else they stand beside.

    make bench                        prints the table
    .venv/bin/python benchmarks/run.py --write      also writes docs/benchmarks.md
    .venv/bin/python benchmarks/run.py loss serve   runs the cases whose names hold one of these words
    .venv/bin/python benchmarks/run.py --write "make " "standard run"       and leaves the other lines as they are

Every row is the median of several runs, in seconds of the processor; exact answer and baselines are taken in turn, and
in brackets stands how many times a baseline the exact answer takes.
"""

import argparse
import os
import platform
import resource
import statistics

from cases import TENTH_EXCESS, cases
from corpus import ROOT, doubles, random_matrix
from float_baseline import (
    backward_in_c,
    compiled,
    loss_in_c,
    loss_ratio,
    pruned_ratio,
    worst_case_in_c,
    worst_case_ratio,
)
from float_baseline import backward_leakage as float_leakage


def seconds(run):
    """Return the processor time of one call, and of the programs that it starts."""
    start = spent()
    run()
    return spent() - start


def spent():
    """Return the processor time of this process so far, and of the programs that it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(own.ru_utime + own.ru_stime for own in used)


def timed(case):
    """Return the median seconds of the exact answer, of its baseline, and of that in C, None without; taken in turn."""
    tried = [case.exact, case.baseline, *([case.in_c] if case.in_c and compiled() else [])]
    columns = zip(*([repeated(run) for run in tried] for _ in range(case.runs)), strict=True)
    exact, *others = (statistics.median(column) for column in columns)
    return [exact, *(other * case.extrapolation for other in others), None][:3]


def repeated(run):
    """Return the seconds of a call; of a short one the mean of several."""
    taken = seconds(run)
    times = int(0.2 / max(taken, 0.002))
    return seconds(lambda: [run() for _ in range(times)]) / times if times > 1 else taken


def row(case):
    """Run a case and return its line of the table."""
    exact, baseline, in_c = timed(case)
    met = "yes" if case.target(exact, baseline, in_c) else "**no**"
    shown = f"{case.baseline_name}: {baseline:.3g} s ({exact / baseline:.3g})"
    if case.in_c:
        shown = f"numpy, {shown}"
    c = "" if in_c is None else f"{in_c:.3g} s ({exact / in_c:.3g})"
    return f"| {case.name} | {exact:.3g} s | {shown} | {c} | {case.target_name} | {met} |"


def line_before(case, text):
    """Return the line of a case in a page that was written before, without figures where it has none."""
    lines = [line for line in text.splitlines() if line.startswith(f"| {case.name} |")]
    return lines[0] if lines else f"| {case.name} | — | {case.baseline_name}: — | | {case.target_name} | — |"


def check_baselines():
    """Assert that the baselines compute the same numbers."""
    for n in (3, 17, 40):
        entries = doubles(random_matrix(n))
        losses = [loss_ratio(entries, TENTH_EXCESS), pruned_ratio(entries, TENTH_EXCESS)]
        levels = [float_leakage(entries, 0.1, 60)[-1]]
        ratios = [worst_case_ratio(entries, 1 + TENTH_EXCESS, 5)]
        if compiled():
            losses.append(loss_in_c(entries, TENTH_EXCESS))
            levels.append(backward_in_c(entries[None], 0.1, 60)[0])
            ratios.append(worst_case_in_c(entries, 1 + TENTH_EXCESS, 5))
        for found in (losses, levels, ratios):
            assert max(found) <= min(found) * (1 + 1e-9), found


HEAD = "| exact answer | seconds | baseline (times) | in C (times) | target | met |\n|---|---|---|---|---|---|"

INTRODUCTION = """# Speed

Exact answers take longer than floating-point code that was written to be fast and bounds no error. One exact L(α) of a
matrix of 1,000 states, checked from above, takes one and a half times to twice as long as C in single precision, of 200
states four to five times, of 100 ten to twelve; of the same matrix again not much less. With 500 states or more most
is sums of whole numbers of 16 bits, as many to guess as to check; with fewer, what Python does. To make the matrix,
which adds up its rows of fractions and has their doubles ready, takes 7 times as long as C, of 100 states 40 times, and
is not counted. Beside numpy that leaves out pairs of rows an answer takes a tenth to a third of the time; without the
extra `fast` it takes about as long. The exact worst case at all times of a stream takes 4 to 12 times as long as C
takes for the last of them alone (100 and 200 states), and 1,000 steps to 30 digits take 6 times as long as numpy and
hundreds of times as long as C.

L(α), loss functions, and exact worst cases are of matrices that were not seen before, and include the check from above.

Ten times C is out of reach of Python for those 1,000 steps: C computes BPL in 0.4 µs per step, but called from Python
FLINT takes 0.6 µs for one logarithm to 30 digits and 0.9 µs for one step in balls, and the least Python takes for a
decimal of 30 digits is 0.3 µs. With 3,000 logarithms, 2,000 steps and 6,000 decimals that is 5 ms, 14 times C, before
anything is compared, checked or rounded outward. Compiled code with arithmetic of its own for 30 digits was not tried.

Written by `.venv/bin/python benchmarks/run.py --write` (`make bench` prints the same). Medians on {machine},
Python {python}, in seconds of processor time. Exact answers and baselines are timed alternately. The ratio of the two,
in brackets, is what carries over to other machines. *numpy* omits pairs of rows that cannot attain the maximum, and
starts from the set that attained it before ([float_baseline.py](../benchmarks/float_baseline.py)); *C* is
[floats.c](../benchmarks/floats.c) compiled by `cc -O3 -march=native`, with sums in any order. Neither bounds its error.

![How the time of every method grows with n, with α and with the number of releases](growth.png)

The picture and [growth.csv](growth.csv) come from `make growth`.
"""


def main():
    """Run the cases, print the table and write it where asked to."""
    parser = argparse.ArgumentParser(description="Time exact answers against float code.")
    parser.add_argument("words", nargs="*", help="only the cases whose names hold one of these")
    parser.add_argument("--write", action="store_true", help="write the lines of these cases to docs/benchmarks.md")
    arguments = parser.parse_args()
    page = ROOT / "docs/benchmarks.md"
    before = page.read_text(encoding="utf-8")
    check_baselines()
    print(HEAD, flush=True)
    rows = []
    for case in cases():
        if not arguments.words or any(word in case.name for word in arguments.words):
            rows.append(row(case))
            print(rows[-1], flush=True)
        else:
            rows.append(line_before(case, before))
    peak = f"Peak memory of the whole run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB."
    print(f"\n{peak}")
    if arguments.words:
        peak = before.splitlines()[-1]
    if arguments.write:
        machine = f"{platform.machine()}, {os.cpu_count()} cores"
        text = INTRODUCTION.format(machine=machine, python=platform.python_version())
        page.write_text("\n".join([text, HEAD, *rows, "", peak, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
