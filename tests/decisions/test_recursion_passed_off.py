"""That the paper's bound has no budget is no statement about the leakage: what the exact worst case bears is said."""

import re
from fractions import Fraction

import pytest

from ..commands import refused, run, value
from .enumerated import reversal, worst_tpl

CHAINS = {
    "a row in two halves": [["1/2", "1/2", "0"], ["0", "0", "1"], ["1/3", "1/3", "1/3"]],
    "cycle with a rest": [["0", "1", "0"], ["0", "0", "1"], ["1/4", "0", "3/4"]],
}
"""Chains with two rows of disjoint supports, so that L is the identity; all irreducible and aperiodic."""

ASKED = {
    "allocate": ["--backward", "c.csv", "--alpha", "1", "--method", "upper-bound"],
    "supremum": ["c.csv", "--cap", "1"],
}

UNCORRELATED = [[1 / 3] * 3] * 3


def doubles(chain):
    return [[float(Fraction(text)) for text in row] for row in chain]


@pytest.mark.parametrize(
    "chain",
    [
        pytest.param(chain, marks=pytest.mark.slow if name != "a row in two halves" else (), id=name)
        for name, chain in CHAINS.items()
    ],
)
@pytest.mark.parametrize("one_sided", [True, False])
@pytest.mark.parametrize("command", ["allocate", "supremum"])
def test_the_budget_that_the_exact_worst_case_bears(folder, chain, one_sided, command):
    (folder / "c.csv").write_text("\n".join(map(",".join, chain)))
    asked = [*ASKED[command], *(["--one-sided"] if one_sided else [])]
    message = refused(command, *asked, "--model", "paper-bound")
    assert "by the paper's bound every release adds its whole budget" in message
    budget = float(re.search(r"the exact worst case allows ([0-9.]+)", message)[1])
    backward = doubles(chain)
    forward = UNCORRELATED if one_sided else reversal(backward)
    assert max(worst_tpl(backward, forward, [budget] * 5, time) for time in (3, 5)) <= 1
    found = value(command, *asked)
    assert "worst_case" in found
    assert found["basis"]["absent"]["paper_bound"].startswith("by the paper's bound: ")


def test_where_neither_has_one_it_is_said_of_the_exact_worst_case(folder):
    message = run(
        "allocate", "--backward", "strong.csv", "--one-sided", "--alpha", "1", "--method", "upper-bound", status=2
    )
    assert "2 closed classes" in message.stderr
    assert "allows" not in message.stderr
