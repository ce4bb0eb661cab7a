"""Commands that are interrupted, or undecided, print the sound bounds that they have: the paper's."""

import json
import sys

import pytest

from tploracle.reference import Undecided
from tploracle.system.signals import OutOfTime, Terminated

from ...commands import run, value, values

ENDS = [
    (KeyboardInterrupt(), 130, "Interrupted"),
    (Terminated(), 143, "Terminated"),
    (OutOfTime(60.0), 2, "took too long"),
    (Undecided("no"), 3, "Undecided"),
]
BOTH = ("--backward", "f.csv", "--forward", "f.csv")
STREAM = (*BOTH, "--epsilon", "0.1", "--steps", "4")
QUESTIONS = {
    "leakage": ("leakage", *STREAM),
    "composition": ("composition", *STREAM, "--w", "2", "--window", "2:2"),
    "supremum": ("supremum", "f.csv", "--epsilon", "0.1", "--epsilon", "0.2"),
    "control": ("control", "f.csv", "--spent", "0.1,0.1", "--cap", "1"),
    "audit": ("audit", *STREAM),
}
"""Questions with the paper's answer; --tight asks for the exact worst case as well."""

WORST_CASES = (
    "tploracle.solvers.worst_case.pairs.fast_tight_leakage",
    "tploracle.solvers.worst_case.pairs.fast_tight_supremum",
    "tploracle.auditing.worst_case.fast_tight_leakage",
)


@pytest.fixture(autouse=True)
def _folder(folder, monkeypatch):
    monkeypatch.setattr("tploracle.cli.shell.ended_at_once", lambda: None)  # signals stay as the tests have them


def numbers(value):
    """Yield every level within a value."""
    if isinstance(value, dict) and "lower" in value:
        yield value["lower"], value["upper"]
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from numbers(each)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize(("end", "status", "said"), ENDS, ids=[said for *_, said in ENDS])
def test_the_papers_bounds_are_printed(monkeypatch, name, end, status, said):
    def ends(*_given, **_more):
        raise end

    question = QUESTIONS[name]
    bounds = values(*question)
    for place in WORST_CASES:
        monkeypatch.setattr(place, ends)
    ended = run(*question, "--tight", "--json", status=status)
    assert said in ended.stderr
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert list(numbers(found)) == list(numbers(bounds))
    assert all("which hold" in line for line in ended.stdout.splitlines())
    assert "paper's bounds, which hold" in run(*question, "--tight", status=status).stdout


ALLOCATE = ("allocate", *BOTH, "--alpha", "1", "--method", "constant", "--horizon", "4")
UTILITY = ("utility", *BOTH, "--alpha", "1", "--horizon", "2,4")


def interrupted(monkeypatch, place, question, after=0):
    """Return the answer to a question where this function is interrupted once it has been called so often."""
    name = place.rpartition(".")[2]
    right, calls = getattr(sys.modules[place.rpartition(".")[0]], name), []

    def ends(*given, **more):
        calls.append(name)
        if len(calls) > after:
            raise KeyboardInterrupt
        return right(*given, **more)

    shown = []
    with monkeypatch.context() as patch:
        patch.setattr(place, ends)
        for how in (["--json"], []):
            calls.clear()
            shown.append(run(*question, *how, status=130).stdout)
    assert ("what is here holds" in shown[1]) is bool(shown[1])
    return json.loads(shown[0]) if shown[0] else None


@pytest.mark.parametrize(
    ("place", "options"),
    [
        ("tploracle.cli.allocate_command.fitted", ()),
        ("tploracle.cli.allocate_tight.tight_constant", ("--tight",)),
    ],
)
def test_a_schedule_that_is_not_found_is_shared_equally(monkeypatch, place, options):
    value(*ALLOCATE)
    found = interrupted(monkeypatch, place, (*ALLOCATE, *options))
    assert [level["exact"] for level in found["epsilons"]] == ["1/4"] * 4


def test_a_schedule_that_is_found_is_printed_without_the_others(monkeypatch):
    whole = value(*ALLOCATE)
    found = interrupted(monkeypatch, "tploracle.cli.allocate_command.compared_schedules", ALLOCATE)
    assert found.pop("note")
    assert found == {key: value for key, value in whole.items() if key != "comparison"}


def test_noise_is_printed_of_the_numbers_of_releases_that_are_done(monkeypatch):
    whole = value(*UTILITY)
    assert interrupted(monkeypatch, "tploracle.cli.utility_command.fitted", UTILITY) is None
    first = interrupted(monkeypatch, "tploracle.cli.utility_command.check_schedule", UTILITY, after=1)
    assert first.pop("note")
    assert first == {key: column[:1] for key, column in whole.items()}
    found = interrupted(monkeypatch, "tploracle.cli.utility_command.tight_constant", (*UTILITY, "--tight"))
    assert found.pop("note")
    assert found == whole
