"""Draw questions of every structure and size; print those that take long, or longer than a random matrix does.

    .venv/bin/python benchmarks/cliffs.py [--draws 400] [--seed 0] [--limit 20] [COMMAND ...]

A question is a command with its options, a shape, a size and a budget; it is asked as by the command line, in this
process, with a limit of processor time. A line is printed where a question takes more than LEAST seconds, and more
than FACTOR times as long as with a random matrix.
"""

# ruff: noqa: ARG005 - weights are all called alike

import argparse
import json
import random
import shutil
import signal
import time
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from io import StringIO
from pathlib import Path

from tploracle.cli.main import main

FACTOR, LEAST = 3, 1.0

KEPT = Path(__file__).resolve().parent.parent / "build" / "cliffs"
"""Where the matrices of what is printed are."""

SIZES = 2, 3, 4, 6, 9, 17, 30, 50

BUDGETS = "0.1", "1", "1e-6", "1e-30", "10", "log(11/10)", "3/7", "0.12345678901234567890123456789"

LEVELS = "1", "0.01", "log(2)", "5"


def weighted(weight):
    """Return what makes a matrix of n values from the weight of each entry."""
    return lambda n, source: [[Fraction(weight(j, k, n, source)) for k in range(n)] for j in range(n)]


def permuted(n, source):
    """Return a permutation."""
    to = list(range(n))
    source.shuffle(to)
    return [[Fraction(to[j] == k) for k in range(n)] for j in range(n)]


def symmetric(n, source):
    """Return a symmetric matrix whose rows have one sum."""
    upper = {(j, k): source.randint(1, 9) for j in range(n) for k in range(j)}
    rows = [[Fraction(upper.get((max(j, k), min(j, k)), 0)) for k in range(n)] for j in range(n)]
    most = max(map(sum, rows)) + 1
    return [[p + (most - sum(row)) * (j == k) for k, p in enumerate(row)] for j, row in enumerate(rows)]


def circulant(n, source):
    """Return a matrix whose rows are one row, shifted."""
    first = [Fraction(source.randint(1, 9)) for _ in range(n)]
    return [first[-j:] + first[:-j] for j in range(n)]


def alike(n, source, difference):
    """Return rows that are equal but for a difference in one entry each."""
    first = [source.randint(1, 9) for _ in range(n)]
    return [[Fraction(p) + difference * (j == k) for k, p in enumerate(first)] for j in range(n)]


def of_few_rows(n, source):
    """Return rows of two kinds."""
    rows = [[Fraction(source.randint(1, 9)) for _ in range(n)] for _ in range(2)]
    return [rows[source.randrange(2)] for _ in range(n)]


TINY = Fraction(1, 10**30)

SHAPES = {
    "random": weighted(lambda j, k, n, r: r.randint(1, 10_000)),
    "sparse": weighted(lambda j, k, n, r: (r.random() < 0.2) * r.randint(1, 9) + (k == (j * 7 + 1) % n)),
    "zeros by columns": weighted(lambda j, k, n, r: (k < (n + 1) // 2) * r.randint(1, 9)),
    "zero diagonal": weighted(lambda j, k, n, r: (j != k) * r.randint(1, 9)),
    "disjoint rows": weighted(lambda j, k, n, r: (j % 2 == k % 2) * r.randint(1, 9)),
    "sticky": weighted(lambda j, k, n, r: r.randint(1, 9) + 50 * n * (j == k)),
    "very sticky": weighted(lambda j, k, n, r: 1 + 10**9 * (j == k)),
    "equally sticky": weighted(lambda j, k, n, r: 1 + n * (j == k)),
    "nearly uniform": weighted(lambda j, k, n, r: 10**9 + r.randint(1, 9)),
    "ring": weighted(lambda j, k, n, r: 2 * (k == (j + 1) % n) + (k == j)),
    "ring both ways": weighted(lambda j, k, n, r: (k in ((j + 1) % n, (j - 1) % n)) + (k == j)),
    "cycle": weighted(lambda j, k, n, r: k == (j + 1) % n),
    "near cycle": weighted(lambda j, k, n, r: 1000 * (k == (j + 1) % n) + 1),
    "cycle with noise of 1e-30": weighted(lambda j, k, n, r: (k == (j + 1) % n) + TINY),
    "identity": weighted(lambda j, k, n, r: j == k),
    "permutation": permuted,
    "function": weighted(lambda j, k, n, r: k == (j * j + 1) % n),
    "function with noise of 1e-30": weighted(lambda j, k, n, r: (k == (j * j + 1) % n) + TINY),
    "walk on a line": weighted(lambda j, k, n, r: abs(j - k) <= 1),
    "walk with drift": weighted(lambda j, k, n, r: 3 * (k == j + 1) + (k == j - 1) + (k == j)),
    "walk of period two": weighted(lambda j, k, n, r: abs(j - k) == 1),
    "blocks": weighted(lambda j, k, n, r: (2 * j // n == 2 * k // n) * r.randint(1, 9)),
    "blocks that hardly mix": weighted(
        lambda j, k, n, r: (2 * j // n == 2 * k // n) * r.randint(1, 9) + Fraction(1, 10**9)
    ),
    "absorbing": weighted(lambda j, k, n, r: r.randint(1, 9) if j < n - 1 else j == k),
    "absorbed slowly": weighted(lambda j, k, n, r: 100 * r.randint(1, 9) if k < n - 1 > j else k == n - 1),
    "two ends": weighted(lambda j, k, n, r: r.randint(1, 9) if 0 < j < n - 1 else j == k),
    "upper triangle": weighted(lambda j, k, n, r: (k >= j) * r.randint(1, 9)),
    "transient and slow": weighted(lambda j, k, n, r: 9 * (k == j) + (k == min(j + 1, n - 1))),
    "star": weighted(lambda j, k, n, r: (j == 0 or k == 0) + (j == k)),
    "hub": weighted(lambda j, k, n, r: 1 + 100 * (k == 0)),
    "symmetric": symmetric,
    "circulant": circulant,
    "equal rows": lambda n, r: alike(n, r, Fraction(0)),
    "nearly equal rows": lambda n, r: alike(n, r, Fraction(1, 10**12)),
    "rows equal to 1e-40": lambda n, r: alike(n, r, Fraction(1, 10**40)),
    "two kinds of rows": of_few_rows,
    "powers of two": weighted(lambda j, k, n, r: Fraction(2) ** -((j * k + k) % 50)),
    "entries of 1e-300": weighted(lambda j, k, n, r: r.randint(1, 9) * Fraction(1, 10 ** r.choice((0, 0, 300)))),
    "denominators of 60 digits": weighted(lambda j, k, n, r: r.randint(1, 10**60)),
    "falling away from the diagonal": weighted(lambda j, k, n, r: Fraction(1, 3) ** abs(j - k)),
}


def drawn(shape, n, source):
    """Return a stochastic matrix of a shape."""
    rows = SHAPES[shape](n, source)
    return [
        [p / sum(row) for p in row] if sum(row) else [Fraction(j == k) for k in range(n)] for j, row in enumerate(rows)
    ]


def differing(releases):
    """Return what draws budgets, as many as one of these numbers."""
    return lambda source: ",".join(f"0.{source.randint(1, 999):03d}" for _ in range(source.choice(releases)))


def one_of(*texts):
    """Return what draws one of these."""
    return lambda source: source.choice(texts)


BUDGET, LEVEL, FEW = one_of(*BUDGETS), one_of(*LEVELS), one_of("3", "6", "20")

COMMANDS = {
    "leakage": ["--epsilon", BUDGET, "--steps", one_of("20", "100")],
    "leakage of differing budgets": ["--epsilons", differing((20, 100))],
    "leakage at a delta": ["--epsilon", "0.1", "--steps", FEW, "--delta-per-release", "1e-6", "--delta", "1e-5"],
    "leakage of noise at a delta": ["--sigma", "5", "--steps", FEW, "--delta", "1e-3"],
    "profile of noise at a delta": ["--sigma", "5", "--steps", "5", "--at", "3", "--delta", "1e-3"],
    "allocate at a delta": ["--alpha", "1", "--steps", FEW, "--delta", "1e-3"],
    "allocate noise at a delta": ["--alpha", "1", "--steps", FEW, "--delta", "1e-3", one_of("--gaussian", "--zcdp")],
    "supremum": ["--epsilon", BUDGET],
    "supremum within a cap": ["--cap", LEVEL],
    "allocate": ["--alpha", LEVEL],
    "allocate for a horizon": ["--alpha", LEVEL, "--steps", one_of("5", "50")],
    "composition": ["--epsilons", differing((20,)), "--window", "3:5"],
    "attack": ["--epsilon", BUDGET, "--steps", "50"],
    "certify worst-case-upper": ["--epsilon", BUDGET, "--steps", "50", "--at", "25"],
    "audit": ["--alpha", LEVEL, "--epsilon", BUDGET],
    "loss": ["--alpha", BUDGET],
    "loss-function": [],
    "control": ["--spent", differing((20,)), "--cap", "20"],
}
"""Options of each command, some of which are drawn; the last four take a matrix of one side."""

ONE_SIDE = "audit", "loss", "loss-function", "control"

SIDES = "both", "one", "reversed"


STOPPED = 128 + signal.SIGINT, 128 + signal.SIGTERM
"""Statuses of a command that was stopped from outside, as this program is then."""


MISTAKEN = "Usage", "InvalidNumber"
"""How the message of a command begins that was called wrongly: it answers nothing, which takes no time."""


def taken(arguments, limit):
    """Return the processor time of a command that has a limit of it, and its exit status."""
    began, status = time.process_time(), 0
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
            main(["--time-limit", str(limit), *arguments])
    except SystemExit as ended:
        status = ended.code
        if status in STOPPED:
            raise
        if errors.getvalue().startswith(MISTAKEN):
            raise ValueError(f"{' '.join(arguments)}: {errors.getvalue()}") from ended
    return time.process_time() - began, status


def asked(command, shape, *, n, sides, number, folder):
    """Return the arguments of a question about matrices of a shape."""
    source, (word, _, kind) = random.Random(number), command.partition(" ")
    options = [part(source) if callable(part) else part for part in COMMANDS[command]]
    rows = {side: [list(map(str, row)) for row in drawn(shape, n, source)] for side in ("backward", "forward")}
    files = {side: str(folder / f"{side}.csv") for side in rows} | {"both": str(folder / "both.json")}
    for side, own in rows.items():
        Path(files[side]).write_text("".join(",".join(row) + "\n" for row in own))
    Path(files["both"]).write_text(json.dumps(rows))
    if word in ONE_SIDE:
        return [word, files["backward"], *options]
    if word == "supremum":
        known = {
            "both": [files["both"]],
            "one": [files["backward"], "--one-sided"],
            "reversed": [files["forward"], "--role", "forward"],
        }
    else:
        known = {
            "both": ["--backward", files["backward"], "--forward", files["forward"]],
            "one": ["--backward", files["backward"], *(["--one-sided"] if word != "certify" else [])],
            "reversed": ["--forward", files["forward"]],
        }
    return [word, *([kind] if word == "certify" else []), *known[sides], *options]


def run(commands, draws, seed, limit):
    """Ask, and print what takes long beside the same question about a random matrix; its matrices are kept."""
    source, long = random.Random(seed), 0
    for number in range(draws):
        command, shape = source.choice(commands), source.choice(list(SHAPES))
        given = {"n": source.choice(SIZES), "sides": source.choice(SIDES), "number": number}
        folder = KEPT / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        usual, _ = taken(asked(command, "random", folder=folder, **given), limit)
        question = asked(command, shape, folder=folder, **given)
        seconds, status = taken(question, limit)
        if seconds > max(LEAST, FACTOR * usual):
            long += 1
            print(f"{seconds:6.1f} s for {usual:.1f} s: {shape}, status {status}: {' '.join(question)}", flush=True)
        else:
            shutil.rmtree(folder)
    print(f"{long} of {draws} take more than {LEAST} s and {FACTOR} times as long as with a random matrix")


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("commands", nargs="*", choices=[[], *COMMANDS], metavar="COMMAND")
    reader.add_argument("--draws", type=int, default=400)
    reader.add_argument("--seed", type=int, default=0)
    reader.add_argument("--limit", type=float, default=20, help="seconds of processor time")
    given = reader.parse_args()
    run(given.commands or list(COMMANDS), given.draws, given.seed, given.limit)
