"""`make fuzz`: every attack in turn, try by try, until the time is up; each try can be repeated alone.

    python -m tests.fuzz [ATTACK...] [--minutes 5 | --tries N] [--seed S] [--from N] [--workers 2]
    python -m tests.fuzz ATTACK --seed S --try 1234

A try is a finding where it finds something, ends in an exception, computes for more than MOST_SECONDS, comes to no end,
or has the process grow beyond MOST_MEMORY.
"""

import argparse
import multiprocessing
import os
import resource
import sys
import time
import traceback
from collections import Counter
from contextlib import suppress
from importlib import import_module
from math import inf
from random import Random, SystemRandom

from tploracle.system.signals import raised

from ..lost_power import CAN_RECORD

ATTACKS = (
    "wire", "costs", "certificates", "answers", "files", "arrays", "parquet", "parts", "separators", "implementations",
    "killed", "ledger", "forged", *["power"] * CAN_RECORD,
)  # fmt: skip
"""The attacks, each the function `attack(random)` of the module of that name."""

MOST_SECONDS, MOST_MEMORY = 60, 2 << 30
"""What a try may cost: seconds of computing, and bytes."""

PATIENCE = 5
"""How many times as long a try may take as it may compute: this machine may do other things as well."""

MOST_SAID = 1_000
"""What one worker says before another is listened to."""

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


def work(pipe, seed, following, step, end=inf):
    """Make tries of each attack in turn, while somebody listens; say of each that it begins, and what came of it.

    Args: following, the number of each attack's next try; step, from one to the next; end, the number that none
    reaches. It says None once there is nothing left to try.
    """
    resource.setrlimit(resource.RLIMIT_AS, (3 * MOST_MEMORY, resource.RLIM_INFINITY))
    listener = os.getppid()
    with suppress(KeyboardInterrupt):  # the listener says so
        while left := [attack for attack, number in following.items() if number < end]:
            for attack in left:
                until = time.monotonic() + TURN
                while time.monotonic() < until and (number := following[attack]) < end:
                    if os.getppid() != listener:
                        return
                    pipe.send((attack, number, None))
                    pipe.send((attack, number, attacked(attack, seed, number)))
                    following[attack] += step
        pipe.send(None)
        time.sleep(PATIENCE * MOST_SECONDS)  # until it is ended


class Worker:
    """A process that makes tries, begun anew after one that does not end."""

    def __init__(self, seed, attacks, first, step, end=inf):
        self.seed, self.step, self.end_of_tries = seed, step, end
        self.is_done = False
        self.following = dict.fromkeys(attacks, first)
        self.begin()

    def begin(self):
        """Begin, behind all tries that were begun."""
        self.begun = None
        self.pipe, other = multiprocessing.Pipe(duplex=False)
        arguments = (other, self.seed, self.following, self.step, self.end_of_tries)
        self.process = multiprocessing.Process(target=work, args=arguments)
        self.process.start()
        other.close()

    def end(self):
        """End the process."""
        self.process.kill()
        self.process.join()

    def said(self):
        """Yield each try that is over, with what is wrong; one that does not end, or ends the process, among them."""
        try:
            for _ in range(MOST_SAID):
                if self.is_done or not self.pipe.poll():
                    break
                if (told := self.pipe.recv()) is None:
                    self.is_done = True
                    break
                attack, number, wrong = told
                self.begun = (attack, number, time.monotonic()) if wrong is None else None
                self.following[attack] = number + self.step
                if wrong is not None:
                    yield attack, number, wrong
        except EOFError:
            self.end()
            yield from self.unfinished(0, f"the process ended with status {self.process.exitcode}")
            self.begin()
        if late := list(self.unfinished(PATIENCE * MOST_SECONDS)):
            self.end()
            yield from late
            self.begin()

    def unfinished(self, seconds=MOST_SECONDS, wrong="it goes on after {:.0f} seconds"):
        """Yield the try that was begun so many seconds ago and is not over, if there is one, with what is wrong."""
        if self.begun and (since := time.monotonic() - self.begun[2]) > seconds:
            yield *self.begun[:2], wrong.format(since)


def fuzz(seed, working, minutes):
    """Let workers attack for so many minutes, or until they are done.

    Returns: how many tries each attack made, and the findings.
    """
    until = time.monotonic() + 60 * minutes
    tries, findings = Counter(), []

    def note(found):
        for attack, number, wrong in found:
            tries[attack] += 1
            if wrong:
                findings.append((attack, number))
                again = f"python -m tests.fuzz {attack} --seed {seed} --try {number}"
                print(f"\nFOUND by {attack}: {wrong}\nagain: {again}", flush=True)

    try:
        while time.monotonic() < until and not all(worker.is_done for worker in working):
            for worker in working:
                note(worker.said())
            time.sleep(0.05)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    finally:
        for worker in working:
            note(worker.said())
            note(worker.unfinished())
            worker.end()
    return tries, findings


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
    end = given.first + given.tries if given.tries else inf
    length = f"{given.tries:,} tries" if given.tries else f"{minutes:g} minutes"
    print(f"seed {seed}, {length} of {', '.join(attacks)}", flush=True)
    with raised():
        firsts = range(given.first, given.first + given.workers)
        working = [Worker(seed, attacks, first, given.workers, end) for first in firsts]
        tries, findings = fuzz(seed, working, minutes)
    made = ", ".join(f"{attack} {tries[attack]:,}" for attack in attacks)
    print(f"\ntries: {made}; findings: {len(findings)}")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
