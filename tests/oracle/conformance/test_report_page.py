"""The page of a run: well-formed, self-contained, complete, and its pictures true to the numbers."""

import pytest

from tploracle.conformance.explain.groups import FlagNote
from tploracle.conformance.model import Verdict
from tploracle.conformance.report import document as report_document
from tploracle.conformance.report.document import run_page
from tploracle.conformance.report.pictures import COLOURS, MOST_FAILING, MOST_PASSING, error_pictures, verdict_picture
from tploracle.conformance.report.summary import summary_of

from ...pages import Page
from .made_runs import PLAIN, case, exact, finding, hostile, mixed, result, run, unsafe


@pytest.fixture(scope="module")
def page():
    return Page(run_page(mixed()))


@pytest.mark.slow
def test_the_page_needs_nothing_from_outside_and_is_the_same_each_time(page):
    assert run_page(mixed()) == run_page(mixed())
    page.assert_stands_alone()


def test_the_page_has_headline_tables_and_pictures(page):
    assert page.within("h1") == ["Conformance of mine"]
    assert page.within("p")[0].startswith("Does not conform: 1 of 11 answers is unsafe")
    assert page.within("h2") == [
        "What is wrong",
        "What this rests on",
        "Verdicts",
        "Unsafe: 2 answers break the guarantee",
        "Failures by kind of input, the most harmful first",
        "What the kinds of input mean",
        "What the search found",
        "Expected failure that passed",
        "Expected failure",
        "The oracle is undecided",
        "Where the errors lie",
        "Largest deviations among conforming answers",
        "Notes",
        "Every case that fails",
    ]
    assert page.within("h3") == ["loss", "supremum"]
    assert page.tags.count("svg") == 3


def test_every_failing_case_can_be_opened(page):
    assert page.tags.count("details") == 7
    failing = ("search-unsafe", "error", "crash", "slow", "later", "wrong", "unsafe")
    assert page.within("code") == [f"loss-{name}" for name in failing]
    code = page.within("pre")
    for name in ("loss-unsafe", "loss-wrong", "loss-error", "loss-crash", "loss-slow"):
        assert f"tploracle conform -k {name} -- ./mine --fast" in code
    assert sum(text.startswith("tploracle conform --request") for text in code) == 1
    assert sum(text.startswith('{"op": "loss"') for text in code) == 7
    cells = page.within("td")
    for text in ("Theorem 7 [thm:algo_extreme2]", "Apart.", "0.2776[3,4]", "0.2775", "exit status 139"):
        assert text in cells


def test_the_notes_of_flags_are_on_the_page(monkeypatch):
    monkeypatch.setattr(
        report_document, "flag_notes", lambda: {"DisjointSupports": FlagNote("<i>log 0</i>", "no number")}
    )
    cells = Page(run_page(mixed())).within("td")
    assert "DisjointSupports: <i>log 0</i> Effect: no number" in cells


def test_a_hostile_run_is_harmless_on_the_page():
    text = run_page(hostile())
    page = Page(text)
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert text.encode("utf-8").decode() == text
    for char in "\x00\x07\x1b\u202e\ud800\ufffe":
        assert char not in text
    assert len(text) < 500_000
    assert "9" * 5000 not in text
    assert any("\\u202e" in cell for cell in page.within("td"))


def test_long_lists_are_bounded_and_say_so(monkeypatch):
    monkeypatch.setattr(report_document, "MOST_ON_PAGE", 5)
    page = Page(run_page(run(*(unsafe(f"u-{n}", ulps=None) for n in range(8)), *(exact(f"e-{n}") for n in range(9)))))
    assert page.tags.count("details") == 5
    assert page.within("p").count("The first 5 of 8; all are in the report as JSON.") == 2
    assert sum(text.startswith("u-") for text in page.within("td")) == 5 + 1  # the unsafe ones, and an example


def test_a_run_without_answers_has_a_page():
    page = Page(run_page(run(declaration=None, complete=False)))
    assert page.within("h1") == ["Conformance of an implementation that did not start"]
    assert "svg" not in page.tags


# Pictures


def drawn(made):
    """Return, for each operation, its panels: the name of the axis and the points by verdict."""
    import matplotlib.colors

    verdicts = {colour: verdict for verdict, colour in COLOURS.items()}
    assert len(verdicts) == len(Verdict)
    return {
        op: {
            axes.get_xlabel(): {
                verdicts[matplotlib.colors.to_hex(scatter.get_facecolors()[0])]: scatter.get_offsets().tolist()
                for scatter in axes.collections
                if len(scatter.get_offsets())
            }
            for axes in figure.axes
        }
        for op, figure, _ in error_pictures(made)
    }


def test_points_stand_where_their_numbers_are():
    made = run(
        exact("e", alpha="10"),
        result(case("w", alpha="100"), Verdict.WITHIN, 99),
        unsafe("u", -999, alpha="1/1000"),
        unsafe("endless", None, alpha="inf"),
        result(case("zero", alpha="0"), Verdict.CRASHED),
        result(case("far", alpha="1"), Verdict.WRONG, 10**400),
        findings=[finding(Verdict.WRONG, 10**6, alpha="1")],
    )
    panels = drawn(made)["loss"]
    assert list(panels) == ["α", "states n"]
    assert {verdict: [[float(f"{x:.6g}"), y] for x, y in points] for verdict, points in panels["α"].items()} == {
        Verdict.EXACT: [[10, 0]],
        Verdict.WITHIN: [[100, 99]],
        Verdict.UNSAFE: [[0.001, -999], [1000, -(10**7)]],  # ∞ is right of all finite levels, and below all distances
        Verdict.CRASHED: [[0.0001, 10**7]],
        Verdict.WRONG: [[1, 10**7], [1, 10**6]],
    }
    assert {x for points in panels["states n"].values() for x, _ in points} == {2}
    ((_, figure, _),) = error_pictures(made)
    labels = [
        [tick.get_text() for tick in axis.get_ticklabels()] for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis)
    ]
    assert {"0", "0.01", "10", "∞"} <= set(labels[0])
    assert {"−∞", "no distance", "0", "+1", "−100"} <= set(labels[1])


def test_for_budgets_above_is_the_unsafe_side():
    given = {"backward": PLAIN, "alpha": "1", "method": "upper-bound"}
    made = run(
        result(case("u", "allocate", given=given), Verdict.UNSAFE, None),
        result(case("w", "allocate", given=given), Verdict.WRONG, None),
        result(case("x", "allocate", given=given), Verdict.WITHIN, -9),
    )
    panels = drawn(made)["allocate"]
    heights = {verdict: points[0][1] for verdict, points in panels["α"].items()}
    assert heights == {Verdict.UNSAFE: 30 * 4096, Verdict.WRONG: -30 * 4096, Verdict.WITHIN: -9}
    assert "Above 0 is unsafe." in next(caption for _, _, caption in error_pictures(made))
    # Rows 1/2, 1/2 and 1/4, 3/4 are 1/4 apart: 3/4 from the identity.
    assert panels["distance to the boundary"][Verdict.WITHIN][0][0] == pytest.approx(0.75)


def test_operations_without_distances_are_not_drawn():
    made = run(
        result(case("z", "smooth", given={"n": 3, "s": "1"}), Verdict.EXACT, 0),
        result(case("c"), Verdict.CRASHED),
        result(case("r", "reverse", given={"forward": 3}), Verdict.WITHIN, 1),
    )
    assert drawn(made) == {}


def test_of_many_points_all_sorts_are_drawn():
    made = run(
        *(exact(f"e-{n}") for n in range(MOST_PASSING + 50)),
        *(result(case(f"w-{n}"), Verdict.WRONG, 5000) for n in range(MOST_FAILING + 50)),
        unsafe("u"),
    )
    numbers = {verdict: len(points) for verdict, points in drawn(made)["loss"]["α"].items()}
    assert numbers == {Verdict.EXACT: MOST_PASSING, Verdict.WRONG: MOST_FAILING, Verdict.UNSAFE: 1}


def test_rare_verdicts_are_wide_enough_to_be_seen():
    summary = summary_of(run(unsafe("u"), *(exact(f"e-{n}") for n in range(999))))
    (axes,) = verdict_picture(summary).axes
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [pytest.approx(0.03 / 1.029), pytest.approx(0.999 / 1.029)]
    assert [text.get_text() for text in axes.texts] == ["1", "999"]
    assert verdict_picture(summary_of(run())) is None
