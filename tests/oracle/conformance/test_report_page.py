"""The page of a run: well-formed, self-contained, complete, and its pictures true to the numbers."""

import math

import pytest

from tploracle.conformance.explain.groups import FlagNote
from tploracle.conformance.model import Verdict
from tploracle.conformance.report import document as report_document
from tploracle.conformance.report.document import run_page
from tploracle.conformance.report.pictures import COLOURS, MOST_FAILING, MOST_PASSING, error_pictures, verdict_picture
from tploracle.conformance.report.summary import summary_of
from tploracle.output.scales import LogScale, SignedScale

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
        "What is done wrong",
        "Failures without a known cause",
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
    """Return, for each operation, its panels: the name of the axis and the points by colour."""
    import matplotlib.colors

    found = {}
    for op, figure, _ in error_pictures(made):
        found[op] = {}
        for axes in figure.axes:
            points = {}
            for scatter in axes.collections:
                offsets = [tuple(point) for point in scatter.get_offsets().tolist()]
                if offsets and len(scatter.get_facecolors()):
                    colour = matplotlib.colors.to_hex(scatter.get_facecolors()[0])
                    points[next(v for v in Verdict if COLOURS[v] == colour)] = offsets
            found[op][axes.get_xlabel()] = points
    return found


def test_points_stand_where_their_numbers_are():
    made = run(
        exact("e", alpha="10"),
        result(case("w", alpha="100"), Verdict.WITHIN, 99),
        unsafe("u", -999, alpha="1/1000"),
        unsafe("endless", None, alpha="inf"),
        result(case("zero", alpha="0"), Verdict.CRASHED),
    )
    panels = drawn(made)["loss"]
    assert list(panels) == ["α", "states n"]
    points = panels["α"]
    assert points[Verdict.EXACT] == [(pytest.approx(1), pytest.approx(0))]
    assert points[Verdict.WITHIN] == [(pytest.approx(2), pytest.approx(2))]
    finite, endless = sorted(points[Verdict.UNSAFE])
    assert finite == (pytest.approx(-3), pytest.approx(-3))
    (crash,) = points[Verdict.CRASHED]
    assert crash[0] < -3  # at 0, left of all positive levels
    assert endless[0] > 2  # at ∞, right of all finite ones
    assert endless[1] < -3  # below everything that has a distance
    assert crash[1] > math.log10(3 * 4096)  # beyond the limit and everything that has a distance
    assert {x for points in panels["states n"].values() for x, _ in points} == {math.log10(2)}


def test_for_budgets_above_is_the_unsafe_side():
    given = {"backward": PLAIN, "alpha": "1", "method": "upper-bound"}
    made = run(
        result(case("u", "allocate", given=given), Verdict.UNSAFE, None),
        result(case("w", "allocate", given=given), Verdict.WRONG, None),
        result(case("x", "allocate", given=given), Verdict.WITHIN, -9),
    )
    panels = drawn(made)["allocate"]
    assert list(panels) == ["α", "states n", "distance to the boundary"]
    heights = {verdict: points[0][1] for verdict, points in panels["α"].items()}
    assert heights[Verdict.WITHIN] == pytest.approx(-1)
    assert heights[Verdict.UNSAFE] > 1
    assert heights[Verdict.WRONG] < -math.log10(3 * 4096)
    captions = [caption for _, _, caption in error_pictures(made)]
    assert "Above 0 is unsafe." in captions[0]
    # Rows 1/2, 1/2 and 1/4, 3/4 are 1/4 apart: 3/4 from the identity.
    assert panels["distance to the boundary"][Verdict.WITHIN][0][0] == pytest.approx(math.log10(0.75))


def test_findings_are_drawn_and_operations_without_distances_are_not():
    made = run(
        result(case("z", "smooth", given={"n": 3, "s": "1"}), Verdict.EXACT, 0),
        result(case("c"), Verdict.CRASHED),
        result(case("r", "reverse", given={"forward": 3}), Verdict.WITHIN, 1),
        findings=[finding(Verdict.UNSAFE, -9)],
    )
    panels = drawn(made)
    assert list(panels) == ["loss"]
    assert panels["loss"]["α"][Verdict.UNSAFE][0][1] == pytest.approx(-1)


def test_of_many_points_all_sorts_are_drawn():
    made = run(
        *(exact(f"e-{n}") for n in range(MOST_PASSING + 50)),
        *(result(case(f"w-{n}"), Verdict.WRONG, 5000) for n in range(MOST_FAILING + 50)),
        unsafe("u"),
    )
    points = drawn(made)["loss"]["α"]
    assert {verdict: len(places) for verdict, places in points.items()} == {
        Verdict.EXACT: MOST_PASSING,
        Verdict.WRONG: MOST_FAILING,
        Verdict.UNSAFE: 1,
    }


def test_rare_verdicts_are_wide_enough_to_be_seen():
    summary = summary_of(run(unsafe("u"), *(exact(f"e-{n}") for n in range(999))))
    (axes,) = verdict_picture(summary).axes
    unsafe_bar, exact_bar = axes.patches
    assert unsafe_bar.get_width() == pytest.approx(0.03 / (0.03 + 0.999))
    assert unsafe_bar.get_width() + exact_bar.get_width() == pytest.approx(1)
    assert [text.get_text() for text in axes.texts] == ["1", "999"]
    assert verdict_picture(summary_of(run())) is None


def test_colours_of_verdicts_are_distinct():
    assert len(set(COLOURS.values())) == len(Verdict)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([1, 1000], {"1", "10", "100", "1000"}),
        ([1, 50], {"1", "2", "5", "10", "20", "50"}),
        ([1, 6], {"1", "2", "5"}),
        ([2, 9], {"2", "3", "4", "5", "6", "7", "8", "9"}),
        ([0, 1e-12, 1e-3, math.inf], {"0", "∞", "$10^{-12}$", "$10^{-10}$", "$10^{-8}$", "$10^{-6}$", "$10^{-4}$"}),
        ([0.0, 1.0], {"0", "0.6", "0.7", "0.8", "0.9", "1"}),  # half to twice the one value
    ],
)
def test_ticks_of_a_scale_for_levels(values, ticks):
    scale = LogScale.of(values)
    found = scale.ticks()
    assert set(found.values()) == ticks
    low, high = scale.ends
    assert all(low < place < high for place in [*found, *map(scale.place, values)])


def test_a_scale_keeps_the_order_with_zero_and_infinity_at_the_ends():
    scale = LogScale.of([0, 1e-300, 1, 1e6, math.inf])
    places = [scale.place(value) for value in (0, 1e-300, 1, 1e6, math.inf)]
    assert places == sorted(places)
    assert len(set(places)) == 5


def test_a_scale_for_signed_numbers():
    assert SignedScale.place(0) == 0
    assert SignedScale.place(9) == pytest.approx(1)
    assert SignedScale.place(-99) == pytest.approx(-2)
    assert SignedScale.place(10**17) == pytest.approx(17)
    assert SignedScale.place(10**400) is None
    scale = SignedScale.of([-(10**6), 10**3, 10**400])
    assert (scale.low, scale.high) == (pytest.approx(-6, abs=1e-6), pytest.approx(3, abs=1e-3))
    assert scale.below < scale.low
    assert scale.above > scale.high
    assert set(SignedScale.of([-1, 9]).ticks().values()) == {"−1", "0", "+1"}
    assert set(scale.ticks().values()) == {"0", "+100", "−100", "−$10^{4}$", "−$10^{6}$"}
