"""What both models are asked and answer, why one is absent, and what a conclusion rests on."""

import re
import signal

import pytest

from tploracle.models import NAMES, models
from tploracle.models.basis import Basis
from tploracle.models.chain import MOST_REVERSED_STATES, NOT_ASKED, chain_of, one_chain
from tploracle.models.model import NoSuchMethod, answered
from tploracle.reference import (
    Adversary,
    InfeasibleBudget,
    InvalidRequest,
    TransitionMatrix,
    Undecided,
    parse_level,
    reverse,
    smooth,
    stationary,
    strongest,
)
from tploracle.system.signals import OutOfTime, limited

from ...matrices import SKEWED, SLOW, STRONGEST, SYMMETRIC
from ...solvers.worst_case.test_pairs import click_stream

WORST, PAPER = BOTH = models()


def test_the_models_by_name():
    assert tuple(model.name for model in BOTH) == NAMES == ("worst-case", "paper-bound")
    assert [[model.name for model in models(name)] for name in NAMES] == [[name] for name in NAMES]
    assert all(model.literal for model in models(literal=True))


def asking(**raised):
    """Return work that raises for some models, by key, and answers with the key for the others."""

    def work(model):
        asked.append(model.key)
        if model.key in raised:
            raise raised[model.key]
        return model.key

    asked = []
    return work, asked


@pytest.mark.parametrize(
    ("error", "why", "ends"),
    [
        (Undecided("two numbers agree"), "was not worked out: two numbers agree", Undecided),
        (OutOfTime(60.0), "was not worked out within 60 s of processor time; tploracle --time-limit", Undecided),
        (KeyboardInterrupt(), "was not worked out: interrupted", KeyboardInterrupt),
        (InfeasibleBudget("none can be kept"), "none can be kept", None),
        (NoSuchMethod("it has none"), "it has none", None),
    ],
)
def test_one_does_not_answer(error, why, ends):
    work, asked = asking(worst_case=error)
    answers = answered(BOTH, work)
    assert asked == ["paper_bound", "worst_case"]
    assert answers.found == {PAPER: "paper_bound"}
    assert [*answers.absent] == ["worst_case"]
    assert why in answers.absent["worst_case"]
    if ends is None:
        answers.finish()
    else:
        with pytest.raises(ends):
            answers.finish()


def test_the_papers_is_asked_first_and_shown_last():
    work, asked = asking()
    answers = answered(BOTH, work)
    answers.finish()
    assert asked == ["paper_bound", "worst_case"]
    assert [*answers.found] == [WORST, PAPER]
    work, asked = asking(paper_bound=InfeasibleBudget("none"))
    assert [*answered(BOTH, work).found] == [WORST]
    work, asked = asking(paper_bound=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        answered(BOTH, work)
    assert asked == ["paper_bound"]


def test_one_that_takes_too_long_leaves_the_other_its_part_of_the_time():
    def work(model):
        while model is PAPER:
            pass
        return signal.getitimer(signal.ITIMER_PROF)[0]

    with limited(0.2):
        answers = answered(BOTH, work)
    assert 0 < answers.found.pop(WORST) < 0.15
    assert not answers.found
    assert re.search(r"paper's bound was not worked out within 0\.[01][0-9]* s", answers.absent["paper_bound"])
    with pytest.raises(Undecided, match="paper's bound was not worked out"):
        answers.finish()


@pytest.mark.parametrize(
    ("paper", "worst", "raised"),
    [
        (InfeasibleBudget("a"), InfeasibleBudget("b"), "^a; b$"),
        (InfeasibleBudget("a"), NoSuchMethod("b"), "^a$"),
        (NoSuchMethod("a"), InfeasibleBudget("b"), "^b$"),
        (InfeasibleBudget("a"), Undecided("b"), "^b$"),
        (Undecided("a"), InfeasibleBudget("b"), "^a$"),
    ],
)
def test_where_none_answers(paper, worst, raised):
    with pytest.raises((InfeasibleBudget, InvalidRequest, Undecided), match=raised):
        answered(BOTH, asking(paper_bound=paper, worst_case=worst)[0])


def test_infeasible_by_one_alone():
    alone = {"": Adversary.knowing(TransitionMatrix.of([["1/2", "1/2", "0"], ["0", "0", "1"], ["1/3"] * 3]))}
    answers = answered(BOTH, lambda model: model.schedule(parse_level("1"), alone, "upper-bound", None, 17)[0])
    assert [model.key for model in answers.found] == ["worst_case"]
    assert 0.45408 < float(answers.found[WORST]) < 0.45409
    assert "only budgets that shrink to 0 last" in answers.absent["paper_bound"]


def test_the_reversal_is_one_chains():
    backward = reverse(SKEWED, stationary(SKEWED))
    assert one_chain(backward, SKEWED).fits
    assert chain_of([(backward, SKEWED)]) == "both describe one stationary chain"
    moved = smooth(backward, parse_level("log(2)").ratio / 100)
    told = one_chain(moved, SKEWED)
    assert not told.fits
    row, column = told.place
    assert told.difference == abs(moved.rows[row][column] - backward.rows[row][column]) > 0


def test_the_counts_of_visits_are_not_one_chains():
    assert chain_of([click_stream("counts")]) == "not of one stationary chain: off by 0.0798"
    assert chain_of([click_stream("stationary")]) == "both describe one stationary chain"


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ([], NOT_ASKED),
        ([(SYMMETRIC, None), (None, SKEWED)], NOT_ASKED),
        ([(STRONGEST, STRONGEST)], "cannot be decided: "),
        ([(SLOW, SLOW)], "some states are transient: no stationary chain visits them"),
        ([(SYMMETRIC, SYMMETRIC), (SYMMETRIC, SKEWED)], "not of one stationary chain: off by 0.1"),
        ([(strongest(MOST_REVERSED_STATES + 1),) * 2], "not compared: more than"),
    ],
)
def test_what_is_said_of_a_chain(known, text):
    assert text in chain_of(known)


def test_a_basis_names_each_kind_of_adversary_once():
    basis = Basis.of([(SYMMETRIC, None), (None, SKEWED), (SYMMETRIC, None)], NOT_ASKED, "3 users")
    assert basis.adversary == "knows P^B alone or knows P^F alone"
    assert basis.users == "3 users"
    assert len(basis.lines()) == 5
    assert "Users: 3 users." in basis.lines()[3]
    assert NOT_ASKED not in "".join(basis.lines())
    assert Basis.of([(None, None)], NOT_ASKED, "x").value()["adversary"] == "knows no correlation"
