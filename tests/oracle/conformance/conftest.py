"""Fixtures for programs under test."""

import pytest

from tploracle.conformance import program


@pytest.fixture
def quick(monkeypatch):
    """Wait for no program's end."""
    monkeypatch.setattr(program, "GRACE", 0.2)
    monkeypatch.setattr(program, "CLOSING", 0.2)


@pytest.fixture
def pids(monkeypatch):
    """The processes that the subjects of a test have started."""
    started = []
    popen = program.subprocess.Popen

    def noted(*arguments, **options):
        process = popen(*arguments, **options)
        started.append(process.pid)
        return process

    monkeypatch.setattr(program.subprocess, "Popen", noted)
    return started
