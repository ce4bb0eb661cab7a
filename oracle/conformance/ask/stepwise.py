"""Seeded cases with a matrix for each step, for an implementation that takes them: the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from ...contract.operations import may_differ
from ...wire.stepwise import CYCLE, STEPS
from ...wire.strict_json import Object
from ..model import Case
from .notation import Notation
from .seeded import NOTATIONS, chosen_numbers, draw_budgets, draw_matrix

ONE_IN = 6
"""For so many seeded cases of an operation there is one more with a matrix for each step."""

MOST_OF_STEPS, MOST_RELEASES_OF_STEPS, LONGEST_CYCLE = 5, 7, 4


def stepwise_cases(seed: int, quotas: Mapping[str, int], numbers: Sequence[str]) -> Iterator[Case]:
    """Yield cases of the operations that take a matrix for each step. Args: as `seeded_of_each`."""
    for op, quota in quotas.items():
        random = Random(f"tploracle steps {seed} {op}")
        chosen = chosen_numbers(numbers)
        for number in range(-(-quota // ONE_IN) if chosen and may_differ(op) else 0):
            name = chosen[number % len(chosen)]
            given, title = _given(random, NOTATIONS[name], op)
            case_id = f"{op}-seeded-steps-{seed}-{number + 1}"
            yield Case(case_id, op, name, given, source="seeded", title=f"Seeded: {title}.")


def _given(random: Random, notation: Notation, op: str) -> tuple[Object, str]:
    """Return an input, and what it has in words: each role is one matrix, one for each step, or some that repeat."""
    n, releases = random.randrange(2, MOST_OF_STEPS + 1), random.randrange(2, MOST_RELEASES_OF_STEPS + 1)
    roles = random.choice((("backward",), ("forward",), ("backward", "forward"), ("backward", "forward")))
    own = random.choice(roles)
    given: Object = {}
    told = []
    for role in roles:
        kind = random.choice((STEPS, CYCLE)) if role == own or random.randrange(3) else ""
        count = {STEPS: releases - 1, CYCLE: random.randrange(1, LONGEST_CYCLE + 1)}.get(kind, 1)
        matrices = [draw_matrix(random, notation, n)[1] for _ in range(count)]
        given[role] = {kind: matrices} if kind else matrices[0]
        told.append(f"{role} {kind or 'one matrix'}")
    epsilons = draw_budgets(random, notation, releases)
    given["epsilons"] = epsilons
    if op == "composition":
        start = random.randrange(1, releases + 1)
        given |= {"start": start, "length": random.randrange(1, releases - start + 2)}
    return given, f"n = {n}, {releases} releases, {', '.join(told)}"
