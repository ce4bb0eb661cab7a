"""All flags: what shows each, a mistake of the catalogue or a fact of the question; flags.json has their words."""

from __future__ import annotations

from tploracle.mistakes.catalogue import MISTAKES
from tploracle.mistakes.mistake import Mistake
from tploracle.mistakes.question import Question, read_input

from .flags_of_answers import FLAGS_OF_ANSWERS
from .flags_of_inputs import FLAGS_OF_INPUTS
from .read_query import Fact, ReadQuery


def _answered_wrongly(mistake: Mistake) -> Fact:
    """Make a fact: with the mistake a number of the answer is another one, or there is none."""

    def fact(query: ReadQuery) -> bool:
        question = Question(query.op, query.numbers, query.input, "", read_input(query.input, query.numbers))
        try:
            return any(mistake.spoils(question, query.truths))
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return True

    return fact


_OF_MISTAKES = {flag: _answered_wrongly(mistake) for mistake in MISTAKES for flag in mistake.flags}
_OWN = (FLAGS_OF_INPUTS, FLAGS_OF_ANSWERS, _OF_MISTAKES)

FLAGS = {name: fact for own in _OWN for name, fact in own.items()}
"""The fact of every flag of the vectors, by name."""

if len(FLAGS) < sum(map(len, _OWN)):
    raise ValueError("a flag has two facts")
