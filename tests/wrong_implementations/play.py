"""A wrong implementation put through the standard tier: all that is asked of one operation, in its order, and again.

The right answers are computed once for all implementations, and a judgement on one of them is not repeated. The
search is left out, which only finds more.
"""

from dataclasses import dataclass

from tploracle.conformance.ask.budget import budget_of
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.relations import ask_again
from tploracle.conformance.ask.runner import Plan, Runner, Stopped
from tploracle.conformance.ask.seeded import seeded_of_each
from tploracle.conformance.ask.sizes import sizes_cases
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import DEFAULT_ULPS, Case, Judgement, Reply, Run, Verdict
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import encode

from .mistakes import Mistake, safely
from .regions import Region


@dataclass(frozen=True)
class Wrong:
    """An implementation that is right but for one operation's answers in a region."""

    op: str
    region: Region
    mistake: Mistake

    def __str__(self) -> str:
        return f"`{self.op}`, {self.region.words}: {self.mistake.words}"


class Asked:
    """All that the standard tier asks of an operation where all are declared, with the right answers."""

    def __init__(self, op: str, seed: int = 0) -> None:
        self.session, budget = Session(), budget_of("standard", OPERATIONS)
        counts = {tier: {op: number[op]} for tier, number in budget.sizes.items()}
        vectors = [case for case in load_vectors("standard") if case.op == op and case.numbers == FLOAT64]
        seeded = seeded_of_each(seed, {op: budget.seeded[op]}, [FLOAT64])
        self.cases = [*vectors, *seeded, *sizes_cases(seed, counts)]
        self.right: dict[int, dict] = {}
        known: dict[str, dict] = {}
        for case in self.cases:
            source = case.input if case.equivalent is None else case.equivalent
            key = encode(source)
            if key not in known:
                known[key] = self.answer({"op": case.op, "input": source, "numbers": case.numbers})
            self.right[id(case.input)] = known[key]

    def answer(self, request: dict) -> dict:
        """Return the right answer to a request."""
        numbers = request.get("numbers", FLOAT64)
        return safely(lambda one: self.session.answer(one["op"], one["input"], 17, numbers), request)


@dataclass
class Player:
    """A wrong implementation as a run asks it."""

    wrong: Wrong
    asked: Asked
    restarts: int = 0
    calls: int = 0
    wrongly: int = 0
    last: dict | None = None

    def start(self) -> None:
        self.calls, self.last = 0, None

    def ask(self, request: dict) -> Reply:
        right = self.asked.right.get(id(request["input"]))
        if right is None:
            return Reply({"error": {"name": "InvalidRequest", "message": ""}})
        self.calls += 1
        answer = right
        if "value" in right and self.wrong.region.holds(request, self.calls):
            answer = self.wrong.mistake.applied(request, right, self.last, self.asked.answer)
            self.wrongly += answer != right
        self.last = answer
        return Reply(answer)

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
        if reply.answer is self.asked.right.get(id(case.input)):
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
    runner = Runner(player, Plan("standard", stop=True), run, _Remembering(asked))
    try:
        for case in asked.cases:
            runner.keep(runner.put(case))
        ask_again(runner)
    except Stopped:
        return Played(wrong, run.results[-1].case.id, player.wrongly)
    return Played(wrong, "", player.wrongly)
