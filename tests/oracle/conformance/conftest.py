"""Fixtures for programs under test."""

import pytest

from tploracle.conformance import program

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
