"""What a user of a population costs, step by step, beside numpy doubles that loop over users, in one run.

    .venv/bin/python benchmarks/population.py           20,000 users, 17 states, 100 releases
    .venv/bin/python benchmarks/population.py 2000 50   number of users, number of states
    .venv/bin/python benchmarks/population.py 1000000 --run 2     the whole command from a Parquet table, by 2 workers

Seconds are of the processor, not of the clock. The users have dense counts, no two the same.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from float_baseline import backward_in_c
from float_baseline import backward_leakage as float_leakage

from tploracle.population import user_rows
from tploracle.population.question import PopulationQuestion, UserChunk
from tploracle.population.recomputed import answer
from tploracle.population.user_rows import rows_of
from tploracle.solvers.batch.enclosures import prepare_compiled
from tploracle.solvers.worst_case.worst import greatest_worst_case_tpl

RELEASES = 100
CHUNK = 3072
LOOPED = 10
"""Users whom the loop in doubles answers for, and the exact worst case is worked out for."""

GROUP = 1 << 16
"""Users of a row group."""

DRIVER = """
import atexit, resource, sys
from tploracle.cli.main import main

atexit.register(lambda: print(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), file=sys.stderr))
sys.argv = ["tploracle", "population", *sys.argv[1:]]
main()
"""
"""The command, which says in the end what its own process used."""

SMOOTHING = Fraction(1, 10)
QUESTION = PopulationQuestion(("1/10",) * RELEASES, "1/10", "1", SMOOTHING)


def drawn_users(count, n, seed=1):
    """Return counts of transitions, some pages visited more than others."""
    random = np.random.default_rng(seed)
    return random.poisson(random.gamma(0.5, 4.0, (count, n, n)))


def seconds(run):
    """Return what a call returns, and its processor seconds."""
    start = time.process_time()
    found = run()
    return found, time.process_time() - start


def looped(counts):
    """Return BPL and FPL of users one by one, no suprema and no budgets, in doubles."""
    for own in counts:
        smoothed = own + float(SMOOTHING)
        for side in (smoothed, smoothed.T):
            float_leakage(side / side.sum(axis=1, keepdims=True), 0.1, RELEASES)


def looped_in_c(counts):
    """Return BPL and FPL of users in C, no suprema and no budgets."""
    smoothed = counts + float(SMOOTHING)
    for side in (smoothed, smoothed.transpose(0, 2, 1)):
        backward_in_c(side / side.sum(axis=2, keepdims=True), 0.1, RELEASES)


def worst_case(counts):
    """Work out the exact worst case of TPL of users one by one, from their counts."""
    chunk = UserChunk([str(number) for number in range(len(counts))], counts)
    for index in range(len(counts)):
        worst = greatest_worst_case_tpl(QUESTION.levels(), **chunk.matrices(SMOOTHING, index))
        worst.attained.double_below(), worst.bound.double_above()


def write_users(path, count, n):
    """Write a Parquet table of users, a row group at a time."""
    schema = pa.schema([("user", pa.string()), ("counts", pa.list_(pa.int32()))])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for start in range(0, count, GROUP):
            counts = drawn_users(min(GROUP, count - start), n, start)
            lists = pa.ListArray.from_arrays(np.arange(len(counts) + 1) * n * n, pa.array(counts.ravel(), pa.int32()))
            writer.write_table(pa.table([[f"u{start + u}" for u in range(len(counts))], lists], schema=schema))


def whole_run(count, n, workers):
    """Print what the command takes: all its processes, start included, and the one that was started alone."""
    with tempfile.TemporaryDirectory() as folder:
        table, rows = Path(folder, "users.parquet"), Path(folder, "rows")
        write_users(table, count, n)
        asked = ["--epsilon", "1/10", "--steps", str(RELEASES), "--alpha", "1", "--smoothing", str(SMOOTHING)]
        command = [sys.executable, "-c", DRIVER, table, "--out", rows, *asked, "--workers", str(workers)]
        began, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        told = subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
        wall, all_used = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        driver = float(told.splitlines()[-1])
        total = all_used.ru_utime + all_used.ru_stime - used.ru_utime - used.ru_stime
        print(f"{count:,} users, {n} states, {workers} workers: {1e6 * total / count:.1f} µs a user of processor time,")
        print(f"{wall:.0f} s by the clock, in which the process that was started worked for {driver:.2f} s.")
        size, written = table.stat().st_size, sum(path.stat().st_size for path in rows.glob("part-*"))
        print(f"{size / count:.0f} bytes a user are read, {written / count:.0f} are written, in Parquet.")
        print(f"The largest process took {all_used.ru_maxrss / 2**20:.2f} GiB of memory.")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description="What a user of a population costs.")
    parser.add_argument("users", nargs="?", type=int, default=20_000)
    parser.add_argument("states", nargs="?", type=int, default=17)
    parser.add_argument("--run", type=int, metavar="WORKERS", help="run the whole command instead")
    arguments = parser.parse_args()
    if arguments.run:
        whole_run(arguments.users, arguments.states, arguments.run)
        return
    counts = drawn_users(arguments.users, arguments.states)
    print(f"| {arguments.users:,} users, {arguments.states} states | ms a user |\n|---|---|")
    prepare_compiled()
    steps = {"rows of all, in Parquet, checked": answer, "the rows alone": lambda *own: rows_of(*own[:2])}
    each = {}
    for name, step in steps.items():
        whole = 0.0
        for start in range(0, len(counts), CHUNK):
            own = counts[start : start + CHUNK]
            chunk = UserChunk([str(number) for number in range(len(own))], own)
            user_rows._known.clear()  # what another step answered is not to be remembered
            whole += seconds(partial(step, QUESTION, chunk, chunk.digest(QUESTION)))[1]
        each[name] = whole / len(counts)
        print(f"| {name} | {1000 * each[name]:.3f} |", flush=True)
    alone = seconds(lambda: worst_case(counts[:LOOPED]))[1] / min(LOOPED, len(counts))
    print(f"| the exact worst case, one by one | {1000 * alone:.1f} |")
    loop = seconds(lambda: looped(counts[:LOOPED]))[1] / LOOPED
    print(f"| numpy doubles that loop over users: BPL and FPL alone | {1000 * loop:.1f} |")
    in_c = seconds(lambda: looped_in_c(counts[:1000]))[1] / min(1000, len(counts))
    print(f"| doubles in C: BPL and FPL alone | {1000 * in_c:.3f} |")
    for name, own in each.items():
        print(f"\n{name}: {own / in_c:.1f} times the processor time of C, {own / loop:.3f} times that of numpy.")
    print(f"Peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB, all the counts included.")


if __name__ == "__main__":
    main()
