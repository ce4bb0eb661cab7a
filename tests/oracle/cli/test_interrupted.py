"""Commands that are interrupted, or undecided, print the sound bounds that they have: the paper's."""

import json
import sys

import pytest
from click.testing import CliRunner

from tploracle.cli.main import main
from tploracle.reference import Undecided
from tploracle.solvers.signals import OutOfTime, Terminated

ENDS = [
    (KeyboardInterrupt(), 130, "Interrupted"),
    (Terminated(), 143, "Terminated"),
    (OutOfTime(60.0), 2, "took too long"),
    (Undecided("no"), 3, "Undecided"),
]
BOTH = ("--backward", "m.csv", "--forward", "m.csv")
STREAM = (*BOTH, "--epsilon", "0.1", "--steps", "4")
QUESTIONS = {
    "leakage": ("leakage", *STREAM),
    "composition": ("composition", *STREAM, "--w", "2", "--window", "2:2"),
    "supremum": ("supremum", "m.csv", "--epsilon", "0.1"),
    "audit": ("audit", *STREAM),
}
"""Questions with the paper's answer; --tight asks for the exact worst case as well."""

WORST_CASES = (
    "tploracle.solvers.tight_pairs.fast_tight_leakage",
    "tploracle.solvers.tight_pairs.fast_tight_supremum",
    "tploracle.auditing.worst_case.fast_tight_leakage",
)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("0.8,0.2\n0.1,0.9\n")
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
    bounds = CliRunner().invoke(main, [*question, "--json"])
    assert bounds.exit_code == 0
    for place in WORST_CASES:
        monkeypatch.setattr(place, ends)
    ended = CliRunner().invoke(main, [*question, "--tight", "--json"])
    assert (ended.exit_code, said in ended.stderr) == (status, True)
    assert list(numbers(json.loads(ended.stdout))) == list(numbers(json.loads(bounds.stdout)))
    assert "which hold" in ended.stdout
    shown = CliRunner().invoke(main, [*question, "--tight"])
    assert shown.exit_code == status
    assert "paper's bounds, which hold" in shown.stdout


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

    done = []
    with monkeypatch.context() as patch:
        patch.setattr(place, ends)
        for how in (["--json"], []):
            calls.clear()
            done.append(CliRunner().invoke(main, [*question, *how]))
    assert [one.exit_code for one in done] == [130, 130]
    assert ("what is here holds" in done[1].stdout) is bool(done[1].stdout)
    return json.loads(done[0].stdout) if done[0].stdout else None


def answer(*question):
    return json.loads(CliRunner().invoke(main, [*question, "--json"]).stdout)


@pytest.mark.parametrize(
    ("place", "options"),
    [
        ("tploracle.cli.allocate_command.fitted", ()),
        ("tploracle.cli.allocate_tight.tight_constant", ("--tight",)),
    ],
)
def test_a_schedule_that_is_not_found_is_shared_equally(monkeypatch, place, options):
    answer(*ALLOCATE)
    found = interrupted(monkeypatch, place, (*ALLOCATE, *options))
    assert [level["exact"] for level in found["epsilons"]] == ["1/4"] * 4


def test_a_schedule_that_is_found_is_printed_without_the_others(monkeypatch):
    whole = answer(*ALLOCATE)
    found = interrupted(monkeypatch, "tploracle.cli.allocate_command.compared_schedules", ALLOCATE)
    assert found.pop("note")
    assert found == {key: value for key, value in whole.items() if key != "comparison"}


def test_noise_is_printed_of_the_numbers_of_releases_that_are_done(monkeypatch):
    whole = answer(*UTILITY)
    assert interrupted(monkeypatch, "tploracle.cli.utility_command.fitted", UTILITY) is None
    first = interrupted(monkeypatch, "tploracle.cli.utility_command.check_schedule", UTILITY, after=1)
    assert first.pop("note")
    assert first == {key: column[:1] for key, column in whole.items()}
    found = interrupted(monkeypatch, "tploracle.cli.utility_command.tight_constant", (*UTILITY, "--tight"))
    assert found.pop("note")
    assert found == whole
