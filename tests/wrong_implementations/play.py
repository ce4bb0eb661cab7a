"""A wrong implementation put through the standard tier: all that is asked of one operation, in its order, and again.

A right answer is computed only where an implementation may be wrong, and once for all implementations. Where a wrong
answer is that to a changed question whose exact worst case is dear, the right one is scaled by what leakage in doubles
makes of the change, or stays where this takes long too. Both this and that the search is left out can only make fewer
be found.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import isclose, isfinite

import numpy as np

from tploracle.conformance.ask.budget import budget_of
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.draws import asked_of
from tploracle.conformance.ask.relations import ask_again
from tploracle.conformance.ask.runner import Plan, Runner, Stopped
from tploracle.conformance.ask.seeded import seeded_of_each
from tploracle.conformance.ask.sizes import sizes_cases
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import DEFAULT_ULPS, Case, Judgement, Reply, Run, Verdict
from tploracle.contract.operations import OPERATIONS
from tploracle.mistakes.worst_case import RIGHT, SWEEPS_CLOSE, WORST_CASE_ALLOCATE, WORST_CASE_OPERATIONS, leakage_at
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import encode

from .mistakes import Mistake, changed_levels, right_answer
from .population import judged_of
from .regions import Region, releases, states

MOST_CHANGED, MOST_CHANGED_PROFILE, MOST_IN_DOUBLES = 2**6, 2**8, 2**27
"""The most that n²·T is of a changed question about the exact worst case, or a profile, that is answered exactly; n⁴·T,
in doubles."""

ENDLESS = 40
"""Releases of a stream in doubles that has no end."""


def is_dear(request: dict) -> bool:
    """Whether the answer to a question takes long."""
    size = states(request) ** 2 * max(releases(request), 1)
    most = MOST_CHANGED if request["op"] in WORST_CASE_OPERATIONS else MOST_CHANGED_PROFILE
    return asked_of(request["op"]).together > 1 and size > most


def middle_leakage(request: dict, right: dict) -> float:
    """Return about the leakage at the middle of the releases of a question, of a budget that is right; NaN if dear."""
    given, n = request["input"], states(request)
    if request["op"] == WORST_CASE_ALLOCATE:
        budgets = [float(Fraction(right["value"]["epsilons"][0]["lower"]))] * given.get("horizon", ENDLESS)
    else:
        budgets = [float.fromhex(text) for text in given.get("epsilons") or [given["epsilon"]] * ENDLESS]
    if request["op"] not in WORST_CASE_OPERATIONS or n**4 * len(budgets) > MOST_IN_DOUBLES:
        return np.nan
    sides = [
        np.array([[float.fromhex(text) for text in row] for row in given[role]]) if role in given else None
        for role in ("backward", "forward")
    ]
    return leakage_at(RIGHT, len(budgets) // 2, budgets, *sides)["tpl"]


def answer_as_changed(request: dict, changed: dict, right: dict) -> dict:
    """Return a right answer with its levels as much greater or smaller as leakage is by the change, in doubles."""
    if changed_levels(right, lambda level: level / 2) == right:  # 0 and ∞ stay
        return right
    before, after = (middle_leakage(one, right) for one in (request, changed))
    if not (isfinite(before) and isfinite(after) and min(before, after) > 0):
        return right
    if isclose(before, after, rel_tol=SWEEPS_CLOSE):
        return right
    factor = before / after if request["op"] == WORST_CASE_ALLOCATE else after / before
    return changed_levels(right, lambda level: level * factor)


@dataclass(frozen=True)
class Wrong:
    """An implementation that is right but for one operation's answers in a region.

    rejected: how many were drawn before it that are wrong nowhere.
    """

    op: str
    region: Region
    mistake: Mistake
    rejected: int = 0

    def __str__(self) -> str:
        return f"`{self.op}`, {self.region.words}: {self.mistake.words}"


class Asked:
    """All that the standard tier asks of an operation where all are declared, with the right answers."""

    def __init__(self, op: str, seed: int = 0) -> None:
        self.session, budget = Session(), budget_of("standard", OPERATIONS)
        counts = {tier: {op: number[op]} for tier, number in budget.sizes.items()}
        vectors = [case for case in load_vectors("standard") if case.op == op and case.numbers == FLOAT64]
        seeded = seeded_of_each(seed, {op: budget.seeded[op]}, [FLOAT64])
        self.know([*vectors, *seeded, *sizes_cases(seed, counts)])

    def know(self, cases: list[Case]) -> None:
        """Ask these cases; each has a text that stands for its right answer as long as nobody has to look at it."""
        self.cases, self._known = cases, dict[bytes, dict]()
        self.unseen = {id(case.input): {"value": case.id} for case in cases}
        self._by_input = {id(case.input): case for case in cases}

    def right(self, given: dict) -> dict:
        """Return the right answer to the question of this input."""
        case = self._by_input[id(given)]
        source = case.input if case.equivalent is None else case.equivalent
        return self.answer({"op": case.op, "input": source, "numbers": case.numbers})

    def answer(self, request: dict) -> dict:
        """Return the right answer to a request."""
        key = sha256(encode([request["op"], request["input"], request.get("numbers")]).encode()).digest()
        if key not in self._known:
            self._known[key] = right_answer(self.session, request)
        return self._known[key]


@dataclass
class Player:
    """A wrong implementation as a run asks it."""

    wrong: Wrong
    asked: Asked
    restarts: int = 0
    calls: int = 0
    wrongly: int = 0
    last: Callable[[], dict | None] = lambda: None

    def start(self) -> None:
        self.calls, self.last = 0, lambda: None

    def ask(self, request: dict) -> Reply:
        given = request["input"]
        if id(given) not in self.asked.unseen:
            return Reply({"error": {"name": "InvalidRequest", "message": ""}})
        self.calls += 1
        told, last = self.asked.unseen[id(given)], self.last
        self.last = lambda: self.asked.right(given)
        if self._is_in_region(request) and "value" in (right := self.asked.right(given)):
            answer = self.wrong.mistake.applied(
                request,
                right,
                last,
                lambda changed: (
                    answer_as_changed(request, changed, right) if is_dear(changed) else self.asked.answer(changed)
                ),
            )
            if judged_of(request["op"], answer) != judged_of(request["op"], right):
                self.wrongly, told, self.last = self.wrongly + 1, answer, lambda: answer
        return Reply(told)

    def _is_in_region(self, request: dict) -> bool:
        try:
            return self.wrong.region.holds(request, self.calls)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):  # the right answer is an error
            return False

    def processor_time(self) -> float:
        return 0.0

    def close(self) -> None:
        pass


class _Remembering(Judge):
    """A judge who does not look again at what is known to be right."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(DEFAULT_ULPS)
        self.asked = asked

    def judge(self, case: Case, reply: Reply) -> Judgement:
        if reply.answer is self.asked.unseen.get(id(case.input)):
            return Judgement(Verdict.EXACT, 0)
        return super().judge(case, reply)


@dataclass(frozen=True)
class Played:
    """What became of a wrong implementation: the case that found it, "" for none, and its wrong answers so far."""

    wrong: Wrong
    found_by: str
    wrongly: int


def play(wrong: Wrong, asked: Asked) -> Played:
    """Put a wrong implementation through the questions until one finds it."""
    run = Run("", "standard", 0, DEFAULT_ULPS)
    player = Player(wrong, asked)
    plan = Plan("standard", stop=True, lenient=True)  # written in one way, as nobody reads what is written
    runner = Runner(player, plan, run, _Remembering(asked))
    try:
        for case in asked.cases:
            runner.keep(runner.put(case))
        ask_again(runner)
    except Stopped:
        return Played(wrong, run.results[-1].case.id, player.wrongly)
    return Played(wrong, "", player.wrongly)
