"""Python objects: arrays in every layout, arguments unchanged, answers of their own, two threads at once."""

import threading
from typing import ClassVar

import numpy as np
import pytest

from tploracle.conformance.ask import run as conducted
from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.model import Run
from tploracle.conformance.report.summary import resting, summary_of
from tploracle.wire.arrays import LAYOUTS, TWO_THREADS, Turns, changed, copied, laid_out

ROWS = np.array([[0.5, 0.25, 0.25], [0.0, 0.125, 0.875], [0.75, 0.25, 0.0]])


def smoothed(rows, s):
    raised = np.asarray(rows, dtype=np.float64) + s
    return raised / raised.sum(axis=1, keepdims=True)


class Right:
    """An implementation of smooth with nothing wrong; others change `rows_of`, `work` or `answer`."""

    domain: ClassVar = {"states": 6}

    def smooth(self, s, n=None, matrix=None):
        return self.answer(self.work(np.eye(n) if matrix is None else self.rows_of(matrix), s))

    def rows_of(self, matrix):
        return matrix

    def work(self, rows, s):
        return smoothed(rows, s)

    def answer(self, found):
        return found


class Locked(Right):
    """One that waits for itself, so that threads cannot take turns within it."""

    def __init__(self):
        self.lock, self.rows = threading.Lock(), None

    def work(self, rows, s):
        with self.lock:
            self.rows = rows
            return smoothed(self.rows, s)


class ChangesTheMatrix(Right):
    def work(self, rows, s):
        if rows.flags.writeable:
            rows += s
            s = 0.0
        return smoothed(rows, s)


class SameBuffer(Right):
    def __init__(self):
        self.buffer = np.zeros((1_000, 1_000))

    def answer(self, found):
        view = self.buffer[: len(found), : len(found)]
        view[...] = found
        return view


class SameList(Right):
    def __init__(self):
        self.rows = []

    def answer(self, found):
        self.rows[:] = found.tolist()
        return self.rows


class InOrderOfMemory(Right):
    def rows_of(self, matrix):
        return matrix.ravel(order="K").reshape(matrix.shape)


class WithoutGaps(Right):
    def rows_of(self, matrix):
        return matrix if matrix.flags.forc else np.zeros_like(matrix) + np.eye(len(matrix))


class WritesIntoIt(Right):
    def rows_of(self, matrix):
        matrix[0, 0] = matrix[0, 0]
        return matrix


class NativeBytes(Right):
    def rows_of(self, matrix):
        wide = np.ascontiguousarray(matrix)
        return np.frombuffer(wide.tobytes(), np.float64).reshape(matrix.shape) if wide.itemsize == 8 else matrix


class TypeOfTheMatrix(Right):
    def work(self, rows, s):
        raised = rows + rows.dtype.type(s)
        return raised / raised.sum(axis=1, keepdims=True)


class SharedScratch(Right):
    rows = None

    def work(self, rows, s):
        self.rows = rows
        return smoothed(self.rows, s)


WRONG = {
    ChangesTheMatrix: "the method changed its arguments",
    SameBuffer: "what it returned for the question before changed",
    SameList: "what it returned for the question before changed",
    InOrderOfMemory: "with arrays: Fortran order",
    WithoutGaps: "with arrays: gaps between entries",
    WritesIntoIt: "with arrays: read-only",
    NativeBytes: "with arrays: another byte order",
    SharedScratch: f"with arrays: {TWO_THREADS}",
}


def summary(implementation, tier="smoke", questions=None):
    run, plan = Run("x", tier, 0, 4096), Plan(tier, search=False, lenient=True, questions=questions)
    conducted.run_cases(ObjectImplementation(implementation), plan, run)
    return summary_of(run)


@pytest.mark.parametrize("right", [Right, Locked])
def test_what_is_right_is_not_accused_and_the_report_says_how_it_was_asked(right):
    found = summary(right)
    assert [(one.case.id, one.judgement) for one in found.failing] == []
    assert all(found.run.written[f"arrays: {layout}"] >= 2 for layout in LAYOUTS)
    assert any(" arrays: Fortran order" in line for line in resting(found))


@pytest.mark.parametrize("wrong", WRONG)
def test_each_is_found_by_itself_in_the_smoke_tier(wrong):
    told = {f"{one.judgement.given} {one.judgement.detail}" for one in summary(wrong).failing}
    assert any(WRONG[wrong] in text for text in told), told


def test_shorter_floats_are_found_where_some_matrix_is_one_of_them():
    told = {one.judgement.detail for one in summary(TypeOfTheMatrix, "standard", 120).failing}
    assert any("with arrays: float32" in text for text in told), told


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_has_the_same_numbers(layout):
    given = {"matrix": ROWS.copy(), "steps": {"cycle": [ROWS.copy()]}, "alpha": 0.5}
    found = laid_out(copied(given), layout)
    assert not changed(found, given)
    found["steps"]["cycle"][0] = ROWS + 1
    assert changed(found, given)


def test_layouts_are_what_they_are_called():
    of = {name: lay(ROWS.copy()) for name, lay in LAYOUTS.items()}
    assert not of["Fortran order"].flags.c_contiguous
    assert not of["gaps between entries"].flags.forc
    assert not of["read-only"].flags.writeable
    assert not of["another byte order"].dtype.isnative
    assert of["float32"].dtype == np.float32
    assert LAYOUTS["float32"](np.array([0.1])).dtype == np.float64


def test_two_threads_take_turns_line_by_line():
    seen = []

    def call(name):
        def lines():
            seen.append(name)
            seen.append(name)
            seen.append(name)
            return name

        return lines

    assert Turns().run(call("a"), call("b")) == ["a", "b"]
    assert seen not in (["a"] * 3 + ["b"] * 3, ["b"] * 3 + ["a"] * 3)
