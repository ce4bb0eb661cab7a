"""What a run comes to: status, headline, counts, groups of failures, and lines that reproduce them."""

import json
import shlex

import pytest

from tploracle.conformance.explain import groups as groups_module
from tploracle.conformance.explain.groups import ANY, Explanation, FlagNote, flag_notes, notes_in
from tploracle.conformance.model import Run, Verdict
from tploracle.conformance.report.density import share_that_passes
from tploracle.conformance.report.summary import CONFORMS, FAILS, NOTHING_JUDGED, summary_of
from tploracle.conformance.report.texts import deviation, line_for, request_text, shown_line_for
from tploracle.contract.errors import UNDECIDED
from tploracle.wire.protocol import FLOAT64, RATIONAL, Declaration, Domain
from tploracle.wire.strict_json import Numeral, decode

from .made_runs import PLAIN, ZEROS, case, exact, finding, mixed, result, run, unsafe

SKIPPED = result(case("loss-left-out"), Verdict.SKIPPED)
OPEN = result(case("loss-open"), Verdict.UNDECIDED)
MISMATCH = result(case("b"), Verdict.ERROR_MISMATCH)
UNDECIDED_FINDING = finding(Verdict.UNDECIDED, None)
UNSTARTED = {"declaration": None, "complete": False}


def below(name, ulps=-100, **more):
    """Return a failure that is more than rounding to nearest."""
    return unsafe(name, ulps, **more)


@pytest.fixture
def flags(tmp_path, monkeypatch):
    """Return a function that writes vectors/flags.json."""
    flag_notes.cache_clear()
    monkeypatch.setattr(groups_module, "data_folder", lambda: tmp_path)
    yield (tmp_path / "flags.json").write_text
    flag_notes.cache_clear()


A, B = exact("a"), exact("b")
NOT_YET = "Undecided: of {} none fails, but "
OPEN_ONE = "the oracle could not decide 1 answer."


def later(number):
    """Return so many questions that were skipped where a value is expected."""
    return [result(case(f"s{n}", "supremum"), Verdict.UNANSWERED) for n in range(number)]


def within(name, ulps):
    return result(case(name), Verdict.WITHIN, ulps)


@pytest.mark.parametrize(
    ("results", "more", "status", "headline"),
    [
        ([A, B], {}, CONFORMS, "Conforms: 2 answers judged, all exact."),
        (
            [A, within("b", -3), within("c", 1), SKIPPED],
            {"searched": {"loss": 1500}},
            CONFORMS,
            ("Conforms: 3 answers judged, 1 exact, 2 within 3 ulps, 1,500 more in the search, 1 skipped."),
        ),
        (
            [within("a", 4096), within("b", 4097)],
            {},
            CONFORMS,
            (
                "Conforms: 2 answers judged, 0 exact, 1 within 4,096 ulps, "
                "1 right for levels within 4,096 ulps of those asked."
            ),
        ),
        (
            [A, result(case("b"), Verdict.UNSAFE, -1, "known")],
            {},
            CONFORMS,
            "Conforms but for 1 expected failure, which is unsafe: 2 answers judged, 1 exact.",
        ),
        ([A, unsafe("b")], {}, FAILS, "Does not conform: 1 of 2 answers is unsafe."),
        (
            [unsafe(f"u{n}") for n in range(3)]
            + [exact(f"e{n}") for n in range(5207)]
            + [result(case("w"), Verdict.WRONG, 9), result(case("c"), Verdict.CRASHED), OPEN]
            + [result(case("t"), Verdict.TIMED_OUT)] * 2,
            {},
            FAILS,
            "Does not conform: 3 of 5,214 answers are unsafe, 1 wrong, 1 crash, 2 timeouts.",
        ),
        ([A, MISMATCH], {}, FAILS, "Does not conform: 1 of 2 answers is an error mismatch."),
        (
            [A],
            {"findings": [finding(), finding(Verdict.WRONG)]},
            FAILS,
            "Does not conform: the search found 2 kinds of failure, 1 of them unsafe.",
        ),
        (
            [result(case(f"fixed-{n}"), Verdict.EXACT, None, "known") for n in range(7)],
            {},
            FAILS,
            "Does not conform: 7 expected failures passed: fixed-0, fixed-1, fixed-2, fixed-3, fixed-4 and 2 more.",
        ),
        ([A, OPEN], {}, UNDECIDED, NOT_YET.format("1 judged answer") + OPEN_ONE),
        ([A], {"findings": [UNDECIDED_FINDING]}, UNDECIDED, NOT_YET.format("1 judged answer") + OPEN_ONE),
        (
            [A, B],
            {"complete": False},
            UNDECIDED,
            NOT_YET.format("2 judged answers") + "the run did not finish.",
        ),
        ([SKIPPED], {}, NOTHING_JUDGED, "Nothing was judged: 1 case was skipped."),
        ([], {}, NOTHING_JUDGED, "Nothing was judged: no case was asked."),
        ([], UNSTARTED, NOTHING_JUDGED, "Nothing was judged: the implementation did not start."),
        ([OPEN], {}, UNDECIDED, NOT_YET.format("0 judged answers") + OPEN_ONE),
        ([], {"searched": {"loss": 9}}, CONFORMS, "Conforms: 0 answers judged, 0 exact, 9 more in the search."),
        ([result(case("a"), Verdict.SKIPPED, None, "known")], {}, NOTHING_JUDGED, None),
    ],
)
def test_status_and_headline(results, more, status, headline):
    summary = summary_of(run(*results, **more))
    assert (CONFORMS, FAILS, NOTHING_JUDGED, UNDECIDED) == (0, 1, 2, 3)  # the contract's
    assert summary.status == status
    assert headline is None or summary.headline == headline


@pytest.mark.parametrize(
    ("results", "silent"),
    [
        ([A, result(case("s", "supremum"), Verdict.SKIPPED)], ("supremum (1 question skipped)",)),
        (
            [A, *[result(case(f"s{n}", "supremum"), Verdict.UNANSWERED) for n in range(43)]],
            ("supremum (43 questions skipped)",),
        ),
        ([A, result(case("s", "supremum"), Verdict.UNANSWERED), exact("e", op="supremum")], ()),
        ([A, result(case("s", "supremum"), Verdict.UNDECIDED)], ()),
        ([A, result(case("s", "privacy"), Verdict.SKIPPED)], ()),
    ],
)
def test_an_operation_of_which_nothing_is_judged_fails_by_its_name(results, silent):
    summary = summary_of(run(*results))
    assert summary.silent == silent
    if silent:
        assert summary.status == FAILS
        assert f"no answer was judged of {silent[0]}" in summary.headline


def test_a_share_of_mistakes_passes_one_time_in_a_hundred():
    for answers in (1, 2, 43, 5_000):
        assert (1 - share_that_passes(answers)) ** answers == pytest.approx(0.01)
    (loss,) = summary_of(run(*(exact(f"e{n}", alpha=f"{n % 40}") for n in range(43)))).densities
    assert (loss.answers, loss.truths, loss.share) == (43, 40, share_that_passes(40))


def test_gaps_between_and_above_what_was_asked_are_told():
    def of(n):
        return exact(f"n{n}", matrix=[["1/2", "1/2"] + ["0"] * (n - 2)] * n)

    (loss,) = summary_of(run(*map(of, (2, 3, 17, 150)))).densities
    assert list(loss.not_asked()) == ["4 to 15 states", "32 to 127 states", "more than 150 states"]
    assert "2 to 150 states (in 3 of 7 doublings)" in str(loss)
    declared = Declaration("mine", "1", ("loss",), (RATIONAL,), Domain(states=150))
    (loss,) = summary_of(run(of(2), of(150), declaration=declared)).densities
    assert list(loss.not_asked()) == ["4 to 127 states"]


def test_tallies_count_expected_failures_apart():
    summary = summary_of(mixed())
    loss, supremum = summary.tallies
    assert (loss.op, supremum.op) == ("loss", "supremum")
    assert loss.verdicts == {verdict: 2 if verdict is Verdict.EXACT else 1 for verdict in Verdict}
    assert loss.expected == 1
    assert [r.case.id for r in summary.expected] == ["loss-known"]
    assert [r.case.id for r in summary.unexpected] == ["loss-fixed"]
    assert [r.case.id for r in summary.undecided] == ["loss-open"]
    assert [r.case.id for r in summary.skipped] == ["loss-left-out"]


def test_operations_stand_in_the_contracts_order():
    ops = ["privacy", "estimate", "loss", "", "supremum"]
    summary = summary_of(run(*(exact(f"{op}-x", op=op) for op in ops)))
    assert [tally.op for tally in summary.tallies] == ["loss", "supremum", "estimate", "wire"]


def test_unsafe_answers_stand_alone_however_small_and_with_those_of_the_search():
    summary = summary_of(
        run(
            result(case("big"), Verdict.WRONG, 10**9),
            unsafe("small", -1),
            unsafe("endless", None),
            unsafe("large", -500),
            result(case("accepted"), Verdict.UNSAFE, -9, "known"),
            findings=[finding(Verdict.UNSAFE, -2)],
        )
    )
    assert [r.case.id for r in summary.unsafe] == ["endless", "large", "loss-search-unsafe", "small"]
    assert [r.case.id for r in summary.failing] == ["endless", "large", "big", "small"]


def test_the_worst_within_is_the_farthest_on_either_side():
    summary = summary_of(
        run(
            result(case("near"), Verdict.WITHIN, 4),
            result(case("far"), Verdict.WITHIN, -40),
            result(case("wrong"), Verdict.WRONG, 4000),
            exact("other", op="smooth"),
        )
    )
    assert {op: r.case.id for op, r in summary.worst.items()} == {"loss": "far"}


def test_a_group_is_the_kind_of_input_that_tells_failures_from_what_passes():
    failing = [below(f"zeros-{n}", -100 * n, matrix=ZEROS, alpha=str(36 + n)) for n in range(1, 6)]
    passing = [exact(f"plain-{n}", alpha=str(36 + n)) for n in range(1, 20)]
    passing += [exact("low", matrix=ZEROS, alpha="36")]
    (group,) = Explanation(failing, passing).groups()
    assert (group.kind, len(group.members), group.asked) == ("zeros", 5, 6)
    assert group.worst.case.id == "zeros-5"
    assert deviation(group.worst.judgement) == "500 ulps below"
    assert group.since == "since α = 37"
    assert group.smallest_n == 2
    assert group.example.case.id == "zeros-1"
    assert group.meaning == "an entry of 0"


def test_when_everything_fails_no_kind_is_blamed():
    (group,) = Explanation([below("a", matrix=ZEROS), below("b", matrix=ZEROS)], []).groups()
    assert (group.kind, group.since, group.meaning) == (ANY, "", "")


def test_a_kind_that_mostly_passes_is_not_blamed_for_a_part_of_the_failures():
    failing = [below("zeros", matrix=ZEROS), *(below(f"plain-{n}") for n in range(3))]
    passing = [exact(f"zero-{n}", matrix=ZEROS) for n in range(2)] + [exact(f"p-{n}") for n in range(50)]
    assert [group.kind for group in Explanation(failing, passing).groups()] == [ANY]


def test_groups_hold_each_failure_once_and_verdicts_apart():
    summary = summary_of(
        run(
            *(below(f"zeros-{n}", matrix=ZEROS) for n in range(6)),
            *(below(f"past-{n}", alpha="800") for n in range(4)),
            *(result(case(f"wrong-{n}", alpha="1e-9"), Verdict.WRONG, 10**6) for n in range(3)),
            *(exact(f"fine-{n}") for n in range(50)),
        )
    )
    assert [(g.op, g.verdict, g.kind, len(g.members)) for g in summary.groups] == [
        ("loss", Verdict.UNSAFE, "zeros", 6),
        ("loss", Verdict.UNSAFE, "level past exp", 4),
        ("loss", Verdict.WRONG, "tiny level", 3),
    ]
    grouped = [r.case.id for group in summary.groups for r in group.members]
    assert sorted(grouped) == sorted(r.case.id for r in summary.failing)


@pytest.mark.parametrize(
    ("failing", "passing", "expected"),
    [
        (["30", "20.5", "25"], ["1", "20"], "since α = 20.5"),
        (["40", "36.7", "50"], ["1", "36"], "since α = 36.7"),
        (["800", "1e6"], ["1", "inf"], "α from 800 to 1e+06"),
        (["0.001", "0.01"], ["1", "36"], "up to α = 0.01"),
        (["2", "3"], ["1", "4"], "α from 2 to 3"),
        (["2", "2"], ["1", "3"], "at α = 2"),
        (["1", "3"], ["1", "2", "3"], ""),
        (["inf"], ["1"], "since α = ∞"),
    ],
)
def test_since_when(failing, passing, expected):
    failures = [below(f"f{n}", alpha=alpha) for n, alpha in enumerate(failing)]
    passes = [exact(f"p{n}", alpha=alpha) for n, alpha in enumerate(passing)]
    assert [group.since for group in Explanation(failures, passes).groups()] == [expected]


def test_levels_are_compared_among_inputs_of_the_kind():
    failing = [below(f"f{n}", matrix=ZEROS, alpha=str(n)) for n in (2, 3, 4)]
    passing = [exact("p", matrix=PLAIN, alpha="1")]
    (group,) = Explanation(failing, passing).groups()
    assert (group.kind, group.since) == ("zeros", "")


def test_budgets_are_called_epsilon_where_the_input_is_one():
    failing = [below("f", op="supremum", given={"matrix": PLAIN, "epsilon": "5"})]
    passing = [exact("p", op="supremum", given={"matrix": PLAIN, "epsilon": "1"})]
    assert Explanation(failing, passing).groups()[0].since == "since ε = 5"


def test_flags_are_preferred_and_carry_their_notes(flags):
    flags(json.dumps({"format": 1, "flags": {"DivisionByZero": {"bug": "divides by d", "effect": "a crash"}}}))
    failing = [below("a", matrix=ZEROS, flags=("DivisionByZero",)), below("b", matrix=ZEROS, flags=("Unheard",))]
    (first,) = Explanation(failing[:1], [exact("c")]).groups()
    assert (first.kind, first.meaning, first.effect) == ("division by zero", "divides by d", "a crash")
    (second,) = Explanation(failing[1:], [exact("c")]).groups()
    assert (second.kind, second.meaning, second.effect) == ("unheard", "", "")


@pytest.mark.parametrize("text", [None, "", "[", "[]", '{"flags": 3}', '{"flags": {"A": {"bug": 1}}}'])
def test_missing_or_foreign_flag_notes_are_none(flags, text):
    if text is not None:
        flags(text)
    assert flag_notes() == {}


def test_flag_notes_keep_what_is_one():
    document = {"flags": {"A": {"bug": "b", "effect": "e"}, "B": {"bug": "b"}}}
    assert notes_in(document) == {"A": FlagNote("b", "e")}


@pytest.mark.parametrize(
    ("ulps", "verdict", "expected"),
    [
        (-1, Verdict.UNSAFE, "1 ulp below"),
        (1234, Verdict.WRONG, "1,234 ulps above"),
        (0, Verdict.EXACT, "0 ulps"),
        (None, Verdict.UNSAFE, "infinitely far"),
        (None, Verdict.CRASHED, ""),
        (-(25 * 10**400), Verdict.UNSAFE, "2.5e+401 ulps below"),
    ],
)
def test_deviations(ulps, verdict, expected):
    assert deviation(result(case("a"), verdict, ulps).judgement) == expected


def test_cases_with_a_name_are_asked_for_by_it():
    assert line_for(run(), case("loss-a")) == "tploracle conform -k loss-a -- ./mine --fast"
    assert line_for(run(), case("loss-a", tier="full")) == "tploracle conform -k loss-a --tier full -- ./mine --fast"
    assert line_for(run(), case("loss-seeded-17-4", source="seeded")) == (
        "tploracle conform -k loss-seeded-17-4 --seed 17 -- ./mine --fast"
    )


def test_other_cases_are_written_out_and_quoted_for_the_shell():
    asked = case("x", op="it's", matrix=[["$(id)", "`a`"]], numbers=FLOAT64, source="search", digits=40)
    words = shlex.split(line_for(run(), asked))
    assert words[:3] == ["tploracle", "conform", "--request"]
    assert words[4:] == ["--", "./mine", "--fast"]
    assert json.loads(words[3]) == {
        "op": "it's",
        "input": {"matrix": [["$(id)", "`a`"]], "alpha": "1"},
        "numbers": "float64",
        "want": {"digits": 40},
    }


def test_a_run_knows_its_tier_and_its_limits():
    other = Run("-- ./mine", "full", 3, 16)
    assert line_for(other, case("loss-seeded-3-9", source="seeded")) == (
        "tploracle conform -k loss-seeded-3-9 --seed 3 --tier full --ulps 16 -- ./mine"
    )
    many = Run("--python m:o", "smoke", 3, 4096, questions=70)
    assert line_for(many, case("loss-sizes-3-1009", source="sizes")) == (
        "tploracle conform -k loss-sizes-3-1009 --seed 3 --tier smoke --questions 70 --python m:o"
    )


def test_numbers_that_json_should_not_have_are_asked_as_they_were():
    asked = case("x", given={"matrix": [[Numeral("0.50"), True, None, 3]], "é\x1b": "\ud800"})
    text = request_text(asked)
    assert text.isascii()
    assert text.isprintable()
    assert decode(text) == {"op": "loss", "input": {"matrix": [[Numeral("0.50"), True, None, 3]], "é\x1b": "\ud800"}}


def test_lines_that_are_too_long_to_show_are_not_cut():
    asked = case("x", given={"matrix": "1" * 5000}, source="search")
    assert shown_line_for(run(), asked, 6000) == line_for(run(), asked)
    assert shown_line_for(run(), asked, 5000).startswith("a line of 5,0")


def test_inputs_that_pass_are_not_read_where_nothing_fails(monkeypatch):
    def unread(case):
        raise AssertionError(case.id)

    monkeypatch.setattr("tploracle.conformance.explain.groups.features_of", unread)
    assert summary_of(run(exact("a"), exact("b"))).status == CONFORMS
