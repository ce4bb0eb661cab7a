"""Wrong implementations: what is drawn is wrong where it says, and questions that are there to find it do."""

import json
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import count, cycle
from pathlib import Path
from random import Random

import pytest

from tploracle.conformance.model import Case
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.requests import Session

from ..profiles import some
from . import __main__
from .__main__ import BEGIN, END, FOUND, KINDS, digest, drawn, measured, published, table
from .mistakes import Mistake, all_mistakes, right_answer
from .play import Asked, Played, Wrong, play
from .population import is_wrong_somewhere, request_of
from .regions import Region, draw_region
from .reported import NAMES, REPORTED, of_names

ROWS = [["0x1p-1", "0x1p-1"], ["0x1p-2", "0x1.8p-1"]]


class Few(Asked):
    """A few questions about a loss, with their right answers."""

    def __init__(self, number):
        self.session = Session()
        given = [{"matrix": ROWS, "alpha": (k / 4).hex()} for k in range(1, number + 1)]
        self.know([Case(f"loss-{k}", "loss", FLOAT64, one, source="seeded") for k, one in enumerate(given, 1)])


def region(holds):
    return Region("range", "as told", holds)


def mistaken(answer):
    return Mistake("as told", lambda _request, right, last, _answer: answer(right, last))


ZERO = mistaken(lambda _right, _last: {"value": "0x0p+0"})


def test_one_that_is_right_is_not_found_and_one_that_is_wrong_once_is():
    asked = Few(20)
    assert play(Wrong("loss", region(lambda _request, _calls: False), ZERO), asked).found_by == ""
    found = play(Wrong("loss", region(lambda _request, calls: calls == 13), ZERO), asked)
    assert (found.found_by, found.wrongly) == ("loss-13", 1)


def test_the_answer_before_is_found():
    stale = mistaken(lambda right, last: last() or right)
    found = play(Wrong("loss", region(lambda _request, _calls: True), stale), Few(3))
    assert (found.found_by, found.wrongly) == ("loss-2", 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", ["loss", "composition", "estimate", "worst_case_allocate", "leakage_profile"])
def test_regions_hold_of_some_requests_and_not_of_all(op, kind):
    """Of a thousand requests with all sizes, over all seeds; the words say which."""
    holds = set()
    for seed in range(20):
        drawn_region = draw_region(Random(seed), op, kind)
        assert drawn_region.words
        for calls in (1, 10, 1_000, 10_000):
            for n in (1, 2, 3, 5, 12, 40):
                rows = [["0x1p+0" if j == k else "0x0p+0" for k in range(n)] for j in range(n)]
                given = {"backward": rows, "alpha": (0.01 * n).hex(), "epsilons": [(0.1 * n).hex()] * n}
                given |= {"horizon": n, "start": 1, "length": n, "sequences": [[f"s{k}" for k in range(n)]]}
                holds.add(drawn_region.holds({"op": op, "input": given}, calls))
    assert holds == ({True, False} if kind != "one in 500" else holds | {False})


def test_what_is_drawn_is_the_same_for_a_seed_and_of_every_kind():
    first, again, other = ([str(one) for one in drawn(seed, 10, ["loss", "estimate"])] for seed in (1, 1, 2))
    assert first == again != other
    assert {one.region.kind for one in drawn(1, 10, ["loss", "estimate"])} == {*KINDS, "reported", "names"}


SESSION = Session()


def is_wrong(op, kind, where, words):
    """Whether a mistake is wrong somewhere in the first region drawn whose words begin so."""
    drawn_regions = (draw_region(Random(seed), op, kind) for seed in count())
    own = next(one for one in drawn_regions if one.words.startswith(where))
    mistake = next(one for one in all_mistakes(Random(0), op) if words in one.words)
    return is_wrong_somewhere(Random(0), op, own, mistake, partial(right_answer, SESSION))


@pytest.mark.parametrize(
    ("op", "kind", "where", "words", "is_somewhere"),
    [
        ("supremum", "structure", "several closed classes", "of it", False),  # the supremum is 0 or infinite
        ("supremum", "structure", "several closed classes", "1e6 for ∞", True),
        ("loss", "structure", "several closed classes", "of it", True),
        ("loss", "range", "level", "1e6 for ∞", False),  # L(α) is α at most
        ("control", "range", "level", "1e6 for ∞", True),  # the cap may be infinite
        ("allocate", "range", "level", "1e6 for ∞", False),
        ("allocate", "range", "T", "1e6 for ∞", True),
        ("allocate", "structure", "several closed classes", "forward", False),  # one release alone has a budget: α
        ("allocate", "structure", "several closed classes", "of it", True),
        ("loss_function", "structure", "a state that is never left", "piece", False),  # q + d = 1 in one piece
        ("loss_function", "structure", "columns sum to 1", "first row", True),
        ("composition", "range", "length", "1e6 for ∞", True),
        ("composition", "structure", "budgets fall", "1e6 for ∞", True),
        ("worst_case_supremum", "structure", "several closed classes", "of it", False),
    ],
)
def test_a_mistake_by_which_no_answer_changes_is_none(op, kind, where, words, is_somewhere):
    assert is_wrong(op, kind, where, words) is is_somewhere


@pytest.mark.parametrize("op", some(OPERATIONS, 5))
def test_inputs_drawn_for_a_region_are_in_it_and_have_answers(op):
    told = Counter()
    for seed in range(40):
        own = draw_region(Random(seed), op, KINDS[seed % 3])
        request = request_of(Random(seed), op, own)
        assert own.dimension == "n" or own.holds(request, 0)
        told[right_answer(SESSION, request).get("error", {}).get("name", "value")] += 1
    assert told.keys() <= {"value", *OPERATIONS[op].own_errors}
    assert told["value"] >= 15


def test_in_the_place_of_one_that_is_wrong_nowhere_another_of_its_kind_is_drawn(monkeypatch):
    before = drawn(0, 5, ["smooth"])[:5]
    assert not any(one.rejected for one in before)
    several = cycle((False, False, True))
    monkeypatch.setattr(__main__, "is_wrong_somewhere", lambda *_: next(several))
    after = drawn(0, 5, ["smooth"])[:5]
    assert [one.rejected for one in after] == [2] * 5
    assert [one.region.kind for one in after] == [*KINDS]
    assert len({*map(str, before)} - {*map(str, after)}) >= 4


def test_each_operation_has_mistakes_after_reports():
    assert min(Counter(op for one in REPORTED for op in one.ops)[op] for op in OPERATIONS) >= 2
    assert all("/" in one.of and "#" in one.of for one in REPORTED)


@pytest.mark.parametrize("place", range(len(NAMES)))
def test_names_that_differ_are_one_by_each_mistake_of_names(place):
    pairs = [("a", " a"), ("A", "a"), ("e\u0301", "\xe9"), ("\ufb01", "fi"), ("01", "1"), ("abcdefghi", "abcdefghj")]
    pairs += [("\xe9", "\xe8"), ("\u0661", "1")]
    request = {"op": "estimate", "input": {"sequences": [[*pairs[place], *pairs[place]]]}}
    right = Few(0).answer(request)
    assert len(right["value"]["states"]) == 2
    assert len(of_names(place).applied(request, right, None, Few(0).answer)["value"]["states"]) == 1


def test_a_report_changes_the_answers_that_it_speaks_of_and_no_others():
    """A matrix is transposed where its columns sum to 1 too, also the one of a single step."""
    turned, right, doubly = REPORTED[0].mistake(), {"value": "right"}, [["0x0p+0", "0x1p+0"], ["0x1p+0", "0x0p+0"]]
    for rows, is_right in (
        [doubly, False],
        [ROWS, True],
        [{"steps": [doubly] * 2}, False],
        [{"cycle": [ROWS]}, True],
    ):
        request = {"op": "leakage", "input": {"backward": rows, "epsilons": ["0x1p+0"] * 3}}
        assert (turned.applied(request, right, None, Few(0).answer) == right) is is_right


def test_the_table_counts_and_names_those_that_got_away():
    wrong = Wrong("loss", region(lambda _request, _calls: True), ZERO, rejected=3)
    found = {"loss": {"0": measured("loss", [Played(wrong, "loss-1", 1), Played(wrong, "", 4)])}}
    lines = table(found)
    assert lines[0].startswith("| operation | seed 0 | rejected |")
    assert "| `loss` | 1 of 2 | 6 | 0 of 0 |" in lines
    assert lines[-1] == "- seed 0: `loss`, as told: as told; answers that differed from the right one: 4"
    reported = replace(wrong, region=replace(wrong.region, kind="reported"), rejected=0)
    found["loss"]["7"] = measured("loss", [Played(reported, "loss-1", 1)])
    assert "| `loss` | 1 of 2 | 0 of 0 | 6 | 0 of 0 |" in table(found)
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert published(page, found).splitlines() == ["before", BEGIN, *table(found), END, "after"]
    assert published(published(page, found), found) == published(page, found)


ROOT = Path(__file__).parents[2]
RUNS = json.loads(FOUND.read_text(encoding="utf-8"))
EACH_RUN = [(op, seed) for op in OPERATIONS for seed in RUNS[op]]


def test_the_page_has_what_the_runs_found():
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    assert published(page, RUNS) == page, "python -m tests.wrong_implementations --publish docs/conformance.md"
    assert RUNS.keys() == {*OPERATIONS}
    assert all(len(runs) >= 2 for runs in RUNS.values()), "what is found by one seed is found by luck"


@pytest.mark.parametrize(("op", "seed"), EACH_RUN)
def test_the_bar_of_97_in_100_is_held(op, seed):
    drawn_in_all, found = RUNS[op][seed]["drawn and found"]
    assert drawn_in_all >= 100
    assert found >= 0.97 * drawn_in_all


LONG_TO_DRAW = ("leakage_profile", "worst_case_allocate", "worst_case_leakage", "worst_case_supremum")
"""Operations whose wrong implementations take long to draw."""


@pytest.mark.parametrize(
    ("op", "seed"),
    [
        pytest.param(op, seed, marks=pytest.mark.exhaustive if seed != "1" or op in LONG_TO_DRAW else pytest.mark.slow)
        for op, seed in EACH_RUN
    ],
)
def test_the_runs_were_on_the_questions_of_today(op, seed):
    """And of the wrong implementations of today; where not: make conform-mutants OPERATIONS=..."""
    run = RUNS[op][seed]
    assert digest(op, drawn(int(seed), run["drawn and found"][0], [op])) == run["of"]


def test_other_questions_or_other_implementations_are_told(monkeypatch):
    two, three, others = (drawn(seed, each, ["smooth"]) for seed, each in ((0, 2), (0, 3), (1, 3)))
    before = digest("smooth", two)
    assert before == digest("smooth", two) != digest("smooth", three) != digest("smooth", others)
    monkeypatch.setattr(__main__, "seeded_of_each", lambda *_: ())
    assert digest("smooth", two) != before
