"""Fixtures for programs under test, for whole runs of a few questions, and for truths of many digits."""

import pytest
from mpmath import mp

from tploracle.conformance.ask import budget, program
from tploracle.conformance.ask import run as conducting
from tploracle.conformance.ask.relations import RELATED
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.ask.search import EXAMPLES
from tploracle.conformance.model import DEFAULT_ULPS, Run

from ...processes import PATIENT


@pytest.fixture(autouse=True)
def leisurely(monkeypatch):
    """Wait for the end of a program that ends, however slow the machine."""
    monkeypatch.setattr(program, "GRACE", PATIENT)
    monkeypatch.setattr(program, "CLOSING", PATIENT)


@pytest.fixture
def quick(leisurely, monkeypatch):
    """Wait for no program's end: for one that goes on."""
    monkeypatch.setattr(program, "GRACE", 0.2)
    monkeypatch.setattr(program, "CLOSING", 0.2)


@pytest.fixture
def pids(monkeypatch):
    """The processes that the implementations under test have started."""
    started = []
    popen = program.subprocess.Popen

    def noted(*arguments, **options):
        process = popen(*arguments, **options)
        started.append(process.pid)
        return process

    monkeypatch.setattr(program.subprocess, "Popen", noted)
    return started


@pytest.fixture
def precise():
    """Work in mpmath to 60 digits."""
    with mp.workdps(60):
        yield


@pytest.fixture
def run_of(monkeypatch):
    """Return a function that makes a whole run of an implementation, with a few questions of each operation."""
    monkeypatch.setattr(budget, "EACH", {"smoke": 8, "standard": 8, "full": 10})
    monkeypatch.setattr(budget, "IN_ALL", {"smoke": 24, "standard": 24, "full": 30})
    monkeypatch.setitem(RELATED, "standard", 1)
    monkeypatch.setitem(RELATED, "full", 1)
    monkeypatch.setitem(EXAMPLES, "standard", 30)

    def run_of(implementation, plan=None, **more):
        plan = plan or Plan("smoke")
        run = Run("-- it", plan.tier, plan.seed, DEFAULT_ULPS)
        conducting.run_cases(implementation, plan, run, **more)
        return run

    return run_of
