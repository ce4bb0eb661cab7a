"""Wrong implementations: what is drawn is wrong where it says, and questions that are there to find it do."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tploracle.conformance.model import Case
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.protocol import FLOAT64

from ..profiles import some
from . import __main__
from .__main__ import BEGIN, END, FOUND, KINDS, digest, drawn, measured, published, table
from .mistakes import Mistake
from .play import Asked, Played, Wrong, play
from .regions import Region, draw_region
from .reported import NAMES, REPORTED, of_names

ROWS = [["0x1p-1", "0x1p-1"], ["0x1p-2", "0x1.8p-1"]]


class Few(Asked):
    """A few questions about a loss, with their right answers."""

    def __init__(self, number):
        from tploracle.wire.requests import Session

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
    wrong = Wrong("loss", region(lambda _request, _calls: True), ZERO)
    found = {"loss": measured("loss", 0, 2, [Played(wrong, "loss-1", 1), Played(wrong, "", 4)])}
    lines = table(found)
    assert "| `loss` | 2 | 1 | 0 | 0 |" in lines
    assert lines[-1] == "- `loss`, as told: as told; answers that differed from the right one: 4"
    reported = replace(wrong, region=replace(wrong.region, kind="reported"))
    assert table({"loss": measured("loss", 0, 2, [Played(reported, "loss-1", 1)])})[-1] == "| `loss` | 0 | 0 | 1 | 1 |"
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert published(page, found).splitlines() == ["before", BEGIN, *lines, END, "after"]
    assert published(published(page, found), found) == published(page, found)


ROOT = Path(__file__).parents[2]
RUNS = json.loads(FOUND.read_text(encoding="utf-8"))


def test_the_page_has_what_the_runs_found():
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    assert published(page, RUNS) == page, "python -m tests.wrong_implementations --publish docs/conformance.md"
    assert RUNS.keys() == {*OPERATIONS}


@pytest.mark.parametrize("op", OPERATIONS)
def test_the_bar_of_97_in_100_is_held(op):
    drawn_in_all, found = RUNS[op]["drawn and found"]
    assert drawn_in_all >= 30
    assert found >= 0.97 * drawn_in_all


@pytest.mark.parametrize("op", some(OPERATIONS, 5))
def test_the_runs_were_on_the_questions_of_today(op):
    """And of the wrong implementations of today; where not: make conform-mutants OPERATIONS=..."""
    run = RUNS[op]
    assert digest(op, run["seed"], run["drawn and found"][0]) == run["of"]


def test_other_questions_or_other_implementations_are_told(monkeypatch):
    before = digest("smooth", 0, 2)
    assert before == digest("smooth", 0, 2) != digest("smooth", 0, 3) != digest("smooth", 1, 3)
    monkeypatch.setattr(__main__, "seeded_of_each", lambda *_: ())
    assert digest("smooth", 0, 2) != before
