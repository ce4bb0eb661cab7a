"""An account kept by the paper's bound: as `reference.Accountant`, which takes each budget literally."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.checked_loss import CheckedStream
from tploracle.models import paper_bound
from tploracle.models.paper_bound import PaperAccount
from tploracle.reference import Accountant, Adversary, InfeasibleBudget, InvalidRequest, Level, parse_level
from tploracle.reference.errors import Refuted
from tploracle.solvers.loss.recursions import LongStream

from ...matrices import EQUAL_ROWS, MODERATE, PAPER_L, STRONGEST, SYMMETRIC, THREE_PIECES, TWO_PIECES
from ...profiles import examples
from ...strategies import matrices, of_one_size

BUDGETS = st.lists(st.sampled_from(["0", "0.01", "0.2", "log(11/10)", "1/3"]), max_size=5)
PEOPLE = {
    "ann": Adversary.knowing(MODERATE, SYMMETRIC),
    "bob": Adversary.knowing(SYMMETRIC),
    "cem": Adversary.knowing(MODERATE, SYMMETRIC),
    "eve": Adversary.knowing(),
}


def spent(account, cap, budgets):
    """Return the account with as many of these budgets as the cap admits."""
    for budget in budgets:
        try:
            Accountant(account.adversaries, cap, [*account.epsilons, parse_level(budget)])
        except InfeasibleBudget:
            with pytest.raises(InfeasibleBudget, match="would exceed the cap for"):
                account.spend_all([parse_level(budget)])
            break
        account.spend_all([parse_level(budget)])
    return account


def may_spend(account, level):
    try:
        Accountant(account.adversaries, account.cap, [*account.epsilons, level])
    except InfeasibleBudget:
        return False
    return True


def is_worst_case(account):
    left = account.remaining()
    excess = left.excess_bounds()[0]
    above = Level.of_ratio(1 + excess + max(excess, Fraction(1, 10**9)) / 10**9)
    return may_spend(account, left) and not may_spend(account, above)


@pytest.mark.parametrize("cap", ["1/2", "1", "log(3)", "5"])
@pytest.mark.parametrize("budgets", [[], ["0.2"], ["0.1", "0.3", "0.05"], ["0.3"] * 20, ["0"] * 3])
@pytest.mark.parametrize(
    "known",
    [(None, None), (MODERATE, None), (None, MODERATE), (MODERATE, PAPER_L), (TWO_PIECES,) * 2, (None, THREE_PIECES)],
)
def test_what_is_left_keeps_the_cap_and_no_more_does(known, budgets, cap):
    cap = parse_level(cap)
    assert is_worst_case(spent(PaperAccount({"a": Adversary.knowing(*of_one_size(*known))}, cap), cap, budgets))


def test_of_several_the_least_is_left():
    alone = [{"a": Adversary.knowing(MODERATE, MODERATE)}, {"b": Adversary.knowing(PAPER_L, PAPER_L)}]
    people = (*alone, alone[0] | alone[1])
    ratios = [PaperAccount(each, parse_level("1"), [parse_level("0.2")]).remaining().ratio for each in people]
    assert ratios[2] == min(ratios[:2])


@given(st.integers(2, 4).flatmap(lambda n: st.tuples(matrices(n, n), matrices(n, n))), BUDGETS)
@examples(25)
def test_what_is_left_of_anyones(known, budgets):
    cap = parse_level("1")
    assert is_worst_case(spent(PaperAccount({"a": Adversary.knowing(*known)}, cap), cap, budgets))


@given(
    st.integers(2, 3).flatmap(lambda n: st.tuples(matrices(n, n), matrices(n, n))),
    st.lists(
        st.sampled_from(["0", "1/7", "log(11/10)", "log(3)", "log(1+sqrt(2))", "20", "inf"]), min_size=1, max_size=6
    ),
)
@example((STRONGEST, STRONGEST), ["1/10", "1/5", "0"])
@example((MODERATE, EQUAL_ROWS), ["0", "inf"])
@example((SYMMETRIC, MODERATE), ["inf", "1/7", "0", "log(3)"])
@examples(40)
def test_all_levels_of_anyone(known, budgets):
    """In many digits, and the exact ones exactly; nothing that is known from before serves digits it has not."""
    levels = [parse_level(text) for text in budgets]
    people = PEOPLE | {"you": Adversary.knowing(*known)}
    account, literal = PaperAccount(people, spent=levels), Accountant(people, spent=levels)
    for time in range(1, len(levels) + 1):
        for kind in ("bpl", "fpl", "tpl"):
            own, other = getattr(account, kind)(time), getattr(literal, kind)(time)
            assert own.attained_by == other.attained_by
            for digits in (6, 80):
                assert own.level.enclosure(digits) == other.level.enclosure(digits)
            assert other.level.exact_text in (None, own.level.exact_text)
    tpl = [literal.tpl(time).level.enclosure(28).upper for time in range(1, len(levels) + 1)]
    worst = account.worst()
    assert worst.time == 1 + tpl.index(max(tpl))
    assert [level.enclosure(28).upper for level in (worst.attained.level, worst.bound)] == [max(tpl)] * 2


@pytest.mark.parametrize("known", [(TWO_PIECES, PAPER_L), (THREE_PIECES, THREE_PIECES), (PAPER_L, None)])
def test_from_piece_to_piece(known):
    """Budgets take the leakage past all ends of pieces, up and down."""
    budgets = [parse_level(text) for text in ["1/9", "log(3)", "2", "0", "1/9", "5", "1/1000", "1/1000"] * 5]
    person = {"ann": Adversary.knowing(*known)}
    account, literal = PaperAccount(person, spent=budgets), Accountant(person, spent=budgets)
    for time in range(1, len(budgets) + 1):
        for kind in ("bpl", "fpl", "tpl"):
            own, other = (getattr(each, kind)(time).level for each in (account, literal))
            assert own.enclosure(30) == other.enclosure(30)
    assert account.tpl(20).level.enclosure(100) == literal.tpl(20).level.enclosure(100)


def test_at_the_cap_itself_and_above():
    half = [parse_level("1/10")] * 5
    account = PaperAccount({"ann": Adversary.knowing(STRONGEST)}, parse_level("1/2"), half)
    assert account.tpl(5).level == parse_level("1/2")
    assert account.remaining().is_zero
    before = account.epsilons
    with pytest.raises(InfeasibleBudget, match="TPL at time 6 would exceed the cap for 'ann'"):
        account.spend_all([parse_level("log(1000000001/1000000000)")])
    assert account.epsilons == before
    account.spend_all([parse_level("0")])
    assert account.releases == 6
    for asked in (lambda: account.tpl(0), lambda: account.bpl(7)):
        with pytest.raises(InvalidRequest, match="is not one of the 6 releases so far"):
            asked()


def test_what_no_ball_tells_apart():
    """A level above the cap by far less than a ball's width is refused, and the limit of L is not taken for less."""
    budgets = [parse_level("log(7/5)"), Level.of_ratio(4 + Fraction(1, 10**100))]
    with pytest.raises(InfeasibleBudget, match="at time 2"):
        PaperAccount({"ann": Adversary.knowing(STRONGEST)}, parse_level("log(28/5)"), budgets)
    at_limit = PaperAccount({"ann": Adversary.knowing(None, SYMMETRIC)}, parse_level("log(28/5)"), budgets[:1])
    assert at_limit.remaining() > parse_level("1.7")
    assert at_limit.remaining() <= parse_level("log(28/5)")


@pytest.mark.parametrize("known", [(TWO_PIECES, PAPER_L), (None, SYMMETRIC), (STRONGEST, None)])
def test_upper_bounds_in_doubles(known):
    budgets = [parse_level(text) for text in ["1/9", "log(3)", "2", "0", "1/9", "5"]]
    adversary = Adversary.knowing(*known)
    literal = Accountant({"ann": adversary}, spent=budgets)
    for time, above in enumerate(LongStream(adversary, budgets).above(), 1):
        lower, upper = literal.tpl(time).level.excess_bounds(80)
        assert upper <= Fraction(above) - 1
        assert Fraction(above) <= (1 + lower) * (1 + Fraction(1, 10**14))


def test_without_a_cap_there_is_no_bound():
    assert PaperAccount({"a": Adversary.knowing(MODERATE)}, parse_level("inf")).remaining() is None


def fault(monkeypatch, name, wrong):
    """Replace what a stream or its module does by something wrong."""
    where = LongStream if hasattr(LongStream, name) else paper_bound
    true = getattr(where, name)
    monkeypatch.setattr(where, name, lambda *given: wrong(true, *given))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("leakage", lambda true, own, time: [level * Fraction(1, 2) for level in true(own, time)]),
        ("leakage", lambda true, own, time: [*true(own, time)[:2], parse_level("0.1")]),
        ("worst_time", lambda _true, _streams: 0),
    ],
)
def test_a_level_that_is_too_small_is_refuted(monkeypatch, name, wrong):
    account = PaperAccount(PEOPLE, spent=[parse_level("0.1")] * 9)
    assert account.worst().attained.level == max(account.tpl(time).level for time in range(1, 10))
    fault(monkeypatch, name, wrong)
    with pytest.raises(Refuted):
        account.worst()


def test_a_spend_that_breaks_the_cap_is_refuted(monkeypatch):
    """Where a fault of the solver takes it for kept, or offers too much."""
    account = PaperAccount(PEOPLE, parse_level("1"), [parse_level("0.3")])
    fault(monkeypatch, "most_next", lambda true, own, cap: true(own, cap) * (1 + Fraction(1, 10**15)))
    with pytest.raises(Refuted):
        account.remaining()
    fault(monkeypatch, "not_within", lambda _true, _own, _cap: [])
    with pytest.raises(Refuted):
        account.spend_all([parse_level("0.9")])
    assert account.releases == 1


def test_of_times_that_agree_in_28_digits_none_exceeds_the_bound():
    """The level at the first of them is below that at later ones, by less than digits tell."""
    account = PaperAccount({"ann": Adversary.knowing(MODERATE)}, spent=[parse_level("0.1")] * 1500)
    found = account.worst()
    later = account.tpl(account.releases).level
    assert found.attained.level < later <= found.bound
    lower, upper = found.attained.level.excess_bounds(120)[0], found.bound.excess_bounds(120)[1]
    assert upper <= lower * (1 + Fraction(1, 2**90))


def test_a_stream_of_which_a_time_is_lost_is_refuted():
    stream = CheckedStream(Adversary.knowing(MODERATE), [parse_level("0.1")] * 4)
    earlier, last = (stream.leakage(time)[2] for time in (2, 3))
    stream.prove_within(last)
    stream.tpl = stream.tpl[:-1]
    for asked in (stream.prove_within, stream.not_within):
        with pytest.raises(Refuted):
            asked(earlier)
    assert stream.bound(last) == last
