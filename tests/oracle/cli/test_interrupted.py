"""Commands that are interrupted, or undecided, print the sound bounds that they have: the paper's."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tploracle.cli import allocate_command
from tploracle.models.worst_case import WorstCase
from tploracle.reference import Undecided
from tploracle.system.signals import OutOfTime, Terminated

from ...commands import run, value, values

ENDS = [
    (KeyboardInterrupt(), 130, "Interrupted"),
    (Terminated(), 143, "Terminated"),
    (OutOfTime(60.0), 3, "not worked out within 60 s of processor time"),
    (Undecided("no"), 3, "Undecided"),
]
BOTH = ("--backward", "f.csv", "--forward", "f.csv")
STREAM = "--backward f.csv --forward f.csv --epsilon 0.1 --steps 4"
QUESTIONS = [
    f"leakage {STREAM}",
    f"composition {STREAM} --w 2 --window 2:2",
    "supremum f.csv --one-sided --epsilon 0.1 --epsilon 0.2",
    "control f.csv --spent 0.1,0.1 --cap 1",
]
"""Questions that both models answer."""

WORST_CASES = ("leakage", "suprema", "carried")


@pytest.fixture(autouse=True)
def _folder(folder, monkeypatch):
    monkeypatch.setattr("tploracle.cli.shell.ended_at_once", lambda: None)  # signals stay as the tests have them


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(("end", "status", "said"), ENDS, ids=[said for *_, said in ENDS])
def test_the_papers_bounds_are_printed(monkeypatch, question, end, status, said):
    def ends(*_given, **_more):
        raise end

    bounds = values(*question.split(), "--model", "paper-bound")
    for asked in WORST_CASES:
        monkeypatch.setattr(WorstCase, asked, ends)
    ended = run(*question.split(), "--json", status=status)
    assert said in ended.stderr
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    for each, bound in zip(found, bounds, strict=True):
        assert "exact worst case was not worked out" in each["basis"]["absent"].pop("worst_case")
        assert each == bound
    screen = run(*question.split(), status=status).stdout
    assert "\nLeft out: the exact worst case was not worked out" in screen


ALLOCATE = ("allocate", *BOTH, "--alpha", "1", "--method", "constant", "--steps", "4")
UTILITY = ("utility", *BOTH, "--alpha", "1", "--steps", "2,4")


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
    assert "what is here holds" in shown[1] or "Left out: " in shown[1]
    return json.loads(shown[0])


def test_a_schedule_that_is_not_found_is_shared_equally(monkeypatch):
    found = interrupted(monkeypatch, "tploracle.models.paper_bound.fitted", ALLOCATE)
    assert [level["exact"] for level in found["shared"]["epsilons"]] == ["1/4"] * 4


def test_a_budget_for_all_users_is_printed_where_not_all_of_their_own_are_found(monkeypatch):
    users = {f"draw {k}": {"backward": [[f"{9 - k}/10", f"{1 + k}/10"], ["1/5", "4/5"]]} for k in range(4)}
    Path("users.json").write_text(json.dumps(users))
    question = ("allocate", "--users", "users.json", "--alpha", "1", "--steps", "3", "--model", "worst-case")
    whole = value(*question)["worst_case"]
    alone = [
        value(*question[:1], "--backward", "one.json", *question[3:])["worst_case"]["epsilons"][0]
        for each in users.values()
        if Path("one.json").write_text(json.dumps(each["backward"]))
    ]
    assert whole["epsilons"][0] == min(alone, key=lambda level: Fraction(level["lower"]))
    found = interrupted(monkeypatch, "tploracle.models.worst_case.constant_budget", question, after=3)
    assert found["worst_case"]["epsilons"] == whole["epsilons"]
    kept = found["worst_case"]["personalised"]
    assert kept == {name: whole["personalised"][name] for name in ("draw 0", "draw 1")}
    assert found["basis"]["absent"]["worst_case"].startswith("own budgets of 2 of 4 users: ")


def test_a_schedule_that_is_found_is_printed_without_the_others(monkeypatch):
    whole = value(*ALLOCATE)
    found = interrupted(monkeypatch, "tploracle.models.worst_case.constant_budget", ALLOCATE)
    assert found["paper_bound"] == whole["paper_bound"]
    assert found.keys() == {"checked", "paper_bound", "basis"}
    assert found["basis"]["absent"] == {"worst_case": "the exact worst case was not worked out: interrupted"}


def test_a_model_whose_digits_are_not_worked_out_is_left_out(monkeypatch):
    """Levels for ever are only enclosed when they are printed, which may take longer than the search for a budget."""
    whole, suprema, digits = value(*ALLOCATE[:7]), WorstCase.kept_for_ever, allocate_command.greatest_value
    found = []

    def kept(*given):
        found.append("levels")
        return suprema(*given)

    def ends(*given):
        if found:
            found.clear()
            raise KeyboardInterrupt
        return digits(*given)

    monkeypatch.setattr(WorstCase, "kept_for_ever", kept)
    monkeypatch.setattr(allocate_command, "greatest_value", ends)
    ended = run(*ALLOCATE[:7], "--json", status=130)
    assert json.loads(ended.stdout)["paper_bound"] == whole["paper_bound"]


def test_noise_is_printed_of_the_numbers_of_releases_that_are_done(monkeypatch):
    whole = value(*UTILITY)
    assert interrupted(monkeypatch, "tploracle.models.paper_bound.fitted", UTILITY)["horizons"] == []
    first = interrupted(monkeypatch, "tploracle.models.paper_bound.fitted", UTILITY, after=2)
    assert first["note"]
    assert (first["horizons"], first["group"]) == ([2], whole["group"][:1])
    assert first["paper_bound"] == {key: column[:1] for key, column in whole["paper_bound"].items()}
    found = interrupted(monkeypatch, "tploracle.models.worst_case.constant_budget", UTILITY)
    assert found["paper_bound"] == whole["paper_bound"]
    assert "worst_case" in found["basis"]["absent"]
