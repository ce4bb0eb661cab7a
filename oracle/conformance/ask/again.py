"""The same question again: in another order, after an error, at the end, in a new process. It has one answer.

Of each operation some questions are kept with their answers. An answer that differs from the first in anything but the
words of an error is a failure, `Failure.TWO_ANSWERS`: something that the request does not say has a part in it, such as
what was asked before, how often, or uninitialised memory. Two values that are both right to within what is admitted are
counted and no failure: sums of doubles by several threads differ so, and whoever relies on either is safe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from ...contract.operations import OPERATIONS
from ...output.sheets import clean, counted
from ...wire.strict_json import Object, encode
from ..model import AGAIN, HAD_BY_ID, Case, Failure, Judgement, Reply, Result, Verdict
from .implementation import NotAnImplementation

if TYPE_CHECKING:
    from .runner import Runner

SAMPLES = {"smoke": 5, "standard": 60, "full": 120}
"""Questions of each operation that are asked again in each tier, three times each."""

MOST_ENTRIES = 2_500
"""A question with a larger matrix is not kept."""

_RIGHT = (Verdict.WITHIN, Verdict.EXACT)
_LONGEST = 120
_UNANSWERABLE: Object = {"matrix": [], "alpha": "-1"}


@dataclass(slots=True)
class Again:
    """The questions kept, with their first answers.

    stride: of so many questions of an operation, one is kept. varied: answers that were others than the first, and as
    right.
    """

    tier: str
    stride: int
    kept: list[tuple[Case, Object]] = field(default_factory=list)
    varied: int = 0
    _met: Counter[str] = field(default_factory=Counter)

    def note(self, case: Case, reply: Reply) -> None:
        """Keep a question with its answer, if it is one of those to be asked again."""
        if case.source not in HAD_BY_ID or case.op not in OPERATIONS or reply.answer is None:
            return
        self._met[case.op] += 1
        met = self._met[case.op]
        if met % self.stride == 0 and met // self.stride <= SAMPLES[self.tier] and _is_small(case):
            self.kept.append((case, reply.answer))


def _is_small(case: Case) -> bool:
    return all(not isinstance(value, list) or len(value) ** 2 <= MOST_ENTRIES for value in case.input.values())


def ask_again(runner: Runner, again: Again) -> None:
    """Ask what is kept in another order, some after an error; then in reverse; then, of a program, in a new process.

    Raises: Stopped as `Runner.keep`.
    """
    random = Random(f"tploracle again {runner.plan.seed}")
    shuffled = list(again.kept)
    random.shuffle(shuffled)
    for number, (case, first) in enumerate(shuffled):
        if number % 2 and not runner.plan.lenient:
            runner.ask(replace(case, input=_UNANSWERABLE))
        _ask(runner, case, first, "in another order")
    _ask_all(runner, reversed(again.kept), "at the end")
    if runner.implementation.processor_time() is not None:
        runner.implementation.close()
        try:
            runner.implementation.start()
        except NotAnImplementation as error:
            runner.keep(Result(_START_AGAIN, Judgement(Verdict.CRASHED, detail=f"it does not start again: {error}")))
            return
        random.shuffle(shuffled)
        _ask_all(runner, shuffled, "in a new process")


def variations(again: Again) -> list[str]:
    """Return a note on answers that were others than the first and as right, if there were any."""
    if not again.varied:
        return []
    said = f"{counted(again.varied, 'question')} got a different answer when asked again, also within the tolerance"
    return [f"{said}: not a failure, because threads may add numbers in varying order"]


_START_AGAIN = Case("start-again", "start", "rational", {}, source=AGAIN, title="A second start.")


def _ask_all(runner: Runner, kept: Iterable[tuple[Case, Object]], when: str) -> None:
    for case, first in kept:
        _ask(runner, case, first, when)


def _ask(runner: Runner, case: Case, first: Object, when: str) -> None:
    """Ask a question again; keep what comes if it is none, or another answer and the two are not both right."""
    runner.run.compared += 1
    reply = runner.ask(case)
    if reply is None or (reply.answer is not None and _essence(reply.answer) == _essence(first)):
        return
    asked = replace(case, id=f"{case.id}-{AGAIN}", source=AGAIN, title=f"{case.title} Asked again, {when}.")
    judged = runner.judge.judge(asked, reply)
    if reply.answer is not None:
        if judged.verdict in _RIGHT and runner.judge.judge(case, Reply(first)).verdict in _RIGHT:
            runner.again.varied += 1
            return
        judged = Judgement(
            judged.verdict if judged.verdict.fails else Verdict.WRONG,
            truth=_text(first),
            given=_text(reply.answer),
            detail=f"asked again {when}, the same question got a different answer",
            failure=Failure.TWO_ANSWERS,
        )
    known = runner.plan.xfails.reason(asked.id, judged.verdict.fails)
    runner.keep(Result(asked, judged, reply.seconds, known))


def _essence(answer: Object) -> object:
    """Return an answer without its number, and of an error the name alone."""
    error = answer.get("error")
    if isinstance(error, dict):
        return {"error": error.get("name")}
    return {key: answer[key] for key in ("value", "error") if key in answer} or "skipped"


def _text(answer: Object) -> str:
    """Write an answer in short."""
    found = _essence(answer)
    return clean(encode(found.get("value", found)) if isinstance(found, dict) else str(found), _LONGEST)
