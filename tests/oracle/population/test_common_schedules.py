"""One schedule for a population: it keeps α for each user exactly, and nothing is left over for who binds it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tploracle.population import common_schedules
from tploracle.population.common_schedules import common_schedule
from tploracle.population.question import PopulationQuestion
from tploracle.population.runs import run, take_folder
from tploracle.population.worst_users import exact_users
from tploracle.reference import (
    Adversary,
    InvalidRequest,
    Level,
    TransitionCounts,
    Undecided,
    leakage,
    mean_noise,
    parse_level,
)

from .many_users import drawn_counts
from .test_runs import ONE, Chunks

COUNTS = drawn_counts(30, 3, seed=9)[1:]
ALPHA = PopulationQuestion(alpha="1", smoothing=Fraction(1))
RELEASES = 6


def adversaries():
    for counts in COUNTS:
        if counts.any():
            own = TransitionCounts(("a", "b", "c"), tuple(map(tuple, counts.tolist())), (0, 0, 0))
            yield Adversary.knowing(own.backward(1), own.forward(1))


def found_in(folder, method, counts=COUNTS):
    def answering(asked, into):
        take_folder(into, asked)
        run(asked, Chunks(counts), into, ONE, lambda _: None, users=7)

    def fitting(chosen):
        numbered = enumerate(Chunks(counts).chunks(7))
        bare = replace(ALPHA, alpha=None)
        found = exact_users(bare, lambda numbers: (own for own in numbered if own[0] in numbers), chosen)
        return [user.adversary for _, user in found.values()]

    answering(ALPHA, folder)
    return common_schedule(ALPHA, method, RELEASES, folder, answering=answering, fitting=fitting)


def worst(epsilons):
    return max(max(leakage(epsilons, adversary).tpl) for adversary in adversaries())


@pytest.mark.parametrize("wrong_first", [False, True])
def test_the_constant_one_is_the_greatest(tmp_path, monkeypatch, wrong_first):
    found_worst = common_schedules.worst_users

    def from_the_wrong_end(question, folder, count, _workers):
        return found_worst(question, folder, 100 if question == ALPHA else count)[-count:]

    if wrong_first:
        monkeypatch.setattr(common_schedules, "worst_users", from_the_wrong_end)
    found = found_in(tmp_path, "constant")
    assert (found.rounds > 1) == wrong_first
    assert len({epsilon.rational for epsilon in found.epsilons}) == 1
    reached = worst(found.epsilons)
    assert reached <= parse_level("1")
    assert reached.double_below() <= found.tpl.worst <= 1
    assert (found.users.users, found.tpl.users) == (len(COUNTS), sum(counts.any() for counts in COUNTS))
    more = Level.of(found.epsilons[0].rational * (1 + Fraction(1, 2**42)))
    assert worst([more] * RELEASES) > parse_level("1")


def test_the_one_with_least_noise(tmp_path):
    found = found_in(tmp_path / "noise", "least-noise")
    constant = found_in(tmp_path / "constant", "constant")
    assert worst(found.epsilons) <= parse_level("1")
    noise = [mean_noise(own.epsilons, Fraction(1)) for own in (found, constant)]
    assert noise[0].upper < noise[1].lower


def test_no_user_of_whom_anything_is_known(tmp_path):
    with pytest.raises(InvalidRequest, match="every user is refused"):
        found_in(tmp_path, "constant", np.zeros((2, 3, 3), dtype=np.int64))


def test_what_comes_to_no_end(tmp_path, monkeypatch):
    monkeypatch.setattr(common_schedules, "BELOW", Fraction(2))
    monkeypatch.setattr(common_schedules, "MOST_FITS", 2)
    with pytest.raises(Undecided, match="in 2 rounds"):
        found_in(tmp_path, "constant")
