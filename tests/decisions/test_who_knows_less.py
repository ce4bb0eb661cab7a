"""Not knowing which of several chains holds is no protection: with a prior the bounds are those of the mixture."""

import json
from itertools import permutations, product
from math import exp, log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..commands import refused, run, value
from ..profiles import examples
from .enumerated import likelihoods, reversal, shares

TWO_KINDS = ("0.9,0.1\n0.9,0.1\n", "0.1,0.9\n0.1,0.9\n")
ALIKE = ("0.6,0.4\n0.5,0.5\n", "0.4,0.6\n0.3,0.7\n")


def chains_of(tables):
    return [np.array([[float(entry) for entry in row.split(",")] for row in table.split()]) for table in tables]


def enumerated(chains, prior, epsilons, time):
    """Return the greatest log odds between two values at a time, from the definition, over all questions about sets."""
    n = len(chains[0])
    weights = np.array([own * shares(chain) for own, chain in zip(prior, chains, strict=True)])
    weights /= weights.sum(axis=0)
    reach = list(product((0.0, 1.0), repeat=n))
    before, after = epsilons[: time - 1], epsilons[: time - 1 : -1]
    past = [list(likelihoods([reversal(chain)] * len(before), before, reach)) for chain in chains]
    future = [list(likelihoods([chain] * len(after), after, reach)) for chain in chains]
    best = 0.0
    for one, two in product(range(len(past[0])), range(len(future[0]))):
        given = sum(row * own[one] * other[two] for row, own, other in zip(weights, past, future, strict=True))
        best = max(best, *(log(given[j] / given[k]) for j, k in permutations(range(n), 2)))
    return epsilons[time - 1] + best


def asked(folder, tables, prior, epsilon, releases):
    paths = []
    for number, table in enumerate(tables):
        (folder / f"{number}.csv").write_text(table)
        paths += ["--forward", f"{number}.csv"]
    given = ("leakage", *paths, "--prior", prior, "--epsilon", epsilon, "--steps", releases)
    return value(*given), run(*given).stdout


def test_two_kinds_of_people(folder):
    """Each kind alone leaks log 2, and log 2 for ever; an adversary who does not know the kind reaches 2.603."""
    found, screen = asked(folder, TWO_KINDS, "1/2,1/2", "log(2)", 7)
    truth = enumerated(chains_of(TWO_KINDS), [0.5, 0.5], [log(2)] * 7, 4)
    assert truth == pytest.approx(2.6027, abs=1e-4)
    assert {level["exact"] for level in found["worst_case"]["tpl"]} == {"log(2)"}
    for attained, most in zip(found["mixture"]["attained"], found["mixture"]["at_most"], strict=True):
        assert float(attained["lower"]) == pytest.approx(truth, rel=1e-12)
        assert truth < float(most["lower"]) < log(9) + log(2)
    assert screen.startswith("To an adversary with this prior TPL is at most 2.7605")
    assert "who is certain of one candidate" in screen.lower()
    assert "2 candidates, of which the adversary has the prior 1/2, 1/2" in screen


@st.composite
def cases(draw):
    chains = [[[draw(st.integers(1, 9)) / 10] for _ in range(2)] for _ in range(2)]
    return [[[p, 1 - p] for (p,) in chain] for chain in chains], draw(st.integers(1, 9)) / 10, draw(st.integers(1, 4))


@examples(8)
@given(cases())
def test_the_bounds_enclose_the_mixture(case):
    chains, first, releases = case
    prior, epsilons = [first, 1 - first], [0.5, 0.25, 0.5, 1.0][:releases]
    users = {str(n): {"forward": [[f"{p:.1f}" for p in row] for row in chain]} for n, chain in enumerate(chains)}
    given = ("--prior", f"{first:.1f},{1 - first:.1f}", "--epsilons", ",".join(map(str, epsilons)))
    found = value("leakage", "--users", "-", *given, stdin=json.dumps(users))["mixture"]
    for time, (attained, most) in enumerate(zip(found["attained"], found["at_most"], strict=True), 1):
        truth = enumerated([np.array(chain) for chain in chains], prior, epsilons, time)
        assert float(attained["lower"]) == pytest.approx(truth, abs=1e-12)
        assert float(most["upper"]) >= truth - 1e-12


@examples(4)
@given(cases())
def test_over_an_infinite_horizon_the_mixture_rule_bounds_every_stream(case):
    chains, first, _ = case
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{number}.csv") for number in (0, 1)]
        for path, chain in zip(paths, chains, strict=True):
            path.write_text("\n".join(",".join(f"{p:.1f}" for p in row) for row in chain))
        asked_ = ("supremum", *paths, "--epsilon", "0.5")
        found = value(*asked_, "--prior", f"{first:.1f},{1 - first:.1f}")
        alone = value(*asked_)["worst_case"]
        each = [value("supremum", path, *asked_[3:])["worst_case"] for path in paths]
    attained, most = (float(found["mixture"][key][end]) for key, end in (("attained", "lower"), ("at_most", "upper")))
    truth = max(
        enumerated([np.array(chain) for chain in chains], [first, 1 - first], [0.5] * 5, time) for time in (2, 3, 5)
    )
    assert truth - 1e-12 <= most
    weights = np.array([own * shares(chain) for own, chain in zip([first, 1 - first], chains, strict=True)])
    given_values = weights / weights.sum(axis=0)
    rule = float(found["worst_case"]["upper"]) + log(max(row.max() / row.min() for row in given_values))
    assert most == pytest.approx(rule, rel=1e-9)
    assert attained <= most
    assert float(alone["upper"]) == max(float(own["upper"]) for own in each)


def test_the_budget_of_a_supremum_keeps_the_level_of_a_mixture(folder):
    for number, table in enumerate(ALIKE):
        (folder / f"{number}.csv").write_text(table)
    asked_ = ("supremum", "0.csv", "1.csv", "--cap", "1")
    alone, mixed = (float(value(*asked_, *more)["worst_case"]["lower"]) for more in ((), ("--prior", "1/2,1/2")))
    assert enumerated(chains_of(ALIKE), [0.5, 0.5], [mixed] * 5, 3) <= 1
    assert mixed < alone
    assert "several files" in refused("supremum", "0.csv", "--cap", "1", "--prior", "1")
    assert "--csv" in refused("supremum", "0.csv", "1.csv", "--epsilon", "1", "--prior", "1/2,1/2", "--csv")
    assert "one MATRIX" in refused("supremum", "0.csv", "1.csv", "--epsilon", "1", "--one-sided")


def test_a_budget_for_a_mixture_keeps_the_level(folder):
    """Of the two kinds any budget leaves at most log 9 and the budget itself: a level below log 9 has none."""
    for number, table in enumerate((*ALIKE, *TWO_KINDS)):
        (folder / f"{number}.csv").write_text(table)
    given = ("allocate", "--forward", "0.csv", "--forward", "1.csv", "--method", "upper-bound", "--alpha", "1")
    alone, mixed = (
        float(value(*given, *more)["worst_case"]["epsilons"][0]["lower"]) for more in ((), ("--prior", ".5,.5"))
    )
    assert enumerated(chains_of(ALIKE), [0.5, 0.5], [mixed] * 5, 3) <= 1
    assert mixed < alone
    hopeless = ("allocate", "--forward", "2.csv", "--forward", "3.csv", "--method", "upper-bound", "--alpha", "1")
    assert exp(1) < 9
    told = refused(*hopeless, "--prior", "1/2,1/2")
    assert "the mixture rule" in told
    assert "Over T releases, a budget of level/T for each keeps the level" in told
    for alpha, releases in ((2.5, 3), (5, 3)):  # the rule leaves 0.3 and 2.8; shared they are 0.83 and 1.67 each
        share, given = alpha / releases, (*hopeless[:5], "--alpha", alpha, "--steps", releases, "--prior", "1/2,1/2")
        told, answer = run(*given).stdout.splitlines()[0], value(*given)
        found, compared = answer["worst_case"]["epsilons"][0]["lower"], answer["comparison"][0]
        assert compared["schedule"] == "α/T"
        assert float(compared["first"]["upper"]) == pytest.approx(share, abs=1e-5)
        assert (f"α/T, {share:.6f}"[:11] in told) == (float(found) < share)
        assert (
            max(enumerated(chains_of(TWO_KINDS), [0.5, 0.5], [share] * releases, time) for time in (1, 2, 3)) <= alpha
        )


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("1/2", "1 probabilities for 2 candidates"),
        ("1/2,1/3", "the prior sums to 5/6"),
        ("1,0", "probability 0"),
        ("1/2,x", "--prior 2"),
    ],
)
def test_what_is_no_prior(folder, prior, words):
    given = ("leakage", "--forward", "l.csv", "--forward", "f.csv", "--epsilon", "1", "--steps", 2, "--prior", prior)
    (folder / "f.csv").write_text("0.5,0.25,0.25\n0.25,0.5,0.25\n0.25,0.25,0.5\n")
    assert words in refused(*given)


def test_candidates_that_are_no_chains_have_no_prior(folder):
    pair = ("--backward", "b.csv", "--forward", "f.csv", "--backward", "f.csv", "--forward", "f.csv")
    assert "one stationary chain" in refused("leakage", *pair, "--epsilon", "1", "--steps", 2, "--prior", "1/2,1/2")


def balanced(draw_of):
    """Return counts of a user in which each state is left as often as it is entered: of one stationary chain."""
    counts = draw_of.integers(1, 9, (2, 2))
    counts[1, 0] = counts[0, 1]
    return counts


def ratio_of(counts):
    weights = counts.sum(axis=2) / counts.sum(axis=(1, 2))[:, None]
    weights = weights / weights.sum(axis=0)
    return max(row.max() / row.min() for row in weights)


def population(folder, counts, *asked_):
    users = {
        "user": [f"u{number}" for number in range(len(counts))],
        "counts": [own.ravel().tolist() for own in counts],
    }
    pq.write_table(pa.table(users), folder / "users.parquet")
    given = ("population", "users.parquet", "--out", f"out{len(list(folder.iterdir()))}", "--workers", "1")
    return value(*given, *asked_, "--prior", "equal")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (1, 2))])
def test_a_population_of_which_one_is_not_known(folder, seed):
    """By the definition, over all questions about sets: what is said to be most is, and a budget keeps its level."""
    rng = np.random.default_rng(seed)
    counts = [balanced(rng) for _ in range(3)]
    chains = [own / own.sum(axis=1, keepdims=True) for own in counts]
    prior = [1 / 3] * 3
    found = population(folder, counts, "--epsilon", "0.5", "--steps", "4", "--model", "both")
    truth = max(enumerated(chains, prior, [0.5] * 4, time) for time in range(1, 5))
    rule = log(ratio_of(np.array(counts)))
    assert rule <= float(found["prior"]["adds"]) <= rule + 1e-12
    for model in ("worst_case", "paper_bound"):
        certain = float(found[model]["levels"]["tpl"]["worst"])
        assert truth <= float(found["prior"][model]["tpl"]) == pytest.approx(min(certain + rule, 2.0), rel=1e-12)
    kept = population(folder, counts, "--alpha", "3")
    budget = float(kept["paper_bound"]["levels"]["budget"]["worst"])
    assert float(kept["prior"]["each_keeps"]) == pytest.approx(3 - rule, abs=1e-8)
    assert max(enumerated(chains, prior, [budget] * 4, time) for time in range(1, 5)) <= 3


def test_users_with_values_that_others_never_have(folder):
    """Whose data they are then tells the value: nothing but the sum of the budgets bounds TPL, and it is said why."""
    counts = np.array([[[4, 2, 0], [2, 4, 0], [0, 0, 0]], [[4, 2, 1], [2, 4, 1], [1, 1, 3]]])
    found = population(folder, counts, "--epsilon", "0.1", "--steps", "7")
    assert found["prior"]["adds"] == "inf"
    assert found["prior"]["paper_bound"]["tpl_supremum"] == "inf"
    assert 0.7 <= float(found["prior"]["paper_bound"]["tpl"]) <= 0.7 + 1e-12
    given = ("population", "users.parquet", "--out", "again", "--workers", "1", "--prior", "equal")
    screen = run(*given, "--epsilon", "0.1", "--steps", "7").stdout
    assert "TPL is at most 0.7" in screen
    assert "user u0 never has a value that another user has" in screen
    assert "never has a value" in run(*given[:3], "never", *given[4:], "--alpha", "1", status=2).stderr
    smoothed = population(folder, counts, "--epsilon", "0.1", "--steps", "7", "--smoothing", "1")
    assert float(smoothed["prior"]["adds"]) == pytest.approx(log(ratio_of(counts + 1)), rel=1e-12)


def test_a_user_of_whom_nothing_is_known_bounds_nothing(folder):
    counts = np.array([[[4, 2], [2, 4]], [[0, 1], [0, 0]]])
    found = population(folder, counts, "--epsilon", "0.1", "--steps", "3")
    assert (found["prior"]["adds"], found["refused"]) == ("inf", 1)
    assert 0.3 <= float(found["prior"]["paper_bound"]["tpl"]) <= 0.3 + 1e-12


def test_equal_is_the_same_prior_in_every_command(folder):
    for number, table in enumerate(TWO_KINDS):
        (folder / f"{number}.csv").write_text(table)
    given = ("leakage", "--forward", "0.csv", "--forward", "1.csv", "--epsilon", "0.1", "--steps", 2, "--prior")
    assert value(*given, "equal") == value(*given, "1/2,1/2")
    given = ("population", "users.parquet", "--out", "out", "--alpha", "1", "--prior")
    assert "all users are equally likely" in refused(*given, "1/2,1/2")
