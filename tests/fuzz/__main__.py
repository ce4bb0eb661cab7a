"""`make fuzz`: every attack in turn, try by try, until the time is up; each try can be repeated alone.

    python -m tests.fuzz [ATTACK...] [--minutes 5] [--seed S] [--workers 2]
    python -m tests.fuzz ATTACK --seed S --try 1234

A try is a finding where it finds something, ends in an exception, takes more than MOST_SECONDS, or makes the process
grow by more than MOST_MEMORY.
"""

import argparse
import multiprocessing
import resource
import sys
import time
import traceback
from importlib import import_module
from random import Random, SystemRandom

from ..lost_power import CAN_RECORD

ATTACKS = ("wire", "certificates", "answers", "files", "implementations", "ledger", *["power"] * CAN_RECORD)
"""The attacks, each the function `attack(random)` of the module of that name."""

MOST_SECONDS, MOST_MEMORY = 60, 2 << 30
"""What a try may cost: seconds, and bytes."""

MOST_SAID = 1_000
"""What one worker says before another is listened to."""

BATCH = 20
"""Tries of one attack before the turn of the next."""


def attacked(attack, seed, number):
    """Make one try. Returns: what is wrong, "" where nothing is."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        import_module(f".{attack}", __package__).attack(Random(f"{attack} {seed} {number}"))
    except Exception as error:  # noqa: BLE001 - whatever happens is a finding
        where = "" if type(error).__name__ == "Finding" else "".join(traceback.format_tb(error.__traceback__, -3))
        return f"{where}{type(error).__name__}: {error}"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    return f"the process grew by {grown >> 20} MiB" if grown > MOST_MEMORY else ""


def work(pipe, seed, attacks, first, step):
    """Make the tries first, first + step, … of each attack; say of each that it begins, and what came of it."""
    resource.setrlimit(resource.RLIMIT_AS, (3 * MOST_MEMORY, resource.RLIM_INFINITY))
    number = first
    while True:
        for attack in attacks:
            for one in range(number, number + BATCH * step, step):
                pipe.send((attack, one, None))
                pipe.send((attack, one, attacked(attack, seed, one)))
        number += BATCH * step


class Worker:
    """A process that makes tries, begun anew after one that does not end."""

    def __init__(self, seed, attacks, first, step):
        self.seed, self.attacks, self.next, self.step = seed, attacks, first, step
        self.begun = None
        self.begin()

    def begin(self):
        """Begin, behind all tries that were begun."""
        self.pipe, other = multiprocessing.Pipe(duplex=False)
        arguments = (other, self.seed, self.attacks, self.next, self.step)
        self.process = multiprocessing.Process(target=work, args=arguments, daemon=True)
        self.process.start()
        other.close()

    def end(self):
        """End the process."""
        self.process.kill()
        self.process.join()

    def said(self):
        """Yield each try that is over, with what is wrong; one that takes too long, or ends the process, among them."""
        try:
            for _ in range(MOST_SAID):
                if not self.pipe.poll():
                    break
                attack, number, wrong = self.pipe.recv()
                self.begun = (attack, number, time.monotonic()) if wrong is None else None
                self.next = max(self.next, number + self.step)
                if wrong is not None:
                    yield attack, number, wrong
        except EOFError:
            yield from self._broken(f"the process ended with status {self.process.exitcode}")
        if self.begun and time.monotonic() - self.begun[2] > MOST_SECONDS:
            yield from self._broken(f"it takes more than {MOST_SECONDS} seconds")

    def _broken(self, wrong):
        self.end()
        if self.begun:
            yield *self.begun[:2], wrong
        self.begun = None
        self.begin()


def fuzz(attacks, seed, minutes, workers):
    """Attack for so many minutes. Returns: how many tries each attack made, and the findings."""
    until = time.monotonic() + 60 * minutes
    tries, findings = dict.fromkeys(attacks, 0), []
    working = [Worker(seed, attacks, first, workers) for first in range(workers)]
    try:
        while time.monotonic() < until:
            for worker in working:
                for attack, number, wrong in worker.said():
                    tries[attack] += 1
                    if wrong:
                        findings.append((attack, number))
                        again = f"python -m tests.fuzz {attack} --seed {seed} --try {number}"
                        print(f"\nFOUND by {attack}: {wrong}\nagain: {again}", flush=True)
            time.sleep(0.05)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    finally:
        for worker in working:
            worker.end()
    return tries, findings


def main():
    """Attack; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"of {', '.join(ATTACKS)}; all of them by default")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long")
    parser.add_argument("--seed", type=int, help="another one each time by default")
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
    print(f"seed {seed}, {given.minutes:g} minutes of {', '.join(attacks)}", flush=True)
    tries, findings = fuzz(attacks, seed, given.minutes, given.workers)
    print(
        f"\ntries: {', '.join(f'{attack} {number:,}' for attack, number in tries.items())}; findings: {len(findings)}"
    )
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
