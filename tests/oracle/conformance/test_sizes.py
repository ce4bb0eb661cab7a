"""Sizes: what is asked across them, with truths that are those of the large inputs, and what is found by it."""

from fractions import Fraction

import pytest

from tploracle.conformance.ask.cases import rewritten
from tploracle.conformance.ask.sizes import ABOUT_STATES, RELEASES, STATES, sizes_cases
from tploracle.conformance.extents import Extent, extent_of, is_outside, releases_in, states_in
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import TIERS, Case, Verdict
from tploracle.conformance.report.summary import CONFORMS, summary_of
from tploracle.reference import Level
from tploracle.wire.numerals import hex_text
from tploracle.wire.protocol import FLOAT64, RATIONAL, Domain, NotAnImplementation, declaration_of
from tploracle.wire.requests import Session

from .fakes import Fake, changed

MATRICES = ("matrix", "backward", "forward")


class Small(Fake):
    """Is made for 50 states, 60 releases and levels up to 5, and wrong beyond."""

    operations = ("loss", "leakage")
    domain = Domain(50, 60, Level.of(5))

    def start(self):
        said = super().start()
        return type(said)(said.name, said.version, said.operations, said.numbers, self.domain)

    def value(self, request):
        if is_outside(Case("", request["op"], request.get("numbers", RATIONAL), request["input"]), self.domain):
            raise AssertionError("asked beyond its domain")
        return self.truth(request)


def moderate(tier="standard"):
    """The cases that the oracle works out by itself in a moment, a fifth of them."""
    cases = [case for case in sizes_cases(3, tier) if case.equivalent is not None and states_in(case.input) <= 65]
    return [case for case in cases if (releases_in(case.input) or 0) <= (51 if "tight" in case.op else 130)][::5]


@pytest.mark.slow  # where the truth is another, what conforms is said not to, in `test_lenient`
def test_the_truth_is_that_of_the_large_input():
    session, cases = Session(), moderate()
    for case in cases:
        small, large = (session.answer(case.op, given, 40, FLOAT64) for given in (case.equivalent, case.input))
        for value in (small, large):
            for part in (value, *value.get("pieces", ())):
                for addition in ("rows", "subset"):
                    part.pop(addition, None)
        assert small == large, case.id
    assert {case.op for case in cases} > {"loss", "leakage", "supremum", "composition", "allocate"}


def test_doubles_are_dyadic_and_written_as_everywhere():
    for case in sizes_cases(4, "smoke"):
        for given in (case.input, case.equivalent or {}):
            for key in MATRICES:
                for row in given.get(key, ()):
                    entries = [float.fromhex(entry) for entry in row]
                    assert sum(map(Fraction, entries)) == 1 == sum(entries) == sum(sorted(entries))
                    assert [hex_text(entry) for entry in entries] == row


def test_each_tier_asks_all_of_the_one_before_across_its_sizes():
    smoke, standard = (list(sizes_cases(5, tier)) for tier in TIERS[:2])
    ids = [case.id for case in standard]
    assert len(set(ids)) == len(ids)
    assert {case.id for case in smoke} < set(ids)
    assert [case for case in standard if case.tier == "smoke"] == smoke
    assert {states_in(case.input) for case in standard if case.op == "loss"} == {*STATES["smoke"], *STATES["standard"]}
    assert {releases_in(case.input) for case in standard if case.op == "leakage"} >= {*RELEASES["standard"]}
    assert {case.op for case in smoke} == set(ABOUT_STATES)
    extent = extent_of(standard)
    assert (extent.states, extent.releases) == (300, 1_001)
    assert max(STATES["full"]) == 1_000
    assert max(RELEASES["full"]) == 10_000


def test_the_same_seed_asks_the_same():
    assert list(sizes_cases(1, "smoke")) == list(sizes_cases(1, "smoke")) != list(sizes_cases(2, "smoke"))


def test_an_implementation_that_takes_rationals_is_asked_the_same_exactly():
    for case in moderate("smoke"):
        exact = rewritten(case, RATIONAL)
        assert Session().answer(case.op, exact.equivalent, 20, RATIONAL) == Session().answer(
            case.op, case.equivalent, 20, FLOAT64
        )


@pytest.mark.parametrize("op", ["loss", pytest.param("leakage", marks=pytest.mark.slow)])
def test_a_fault_beyond_any_size_is_unsafe_in_the_standard_tier(op):
    """Whatever the size beyond which every level is halved: each case beyond has a level that is not 0."""
    judge = Judge()
    for case in sizes_cases(6, "standard"):
        if case.op == op and case.equivalent is not None and (releases_in(case.input) or 0) <= 300:
            asked = Case(case.id, case.op, case.numbers, case.equivalent)
            reply = Fake().ask(asked.request(1))
            halved = changed(reply.answer["value"], lambda level: hex_text(float(level["lower"]) / 2))
            reply.answer["value"] = halved
            assert judge.judge(case, reply).verdict is Verdict.UNSAFE, case.id


def test_nothing_is_asked_beyond_a_declared_domain(run_of):
    run = run_of(Small())
    summary = summary_of(run)
    assert summary.status == CONFORMS
    assert run.outside > 5
    assert (summary.extent.states, summary.extent.releases) == (50, 60)
    assert summary.extent.level <= 5
    assert summary.headline.startswith("Conforms up to 50 states, 60 releases, level ")
    assert f"{run.outside:,} outside the declared domain" in summary.headline
    assert max(states_in(result.case.input) or 0 for result in run.results) == 50


def test_the_extent_leaves_out_what_the_contract_does_not_admit():
    cases = [
        Case("1", "loss", RATIONAL, {"matrix": [["1"]] * 1001, "alpha": "1e9"}),
        Case("2", "allocate", RATIONAL, {"backward": [["1"]], "alpha": "inf", "horizon": 10_001}),
        Case("3", "leakage", RATIONAL, {"epsilons": ["-1", "2e9", "x"]}),
        Case("4", "conjure", RATIONAL, {"epsilons": ["1"] * 9}),
    ]
    assert extent_of(cases) == Extent(1, 3, 1e9)
    assert str(Extent(300, 1001, 1e9)) == "300 states, 1,001 releases, level 1e9"
    assert str(Extent(None, 1, None)) == "1 release"
    assert str(Extent()) == ""


def declared(domain):
    said = {"name": "n", "version": "1", "operations": ["loss"], "numbers": ["float64"], "domain": domain}
    return declaration_of(said).domain


def test_a_domain_is_read_as_it_is_declared():
    assert declared({}) == Domain()
    assert declared({"states": 50, "releases": 400, "level": "700"}) == Domain(50, 400, Level.of(700))
    assert declared({"level": 30}) == Domain(level=Level.of(30))
    assert declared({"level": "1/2"}).written() == {"level": "1/2"}
    assert str(Domain(1, 400, Level.of(700))) == "1 state, 400 releases, level 700"


@pytest.mark.parametrize(
    ("domain", "why"),
    [
        (50, "domain is a JSON number, not an object"),
        ({"state": 50}, "'state'"),
        ({"states": 0}, "states is at least 1, not 0"),
        ({"releases": "400"}, "releases"),
        ({"level": "seven"}, "level"),
        ({"level": "-1"}, "level"),
        ({"level": None}, "level"),
    ],
)
def test_a_domain_that_is_none_is_refused_with_what_is_wrong(domain, why):
    with pytest.raises(NotAnImplementation, match=why):
        declared(domain)
