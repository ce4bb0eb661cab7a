"""Sizes: what is asked across them, with truths that are those of the large inputs, and what is found by it."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest

from tploracle.conformance.ask.budget import budget_of
from tploracle.conformance.ask.cases import rewritten
from tploracle.conformance.ask.chains import BY_STRUCTURE
from tploracle.conformance.ask.covering import DoublingGrid, Strata, covering_rows
from tploracle.conformance.ask.draws import HOW_ASKED
from tploracle.conformance.ask.enlarged import SMALL_TOTAL, enlarged
from tploracle.conformance.ask.families import FAMILIES, SCHEDULES, row_of
from tploracle.conformance.ask.seeded import seeded_of_each, stepwise_cases
from tploracle.conformance.ask.sizes import AT_LIMITS, grid_of, sizes_cases
from tploracle.conformance.extents import (
    Extent,
    doubling,
    extent_of,
    extents_of,
    is_outside,
    releases_in,
    states_in,
)
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import TIERS, Case, Reply, Verdict
from tploracle.conformance.report.summary import CONFORMS, summary_of
from tploracle.conformance.structures import KNOWN, STEPS, dimensions_of, pairs_of, possible_pairs, structures_of
from tploracle.contract.operations import OPERATIONS, matrix_keys
from tploracle.reference import Level, OracleError
from tploracle.wire.numerals import hex_text
from tploracle.wire.protocol import FLOAT64, RATIONAL, Domain, NotAnImplementation, declaration_of
from tploracle.wire.requests import Session

from ...profiles import some
from .fakes import Fake, changed

MATRICES = ("matrix", "backward", "forward")

DEAR = (
    "leakage",
    "control",
    "supremum",
    "loss",
    "loss_function",
    "allocate",
    "composition",
    "worst_case_leakage",
    "worst_case_supremum",
    "leakage_profile",
    "smooth",
)
MARKS = {"worst_case_allocate": (), **dict.fromkeys(DEAR, pytest.mark.exhaustive)}  # which are asked like the others


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


def standard(op, count, seed=3, domain=None):
    return list(sizes_cases(seed, {"standard": {op: count}}, domain))


def moderate(op):
    """Cases of an operation that the oracle answers in a moment."""
    together = HOW_ASKED[op].together
    cases = [case for case in standard(op, 48 * together) if case.equivalent not in (None, case.input)]
    most = 40 if together == 1 else 7
    small = [case for case in cases if states_in(case.input) <= most and (releases_in(case.input) or 0) <= 24]
    of_both = [[case for case in small if (case.family == BY_STRUCTURE) == kind] for kind in (True, False)]
    return [case for own in of_both for case in own[:: max(len(own) // 3, 1)][:3]]


def bare(value):
    """Return a value without the rows and columns that attain it, which are others in a larger matrix."""
    for part in (value, *value.get("pieces", ())):
        for addition in ("rows", "subset"):
            part.pop(addition, None)
    return value


def answered(session, op, given):
    try:
        return bare(session.answer(op, given, 40, FLOAT64))
    except OracleError as error:
        return error.name


@pytest.mark.parametrize("op", some([op for op in HOW_ASKED if OPERATIONS[op].side], 2))
def test_the_truth_is_that_of_the_large_input(op):
    session, cases = Session(), moderate(op)
    assert len(cases) > 1
    for case in cases:
        assert answered(session, op, case.equivalent) == answered(session, op, case.input), case.id


@pytest.mark.parametrize("op", some(HOW_ASKED, 3))
def test_doubles_are_dyadic_and_written_as_everywhere(op):
    for case in standard(op, 16, seed=4):
        for given in (case.input, case.equivalent or {}):
            for key in (*MATRICES, "initial"):
                for row in [given.get(key, [])] if key == "initial" else given.get(key, ()):
                    entries = [float.fromhex(entry) for entry in row]
                    assert not row or sum(map(Fraction, entries)) == 1 == sum(entries) == sum(sorted(entries))
                    assert [hex_text(entry) for entry in entries] == row
            levels = [given[key] for key in ("alpha", "epsilon", "previous", "cap", "s") if key in given]
            for level in [*levels, *given.get("epsilons", [])]:
                assert level == "inf" or hex_text(float.fromhex(level)) == level


def test_each_tier_asks_all_of_the_one_before_and_goes_further():
    counts = {tier: {"loss": 30, "leakage": 30} for tier in TIERS}
    several = [list(sizes_cases(5, {tier: counts[tier] for tier in TIERS[: number + 1]})) for number in range(2)]
    assert {case.id for case in several[0]} < {case.id for case in several[1]}
    assert [case for case in several[1] if case.tier == "smoke"] == several[0]
    assert len({case.id for case in several[1]}) == len(several[1]) == 120
    for number, states, releases in ((0, 60, 130), (1, 300, 1_001)):
        extent = extent_of(several[number])
        assert (extent.states, extent.releases) == (states, releases)
    (largest,) = sizes_cases(5, {"full": {"loss": 1}})
    assert (states_in(largest.input), largest.tier) == (1_000, "full")


def test_the_same_seed_asks_the_same_and_what_is_not_wanted_is_not_drawn():
    counts = {"smoke": {"loss": 20, "composition": 20}}
    every = list(sizes_cases(1, counts))
    assert every == list(sizes_cases(1, counts)) != list(sizes_cases(2, counts))
    one = [case for case in every if case.id == "composition-sizes-1-17"]
    assert list(sizes_cases(1, counts, None, lambda op, name: name == one[0].id)) == one
    assert one == [case for case in sizes_cases(1, {"smoke": {"composition": 18}}) if case.id == one[0].id]


FLOORS = {
    "loss": {"states": (range(9), 30), "level": (range(-10, 6), 40)},
    "loss_function": {"states": (range(8), 30)},
    "leakage": {"states": (range(9), 30), "releases": (range(10), 25), "budget": (range(-10, 6), 30)},
    "supremum": {"states": (range(9), 30), "budget": (range(-10, 6), 40)},
    "composition": {
        "states": (range(9), 25),
        "releases": (range(10), 25),
        "start": (range(10), 10),
        "length": (range(10), 10),
        "budget": (range(-10, 6), 30),
    },
    "allocate": {"states": (range(8), 35), "horizon": (range(10), 30), "level": (range(-10, 6), 40)},
    "control": {"states": (range(9), 30), "level": (range(-10, 6), 40)},
    "smooth": {"states": (range(7), 30)},
    "reverse": {"states": (range(7), 30)},
    "estimate": {"states": (range(7), 30)},
    "worst_case_leakage": {"states": (range(8), 150), "releases": (range(7), 100), "budget": (range(-10, 6), 60)},
    "worst_case_supremum": {"states": (range(7), 200), "budget": (range(-10, 2), 100)},
    "worst_case_allocate": {"states": (range(7), 200), "horizon": (range(5), 250), "level": (range(-10, 4), 100)},
    "leakage_profile": {"states": (range(5), 200), "horizon": (range(4), 250), "budget": (range(-10, 4), 80)},
}
"""What the standard tier promises of its questions across sizes: doublings of each dimension, and questions in each."""


def can_be(one):
    """Whether an input can be of such doublings of its dimensions: not too large in all, its window within it."""
    steps = one.get("releases", one.get("horizon"))
    fewest, most = (1, 1001) if steps is None else (2**steps, min(2 ** (steps + 1) - 1, 1001))
    most = min(most, 2**20 // 4 ** one.get("states", 0))
    if "releases" in one or "start" in one or "length" in one:
        fewest = max(fewest, 2 ** one.get("start", 0) + 2 ** one.get("length", 0) - 1)
        if "budget" in one:
            most = min(most, max(24, 700 // 2 ** (one["budget"] + 1)))
    return fewest <= most


def has_tiny_entry(given):
    """Whether a chain, which is not that of two values that never change, has an entry below 2^-20."""
    return any(0 < float.fromhex(text) < 2**-20 for key in matrix_keys() for row in given.get(key, ()) for text in row)


@pytest.mark.parametrize(
    ("op", "seed"),
    [
        pytest.param(op, seed, marks=pytest.mark.exhaustive if seed else MARKS.get(op, pytest.mark.slow))
        for op, seed in (*((op, 0) for op in HOW_ASKED), ("smooth", 20261123), ("leakage_profile", 20261123))
    ],
)
def test_every_doubling_every_pair_of_doublings_and_every_structure_is_met(op, seed):
    """Of the questions that the standard tier asks where all operations are declared."""
    budget = budget_of("standard", OPERATIONS)
    sizes = standard(op, budget.sizes["standard"][op], seed)
    seeded = list(seeded_of_each(seed, {op: budget.seeded[op]}, (FLOAT64,)))
    found = [{name: doubling(value) for name, value in extents_of(case).items()} for case in (*sizes, *seeded)]
    for dimension, (doublings, least) in FLOORS[op].items():
        counts = Counter(each.get(dimension) for each in found)
        assert min(counts[one] for one in doublings) >= least, (dimension, counts)
    for (first, (own, _)), (second, (others, _)) in combinations(FLOORS[op].items(), 2):
        pairs = {(each.get(first), each.get(second)) for each in found[: len(sizes)]}
        due = [pair for pair in product(own, others) if can_be(dict(zip((first, second), pair, strict=True)))]
        assert len(due) > 0.5 * len(own) * len(others)
        assert not {*due} - pairs, (first, second)
    has_matrices = bool(OPERATIONS[op].matrices)
    assert {case.family for case in sizes} == set((*HOW_ASKED[op].families, BY_STRUCTURE) if has_matrices else [""])
    asked = [*sizes, *seeded, *stepwise_cases(seed, {op: budget.seeded[op]}, (FLOAT64,))]
    met = Counter[object]()
    for case in asked:
        own = [*structures_of(op, case.input)]
        met.update(pairs_of(own))
        doublings = (states_in(case.input) or 1).bit_length() - 1
        met.update({(doublings, value) for one in own for value in one.items()})
    assert not {pair: met[pair] for pair in possible_pairs(op) if met[pair] < 20}
    assert possible_pairs(op) >= {one for one in met if isinstance(one[0], tuple)}
    for name, values in dimensions_of(op).items():
        most = len(grid_of(op, "standard", Domain()).dimensions["states"])
        most = min(most, 6) if name in (STEPS, KNOWN) else most
        least = {(size, value): met[size, (name, value)] for size in range(2, most) for value in values}
        assert not {one: number for one, number in least.items() if number < (2 if op == "composition" else 3)}
    if HOW_ASKED[op].together > 1:  # the others have tiny entries from families
        assert sum(has_tiny_entry(case.equivalent) for case in sizes if case.equivalent is not None) >= 40
    elif has_matrices:
        assert {case.family for case in seeded} >= set(FAMILIES)
    if "epsilons" in sizes[0].input:
        assert {case.schedule for case in (*sizes, *seeded)} >= set(SCHEDULES)
    if FLOORS[op].keys() & {"level", "budget"} and HOW_ASKED[op].together == 1:
        counts = Counter(each.get("level", each.get("budget")) for each in found)
        assert min(counts[one] for one in range(-40, 10)) >= 3, "levels outside those that are promised in pairs"


@pytest.mark.parametrize("dense", [True, False])
def test_copies_of_a_state_are_all_reached_or_one_of_them_alone(dense):
    small = [row_of([1, 2, 3], SMALL_TOTAL), row_of([3, 2, 1], SMALL_TOTAL), row_of([1, 1, 1], SMALL_TOTAL)]
    for seed in range(5):
        reached = [any(column) for column in zip(*enlarged(Random(seed), small, 9, dense), strict=True)]
        assert sum(reached) == (9 if dense else 3)


@pytest.mark.parametrize("tier", ["standard", "full"])
@pytest.mark.parametrize("op", list(HOW_ASKED))
def test_there_are_questions_enough_for_every_row_that_covers(op, tier):
    truths = budget_of(tier, OPERATIONS).sizes[tier][op] // min(HOW_ASKED[op].together, 2)
    assert len(covering_rows(grid_of(op, tier, Domain()), f"tploracle sizes 0 {tier} {op}")) <= truths - AT_LIMITS


def test_the_pieces_that_are_told_are_those_that_there_are():
    seeded = seeded_of_each(3, {"loss_function": 300}, (FLOAT64,))
    told = [case for case in (*standard("loss_function", 750), *seeded) if case.pieces is not None]
    told = sorted(told, key=lambda case: case.pieces)[::-4]
    assert told[0].pieces > 40
    for case in told:
        assert len(Session().answer(case.op, case.equivalent or case.input, 17, FLOAT64)["pieces"]) == case.pieces


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_cover_meet_every_pair_that_can_be_and_are_few(seed):
    random = Random(seed)
    for _ in range(4):
        grid = DoublingGrid(
            random.randrange(1, 400),
            random.choice((0, 1, random.randrange(2, 2_000))),
            levels=random.choice((None, (-4, 6))),
            is_spent=random.random() < 0.5,
        )
        grid = replace(grid, has_window=grid.releases > 0 and random.random() < 0.5)
        rows = covering_rows(grid, str(seed))
        names = list(grid.dimensions)
        assert all(grid.fits(row) and list(row) == names for row in rows)
        met = {pair for row in rows for pair in combinations(row.items(), 2)}
        assert met == {pair for two in combinations(names, 2) for pair in grid.combinations(two)}
        sizes = sorted(map(len, grid.dimensions.values()))
        assert len(rows) <= 2 * sizes[-1] * (sizes[-2] if len(sizes) > 1 else 1)


def test_the_parts_of_a_dimension_and_of_two_are_met_evenly():
    strata = Strata("x")
    for parts in (7, 50, 100):
        met = Counter(strata.part("states", k, parts)[0] for k in range(1_000))
        assert max(abs(met[part] - 1_000 / parts) for part in range(parts)) <= 6
    both = Counter((strata.part("states", k, 10)[0], strata.part("level", k, 10)[0]) for k in range(1_000))
    assert len(both) == 100
    counts = [strata.count("releases", k, 3, 300) for k in range(2_000)]
    assert (min(counts), max(counts)) == (3, 300)
    assert [strata.count("start", k, 5, 5) for k in range(9)] == [5] * 9
    doubles = [strata.double("level", k, -3, 2) for k in range(500)]
    assert 2**-3 <= min(doubles) < 2**-2.9
    assert 2**1.9 < max(doubles) < 2**2
    assert Counter(strata.one_of("family", k, "abc") for k in range(300)).keys() == set("abc")


def test_an_implementation_that_takes_rationals_is_asked_the_same_exactly():
    for case in moderate("loss"):
        exact = rewritten(case, RATIONAL)
        right = bare(Session().answer(case.op, exact.equivalent, 40, RATIONAL))
        assert answered(Session(), case.op, case.equivalent) == right


@pytest.mark.parametrize("op", ["loss", pytest.param("leakage", marks=pytest.mark.slow)])
def test_a_fault_beyond_any_size_is_unsafe_in_the_standard_tier(op):
    """Whatever the size beyond which every level is halved: each case beyond whose levels are not 0 or ∞ shows it."""
    judge, session, shown = Judge(), Session(), 0
    for case in standard(op, 60, seed=6):
        if case.equivalent is not None and (releases_in(case.input) or 0) <= 100:
            value = session.answer(op, case.equivalent, 17, FLOAT64)
            levels = value["tpl"] if op == "leakage" else [value]
            if any(level["upper"] not in ("0", "inf") for level in levels):
                halved = changed(value, lambda level: _halved(level["upper"]))
                assert judge.judge(case, Reply({"value": halved})).verdict is Verdict.UNSAFE, case.id
                shown += 1
    assert shown > 10


def _halved(upper):
    return "inf" if upper == "inf" else hex_text(float(upper) / 2)


def test_nothing_is_asked_beyond_a_declared_domain(run_of):
    run = run_of(Small())
    summary = summary_of(run)
    assert summary.status == CONFORMS
    assert run.outside > 3
    extent = extent_of([result.case for result in run.results])
    assert (extent.states, extent.releases) == (50, 60)
    assert extent.level <= 5
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
