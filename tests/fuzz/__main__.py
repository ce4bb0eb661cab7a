"""`make fuzz`: every attack in turn, try by try, until the time is up; each try can be repeated alone.

    python -m tests.fuzz [ATTACK...] [--minutes 5 | --tries N] [--seed S] [--from N] [--workers 2]
    python -m tests.fuzz ATTACK --seed S --try 1234

A try is a finding where it finds something, ends in an exception, computes for more than MOST_SECONDS, comes to no end,
or has the process grow beyond MOST_MEMORY.
"""

import argparse
import os
import resource
import sys
import time
import traceback
from collections import Counter
from contextlib import suppress
from importlib import import_module
from math import inf
from pathlib import Path
from random import Random, SystemRandom
from tempfile import TemporaryDirectory

from tploracle.system.signals import raised

from ..children import forked, together
from ..lost_power import CAN_RECORD
from .finding import SEEN

ATTACKS = (
    "wire", "costs", "certificates", "answers", "files", "arrays", "parquet", "parts", "separators", "implementations",
    "killed", "ledger", "forged", "surroundings", "hostile", *["power"] * CAN_RECORD,
)  # fmt: skip
"""The attacks, each the function `attack(random)` of the module of that name."""

MOST_SECONDS, MOST_MEMORY = 60, 2 << 30
"""What a try may cost: seconds of computing, and bytes."""

TURN = 2.0
"""Seconds of one attack before it is the turn of the next."""


def attacked(attack, seed, number):
    """Make one try. Returns: what is wrong, "" where nothing is."""
    memory, begun = _most_memory(), time.process_time()
    try:
        import_module(f".{attack}", __package__).attack(Random(f"{attack} {seed} {number}"))
    except Exception as error:  # noqa: BLE001 - whatever happens is a finding
        where = "" if type(error).__name__ == "Finding" else "".join(traceback.format_tb(error.__traceback__, -3))
        return f"{where}{type(error).__name__}: {error}"
    seconds = time.process_time() - begun
    if seconds > MOST_SECONDS:
        return f"it computes for {seconds:.0f} seconds"
    return f"the process grew to {_most_memory() >> 20} MiB" if memory < _most_memory() > MOST_MEMORY else ""


def _most_memory():
    """Return the bytes that this process has needed so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def turn(attack, seed, numbers):
    """Make tries for TURN seconds in a child. Returns: the numbers of those begun, each with what is wrong.

    What they count is added to SEEN.
    """

    def work(report):
        until = time.monotonic() + TURN
        for number in numbers:
            report([number, None, {}])
            SEEN.clear()
            report([number, attacked(attack, seed, number), SEEN])
            if time.monotonic() >= until:
                return

    said, out_of_time = forked(work, MOST_SECONDS + TURN)
    missing = f"it goes on after {MOST_SECONDS} seconds" if out_of_time else "the process ended"
    for _, _, seen in said:
        SEEN.update(seen)
    return {number: missing if wrong is None else wrong for number, wrong, _ in said}


def fuzz(seed, attacks, numbers, until):
    """Let attacks make tries in turn until all are made, or the time is up.

    Args: numbers, of the tries of each attack, in order. Yields: attack, number and what is wrong, "" where nothing is.
    """
    left = dict.fromkeys(attacks, numbers)
    listener = os.getppid()
    while left and time.monotonic() < until and os.getppid() == listener:
        for attack, rest in [*left.items()]:
            made = turn(attack, seed, rest)
            yield from ((attack, *one) for one in made.items())
            left[attack] = rest[len(made) :]
            if not left[attack]:
                del left[attack]


def worked(seed, attacks, numbers, until, results):
    """Attack, print what is found, and add a line for each try to a file; an interruption ends it."""
    for attack in attacks:
        prepare = getattr(import_module(f".{attack}", __package__), "prepare", None)
        if prepare:
            prepare()  # once, for all turns
    SEEN.clear()
    with results.open("a") as file, suppress(KeyboardInterrupt):
        for attack, number, wrong in fuzz(seed, attacks, numbers, until):
            file.write(f"{attack} {bool(wrong):d}\n")
            file.flush()
            if wrong:
                again = f"python -m tests.fuzz {attack} --seed {seed} --try {number}"
                print(f"\nFOUND by {attack}: {wrong}\nagain: {again}", flush=True)
        file.write("".join(f"seen {count} {name}\n" for name, count in SEEN.items()))


def main():
    """Attack; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"of {', '.join(ATTACKS)}; all of them by default")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help="how long; 5 by default")
    length.add_argument("--tries", type=int, help="how many tries of each attack, however long they take")
    parser.add_argument("--seed", type=int, help="another one each time by default")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the number of each attack's first try")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--try", dest="number", type=int, help="this try of one attack alone")
    given = parser.parse_args()
    if unknown := set(given.attacks) - set(ATTACKS):
        parser.error(f"there is no attack {', '.join(sorted(unknown))}")
    attacks = tuple(given.attacks) or ATTACKS
    seed = SystemRandom().getrandbits(32) if given.seed is None else given.seed
    if given.number is not None:
        wrong = attacked(attacks[0], seed, given.number)
        print(wrong or "nothing is wrong")
        return bool(wrong)
    minutes = inf if given.tries else 5.0 if given.minutes is None else given.minutes
    length = f"{given.tries:,} tries" if given.tries else f"{minutes:g} minutes"
    print(f"seed {seed}, {length} of {', '.join(attacks)}", flush=True)
    numbers = range(given.first, given.first + given.tries if given.tries else sys.maxsize)
    until = time.monotonic() + 60 * minutes
    with TemporaryDirectory() as folder, raised():
        results = Path(folder, "results")
        results.touch()
        with suppress(KeyboardInterrupt):
            together(given.workers, lambda job: worked(seed, attacks, numbers[job :: given.workers], until, results))
        lines = results.read_text().splitlines()
    tries, seen, findings = Counter(), Counter(), 0
    for name, number, *words in map(str.split, lines):
        if name == "seen":
            seen[" ".join(words)] += int(number)
        else:
            tries[name] += 1
            findings += int(number)
    made = ", ".join(f"{attack} {tries[attack]:,}" for attack in attacks)
    print(f"\ntries: {made}; findings: {findings}")
    if seen:
        print("seen:", ", ".join(f"{name} {count:,}" for name, count in sorted(seen.items())))
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
