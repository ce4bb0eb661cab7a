"""Relations that need no truth: two answers that contradict each other, whatever the truth is.

**Related questions** are about chains as they were drawn, of more states than the judge computes for many questions. An
answer may be above the truth, so a relation leaves both as much room; where they contradict each other even so, the
judge computes both truths, and says which answer fails. So a relation alone blames nobody.

**The same question again** has one answer: in another order, after an error, at the end, in a new process. An answer
that differs from the first in anything but the words of an error is a failure, `Failure.TWO_ANSWERS`: something that
the request does not say has a part in it, such as what was asked before, how often, or uninitialised memory. Two values
that are both within the tolerance are counted and no failure: sums of doubles by several threads differ so, and relying
on either is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import expm1, inf, log
from random import Random

from ...contract.entry import InputKind
from ...contract.operations import OPERATIONS, names_of
from ...output.progress import Advance, quietly
from ...output.sheets import clean, counted
from ...wire.arrays import LAYOUTS
from ...wire.numerals import hex_text
from ...wire.protocol import DOUBLES, FLOAT64, Declaration
from ...wire.strict_json import Object, encode
from ..extents import is_outside, states_in
from ..judge.answers import Malformed, read_answered_level, read_pieces
from ..judge.truths import rough_double
from ..model import AGAIN, Case, Failure, Judgement, Reply, Result, Verdict
from .cases import askable
from .families import FAMILIES
from .implementation import NotAnImplementation
from .runner import Runner

RELATED_SOURCE = "related"
"""The source of these cases."""

RELATED = {"smoke": 0, "standard": 6, "full": 60}
"""Chains of each relation in each tier."""

LEAST_STATES, MOST_RELATED_STATES = 65, 160
_TOTAL, _HIGHEST = 2**30, 2.0**20
_CHAINS = ("varied", "banded", "nearly equal rows", "doubly stochastic", "absorbing")

MOST_LAID_OUT = 12
"""Questions of each operation that a Python object is asked again with each layout of its arrays."""

_PIECES_READ = 10_000
_LONGEST = 120
_UNANSWERABLE: Object = {"matrix": [], "alpha": "-1"}
_START_AGAIN = Case("start-again", "start", "rational", {}, source=AGAIN, title="A second start.")

Levels = dict[str, list[float]]
"""The levels of an answer: under "" of one level, else by the names of its fields; of pieces, their q and their d."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Two matrices of one size as written, a budget, and three budgets over time that rise."""

    random: Random
    backward: list[list[str]]
    forward: list[list[str]]
    budget: float
    epsilons: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """first: a question about a chain. second: one that its answer leads to. excess: by how much the answers break it.

    Each question is an operation and its input; the excess is in nats, at most 0 where they agree exactly. operations:
    those of both questions, without which neither is asked. most: states of the chains.
    """

    operations: tuple[str, ...]
    first: Callable[[Chain], tuple[str, Object]]
    second: Callable[[Chain, Levels], tuple[str, Object]]
    excess: Callable[[Chain, Levels, Levels], float]
    most: int = MOST_RELATED_STATES


def _loss(chain: Chain, alpha: float) -> tuple[str, Object]:
    return "loss", {"matrix": chain.backward, "alpha": hex_text(alpha)}


def _permuted(chain: Chain, _first: Levels) -> tuple[str, Object]:
    order = list(range(len(chain.backward)))
    chain.random.shuffle(order)
    rows = [[chain.backward[j][k] for k in order] for j in order]
    return "loss", {"matrix": rows, "alpha": hex_text(chain.budget)}


def _leakage(backward: list[list[str]], forward: list[list[str]], epsilons: tuple[float, ...]) -> tuple[str, Object]:
    return "leakage", {"backward": backward, "forward": forward, "epsilons": [hex_text(each) for each in epsilons]}


def _from_pieces(chain: Chain, pieces: Levels) -> float:
    """Return what pieces make of the budget: the greatest of them all."""
    growth = expm1(chain.budget)
    return max(log((q * growth + 1) / (d * growth + 1)) for q, d in zip(pieces["q"], pieces["d"], strict=True))


def _both(chain: Chain) -> tuple[str, Object]:
    return _leakage(chain.backward, chain.forward, chain.epsilons)


RELATIONS = {
    "states permuted": Relation(
        ("loss",),
        lambda chain: _loss(chain, chain.budget),
        _permuted,
        lambda _chain, first, second: abs(first[""][0] - second[""][0]),
    ),
    "time reversed": Relation(
        ("leakage",),
        _both,
        lambda chain, _first: _leakage(chain.forward, chain.backward, chain.epsilons[::-1]),
        lambda _chain, first, second: _farthest(first["tpl"], second["tpl"][::-1]),
    ),
    "step by step": Relation(
        ("leakage", "loss"),
        _both,
        lambda chain, first: _loss(chain, first["bpl"][1]),
        lambda chain, first, second: abs(first["bpl"][2] - chain.epsilons[2] - second[""][0]),
    ),
    "the whole function": Relation(
        ("loss_function", "loss"),
        lambda chain: ("loss_function", {"matrix": chain.backward}),
        lambda chain, _first: _loss(chain, chain.budget),
        lambda chain, first, second: abs(_from_pieces(chain, first) - second[""][0]),
        most=72,
    ),
    "budgets in order": Relation(
        ("leakage",),
        _both,
        lambda chain, _first: _leakage(chain.backward, chain.forward, tuple(each * 1.5 for each in chain.epsilons)),
        lambda _chain, first, second: max(one - two for one, two in zip(first["tpl"], second["tpl"], strict=True)),
    ),
    "a fixed point": Relation(
        ("supremum", "loss"),
        lambda chain: ("supremum", {"matrix": chain.backward, "epsilon": hex_text(chain.budget)}),
        lambda chain, first: _loss(chain, min(first[""][0], _HIGHEST)),
        lambda chain, first, second: chain.budget + second[""][0] - first[""][0],
    ),
}
"""The relations by name."""


def _farthest(one: list[float], two: list[float]) -> float:
    return max(abs(first - second) for first, second in zip(one, two, strict=True))


def ask_related(runner: Runner, declaration: Declaration, progress: Advance = quietly) -> None:
    """Ask what is related; judge both of two answers that contradict each other. Raises: Stopped as `Runner.keep`."""
    most = declaration.domain.states or MOST_RELATED_STATES
    if most < LEAST_STATES or runner.plan.chosen:
        return
    declared = {name: one for name, one in RELATIONS.items() if set(one.operations) <= set(declaration.operations)}
    number = RELATED[runner.plan.tier]
    for place, (name, relation) in enumerate(declared.items()):
        states = min(most, relation.most)
        for k in range(number):
            progress(place * number + k, len(declared) * number)
            chain = _chain(Random(f"tploracle related {runner.plan.seed} {name} {k}"), states)
            prefix = f"related-{runner.plan.seed}-{name.replace(' ', '-')}-{k}"
            first = _put(runner, declaration, relation.first(chain), f"{prefix}-1")
            if first is None:
                continue
            second = _put(runner, declaration, relation.second(chain, first.levels), f"{prefix}-2")
            if second is not None and _contradict(relation, chain, first, second, runner.judge.ulps):
                for one in (first, second):
                    runner.keep(runner.result_of(one.case, one.reply))


@dataclass(frozen=True, slots=True)
class _Answered:
    """A question with its answer, and the levels in it."""

    case: Case
    reply: Reply
    levels: Levels


def _put(runner: Runner, declaration: Declaration, question: tuple[str, Object], case_id: str) -> _Answered | None:
    """Ask a question; None where it cannot be asked, or where what came is no level, and judged as any other."""
    op, given = question
    drawn = Case(f"{op}-{case_id}", op, FLOAT64, given, source=RELATED_SOURCE, title="Related questions.")
    case = askable(drawn, declaration)
    if case is None or is_outside(case, declaration.domain) or (reply := runner.ask(case)) is None:
        return None
    runner.run.compared += 1
    if reply.answer is not None and "value" in reply.answer:
        try:
            return _Answered(case, reply, _levels(reply.answer["value"]))
        except Malformed:
            pass
    runner.keep(runner.result_of(case, reply))
    return None


def _levels(value: object) -> Levels:
    """Return the upper ends of an answer's levels, of pieces q and d. Raises: Malformed."""
    if not isinstance(value, dict) or "lower" in value:
        return {"": [_upper(value)]}
    if "pieces" in value:
        pieces = read_pieces(value, _PIECES_READ)
        return {"q": [float(one.q) for one in pieces], "d": [float(one.d) for one in pieces]}
    return {key: [_upper(level) for level in levels] for key, levels in value.items() if isinstance(levels, list)}


def _upper(level: object) -> float:
    return rough_double(read_answered_level(level, "").upper)


def _contradict(relation: Relation, chain: Chain, first: _Answered, second: _Answered, ulps: int) -> bool:
    """Whether two answers are further from agreeing than both may be from the truth.

    L, and the leakage over time, moves by at most as much as its levels; so all levels, moved by the admitted ulps,
    move an answer by at most as much as their sum. An answer of another shape contradicts.
    """
    involved = [
        *chain.epsilons,
        chain.budget,
        *(each for one in (first, second) for own in one.levels.values() for each in own),
    ]
    try:
        excess = relation.excess(chain, first.levels, second.levels)
    except (KeyError, IndexError, ValueError):
        return True
    return inf not in involved and excess > 4 * ulps * 2.0**-52 * sum(involved)


def _chain(random: Random, most: int) -> Chain:
    """Return a chain of LEAST_STATES to `most` states, with budgets."""
    n = random.randrange(LEAST_STATES, most + 1)
    backward, forward = (
        [[hex_text(part / _TOTAL) for part in row] for row in FAMILIES[random.choice(_CHAINS)](random, n, _TOTAL)]
        for _ in range(2)
    )
    rising = sorted(random.randrange(64, 1024) / 512 for _ in range(3))
    return Chain(random, backward, forward, random.randrange(64, 1024) / 512, tuple(rising))


def ask_again(runner: Runner, progress: Advance = quietly) -> None:
    """Ask what is kept in another order, some after an error; then in reverse; then, of a program, in a new process.

    Raises: Stopped as `Runner.keep`.
    """
    random, kept = Random(f"tploracle again {runner.plan.seed}"), runner.kept.questions
    shuffled = random.sample(kept, len(kept))
    varied = _ask_all(runner, shuffled, "in another order", progress, after_errors=not runner.plan.lenient)
    varied += _ask_all(runner, kept[::-1], "at the end", progress)
    if runner.run.declaration is not None and runner.run.declaration.arrays:
        varied += sum(_ask_laid_out(runner, kept, layout, progress) for layout in LAYOUTS)
    if runner.implementation.processor_time() is not None:
        runner.implementation.close()
        try:
            runner.implementation.start()
        except NotAnImplementation as error:
            runner.keep(Result(_START_AGAIN, Judgement(Verdict.CRASHED, detail=f"it does not start again: {error}")))
            return
        varied += _ask_all(runner, random.sample(kept, len(kept)), "in a new process", progress)
    if varied:
        runner.run.notes.append(
            f"{counted(varied, 'question')} got a different answer when asked again, also within the tolerance: "
            "not a failure, because threads may add numbers in varying order"
        )


def _ask_all(
    runner: Runner, kept: Sequence[tuple[Case, Object]], when: str, progress: Advance, after_errors: bool = False
) -> int:
    """Ask questions again. Args: after_errors, whether every other one comes after an input that is an error.

    Returns: the number of answers that differ and are as right.
    """
    varied = 0
    for number, (case, first) in enumerate(kept):
        progress(number, len(kept), part=f"questions asked again {when}")
        if after_errors and number % 2:
            runner.ask(replace(case, input=_UNANSWERABLE))
        varied += _varies(runner, case, first, when)
    return varied


def _ask_laid_out(runner: Runner, kept: Sequence[tuple[Case, Object]], layout: str, progress: Advance) -> int:
    """Ask a Python object the shortest questions of each operation again, its arrays laid out so. Returns: as above."""
    has_arrays = {*names_of(lambda kind: kind.is_matrix or kind in (InputKind.LEVELS, InputKind.DISTRIBUTION))}
    of_doubles = [
        one
        for one in kept
        if one[0].numbers in DOUBLES and one[0].input.keys() & has_arrays and states_in(one[0].input) != 1
    ]
    of_doubles.sort(key=lambda one: len(encode(one[0].input)))
    some = [one for op in OPERATIONS for one in [one for one in of_doubles if one[0].op == op][:MOST_LAID_OUT]]
    runner.run.written[f"arrays: {layout}"] += len(some)
    laid_out = [(replace(case, arrays=layout), first) for case, first in some]
    return _ask_all(runner, laid_out, f"with arrays: {layout}", progress)


def _varies(runner: Runner, case: Case, first: Object, when: str) -> bool:
    """Ask a question again; keep the result where none comes, or another answer and the two are not both right.

    Returns: whether the answer differs and is as right.
    """
    runner.run.compared += 1
    reply = runner.ask(case)
    if reply is None or (reply.answer is not None and _essence(reply.answer) == _essence(first)):
        return False
    asked = replace(case, id=f"{case.id}-{AGAIN}", source=AGAIN, title=f"{case.title} Asked again, {when}.")
    judged = runner.judge.judge(asked, reply)
    if reply.answer is not None:
        right = (Verdict.WITHIN, Verdict.EXACT)
        if judged.verdict in right and runner.judge.judge(case, Reply(first)).verdict in right:
            return True
        judged = Judgement(
            judged.verdict if judged.verdict.fails else Verdict.WRONG,
            truth=_text(first),
            given=_text(reply.answer),
            detail=f"asked again {when}, the same question got a different answer",
            failure=Failure.TWO_ANSWERS,
        )
    runner.keep(Result(asked, judged, reply.seconds, runner.plan.xfails.reason(asked.id, judged.verdict.fails)))
    return False


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
