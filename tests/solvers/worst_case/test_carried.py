"""Sweeps carried from release to release: what they keep is kept, by the theorem, and short of it by little."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    Adversary,
    Level,
    parse_level,
    strongest,
    worst_case_leakage,
)
from tploracle.solvers.worst_case.accounts import WorstCaseAccountant
from tploracle.solvers.worst_case.carried import CarriedSweeps
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage

from ...matrices import EQUAL_ROWS, MODERATE, RING, THREE_VALUES
from ...profiles import examples
from ...strategies import matrices

CAP = parse_level("log(3)")
BUDGETS = ["log(11/10)", "log(3/2)", "log(2)", "0", "log(101/100)", "1/7"]


@given(
    matrices(2, 4),
    st.sampled_from(["both", "past", "future"]),
    st.lists(st.sampled_from(BUDGETS), max_size=6),
    st.data(),
)
@example(strongest(2), "both", ["log(3/2)"], None)
@example(MODERATE, "both", ["log(3/2)", "0", "log(11/10)", "log(11/10)"], None)
@example(RING, "future", ["log(11/10)"] * 6, None)
@examples(60)
def test_what_is_kept_is_kept_by_the_theorem(matrix, sides, texts, data):
    """And what is well within the cap is seen to be: an e^-9th part of the next budget less."""
    known = (None if sides == "future" else matrix, None if sides == "past" else matrix)
    spent = [parse_level(text) for text in texts]
    sweeps = CarriedSweeps(known, CAP)
    sweeps.follow(spent)
    following = parse_level(data.draw(st.sampled_from(BUDGETS))) if data else parse_level(BUDGETS[0])
    within = all(level <= CAP for level in worst_case_leakage((*spent, following), *known).tpl)
    assert within or not sweeps.keeps(following)
    if (room := sweeps.room()) < 1e-6:
        return
    least, most = (Level.of(Fraction(room) * part) for part in (Fraction(999999, 10**6), Fraction(1000001, 10**6)))
    if not spent or all(level <= CAP for level in worst_case_leakage(spent, *known).tpl):
        assert sweeps.keeps(least)
        assert not all(level <= CAP for level in worst_case_leakage((*spent, most), *known).tpl)


@pytest.mark.parametrize("step", [0, 1], ids=["one budget", "differing budgets"])
@pytest.mark.parametrize("known", [(RING, RING), (None, RING), (RING, None), (THREE_VALUES, RING)])
@pytest.mark.parametrize("part", [Fraction(101, 100), Fraction(3, 2)], ids=["near the cap", "far below it"])
def test_releases_followed_at_once_or_one_by_one(step, known, part):
    """The room left is the same either way, and where some of them come later; near the cap the earlier times rule."""
    spent = [parse_level(f"1/{60 - step * (number * 5 % 7)}") for number in range(24)]
    tpl = max(level.enclosure(12).upper for level in fast_worst_case_leakage(spent, *known).tpl)
    ways = [CarriedSweeps(known, Level.of(Fraction(tpl) * part)) for _ in range(3)]
    ways[0].follow(spent)
    for number in range(len(spent)):
        ways[1].follow(spent[: number + 1])
    ways[2].follow(spent[:9])
    ways[2].follow(spent)
    rooms = [own.room() for own in ways]
    assert rooms[0] > 0
    assert rooms == pytest.approx([rooms[0]] * 3, rel=1e-6)
    assert all(own.keeps(parse_level(f"{rooms[0] * 0.9999:.15f}")) for own in ways)
    assert not any(own.keeps(parse_level(f"{rooms[0] * 1.0001:.15f}")) for own in ways)


def test_entries_that_grow_are_scaled():
    """Budgets whose sum no double holds: where no budget is left, and where any is within the cap."""
    sweeps = CarriedSweeps((None, RING), parse_level("20"))
    sweeps.follow([parse_level("19")] * 60)
    assert sweeps.room() == 0
    single = CarriedSweeps((None, EQUAL_ROWS), parse_level("20"))
    single.follow([parse_level("19")] * 60)
    assert 19.9 < single.room() <= 20


@pytest.mark.parametrize("step", [0, 1], ids=["one budget", "differing budgets"])
def test_a_further_release_of_a_long_account_takes_no_longer_than_one_release(step, monkeypatch):
    """Twenty more of an account sweep as many vectors through as many releases, however long it is already."""
    swept, stepped = [], CarriedSweeps._stepped
    monkeypatch.setattr(CarriedSweeps, "_stepped", lambda own, c, *args: swept.append(len(c)) or stepped(own, c, *args))
    counts = []
    for releases in (280, 560):
        spent = [Level.of(Fraction(1, 1000 + step * (number % 7))) for number in range(releases)]
        account = WorstCaseAccountant({"ann": Adversary.knowing(THREE_VALUES, THREE_VALUES)}, CAP, spent)
        account.spend_all([Level.of(Fraction(1, 99999))])
        swept.clear()
        for number in range(20):
            account.spend_all([Level.of(Fraction(1, 100000 + number))])
        counts.append((len(swept), sum(swept)))
    assert 20 <= counts[1][0] <= counts[0][0]
    assert counts[1][1] <= counts[0][1]
