"""Rows of users: enclosures hold the exact levels and are narrow, equal users have equal rows, whoever decides."""

import io
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle import checked
from tploracle.population import recomputed, user_rows
from tploracle.population.in_balls import worst_in_balls
from tploracle.population.question import PopulationQuestion, UserChunk, check_known
from tploracle.population.recomputed import answer
from tploracle.reference import (
    INFINITE,
    Adversary,
    Budgets,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    TransitionCounts,
    Undecided,
    budgets,
    leakage,
    parse_level,
    supremum,
    worst_case_leakage,
)
from tploracle.reference.errors import Refuted, Unchecked
from tploracle.reference.paper.leakage import apply
from tploracle.solvers.worst_case import worst

from ...profiles import examples
from .many_users import QUESTION, drawn_chunk, drawn_counts, rows_of

pytest.importorskip("numba", reason="the extra fast is not installed")

ULPS = 1
"""No enclosure is wider."""


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch):
    user_rows._known.clear()


def answered(question, chunk, digest="digest"):
    return rows_of(io.BytesIO(answer(question, chunk, digest)))


def adversary_of(counts, smoothing):
    n = len(counts)
    own = TransitionCounts(tuple(map(str, range(n))), tuple(map(tuple, counts.tolist())), (0,) * n)
    return Adversary.knowing(own.backward(smoothing), own.forward(smoothing))


def true_levels(question, adversary):
    own = leakage([parse_level(text) for text in question.epsilons], adversary)
    levels = {name: max(getattr(own, name)) for name in ("bpl", "fpl", "tpl")}
    epsilon = parse_level(question.epsilon)
    bpl, fpl = supremum(adversary.backward, epsilon).level, supremum(adversary.forward, epsilon).level
    tpl = INFINITE if INFINITE in (bpl, fpl) else bpl + apply(adversary.forward, fpl)
    levels |= {"bpl_supremum": bpl, "fpl_supremum": fpl, "tpl_supremum": tpl}
    try:
        kept = budgets(parse_level(question.alpha), adversary)
    except InfeasibleBudget:
        kept = Budgets(parse_level(question.alpha), *[parse_level("0")] * 3)
    levels |= {"budget_first": kept.first, "budget": kept.middle, "budget_last": kept.last}
    return levels, own


def check_row(row, question, adversary):
    levels, own = true_levels(question, adversary)
    for name, level in levels.items():
        lower, upper = row[f"paper_bound_{name}_lower"], row[f"paper_bound_{name}_upper"]
        if level.is_infinite:
            assert lower == upper == np.inf
            continue
        enclosed = level.enclosure(40)
        assert Fraction(lower) <= Fraction(enclosed.upper)
        assert Fraction(enclosed.lower) <= Fraction(upper)
        assert upper - lower <= ULPS * np.spacing(lower)
    for name in ("bpl", "fpl", "tpl"):
        time, upper = row[f"paper_bound_{name}_time"] - 1, row[f"paper_bound_{name}_upper"]
        assert [level.double_above() == upper for level in getattr(own, name)[: time + 1]] == [False] * time + [True]


@pytest.mark.parametrize("undecided", [False, True], ids=["doubles", "exact"])
def test_rows_hold_the_exact_levels(monkeypatch, undecided):
    count = 12 if undecided else 60
    chunk = drawn_chunk(count, 3)
    if undecided:
        monkeypatch.setattr(user_rows, "enclose", lambda _, backward, __: np.full((len(backward), 21), np.nan))
    rows = answered(QUESTION, chunk)
    assert list(rows) == chunk.users
    for user, counts in zip(chunk.users, chunk.counts, strict=True):
        if not counts.any():
            assert rows[user]["method"] == "refused"
            assert rows[user]["error"].startswith("UnreachableState: no transition was counted")
            assert {rows[user][name] for name in user_rows.column_names(QUESTION)} == {None}
            continue
        assert rows[user]["method"] == ("exact" if undecided else "doubles")
        assert rows[user]["error"] is None
        check_row(rows[user], QUESTION, adversary_of(counts, QUESTION.smoothing))


def test_a_state_of_which_nothing_is_known_is_refused_unless_smoothed():
    counts = np.array([[[1, 1], [0, 0]]])
    assert answered(replace(QUESTION, smoothing=Fraction(0)), UserChunk(["u"], counts))["u"]["error"].startswith(
        "UnreachableState: state '2' is never followed"
    )
    assert answered(QUESTION, UserChunk(["u"], counts))["u"]["error"] is None


def test_counts_beyond_doubles_are_for_exact_methods():
    counts = np.array([[[2**53, 1], [1, 1]]])
    chunk = UserChunk(["u"], counts)
    assert chunk.transitions == 2**53 + 3
    row = answered(QUESTION, chunk)["u"]
    assert row["method"] == "exact"
    check_row(row, QUESTION, adversary_of(counts[0], QUESTION.smoothing))


def test_transitions_of_any_counts_are_counted_exactly():
    for most in (3, 2**53 - 1):
        counts = np.full((600, 2, 2), most)
        counts[:, 0, 1] -= np.arange(600) % 2
        chunk = UserChunk([""] * 600, counts)
        assert chunk.transitions == sum(counts.ravel().tolist())
        assert chunk.balanced == 300


def test_matrices_of_one_side_and_of_both():
    rng = np.random.default_rng(5)
    entries = rng.random((4, 3, 3))
    entries /= entries.sum(axis=2, keepdims=True)
    chunk = UserChunk(list("abcd"), backward=entries, forward=entries[::-1].copy())
    rows = answered(QUESTION, chunk)
    for index, user in enumerate("abcd"):
        check_row(rows[user], QUESTION, Adversary.knowing(**chunk.matrices(Fraction(0), index)))
    alone = answered(QUESTION, UserChunk(list("abcd"), backward=entries))
    for user in "abcd":
        assert all(alone[user][name] == rows[user][name] for name in rows[user] if "_bpl_" in name)
        assert alone[user]["paper_bound_tpl_supremum_upper"] == alone[user]["paper_bound_bpl_supremum_upper"]


def test_equal_users_are_answered_once(monkeypatch):
    asked = []
    found = user_rows.enclose
    monkeypatch.setattr(user_rows, "enclose", lambda own, *sides: asked.append(len(sides[0])) or found(own, *sides))
    counts = np.repeat(drawn_counts(4, 3)[2:4], 50, axis=0)
    rows = answered(QUESTION, UserChunk([str(number) for number in range(100)], counts))
    assert asked == [2]
    assert len({row["paper_bound_tpl_upper"] for row in rows.values()}) == 2
    later = UserChunk(["x", "y"], np.concatenate([counts[:1], drawn_counts(6, 3)[5:]]))
    assert answered(QUESTION, later)["x"] == rows["0"] | {"user": "x"}
    assert asked == [2, 1]


def test_only_equal_users_asked_alike_are_one_kind():
    chunk = UserChunk(["a"], backward=np.array([[[0.5, 0.5], [0.25, 0.75]]]))
    turned = UserChunk(["a"], forward=chunk.backward)
    counted = UserChunk(["a"], counts=chunk.backward.view(np.int64))
    flat = UserChunk(["a"], backward=chunk.backward.reshape(1, 4, 1))
    asked = [(QUESTION, own) for own in (chunk, turned, counted, flat)] + [(replace(QUESTION, alpha="2"), chunk)]
    assert len({key for question, own in asked for key in own.kinds(question)[0]}) == 5
    assert [*UserChunk(["b"], backward=chunk.backward.copy()).kinds(QUESTION)[0]] == [*chunk.kinds(QUESTION)[0]]


NEAR_POWERS = st.sampled_from([0, 1, 2, 2**16 - 1, 2**16, 2**16 + 1, 2**32, 2**32 + 1, 2**52])


@given(st.lists(st.lists(NEAR_POWERS, min_size=4, max_size=4), min_size=1))
@example([[1, 2, 0, 0], [65537, 2, 0, 0], [2**32 + 1, 2, 0, 0], [1, 2, 0, 0]])
@examples(50)
def test_counts_are_of_one_kind_where_they_are_equal_whoever_is_beside_them(users):
    kinds = {tuple(own): alone([own]) for own in users}
    together = UserChunk(
        [str(number) for number in range(len(users))], np.array(users, dtype=np.int64).reshape(-1, 2, 2)
    )
    found, first, of_user = together.kinds(QUESTION)
    assert [kinds[tuple(own)] for own in users] == [[found[kind]] for kind in of_user]
    assert [users.index(users[own]) for own in first] == [*first]
    assert len(found) == len(first) == len(kinds)


def alone(counts):
    """Return the kinds of users by themselves."""
    return [*UserChunk(["a"], np.array(counts, dtype=np.int64).reshape(-1, 2, 2)).kinds(QUESTION)[0]]


def test_rows_that_are_kept_are_few(monkeypatch):
    monkeypatch.setattr(user_rows, "MOST_KNOWN", 3)
    chunk = drawn_chunk(12, 2)
    first = answered(QUESTION, chunk)
    answered(QUESTION, drawn_chunk(12, 2, seed=2))
    assert not {*chunk.kinds(QUESTION)[0]} <= {*user_rows._known}
    assert answered(QUESTION, chunk) == first


def test_no_row_depends_on_the_users_beside_it(monkeypatch):
    counts = np.concatenate([drawn_counts(20, 3), np.random.default_rng(2).integers(0, 10**9, (8, 3, 3))])
    counts[0] = 2**53
    order = np.random.default_rng(3).permutation(28)
    users = [str(number) for number in range(28)]
    together = answered(QUESTION, UserChunk([users[own] for own in order], counts[order]))
    user_rows._known.clear()
    alone = [answered(QUESTION, UserChunk([own], counts[[number]])) for number, own in enumerate(users)]
    assert {row["method"] for row in together.values()} == {"doubles", "exact", "refused"}
    assert together == {user: row for own in alone for user, row in own.items()}


def test_a_users_own_schedule_keeps_alpha_and_reaches_it():
    chunk = drawn_chunk(30, 3)
    alpha = parse_level(QUESTION.alpha)
    for row, counts in zip(answered(QUESTION, chunk).values(), chunk.counts, strict=True):
        if row["error"] is None and row["paper_bound_budget_lower"]:
            first, middle, last = (
                Level.of(Fraction(row[f"paper_bound_{name}_lower"])) for name in user_rows.USER_BUDGETS
            )
            for between in (0, 5):
                own = leakage([first, *[middle] * between, last], adversary_of(counts, QUESTION.smoothing)).tpl
                assert max(own) <= alpha
            assert float(own[3]) > 1 - 1e-9


def wrong_by_an_ulp(name, user):
    """Return a kernel that moves one number of one user."""
    found = user_rows.enclose

    def enclose(*given):
        numbers = found(*given)
        place = user_rows.column_names(QUESTION).index(name)
        numbers[user, place] = np.nextafter(numbers[user, place], 0)
        return numbers

    return enclose


@pytest.mark.parametrize("name", user_rows.column_names(QUESTION))
def test_a_wrong_number_of_a_drawn_user_is_refuted(monkeypatch, name):
    monkeypatch.setattr(user_rows, "enclose", wrong_by_an_ulp(name, 0))
    with pytest.raises(Refuted, match=rf"user u3: {name} is .*, by exact methods "):
        answered(QUESTION, UserChunk(["u3"], drawn_counts(4, 3)[3:]))


@pytest.mark.parametrize("name", ["tpl", *user_rows.SUPREMA])
def test_a_level_below_one_that_it_never_is_below_is_refuted(monkeypatch, name):
    """Of whichever user, drawn or not."""
    found, columns = user_rows.enclose, user_rows.column_names(QUESTION)

    def enclose(*given):
        numbers = found(*given)
        numbers[7, [columns.index(f"paper_bound_{name}_{end}") for end in ("lower", "upper")]] = 0
        return numbers

    monkeypatch.setattr(recomputed, "check_some", lambda *_: None)
    monkeypatch.setattr(user_rows, "enclose", enclose)
    user_rows._known.clear()
    with pytest.raises(Refuted, match=rf"user u\d+: {name} is below "):
        answered(replace(QUESTION, epsilons=("1/10",) * 4), drawn_chunk(30, 3))


def test_the_exact_worst_case_of_every_user_is_proved(monkeypatch):
    """Where the solver finds too little the run ends; where the check has no answer the user has no number."""
    question, chunk = replace(QUESTION, model="worst-case"), UserChunk(["u3"], drawn_counts(4, 3)[3:])
    found = worst.greatest_worst_case_tpl

    def less(*given):
        own = found(*given)
        return replace(own, bound=own.bound * Fraction(99, 100))

    monkeypatch.setattr(worst, "greatest_worst_case_tpl", less)
    with pytest.raises(Refuted, match="TPL"):
        user_rows.rows_of(question, chunk)

    def no_answer(*_given):
        raise Unchecked("too long")

    monkeypatch.setattr(checked, "check_leakage", no_answer)
    (row,) = user_rows.rows_of(question, chunk)
    assert row.error == "Undecided: the exact worst case is not checked: too long"
    assert np.isnan(row.numbers).all()


def test_who_is_drawn_is_told_by_the_digest(monkeypatch):
    def drawn_by(digest):
        drawn = []
        monkeypatch.setattr(recomputed, "check_row", lambda *own: drawn.append(own[2]) or own[2] > 9)
        answered(QUESTION, drawn_chunk(30, 2), digest)
        assert sum(index > 9 for index in drawn) == 30 // 7  # where one is not decided another one is drawn
        return drawn

    monkeypatch.setattr(recomputed, "CHECKED_OF", 7)
    assert drawn_by("a") == drawn_by("a") != drawn_by("b")


def test_balls_find_what_exact_levels_do_or_nothing():
    """By another way: the recursion over pieces, each comparison decided exactly."""
    chunk = drawn_chunk(40, 3)
    decided = 0
    for index in range(2, 40):
        if chunk.counts[index].any():
            adversary = Adversary.knowing(**chunk.matrices(QUESTION.smoothing, index))
            found = worst_in_balls(QUESTION.levels(), adversary)
            decided += found is not None
            rows = [user_rows.exact_row(QUESTION, chunk, index, in_balls=own).numbers for own in (True, False)]
            np.testing.assert_array_equal(*rows)
            assert found is None or np.ravel(found).tolist() == rows[1][:9].tolist()
    assert decided > 20


def test_the_exact_worst_case_alone_and_beside_the_papers_bound():
    chunk = drawn_chunk(4, 2)
    rows = answered(replace(QUESTION, model="both"), chunk)
    alone = answered(replace(QUESTION, epsilon=None, alpha=None, model="worst-case"), chunk)
    assert rows["u0"]["error"] == alone["u0"]["error"] is not None
    for user, index in (("u2", 2), ("u3", 3)):
        known = chunk.matrices(QUESTION.smoothing, index)
        own = worst_case_leakage([parse_level(text) for text in QUESTION.epsilons], known["backward"], known["forward"])
        worst = max(own.tpl)
        row = rows[user]
        lower, upper = row["worst_case_tpl_lower"], row["worst_case_tpl_upper"]
        assert lower <= float(worst) <= upper <= row["paper_bound_tpl_upper"]
        assert upper <= np.nextafter(lower, np.inf)
        assert own.tpl[row["worst_case_tpl_time"] - 1] == worst
        check_row(row, QUESTION, adversary_of(chunk.counts[index], QUESTION.smoothing))
        told = {name: value for name, value in row.items() if not name.startswith("paper_bound_")}
        assert alone[user] == told | {"method": "exact"}


def test_the_papers_bound_stands_alone_where_the_exact_worst_case_is_not_decided(monkeypatch):
    chunk = drawn_chunk(4, 2)
    expected = answered(QUESTION, chunk)

    def undecided(*_args):
        raise Undecided("too close")

    monkeypatch.setattr(user_rows, "greatest_worst_case_tpl", undecided)
    user_rows._known.clear()
    none = dict.fromkeys(user_rows.WORST_CASE_TPL.columns())
    for user, row in answered(replace(QUESTION, model="both"), chunk).items():
        assert row == {**expected[user], **none, "error": expected[user]["error"] or "Undecided: too close"}
    alone = answered(replace(QUESTION, epsilon=None, alpha=None, model="worst-case"), chunk)
    assert {row["method"] for row in alone.values()} == {"refused"}


@pytest.mark.parametrize(
    ("question", "where"),
    [
        (PopulationQuestion(), "nothing is asked"),
        (PopulationQuestion(("inf",)), "finite"),
        (PopulationQuestion(alpha="0"), "leaves no budget"),
        (PopulationQuestion(epsilon="0"), "releases nothing"),
        (PopulationQuestion(alpha="1", smoothing=Fraction(-1)), "smoothing is at least 0"),
        (PopulationQuestion(alpha="1", model="both"), "--model both needs releases"),
        (PopulationQuestion(("1",), alpha="1", model="worst-case"), "needs the paper's bound: use --model both"),
    ],
)
def test_questions_that_are_none(question, where):
    with pytest.raises(InvalidRequest, match=where):
        check_known(question)
