import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from itertools import count
from math import inf, log, nextafter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import INFINITE, ZERO, Level, TransitionMatrix, Undecided, parse_level
from tploracle.reference.paper.algorithm_1 import optimum
from tploracle.solvers.linear_programs.charnes_cooper import compact, literal
from tploracle.solvers.linear_programs.enumeration import enumerated_loss
from tploracle.solvers.linear_programs.isolation import SolverWorker
from tploracle.solvers.linear_programs.lp_method import lp_method
from tploracle.solvers.linear_programs.methods import (
    METHODS,
    add_method,
    exact_method,
    side_by_side,
    solve_matrix,
    solve_pair,
)
from tploracle.solvers.linear_programs.outcomes import SolverOutcome, Status
from tploracle.solvers.linear_programs.results import MethodResult, Standing, disagreement, distance_in_digits, truth
from tploracle.system import bounded
from tploracle.system.processor_time import Allowance

from ...processes import PATIENT, has_ended
from ...profiles import examples
from ...strategies import exact_levels, levels, matrices

EXACT = ["algorithm-1", "algorithm-3", "algorithm-5", "hull", "enumeration", "z3"]
FLOAT = ["cbc-literal", "cbc-compact", "highs-literal", "highs-compact"]
LP = [*FLOAT, "z3"]

MATRIX = TransitionMatrix.of([["4/5", "1/5", 0], ["1/10", "1/5", "7/10"], ["1/3", "1/3", "1/3"]])
THREE_HALVES = parse_level("log(3/2)")
TRUTH = parse_level("log(27/20)")
NEAR = TransitionMatrix.of([["1/2", "1/2"], ["0.500000001", "0.499999999"]])


@pytest.fixture(scope="module")
def worker():
    with SolverWorker(PATIENT) as worker:
        yield worker


def by_name(answers):
    return {answer.method: answer for answer in answers}


# Agreement


def test_the_methods():
    assert {*EXACT, *LP} <= {*METHODS}
    assert next(iter(METHODS)) == "algorithm-1"  # the first exact method is the truth that the others are measured by


def test_all_methods_on_a_matrix(worker):
    answers = by_name(side_by_side(MATRIX, THREE_HALVES, METHODS, worker))
    for name, answer in answers.items():
        assert answer.status == "answered", name
        assert answer.certified, name
        assert answer.level == TRUTH, name
        assert answer.note == "", name
        assert answer.seconds > 0, name
    for name in FLOAT:
        assert answers[name].standing is Standing.CERTIFIED
        assert answers[name].value == pytest.approx(1.35, abs=1e-7)
        assert answers[name].digits > 6
    for name in EXACT:
        assert answers[name].standing is Standing.EXACT
        assert (answers[name].value, answers[name].digits) == (None, None)


def assert_right_or_not_certified(matrix, alpha, answers):
    """What a method stands by is the truth; what it does not stand by is at most the truth."""
    expected = answers[0].level
    if alpha.is_infinite or isinstance(alpha.ratio, Fraction):
        assert enumerated_loss(matrix, alpha).level == expected
    assert disagreement(answers) is None
    for answer in answers:
        if answer.certified:
            assert answer.level == expected, answer
        elif answer.level is not None:
            assert answer.level <= expected, answer
            assert answer.note, answer
        else:
            assert answer.status != "answered", answer
            assert answer.note, answer


@given(matrix=matrices(max_n=5), alpha=exact_levels())
@examples(4)
@example(matrix=MATRIX, alpha=INFINITE)
@example(matrix=MATRIX, alpha=ZERO)
@example(matrix=TransitionMatrix.of([[1, 0], [0, 1]]), alpha=INFINITE)
@example(matrix=TransitionMatrix.of([["1/2", "1/2"]] * 2), alpha=THREE_HALVES)
def test_all_methods_agree(worker, matrix, alpha):
    answers = side_by_side(matrix, alpha, METHODS, worker)
    assert_right_or_not_certified(matrix, alpha, answers)
    for answer in answers:
        if answer.standing is Standing.EXACT or answer.status == "skipped":
            continue
        assert answer.method in FLOAT


@given(matrix=matrices(min_n=2, max_n=3), alpha=levels())
@examples(10)
@example(matrix=MATRIX, alpha=parse_level("log((7+sqrt(33))/8)"))
@example(matrix=MATRIX, alpha=Level.of(1000))
def test_methods_agree_at_any_level(worker, matrix, alpha):
    names = ["algorithm-1", "algorithm-3", "algorithm-5", "hull", "highs-compact", "highs-literal", "cbc-compact"]
    assert_right_or_not_certified(matrix, alpha, side_by_side(matrix, alpha, names, worker))


@given(matrix=matrices(min_n=2, max_n=4), alpha=exact_levels(), data=st.data())
@examples(8)
def test_methods_for_a_pair_agree(worker, matrix, alpha, data):
    pair = tuple(data.draw(st.permutations(range(matrix.n)))[:2])
    expected = optimum(matrix, *pair, alpha).value(alpha)
    for name in METHODS:
        answer = solve_pair(name, matrix, pair, alpha, worker)
        if METHODS[name].of_pair is None:
            assert (answer.status, answer.level) == ("skipped", None)
        elif answer.certified:
            assert answer.level == expected, name
        else:
            assert name in FLOAT or answer.status == "skipped", answer
            assert answer.level is None or answer.level <= expected, answer


# Where a method does not apply


def test_methods_that_do_not_apply_are_skipped_with_a_reason(worker):
    transcendental = by_name(side_by_side(MATRIX, Level.of(1), METHODS, worker))
    for name in ("enumeration", "z3"):
        assert (transcendental[name].status, transcendental[name].level) == ("skipped", None)
        assert "rational" in transcendental[name].note
    nine = TransitionMatrix(((Fraction(1, 9),) * 9,) * 9)
    assert "at most 8 states" in solve_matrix("enumeration", nine, THREE_HALVES, worker).note
    big = TransitionMatrix(((Fraction(1, 51),) * 51,) * 51)
    for name in ("cbc-literal", "highs-literal", "algorithm-5"):
        assert "at most 50 states" in solve_matrix(name, big, THREE_HALVES, worker).note
    alone = TransitionMatrix(((Fraction(1),),))
    for name in LP:
        assert solve_matrix(name, alone, THREE_HALVES, worker).status == "skipped"
    for name in FLOAT:
        assert "every double" in solve_matrix(name, MATRIX, Level.of(711), worker).note


def test_the_registry_is_imported_without_any_extra():
    code = """
import sys
for name in ("numpy", "pulp", "highspy", "z3", "hypothesis", "scipy"):
    sys.modules[name] = None
from tploracle.solvers.linear_programs.isolation import SolverWorker
from tploracle.solvers.linear_programs.methods import METHODS, solve_matrix
from tploracle.reference import TransitionMatrix, parse_level
matrix = TransitionMatrix.of([["1/2", "1/2"], [0, 1]])
with SolverWorker() as worker:
    print(len(METHODS), solve_matrix("algorithm-1", matrix, parse_level("log(3)"), worker).level)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == str(len(METHODS))


def test_adding_a_method(worker, monkeypatch):
    monkeypatch.setattr("tploracle.solvers.linear_programs.methods.METHODS", dict(METHODS))
    add_method(exact_method("new", lambda matrix, alpha: TRUTH))
    assert solve_matrix("new", MATRIX, THREE_HALVES, worker).level == TRUTH
    assert solve_pair("new", MATRIX, (0, 1), THREE_HALVES, worker).status == "skipped"
    with pytest.raises(ValueError, match="already"):
        add_method(exact_method("new", lambda matrix, alpha: TRUTH))


@pytest.mark.parametrize(
    ("error", "status", "note"),
    [
        (ZeroDivisionError("division by zero"), "broken", "ZeroDivisionError: division by zero"),
        (Undecided("too close"), "undecided", "too close"),
        (ModuleNotFoundError("no numpy", name="numpy"), "skipped", "the package numpy is not installed"),
    ],
)
def test_an_exact_method_that_raises_is_named(worker, monkeypatch, error, status, note):
    def loss(matrix, alpha):
        raise error

    monkeypatch.setitem(METHODS, "raises", exact_method("raises", loss))
    answer = solve_matrix("raises", MATRIX, THREE_HALVES, worker)
    assert (answer.status, answer.level, answer.note) == (status, None, note)


# The known weak spots of floats, as facts


@pytest.mark.parametrize("alpha", ["log(3/2)", "log(11/10)", "1/100", "1"])
def test_rows_that_differ_by_1e_9_are_not_certified_by_cbc(worker, alpha):
    level = parse_level(alpha)
    expected = solve_matrix("algorithm-1", NEAR, level, worker).level
    for name in ("cbc-literal", "cbc-compact"):
        answer = solve_matrix(name, NEAR, level, worker)
        assert answer.standing is Standing.NOT_CERTIFIED
        assert answer.level < expected
        assert answer.note in ("0 of 2 pairs certified", "1 of 2 pairs certified")
        assert distance_in_digits(answer.value, expected) < 1
    exact = solve_matrix("z3", NEAR, level, worker)
    assert exact.level == expected or exact.status == "skipped"


def test_ratios_from_1e15_are_out_of_range_for_highs(worker):
    for name in ("highs-literal", "highs-compact"):
        answer = solve_matrix(name, MATRIX, Level.of(40), worker)
        assert (answer.status, answer.level, answer.value) == ("out of range", None, None)
        assert "1e15" in answer.note
        assert solve_matrix(name, MATRIX, Level.of(34), worker).status == "answered"


def test_ratios_from_1e15_are_nonsense_in_cbc(worker):
    for name in ("cbc-literal", "cbc-compact"):
        answer = solve_matrix(name, MATRIX, Level.of(40), worker)
        assert not answer.certified
        assert answer.status in ("nonsense", "stopped early")


# Answers side by side


def test_disagreement_is_between_levels_that_methods_stand_by():
    right = MethodResult("a", "answered", TRUTH, Standing.EXACT)
    wrong = MethodResult("b", "answered", THREE_HALVES, Standing.CERTIFIED)
    unsure = replace(wrong, standing=Standing.NOT_CERTIFIED)
    assert disagreement([right, wrong]) == (right, wrong)
    assert disagreement([right, unsure, right]) is None
    assert disagreement([unsure, unsure]) is None
    assert disagreement([]) is None
    assert truth([unsure, wrong, right]) is right.level
    assert truth([unsure, wrong]) is wrong.level
    assert truth([unsure]) is None


def test_distance_in_digits():
    assert distance_in_digits(1.35, TRUTH) > 15
    assert distance_in_digits(1.35 * (1 + log(1.35) * 1e-8), TRUTH) == pytest.approx(8, abs=1e-3)
    assert distance_in_digits(1.0, TRUTH) == 0
    assert distance_in_digits(1.0, ZERO) == inf
    assert distance_in_digits(nextafter(1, 2), ZERO) == pytest.approx(15.65, abs=0.01)
    assert distance_in_digits(1 - 3.5e-8, Level.of_ratio(1 + Fraction(1, 10**9))) < 0
    assert distance_in_digits(1.5, Level.of_ratio(1 + Fraction(1, 10**400))) == pytest.approx(-399.6, abs=0.1)
    for value, level in ((None, TRUTH), (inf, TRUTH), (float("nan"), TRUTH), (-1.0, TRUTH), (2.0, INFINITE)):
        assert distance_in_digits(value, level) is None


# Solvers that go wrong


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))

    def take(function, *arguments, matrix=MATRIX, time_limit=PATIENT, build=compact, alpha=THREE_HALVES):
        monkeypatch.setitem(METHODS, "fake", lp_method("fake", build, f"fake_solvers:{function}", *arguments))
        with SolverWorker(time_limit) as worker:
            answer = solve_matrix("fake", matrix, alpha, worker)
            # The worker is usable afterwards, whatever has happened to it.
            worker.time_limit = PATIENT
            assert solve_matrix("highs-compact", MATRIX, THREE_HALVES, worker).certified
        return answer

    return take


@pytest.mark.parametrize(
    ("function", "status", "note"),
    [
        ("exits", "crashed", "exit status 7"),
        ("segfaults", "crashed", "SIGSEGV"),
        ("raises", "failed", "RuntimeError: out of luck"),
        ("missing", "failed", "AttributeError"),
        ("returns_nan", "nonsense", "not finite"),
        ("returns_text", "nonsense", "a str, not an outcome"),
        ("returns_too_few", "nonsense", "each variable"),
        ("returns_what_cannot_be_sent", "failed", "cannot be sent"),
        ("returns_what_cannot_be_read", "nonsense", "cannot be read"),
        ("returns_an_infeasible_vector", "nonsense", "violated"),
        ("boasts", "nonsense", "the solution gives"),
        ("calls_it_infeasible", "nonsense", "infeasible, which it is not"),
    ],
)
def test_a_solver_that_goes_wrong_is_named(fake, function, status, note):
    answer = fake(function)
    assert (answer.status, answer.level, answer.standing) == (status, None, Standing.NONE)
    assert note in answer.note


def test_a_solver_that_hangs_is_timed_out_and_the_method_given_up(fake):
    answer = fake("sleeps", time_limit=0.5)
    assert answer.status == "timed out"
    assert "0.5 s" in answer.note


@pytest.mark.parametrize(("failure", "calls"), [(Status.TIMED_OUT, 3), (Status.CRASHED, 3), (Status.NONSENSE, 6)])
def test_a_method_is_given_up_after_three_crashes_or_timeouts_in_a_row(failure, calls):
    class Broken(SolverWorker):
        called = 0

        def call(self, target, *arguments):
            self.called += 1
            return SolverOutcome(failure, message="again")

    with Broken() as broken:
        answer = solve_matrix("cbc-compact", MATRIX, THREE_HALVES, broken)
    assert (broken.called, answer.status) == (calls, failure)
    assert answer.note.startswith("0 of 6 pairs certified")


def test_the_processes_of_a_solver_that_hangs_are_ended(fake, tmp_path, monkeypatch):
    """However slow the machine: the time of a call is counted from when the solver's own process is there."""
    note, limit, calls = tmp_path / "pids", 0.5, count(1)
    note.touch()

    class Patient(Allowance):
        def __init__(self, tree, seconds):
            expected = next(calls) if seconds == limit else 0
            while len(note.read_text().splitlines()) < expected:
                time.sleep(0.01)
            super().__init__(tree, seconds)

    monkeypatch.setattr(bounded, "Allowance", Patient)
    assert fake("starts_a_sleeper", str(note), time_limit=limit).status == "timed out"
    pids = note.read_text().split()
    assert len(pids) == 3
    assert all(has_ended(int(pid)) for pid in pids)


def test_a_crash_costs_one_call(fake):
    matrix = TransitionMatrix.of([["1/2", "1/2"], ["1/5", "4/5"]])
    answer = fake("crashes_on_the_second_pair", matrix=matrix)
    assert answer.status == "crashed"
    assert answer.standing is Standing.NOT_CERTIFIED
    assert answer.note == "1 of 2 pairs certified; rows 2 and 1: crashed: the worker ended with exit status 3"
    assert answer.level == optimum(matrix, 0, 1, THREE_HALVES).value(THREE_HALVES)


def test_what_a_solver_prints_does_not_disturb(fake):
    answer = fake("prints_and_solves")
    assert (answer.standing, answer.level) == (Standing.CERTIFIED, TRUTH)


@pytest.mark.parametrize("build", [literal, compact])
@pytest.mark.parametrize("function", ["returns_a_suboptimal_vertex", "returns_all_equal"])
def test_a_feasible_solution_below_the_truth_is_not_certified(fake, function, build):
    answer = fake(function, build=build)
    assert (answer.status, answer.standing) == ("answered", Standing.NOT_CERTIFIED)
    assert ZERO <= answer.level < TRUTH
    assert answer.value <= 1.35
    assert answer.note == "0 of 6 pairs certified"


def test_one_pair_that_is_not_certified_spoils_the_whole(fake):
    """Rows 1 and 2 are equal, so that a solution with all x equal is optimal for them and for no other pair."""
    matrix = TransitionMatrix((MATRIX.rows[0], MATRIX.rows[0], MATRIX.rows[1]))
    answer = fake("returns_all_equal", matrix=matrix)
    assert (answer.standing, answer.note) == (Standing.NOT_CERTIFIED, "2 of 6 pairs certified")


def test_a_worker_that_cannot_start_is_named(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with SolverWorker() as worker:
        answer = solve_matrix("highs-compact", MATRIX, THREE_HALVES, worker)
    assert (answer.status, answer.standing) == ("crashed", Standing.NONE)
    assert "could not start" in answer.note


@pytest.mark.slow
def test_the_workers_directory_is_removed(fake, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with SolverWorker() as worker:
        assert solve_matrix("cbc-compact", MATRIX, THREE_HALVES, worker).certified
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())
