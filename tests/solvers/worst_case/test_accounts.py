"""Accounts kept by the exact worst case: against the theorem worked out anew for every history, and at the cap."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle import checked
from tploracle.checked import CheckedAccountant
from tploracle.reference import (
    INFINITE,
    Adversary,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionMatrix,
    parse_level,
    strongest,
    worst_case_leakage,
)
from tploracle.reference.errors import Refuted
from tploracle.reference.paper.leakage import Maximum
from tploracle.solvers.worst_case import accounts, agreeing
from tploracle.solvers.worst_case.accounts import WorstCaseAccountant
from tploracle.solvers.worst_case.agreeing import agreeing_maximum
from tploracle.solvers.worst_case.best_sets import BallReleases
from tploracle.solvers.worst_case.pairs import WorstCaseHistory, fast_worst_case_leakage

from ...matrices import MODERATE, RING, SYMMETRIC
from ...profiles import examples
from ...strategies import matrices

THREE = TransitionMatrix.of([["3/5", "3/10", "1/10"], ["1/5", "2/5", "2/5"], ["1/10", "1/10", "4/5"]])
CAP = parse_level("log(3)")
TENTH = parse_level("log(11/10)")


def leaked(name, accountant, known):
    """Return BPL, FPL and TPL of the history so far, by the reference, as rational ratios."""
    found = worst_case_leakage(accountant.epsilons, *known)
    own = accountant.leakage(name)
    for kind in ("bpl", "fpl", "tpl"):
        assert [level.ratio for level in getattr(own, kind)] == [level.ratio for level in getattr(found, kind)]
    return found


@given(
    matrices(2, 3),
    st.lists(st.sampled_from(["log(11/10)", "log(3/2)", "log(2)", "0", "log(101/100)"]), min_size=1, max_size=5),
)
@example(strongest(2), ["log(3/2)"] * 4)
@example(MODERATE, ["log(3/2)", "0", "log(11/10)", "log(11/10)"])
@examples(12)
def test_every_spend_against_the_history_worked_out_anew(matrix, texts):
    """As long as TPL at every time stays within the cap, and no longer; what is refused leaves nothing behind."""
    assert_spent_as_by_the_theorem(matrix, texts)


@given(
    matrices(2, 3),
    st.lists(st.sampled_from(["log(11/10)", "log(6/5)", "1/9", "0", "log(101/100)"]), min_size=1, max_size=5),
    st.booleans(),
)
@example(THREE, ["1/9"] * 5, False)
@example(THREE, ["1/9", "log(6/5)"] * 3, False)
@examples(12)
def test_as_of_a_long_account(matrix, texts, is_one):
    """Where the paper's bound says of which times there is doubt, and these are looked at together."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(accounts, "LONG_ACCOUNT", 1)
        assert_spent_as_by_the_theorem(matrix, texts[:1] * 5 if is_one else texts)


@pytest.mark.parametrize("step", [0, 1], ids=["one budget", "differing budgets"])
@pytest.mark.parametrize("known", [(THREE, THREE), (None, RING), (MODERATE, SYMMETRIC)])
@pytest.mark.parametrize("part", [Fraction(101, 100), Fraction(5, 4), Fraction(3)], ids=str)
def test_a_long_account_leaves_what_a_short_one_does(step, known, part, monkeypatch):
    """Whatever the paper's bound leaves out, for the next release and for those after it."""
    spent = [parse_level(f"1/{30 - step * (number * 5 % 7)}") for number in range(16)]
    tpl = max(level.enclosure(12).upper for level in fast_worst_case_leakage(spent, *known).tpl)
    cap, left = Level.of(Fraction(tpl) * part), []
    for many in (10**6, 1):
        monkeypatch.setattr(accounts, "LONG_ACCOUNT", many)
        account = WorstCaseAccountant({"ann": Adversary.knowing(*known)}, cap, spent)
        left.append([account.remaining()])
        for _ in range(3):
            account.spend_all([Level.of(left[-1][-1].rational * Fraction(1, 2))])
            left[-1].append(account.remaining())
        account.spend_all([left[-1][-1]])
        assert all(level <= cap for level in worst_case_leakage(account.epsilons, *known).tpl)
    for short, long in zip(*left, strict=True):
        assert abs(short.rational - long.rational) <= short.rational / 10**6


def assert_spent_as_by_the_theorem(matrix, texts):
    known = (matrix, matrix)
    accountant = WorstCaseAccountant({"ann": Adversary.knowing(*known)}, CAP)
    for text in texts:
        before = accountant.epsilons
        tpl = worst_case_leakage((*before, parse_level(text)), *known).tpl
        if all(level <= CAP for level in tpl):
            accountant.spend_all([parse_level(text)])
            digits = [level.enclosure(25) for level in tpl]
            assert digits[accountant.worst().time - 1].upper == max(own.upper for own in digits)
            assert [level.enclosure(25) for level in leaked("ann", accountant, known).tpl] == digits
            assert accountant.tpl(1).level.enclosure(25) == digits[0]
            assert accountant.tpl(1).attained_by == ("ann",)
        else:
            with pytest.raises(InfeasibleBudget, match="would exceed the cap for 'ann'"):
                accountant.spend_all([parse_level(text)])
            assert accountant.epsilons == before
            assert not before or leaked("ann", accountant, known)


@pytest.mark.parametrize("texts", [["1/10"] * 7, ["1/10", "1/10", "1/5", "1/10"]], ids=["one budget", "several"])
def test_what_is_known_of_the_past_is_kept(texts):
    """The levels of BPL are the very same; a budget that is refused, or only tried, changes nothing of them."""
    accountant, budgets = (
        WorstCaseAccountant({"ann": Adversary.knowing(THREE, THREE)}, CAP),
        list(map(parse_level, texts)),
    )
    kept = ()
    for spent, budget in enumerate(budgets, 1):
        accountant.spend_all([budget])
        assert accountant.remaining() <= CAP
        with pytest.raises(InfeasibleBudget):
            accountant.spend_all([CAP, CAP])
        found = accountant.leakage("ann")
        assert all(one is other for one, other in zip(kept, found.bpl[:-1], strict=True))
        kept = found.bpl
        anew = worst_case_leakage(budgets[:spent], THREE, THREE)
        for one, other in zip((*found.bpl, *found.fpl, *found.tpl), (*anew.bpl, *anew.fpl, *anew.tpl), strict=True):
            assert one.enclosure(20) == other.enclosure(20)


@given(matrices(2, 3), matrices(3, 3), st.integers(1, 5), st.data())
@example(strongest(3), THREE, 3, None)
@example(THREE, strongest(3), 3, None)
@examples(25)
def test_what_remains_may_be_spent_and_little_more(backward, forward, releases, data):
    known = (backward, forward if backward.n == forward.n else None)
    spent = [parse_level(data.draw(st.sampled_from(["log(11/10)", "1/20"])) if data else "1/5")] * releases
    accountant = WorstCaseAccountant({"ann": Adversary.knowing(*known)}, CAP, spent)
    left = accountant.remaining()
    assert left <= CAP
    accountant.spend_all([left])
    more = Level.of(left.rational * Fraction(1_000_001, 1_000_000) + Fraction(1, 10**9))
    if more <= CAP:
        again = WorstCaseAccountant({"ann": Adversary.knowing(*known)}, CAP, spent)
        assert any(level > CAP for level in worst_case_leakage((*spent, more), *known).tpl)
        with pytest.raises(InfeasibleBudget):
            again.spend_all([more])


def test_nothing_remains_at_the_cap():
    kept = WorstCaseAccountant(
        {"ann": Adversary.knowing(strongest(2))}, CAP, [parse_level("log(3/2)"), parse_level("log(2)")]
    )
    assert kept.tpl(2).level == CAP
    assert kept.remaining().is_zero
    with pytest.raises(InfeasibleBudget):
        kept.spend_all([parse_level("log(1000001/1000000)")])
    kept.spend_all([parse_level("0")])
    assert kept.releases == 3


def test_all_or_none():
    kept = WorstCaseAccountant({"ann": Adversary.knowing(MODERATE)}, CAP, [TENTH])
    with pytest.raises(InfeasibleBudget):
        kept.spend_all([TENTH, parse_level("1"), parse_level("1")])
    assert kept.epsilons == (TENTH,)
    kept.spend_all([])
    assert kept.epsilons == (TENTH,)
    with pytest.raises(InfeasibleBudget):
        WorstCaseAccountant({"ann": Adversary.knowing(MODERATE)}, TENTH, [TENTH, TENTH])


def test_several_people():
    """Ann and Bob know one matrix; Cem one with its values in another order, which leaks as much by other formulas."""
    turned = TransitionMatrix(tuple(row[::-1] for row in MODERATE.rows[::-1]))
    people = {
        "ann": Adversary.knowing(MODERATE),
        "bob": Adversary.knowing(MODERATE),
        "cem": Adversary.knowing(turned),
        "eve": Adversary.knowing(),
    }
    for text in ("log(11/10)", "1/10"):
        kept = WorstCaseAccountant(people, CAP, [parse_level(text)] * 3)
        assert kept.bpl(3).attained_by == ("ann", "bob", "cem")
        assert kept.bpl(3).level.enclosure(20) == worst_case_leakage(kept.epsilons, MODERATE).bpl[2].enclosure(20)
        assert kept.fpl(3).attained_by == tuple(people)
        alone = WorstCaseAccountant({"ann": people["ann"]}, CAP, kept.epsilons)
        assert kept.remaining() == alone.remaining()


def test_before_the_first_release_and_without_a_cap():
    kept = WorstCaseAccountant({"ann": Adversary.knowing(MODERATE)}, CAP)
    assert (kept.releases, kept.remaining()) == (0, CAP)
    free = WorstCaseAccountant({"ann": Adversary.knowing(MODERATE)}, spent=[parse_level("inf")])
    assert (free.cap, free.remaining()) == (INFINITE, None)
    assert free.tpl(1).level.is_infinite
    for asked in (lambda: kept.tpl(1), lambda: free.tpl(2), lambda: free.bpl(0)):
        with pytest.raises(InvalidRequest, match="releases so far"):
            asked()
    with pytest.raises(InvalidRequest, match="no user"):
        WorstCaseAccountant({})
    for accountant, name in ((kept, "ann"), (free, "bob")):
        with pytest.raises(InvalidRequest, match="there is no user"):
            accountant.leakage(name)


def test_who_knows_nothing_or_has_one_value():
    one = TransitionMatrix.of([["1"]])
    nobody = WorstCaseAccountant({"eve": Adversary.knowing()}, CAP, [TENTH] * 5)
    assert Fraction(2999, 1000) < 1 + nobody.remaining().excess_bounds()[1] <= 3
    alone = WorstCaseAccountant({"one": Adversary.knowing(one, one)}, CAP, [parse_level("5")])
    assert alone.tpl(1).level.is_zero
    assert alone.remaining() <= CAP


@pytest.mark.parametrize("matrix", [THREE, RING])
def test_no_level_is_worked_out_again_to_find_the_greatest(matrix, monkeypatch):
    """Of many times, some of which agree in all digits that are looked at."""
    levels = fast_worst_case_leakage([parse_level("1/10")] * 150, matrix, matrix).tpl
    swept, weighted, bounded = [], BallReleases.weighted, BallReleases.is_at_most
    monkeypatch.setattr(BallReleases, "weighted", lambda *args: swept.append(args) or weighted(*args))
    monkeypatch.setattr(BallReleases, "is_at_most", lambda *args: swept.append(args) or bounded(*args))
    best = agreeing_maximum(dict(enumerate(levels)))
    assert not swept
    assert {*best.attained_by} >= {74, 75}
    assert max(level.enclosure(30).upper for level in levels) == best.level.enclosure(30).upper
    levels[75].enclosure(40)
    assert swept, "counts what is worked out"


def test_levels_that_agree():
    tenth = parse_level("1/10")
    own = worst_case_leakage([tenth] * 3, MODERATE).bpl[2]
    turned = TransitionMatrix(tuple(row[::-1] for row in MODERATE.rows[::-1]))
    other = worst_case_leakage([tenth] * 3, turned).bpl[2]
    found = agreeing_maximum({"less": tenth, "own": own, "other": other})
    assert found.attained_by == ("own", "other")
    assert found.level is own
    assert agreeing_maximum({"a": tenth, "b": parse_level("2/10"), "c": parse_level("0.2")}).attained_by == ("b", "c")


@given(
    matrices(2, 3),
    st.sampled_from(["1/10", "log(3/2)"]),
    st.integers(1, 9),
    st.fractions("1/2", "11/10", max_denominator=100),
)
@examples(12)
def test_the_first_time_above_a_cap_is_that_of_all_times(matrix, text, times, part):
    """By bounds of many times at once, of a stream with one budget that goes on; and by each time's TPL."""
    history, epsilon = WorstCaseHistory(matrix, matrix), parse_level(text)
    whole = [
        Fraction(level.enclosure(20).upper) for level in fast_worst_case_leakage([epsilon] * times, matrix, matrix).tpl
    ]
    cap = Level.of(round(max(whole) * part, 9))
    for count in range(1, times + 1):
        tpl = fast_worst_case_leakage([epsilon] * count, matrix, matrix).tpl
        expected = next((time for time, level in enumerate(tpl, 1) if level > cap), None)
        assert history.first_above([epsilon] * count, cap) == expected


ASKED = {
    "tpl": lambda account: account.tpl(2),
    "worst": CheckedAccountant.worst,
    "tpl_at_all_times": CheckedAccountant.tpl_at_all_times,
    "remaining": CheckedAccountant.remaining,
}


@pytest.mark.parametrize("asked", ASKED)
def test_an_account_of_what_no_adversary_knows_is_refuted(asked, monkeypatch):
    """The solver takes them to know nothing; so what is left of a cap, and what was spent, has nothing to add up."""
    known, cap = {"a": Adversary.knowing(MODERATE, MODERATE)}, Level.of(Fraction(11, 20))
    ASKED[asked](CheckedAccountant(known, cap, [TENTH] * 3))
    monkeypatch.setattr(accounts, "matrices_of", lambda _: (None, None))
    with pytest.raises(Refuted):
        ASKED[asked](CheckedAccountant(known, cap, [TENTH] * 3))
    with pytest.raises(Refuted):
        CheckedAccountant(known, Level.of(Fraction(1, 5)), [TENTH] * 3)


def test_an_account_that_lost_a_release_is_refuted(monkeypatch):
    own, whole = CheckedAccountant({"a": Adversary.knowing(MODERATE)}, spent=[TENTH]), WorstCaseAccountant.spend_all
    monkeypatch.setattr(WorstCaseAccountant, "spend_all", lambda self, spent: whole(self, spent[:-1]))
    with pytest.raises(Refuted, match="other releases"):
        own.spend_all([TENTH] * 2)
    assert own.epsilons == (TENTH,)


def test_a_level_that_is_not_the_greatest_is_refuted(monkeypatch):
    known = {"a": Adversary.knowing(MODERATE, MODERATE), "b": Adversary.knowing()}
    account = CheckedAccountant(known, spent=[TENTH] * 3)
    assert account.tpl(2).attained_by == ("a",)
    for module in (accounts, agreeing):
        monkeypatch.setattr(module, "agreeing_maximum", lambda own: Maximum(min(own.values()), tuple(own)))
    for asked in (lambda: account.tpl(2), lambda: checked.agreeing_maximum({1: TENTH, 2: CAP})):
        with pytest.raises(Refuted, match="called the greatest"):
            asked()
