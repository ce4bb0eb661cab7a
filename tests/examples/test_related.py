"""docs/related.md is what examples/related.py writes, and what it says is so by other computations."""

import math
import tomllib
from fractions import Fraction
from itertools import pairwise, permutations, product

import pytest

import related
from tploracle.reference import Level, TransitionMatrix, stationary
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.linear_programs.profiles import profile_by_program

# What it does to the shape of an array NumPy is about to give up.
pytestmark = pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning:hmmlearn")

TWO, THREE = related.CHAINS


def level(found):
    return Level.of_ratio(found) if isinstance(found, Fraction) else found


@pytest.mark.slow
def test_the_page_is_what_the_program_writes():
    assert related.PAGE.read_text(encoding="utf-8") == related.page(), "run `python examples/related.py`"


def test_the_list_of_what_others_have_done_is_on_both_pages():
    """And a work whose text nobody read is said to be unread; what is called new stands behind what was read."""
    works = tomllib.loads(related.WORKS.read_text(encoding="utf-8"))["work"]
    assert related.PROFILE.read_text(encoding="utf-8") == related.profile_page(), "run `python examples/related.py`"
    text = " ".join(related.PAGE.read_text(encoding="utf-8").split())
    assert " ".join(related.others("related").split()) in text
    for work in works:
        assert work["read"]
        assert work["pages"]
        assert set(work["pages"]) <= {"related", "profile"}
    for path in related.DOCS.glob("*.md"):
        for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
            if "to our knowledge" in paragraph.lower():
                assert "read" in paragraph, path.name


def quilted_by_paths(chain, horizon):
    """The same bound, the influence of each quilt from the joint distribution of all values."""
    start, n = stationary(chain.forward), chain.forward.n
    joint = {}
    for path in product(range(n), repeat=horizon):
        weight = start[path[0]]
        for before, after in pairwise(path):
            weight *= chain.forward.rows[before][after]
        joint[path] = weight
    worst = Fraction(1)
    for time in range(horizon):
        bounds = []
        for left, right in product([None, *range(time)], [None, *range(time + 1, horizon)]):
            ends = [end for end in (left, right) if end is not None]
            told = [{} for _ in range(n)]
            for path, weight in joint.items():
                own, key = told[path[time]], tuple(path[end] for end in ends)
                own[key] = own.get(key, 0) + weight
            given = [{key: w / sum(own.values()) for key, w in own.items()} for own in told]
            if any(p and not other[key] for one, other in permutations(given, 2) for key, p in one.items()):
                continue
            influence = max(p / other[key] for one, other in permutations(given, 2) for key, p in one.items() if p)
            within = (horizon if right is None else right) - (-1 if left is None else left) - 1
            bounds.append(influence * chain.ratio**within)
        worst = max(worst, min(bounds))
    return worst


@pytest.mark.parametrize(("chain", "horizon"), [(TWO, 5), (THREE, 5)])
@pytest.mark.parametrize("ratio", [Fraction(11, 10), Fraction(3)])
def test_the_best_quilt_is_that_of_all_paths(chain, horizon, ratio):
    own = related.Chain(chain.name, chain.forward, ratio)
    assert related.quilted(own, horizon) == quilted_by_paths(own, horizon)


@pytest.mark.parametrize("chain", related.CHAINS)
def test_no_bound_is_below_the_worst_and_the_worst_not_below_one_release(chain):
    for horizon in (1, 2, 5, None):
        worst = level(related.worst_case(chain, horizon))
        assert level(related.alone(chain, horizon)) <= worst
        for bound in (related.paper_bound, related.quilted, related.grouped, related.by_entries):
            found = bound(chain, horizon)
            assert found is None or worst <= level(found)


def test_beside_the_profile():
    """The exact worst case is the program over all tests; contraction is above it, group privacy by its closed form."""
    phi = TradeOff.approximate(THREE.ratio)
    odds, rows = 1 + related.BEYOND.excess_bounds()[0], THREE.forward.rows
    programs = [profile_by_program([phi] * 3, odds, pair, [rows] * 2) for pair in permutations(range(3), 2)]
    assert abs(max(programs) - related.profile_exactly(THREE, 2)) < Fraction(1, 10**15)
    for past in related.PAST:
        exact, bound, group = (method(THREE, past) for method in related.AT_A_DELTA.values())
        assert exact < bound < group
    together = THREE.ratio**2  # two releases of ε are 2ε-private, whose δ is (e^2ε − e^α)/(1 + e^2ε)
    assert related.grouped_tests(THREE, 1) <= (together - odds) / (1 + together)


@pytest.mark.parametrize("chain", related.CHAINS)
def test_for_ever_is_what_long_horizons_come_to(chain):
    assert related.quilted(chain, 14) <= related.quilted(chain, None)
    strong = related.Chain(chain.name, chain.forward, Fraction(3))
    assert related.quilted(strong, 14) == related.quilted(strong, None)


def test_the_bound_by_entries():
    """By hand: 0.9 over 0.1, to the fourth; none where an entry is 0; and at every ε above the paper's bound."""
    assert related.by_entries(TWO, None) == Fraction(11, 10) * 9**4
    assert related.by_entries(THREE, 5) is None
    for ratio in (Fraction(3, 2), Fraction(100)):
        own = related.Chain("strong", TWO.forward, ratio)
        assert level(related.paper_bound(own, None)) < level(related.by_entries(own, None))


def likelihood(rows, seen):
    """The logarithm of the likelihood of all readings, by the forward recursion; starts are free, and fitted."""
    wrong, total = float(related.MISREAD), 0.0
    given = [[1 - wrong if value == reading else wrong for value in (0, 1)] for reading in (0, 1)]
    firsts = []
    for walk in seen:
        after = [[given[walk[0]][k] if j == k else 0.0 for k in (0, 1)] for j in (0, 1)]
        for reading in walk[1:]:
            after = [[sum(own[j] * rows[j][k] for j in (0, 1)) * given[reading][k] for k in (0, 1)] for own in after]
            scale = after[0][0] + after[0][1] + after[1][0] + after[1][1]
            total += math.log(scale)
            after = [[value / scale for value in own] for own in after]
        firsts.append([sum(own) for own in after])
    return total + max(sum(math.log(p * a + (1 - p) * b) for a, b in firsts) for p in (0.5, 0.9, 0.999))


def test_baum_welch_finds_the_most_likely_rows():
    _, seen = related.observed(TWO)
    rows = [[float(p) for p in row] for row in related.baum_welch(seen).rows]
    found = likelihood(rows, seen)
    for stay, back in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)):
        other = [[rows[0][0] + stay, rows[0][1] - stay], [rows[1][0] + back, rows[1][1] - back]]
        assert likelihood(other, seen) < found


def test_counting_is_by_transitions():
    assert related.counted([[0, 0, 1, 1, 0], [1, 1]]) == TransitionMatrix.of([["1/2", "1/2"], ["1/3", "2/3"]])


def test_readings_taken_for_values_hide_correlation():
    rows = {name: matrix.rows for name, matrix in related.estimates(TWO).items()}
    true, values, readings, hidden = ([row[0] for row in matrix] for matrix in rows.values())
    for near in (values, hidden):
        assert all(abs(p - q) < Fraction(3, 100) for p, q in zip(near, true, strict=True))
    assert readings[0] - readings[1] < (true[0] - true[1]) * Fraction(7, 10)
