"""The session's two roads to a loss function, and which one a command takes."""

import json

import pytest
from click.testing import CliRunner

from tploracle.cli import patient
from tploracle.cli.main import main
from tploracle.contract import losses
from tploracle.contract.limits import MOST_LITERAL_STATES
from tploracle.reference import InvalidRequest, loss_function, parse_level, smooth, strongest

LEVELS = [parse_level(text) for text in ("0", "0.1", "log(3)", "40", "inf")]


@pytest.mark.parametrize("n", [1, 5, 13, 101])
def test_both_roads_agree(n):
    matrix = smooth(strongest(n), parse_level("log(2)").ratio / 100)
    literal = losses.loss_function_of(matrix, literal=True)
    assert losses.loss_function_of(matrix).pieces == literal.pieces
    for alpha, found in zip(LEVELS, patient.optima(matrix, LEVELS), strict=True):
        assert (found.value(alpha) if found else parse_level("0")) == literal(alpha)


def test_the_literal_road_is_taken_where_it_is_asked_for(monkeypatch, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("1/2,1/2\n1/4,3/4\n")
    asked = []

    def literal(matrix, progress=None):
        asked.append(matrix.n)
        return loss_function(matrix, progress)

    monkeypatch.setattr(losses, "loss_function", literal)
    commands = (
        ["loss", str(path), "--alpha", "1", "--json"],
        ["loss-function", str(path), "--json"],
        ["leakage", "--backward", str(path), "--epsilon", "1", "--steps", "2", "--json"],
    )
    for command in commands:
        fast = CliRunner().invoke(main, command)
        assert asked == []
        slow = CliRunner().invoke(main, [*command, "--reference"])
        assert asked.pop() == 2
        assert json.loads(fast.stdout) == json.loads(slow.stdout)


def test_the_literal_road_refuses_what_is_too_large_for_it():
    with pytest.raises(InvalidRequest, match="too large"):
        losses.loss_function_of(strongest(MOST_LITERAL_STATES + 1), literal=True)
    assert losses.loss_function_of(strongest(MOST_LITERAL_STATES + 1)).is_identity
