"""`tploracle certify` writes what `tploracle check`, and the lone checker, accept; both end as documented."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tploracle.certificates.checker import Rejected
from tploracle.certificates.lone import write_lone
from tploracle.cli import certify_command as certify
from tploracle.reference import parse_level

from ...certificates.documents import checked
from ...certificates.truth import is_true
from ...commands import run, validator, value
from ...matrices import MODERATE, STRONGEST, texts_of

QUESTIONS = {
    "lfp-optimum": ("m.csv", "--rows", "1,2", "--alpha", "log(2)"),
    "loss": ("m.csv", "--alpha", "1/10"),
    "loss-function": ("m.csv",),
    "leakage": ("--backward", "m.csv", "--forward", "m.csv", "--epsilon", "0.1", "--steps", 3),
    "bounded": ("m.csv", "--epsilon", "0.15"),
    "bounded-below": ("m.csv", "--epsilon", "0.15"),
    "divergent": ("m.csv", "--epsilon", "0.23"),
    "worst-case-upper": ("--backward", "m.csv", "--forward", "m.csv", "--epsilon", "0.1", "--steps", 4, "--at", 3),
    "worst-case-lower": ("--backward", "m.csv", "--epsilons", "e.csv", "--at", 2),
    "worst-case-forever": ("--backward", "m.csv", "--forward", "m.csv", "--epsilon", "0.1"),
    "worst-case-divergent": ("m.csv", "--epsilon", "0.23"),
    "profile-upper": ("m.csv", "--epsilon", "0.5", "--steps", 3, "--delta", "0.01"),
    "profile-lower": ("m.csv", "--epsilon", "0.5", "--steps", 3, "--delta", "0.01", "--delta-per-release", "1e-3"),
}


@pytest.fixture(autouse=True)
def _files(folder):
    (folder / "doubles.csv").write_text("0.1,0.2,0.7\n0.3,0.3,0.4\n0.5,0.3,0.2\n")
    (folder / "e.csv").write_text("0.1\nlog(2)\n")


def certified(kind, *args):
    return json.loads(run("certify", kind, *args).stdout)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_each_kind_is_written_and_accepted(folder, kind):
    document = checked(certified(kind, *QUESTIONS[kind]))
    assert document["certificate"] == kind
    assert is_true(document)
    assert run("certify", kind, *QUESTIONS[kind], "-o", "c.json").stdout == ""
    assert (folder / "c.json").read_text() == run("certify", kind, *QUESTIONS[kind]).stdout
    assert run("check", "c.json").stdout == f"c.json: accepted, {kind}\n"


@pytest.mark.parametrize("kind", ["loss", "worst-case-forever", "worst-case-lower"])
def test_what_it_rests_on(kind):
    """With --json: a line, in which a pair of matrices that is not seen to be one chain's is called so."""
    found = value("certify", kind, *QUESTIONS[kind])
    assert (found["kind"], found["certificate"]) == (kind, certified(kind, *QUESTIONS[kind]))
    wanted = {
        "loss": "not asked",
        "worst-case-lower": "not asked",
        "worst-case-forever": "whether both describe one chain cannot be decided",
    }
    assert found["basis"]["chain"].startswith(wanted[kind])
    written = value("certify", kind, *QUESTIONS[kind], "--out", "c.json")
    assert written == {"kind": kind, "file": "c.json", "basis": found["basis"]}
    assert json.loads(Path("c.json").read_text()) == found["certificate"]


def test_the_lone_checker_accepts_them(folder):
    write_lone(Path("checker.pyz"))
    for kind, question in QUESTIONS.items():
        run("certify", kind, *question, "-o", f"{kind}.json")
        lone = subprocess.run([sys.executable, "-I", "checker.pyz", f"{kind}.json"], capture_output=True, check=False)
        assert (lone.returncode, lone.stdout.decode()) == (0, f"accepted: {kind}\n")


def test_the_ways_to_give_budgets_and_matrices(folder):
    listed = certified("leakage", "--forward", "m.csv", "--epsilons", "0.1,log(2)")
    assert listed == certified("leakage", "--forward", "m.csv", "--epsilons", "e.csv")
    assert (listed["backward"], listed["epsilons"]) == (None, ["1/10", "log(2)"])
    both = folder / "both.json"
    both.write_text(json.dumps({"backward": texts_of(MODERATE), "forward": texts_of(STRONGEST)}))
    assert certified("divergent", "both.json", "--epsilon", "1e-9", "--role", "forward")["subset"] == [1]
    doubles = certified("loss-function", "doubles.csv", "--float64")
    assert doubles["matrix"][0][0] != "1/10"
    assert checked(doubles)


@pytest.mark.parametrize("digits", [1, 40, 1000])
def test_digits(folder, digits):
    document = certified("loss", "m.csv", "--alpha", "1/10", "--digits", digits)
    loss = parse_level("1/10").linear_fractional(Fraction(4, 5), Fraction(0))
    assert document["level"]["lower"] == str(loss.enclosure(digits).lower)


def test_what_the_checker_does_not_accept_is_not_written(folder, monkeypatch):
    def refuse(text):
        raise Rejected("matrix: it is not to its liking")

    monkeypatch.setattr(certify, "check", refuse)
    result = run("certify", "loss-function", "m.csv", "-o", "c.json", status=2)
    assert "there is no certificate that the checker accepts: matrix: it is not to its liking" in result.stderr
    assert not Path("c.json").exists()


def test_check_speaks_of_each_file(folder):
    run("certify", "bounded", *QUESTIONS["bounded"], "-o", "true.json")
    document = json.loads((folder / "true.json").read_text())
    (folder / "false.json").write_text(json.dumps({**document, "level": "0.1"}))
    (folder / "nonsense.json").write_text("{")
    (folder / "latin.json").write_bytes(b"\xff")
    assert run("check", "true.json", "true.json").stdout == "true.json: accepted, bounded\n" * 2
    lines = run("check", "true.json", "false.json", "nonsense.json", status=1).stdout.splitlines()
    assert lines[:2] == ["true.json: accepted, bounded", "false.json: rejected, level: it is below the bound"]
    assert lines[2].startswith("nonsense.json: rejected, document: it is not JSON")
    lines = run("check", "none.json", "false.json", "latin.json", "true.json", status=2).stdout.splitlines()
    assert [line.split(": ")[1].split(",")[0] for line in lines] == [
        "InvalidRequest",
        "rejected",
        "InvalidRequest",
        "accepted",
    ]
    assert run("check", "-", stdin=json.dumps(document)).stdout == "-: accepted, bounded\n"
    assert run("check", "-", stdin="\ufeff" + json.dumps(document)).stdout == "-: accepted, bounded\n"
    (folder / "long.json").write_text(json.dumps({**document, "digits": 1001}))
    lines = run("check", "true.json", "long.json", "true.json", status=3).stdout.splitlines()
    assert lines[1] == "long.json: not decided, digits: more than 1000 digits"
    run("check", "long.json", "false.json", status=1)
    run("check", "long.json", "none.json", status=2)
    assert "units of work" in run("check", "--work", "5000", "true.json", status=3).stdout


def test_at_all_times_where_no_time_is_given(folder):
    document = checked(certified("worst-case-upper", "--backward", "m.csv", "--epsilon", "0.1", "--steps", 4))
    assert document["time"] is None
    assert is_true(document)


def test_check_as_json(folder):
    run("certify", "loss", "m.csv", "--alpha", "1", "-o", "a.json")
    (folder / "b.json").write_text("{}")
    found = [
        json.loads(line) for line in run("check", "a.json", "b.json", "no.json", "--json", status=2).stdout.splitlines()
    ]
    assert [each["verdict"] for each in found] == ["accepted", "rejected", "InvalidRequest"]
    for each in found:
        validator("check").validate(each)
