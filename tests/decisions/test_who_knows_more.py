"""Who knows one of a person's values may learn more of the others: `--knowing` answers, by the chain given it."""

import json
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import exp, log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tploracle import TransitionMatrix, adversary
from tploracle.auditing.revealing_values import revealing_value
from tploracle.models.chain import stationary_reversal
from tploracle.models.worst_case import WorstCase
from tploracle.reference import Level, parse_level

from ..commands import refused, run, value
from ..profiles import examples
from .enumerated import shares


def enumerated(chain, known, epsilons, time):
    """Return TPL at a time from the definition: all sequences of values, all questions about sets, "yes" to each."""
    n, releases, last = len(chain), len(epsilons), max([len(epsilons), *known])
    paths = {}
    for path in product(range(n), repeat=last):
        weight = shares(chain)[path[0]] * np.prod([chain[a][b] for a, b in pairwise(path)])
        if weight > 1e-15 and all(path[s - 1] == own for s, own in known.items()):
            paths[path] = weight
    possible = sorted({path[time - 1] for path in paths})
    if len(possible) < 2:
        return 0.0
    best = 0.0
    sets = list(product((False, True), repeat=n))
    for asked in product(sets, repeat=releases - 1):
        questions = [*asked[: time - 1], None, *asked[time - 1 :]]
        likelihood, total = np.zeros(n), np.zeros(n)
        for path, weight in paths.items():
            yes = [e for own, e, inside in zip(path, epsilons, questions, strict=False) if inside and inside[own]]
            likelihood[path[time - 1]] += weight * exp(sum(yes))
            total[path[time - 1]] += weight
        given_ = {j: likelihood[j] / total[j] for j in possible}
        best = max(best, *(log(given_[j] / given_[k]) for j, k in permutations(possible, 2)))
    return epsilons[time - 1] + best


def asked(chain, known, epsilons):
    users = json.dumps({"one": {"forward": [[f"{p:.3f}" for p in row] for row in chain]}})
    knowing = [word for time, own in known.items() for word in ("--knowing", f"{time}={own + 1}")]
    found = value("leakage", "--users", "-", *knowing, "--epsilons", ",".join(map(str, epsilons)), stdin=users)
    return [float(level["upper"]) for level in found["worst_case"]["tpl"]], found["basis"]


def test_the_value_after_next(folder):
    """A step of a chain whose F rises from 1.171 to nearly 2 where one value two steps on is known."""
    chain = [[0.825, 0, 0.175], [0.84, 0.157, 0.003], [0.722, 0.104, 0.174]]
    (folder / "k.csv").write_text("\n".join(",".join(map(str, row)) for row in chain))
    given_ = ("leakage", "--forward", "k.csv", "--epsilons", "log(2),log(2)", "--at", 1)
    plain = value(*given_)
    assert exp(float(plain["worst_case"]["fpl"][0]["upper"])) / 2 == pytest.approx(1.171, abs=1e-3)
    assert plain["basis"]["values"] == "none"
    told = [value(*given_, "--knowing", f"3={own}") for own in (1, 2, 3)]
    factors = [exp(float(each["worst_case"]["fpl"][0]["upper"])) / 2 for each in told]
    truths = [exp(enumerated(chain, {3: own}, [log(2)] * 2, 1)) / 2 for own in range(3)]
    assert factors == pytest.approx(truths, rel=1e-12)
    assert max(factors) > 1.98
    assert told[1]["basis"]["values"] == "2 at time 3"
    assert "one matrix at all times" in told[1]["basis"]["absent"]["paper_bound"]


@st.composite
def chains(draw):
    n = draw(st.integers(2, 3))
    rows = []
    for _ in range(n):
        weights = draw(st.lists(st.sampled_from([0, 1, 2, 5]), min_size=n, max_size=n).filter(any))
        rows.append([round(weight / sum(weights), 3) for weight in weights[:-1]])
        rows[-1].append(round(1 - sum(rows[-1]), 3))
    return rows


@examples(12)
@given(chains(), st.dictionaries(st.integers(1, 4), st.integers(0, 1), min_size=1, max_size=2))
def test_by_enumeration(chain, known):
    closed = np.linalg.matrix_power(np.array(chain) + np.eye(len(chain)), 8) > 0
    assume(closed.all())  # one closed class, all values in it
    epsilons = [0.5, 0.25, 1.0]
    paths = np.diag(shares(chain))
    for time in range(1, 5):
        paths = paths if time == 1 else paths @ chain
        paths = paths * np.array([known.get(time, j) == j for j in range(len(chain))])
    assume(paths.sum() > 1e-9)
    found, basis = asked(chain, known, epsilons)
    for time, level in enumerate(found, 1):
        assert level == pytest.approx(enumerated(chain, known, epsilons, time), abs=1e-9)
    assert basis["values"].count("at time") == len(known)


def test_a_budget_keeps_the_level_to_who_knows_and_to_who_does_not(folder):
    """Of the known value itself nothing is left to learn: who takes the budget of the one alone breaks the other's."""
    chain = [[0.825, 0, 0.175], [0.84, 0.157, 0.003], [0.722, 0.104, 0.174]]
    (folder / "k.csv").write_text("\n".join(",".join(map(str, row)) for row in chain))
    given_ = ("allocate", "--forward", "k.csv", "--alpha", "1", "--method", "constant", "--steps", 3, "--digits", 9)
    plain = float(value(*given_)["worst_case"]["epsilons"][0]["lower"])
    lesser = set()
    for known in ({2: 1}, {5: 0}, {1: 2, 3: 2}, {1: 0, 2: 0, 3: 0}):
        told = [word for time, own in known.items() for word in ("--knowing", f"{time}={own + 1}")]
        found = value(*given_, *told)
        budget = float(found["worst_case"]["epsilons"][0]["lower"])
        to_both = [max(enumerated(chain, own, [budget] * 3, time) for time in (1, 2, 3)) for own in ({}, known)]
        assert max(to_both) == pytest.approx(1, abs=1e-7)
        assert max(float(level["upper"]) for level in found["worst_case"]["tpl"]) == pytest.approx(1, abs=1e-7)
        assert found["basis"]["values"].count("at time") == len(known)
        assert "one matrix at all times" in found["basis"]["absent"]["paper_bound"]
        lesser.add(budget < plain - 1e-6)
    assert lesser == {True, False}
    screen = run(*given_, "--knowing", "2=2").stdout
    assert "That holds against an adversary who knows 2 at time 2, and against one who does not." in screen
    for wrong, said in (
        (("--prior", "1"), "excludes --prior"),
        (("--method", "least-noise"), "needs --method constant"),
    ):
        assert f"--knowing {said}" in refused(*given_, "--knowing", "2=2", *wrong)


@examples(4)
@given(chains())
def test_the_value_that_would_tell_most(chain):
    closed = np.linalg.matrix_power(np.array(chain) + np.eye(len(chain)), 8) > 0
    assume(closed.all())
    releases = 3 if len(chain) == 2 else 2
    forward = TransitionMatrix.of([[f"{p:.3f}" for p in row] for row in chain])
    known = adversary(backward=stationary_reversal(forward), forward=forward)
    epsilons = [Level.of(Fraction(1, 2))] * releases
    levels = dict(enumerate(WorstCase().leakage(epsilons, {"": known}).each[""].tpl))
    found = revealing_value(epsilons, known, WorstCase().greatest(levels).level)
    times = range(1, releases + 1)
    every = {
        (time, own): max(enumerated(chain, {time: own}, [0.5] * releases, at) for at in times)
        for time in times
        for own in range(len(chain))
    }
    most, plain = max(every.values()), max(enumerated(chain, {}, [0.5] * releases, at) for at in times)
    assert float(found.level) == pytest.approx(most, abs=1e-9)
    assert every[found.time, found.value] == pytest.approx(most, abs=1e-9)
    assert found.raises == (most > plain + 1e-9)


@pytest.mark.parametrize("epsilon", ["1000", "599", "1e-300", "0", "log(2)"])
def test_budgets_that_doubles_hardly_hold(epsilon):
    forward = TransitionMatrix.of([["0.8", "0.2"], ["0.3", "0.7"]])
    known = adversary(backward=stationary_reversal(forward), forward=forward)
    found = revealing_value([parse_level(epsilon)] * 2, known, parse_level("1"))
    assert (found is None) == (epsilon in ("1000", "599"))
    assert found is None or (found.level.double_above() <= 2 and found.time in (1, 2))


@pytest.mark.slow
def test_the_audit_names_it_where_there_is_one_chain(folder):
    (folder / "named.csv").write_text(",home,work,gym\nhome,.825,0,.175\nwork,.84,.157,.003\ngym,.722,.104,.174\n")
    found = value("audit", "named.csv", "--steps", 2, "--epsilon", "0.5", "--model", "worst-case")
    told = found["worst_case"]["most_telling"]
    (line,) = [line for line in found["findings"] if line.startswith("An adversary who also knows")]
    assert f"the value {told['value']} ({['home', 'work', 'gym'][told['value'] - 1]}) at time {told['time']}" in line
    (folder / "f.csv").write_text("0.8,0.2\n0.3,0.7\n")
    assert (
        "most_telling"
        not in value("audit", "f.csv", "--one-sided", "--model", "worst-case", "--steps", 2)["worst_case"]
    )


def test_values_have_their_names(folder):
    (folder / "named.csv").write_text(",home,work\nhome,0.9,0.1\nwork,0.2,0.8\n")
    given_ = ("leakage", "--forward", "named.csv", "--epsilon", "1", "--steps", 4)
    screen = run(*given_, "--knowing", "3=home", "--knowing", "1=work").stdout
    assert "Known values: work at time 1; home at time 3." in screen
    for wrong, words in {
        "3=gym": "there is no value 'gym'; there are home, work",
        "0=home": "is not TIME=VALUE",
        "home": "is not TIME=VALUE",
        "1001=home": "too large",
    }.items():
        assert words in refused(*given_, "--knowing", wrong)
    assert "two values at time 3" in refused(*given_, "--knowing", "3=home", "--knowing", "3=work")
    assert "one stationary chain" in refused(*given_, "--one-sided", "--knowing", "3=home")


def test_what_cannot_be_is_refused(folder):
    (folder / "turns.csv").write_text("0,1\n1,0\n")
    given_ = ("leakage", "--forward", "turns.csv", "--epsilon", "1", "--steps", 4, "--knowing", "1=1")
    assert "is impossible by this chain" in refused(*given_, "--knowing", "2=1")
    assert [level["exact"] for level in value(*given_)["worst_case"]["tpl"]] == ["0"] * 4
