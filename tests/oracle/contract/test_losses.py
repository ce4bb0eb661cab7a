"""The two methods for a loss function, and which of them a command uses."""

import json
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given

from tploracle.cli import patient
from tploracle.cli.main import main
from tploracle.contract import losses
from tploracle.contract.limits import MOST_LITERAL_STATES, check_loss_function
from tploracle.reference import (
    InvalidRequest,
    LiteralLossFunction,
    TransitionMatrix,
    loss_function,
    parse_level,
    smooth,
    strongest,
)
from tploracle.reference.paper import literal, loss
from tploracle.solvers.loss import dinkelbach, envelope

from ...profiles import some
from ...strategies import matrices

LEVELS = [parse_level(text) for text in ("0", "0.1", "log(3)", "40", "inf")]
ALGORITHMS = {f"algorithm_{number}" for number in range(1, 6)}
GENERATED = {"algorithm_2", "algorithm_4"}
EVALUATED = {*GENERATED, "algorithm_5"}
COMMANDS = {
    "loss FILE --alpha 1": ALGORITHMS,
    "loss-function FILE": GENERATED,
    "leakage --backward FILE --one-sided --epsilon 1 --steps 2": EVALUATED,
    "composition --backward FILE --one-sided --epsilon 1 --steps 3 --w 2": EVALUATED,
    "supremum FILE --role backward --one-sided --epsilon 0.1": GENERATED,
    "supremum FILE --role backward --one-sided --cap 1 --model paper-bound": GENERATED,
    "control FILE --role backward --previous 1 --cap 2": EVALUATED,
    "allocate --alpha 1 --backward FILE --forward FILE --method quantified --steps 4": EVALUATED,
    "utility --alpha 1 --backward FILE --one-sided --steps 4 --model paper-bound": EVALUATED,
}
"""Commands, and which of the paper's algorithms they run with --reference."""


class Called(Exception):
    """What a function under watch raises."""


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("1/2,1/4,1/4\n1/4,3/4,0\n1/8,3/8,1/2\n")

    def invoke(command, *options):
        arguments = [str(path) if part == "FILE" else part for part in command.split()]
        return CliRunner().invoke(main, [*arguments, "--json", *options])

    return invoke


def raising(monkeypatch, module, name):
    def call(*_):
        raise Called(name)

    monkeypatch.setattr(module, name, call)


@pytest.mark.parametrize("n", [1, 5, 13])
def test_both_methods_agree(n):
    matrix = smooth(strongest(n), parse_level("log(2)").ratio / 100)
    literal_one = losses.loss_function_of(matrix, literal=True)
    assert isinstance(literal_one, LiteralLossFunction)
    assert losses.loss_function_of(matrix).pieces == literal_one.pieces
    for alpha, found in zip(LEVELS, patient.optima(matrix, LEVELS), strict=True):
        assert (found.value(alpha) if found else parse_level("0")) == literal_one(alpha)
    assert patient.optima(matrix, LEVELS, literal=True) == [literal_one.piece_at(alpha).witness for alpha in LEVELS]


def test_both_methods_for_one_value_agree():
    matrix = smooth(strongest(patient.MANY_STATES + 1), parse_level("log(2)").ratio / 100)
    for alpha, found in zip(LEVELS, patient.optima(matrix, LEVELS), strict=True):
        assert (found.value(alpha) if found else parse_level("0")) == loss_function(matrix)(alpha)


@pytest.mark.parametrize("command", some(COMMANDS, 2))
def test_reference_runs_the_papers_algorithms_and_nothing_of_ours(command, run, monkeypatch):
    fast = run(command)
    assert fast.exit_code == 0, fast.output
    for name in ALGORITHMS:
        with monkeypatch.context() as patch:
            raising(patch, literal, name)
            assert run(command).stdout == fast.stdout
            used = name in COMMANDS[command]
            assert isinstance(run(command, "--reference").exception, Called) == used, name
    for module, name in (
        (loss, "assemble"),
        (losses, "quick_loss_function"),
        (patient, "quick_optimum"),
        (envelope, "fast_loss_function"),
        (dinkelbach, "fast_optimum"),
    ):
        raising(monkeypatch, module, name)
    slow = run(command, "--reference")
    assert slow.exit_code == 0, slow.output
    assert json.loads(slow.stdout) == json.loads(fast.stdout)
    assert isinstance(run(command).exception, Called)


def test_the_literal_method_refuses_what_is_too_large_for_it():
    with pytest.raises(InvalidRequest, match="too large"):
        losses.loss_function_of(strongest(MOST_LITERAL_STATES + 1), literal=True)
    assert losses.loss_function_of(strongest(MOST_LITERAL_STATES + 1)).is_identity


def test_the_literal_method_refuses_numbers_that_are_too_long_for_it():
    n, long = MOST_LITERAL_STATES, 1 << 20_000
    rows = [[1 - Fraction(row, long), Fraction(row, long), *[Fraction(0)] * (n - 2)] for row in range(n)]
    matrix = TransitionMatrix.of(rows)
    with pytest.raises(InvalidRequest, match="too large: Algorithm 2 on 50 states"):
        losses.loss_function_of(matrix, literal=True)
    assert not losses.loss_function_of(matrix).is_zero


def test_four_hundred_states_of_dense_doubles_are_admitted():
    row = [Fraction(entry) for entry in np.random.default_rng(1).random(400).tolist()]
    row = [entry / sum(row) for entry in row]
    check_loss_function(TransitionMatrix(tuple(tuple(row[-turn:] + row[:-turn]) for turn in range(400))))


@given(matrices(2, 6))
def test_points_that_are_reduced_early_give_the_same_function(matrix):
    whole = loss_function(matrix).pieces
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loss, "BYTES_AT_ONCE", 1_000)
        assert loss.points_at_once(matrix.n, 64) <= 3
        assert loss_function(matrix).pieces == whole
