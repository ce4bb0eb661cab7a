"""Commands that are interrupted, or undecided, print the sound bounds that they have: the paper's."""

import json

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
