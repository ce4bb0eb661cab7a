"""Certificates for an adversary with a prior over chains, beside what the sweeps of all chains together say."""

import json
from fractions import Fraction

import pytest

from tploracle.certificates.checker import check
from tploracle.certificates.mixtures import mixture_lower_certificate, mixture_upper_certificate
from tploracle.reference import InvalidRequest, TransitionMatrix, parse_level, reverse, stationary
from tploracle.reference.worst_case.mixtures import mixture_leakage

from ..commands import refused, run
from ..matrices import PAPER_L, SKEWED, SYMMETRIC, TURNING, UNCORRELATED, csv_text
from .documents import KINDS_OF_PEOPLE, of_mixture

MAKERS = (mixture_upper_certificate, mixture_lower_certificate)


@pytest.mark.parametrize(
    ("forwards", "texts", "time", "prior"),
    [
        ([SYMMETRIC, SKEWED], ["log(2)", "0", "1/10"], 2, "1/3 2/3"),
        ([PAPER_L, TURNING], ["log(2)", "1/10"], 1, "1/2 1/2"),
        ([SYMMETRIC, SKEWED, UNCORRELATED], ["log(9/8)"] * 3, 3, "1/2 1/3 1/6"),
        ([SKEWED, SKEWED], ["log(2)"] * 3, 2, "1/2 1/2"),
    ],
)
def test_both_hold_and_enclose_what_is_known(forwards, texts, time, prior):
    chains = [(reverse(forward, stationary(forward)), forward) for forward in forwards]
    above, below = (of_mixture(make, texts, time, forwards, prior) for make in MAKERS)
    assert {check(json.dumps(document)) for document in (above, below)} == {"mixture-upper", "mixture-lower"}
    known = mixture_leakage([parse_level(text) for text in texts], chains, [Fraction(own) for own in prior.split()])
    low, high = (float(Fraction(document["level"])) for document in (below, above))
    assert low == pytest.approx(float(known.lower[time - 1]), rel=1e-12)
    assert low <= float(known.upper[time - 1]) * (1 + 1e-9) <= high * (1 + 2e-9)


def test_the_two_kinds_of_people():
    """Draws of (9/10, 1/10) or (1/10, 9/10): the kind costs log 9 at most, by the rule."""
    above = of_mixture(mixture_upper_certificate, ["log(2)"] * 7, 4, KINDS_OF_PEOPLE, "1/2 1/2")
    assert float(Fraction(above["level"])) == pytest.approx(2.890371757896165, rel=1e-12)  # log 18
    below = of_mixture(mixture_lower_certificate, ["log(2)"] * 7, 4, KINDS_OF_PEOPLE, "1/2 1/2")
    assert Fraction("2.6") < Fraction(below["level"]) < Fraction("2.604")


def test_what_has_no_certificate():
    for make in MAKERS:
        with pytest.raises(InvalidRequest, match="not one of the times"):
            of_mixture(make, ["1"], 2, [SYMMETRIC, SKEWED], "1/2 1/2")
        with pytest.raises(InvalidRequest, match="infinite budget"):
            of_mixture(make, ["inf"], 1, [SYMMETRIC, SKEWED], "1/2 1/2")
        with pytest.raises(InvalidRequest, match="probabilities for"):
            of_mixture(make, ["1"], 1, [SYMMETRIC], "1/2 1/2")
        with pytest.raises(InvalidRequest, match="digits"):
            make([parse_level("1")], 1, [(SYMMETRIC, SYMMETRIC)], [Fraction(1)], digits=2_000)


def test_of_one_value_a_release_tells_its_budget_and_no_two_are_distinguished():
    one = TransitionMatrix.of([[1]])
    assert of_mixture(mixture_upper_certificate, ["1", "1"], 1, [one, one], "1/2 1/2")["level"] == "1"
    with pytest.raises(InvalidRequest, match="no two values"):
        of_mixture(mixture_lower_certificate, ["1", "1"], 1, [one, one], "1/2 1/2")


def test_the_command(empty_folder):
    for name, matrix in (("a.csv", SYMMETRIC), ("b.csv", SKEWED)):
        (empty_folder / name).write_text(csv_text(matrix))
    given_ = ("--candidate", "a.csv", "--candidate", "b.csv", "--prior", "1/3,2/3", "--epsilon", "log(2)", "--steps", 4)
    levels = []
    for kind in ("mixture-lower", "mixture-upper"):
        document = json.loads(run("certify", kind, *given_, "--at", 2).stdout)
        assert check(json.dumps(document)) == document["certificate"] == kind
        assert document["prior"] == ["1/3", "2/3"]
        levels.append(Fraction(document["level"]))
    assert levels[0] < levels[1]
    assert "needs --at" in refused("certify", "mixture-upper", *given_)
    assert "takes --candidate, --prior, --at, --epsilon, --steps, --epsilons, not MATRIX" in refused(
        "certify", "mixture-upper", "a.csv", *given_, "--at", 2
    )
    assert "--epsilons, not --candidate" in refused("certify", "worst-case-upper", *given_[:2], *given_[6:], "--at", 2)
    assert "not one of the times" in refused("certify", "mixture-upper", *given_, "--at", 5)
