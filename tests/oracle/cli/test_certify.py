"""`tploracle certify` writes what `tploracle check`, and the lone checker, accept; both end as documented."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from tploracle.cli import certify_command as certify
from tploracle.cli.main import main
from tploracle.proofs_checks import checker
from tploracle.reference import parse_level

from ...proofs_checks.documents import checked
from ...proofs_checks.truth import is_true

MODERATE = [["0.8", "0.2"], ["0", "1"]]
QUESTIONS = {
    "lfp-optimum": ("m.csv", "--rows", "1,2", "--alpha", "log(2)"),
    "loss": ("m.csv", "--alpha", "1/10"),
    "loss-function": ("m.csv",),
    "leakage": ("--backward", "m.csv", "--forward", "m.csv", "--epsilon", "0.1", "--steps", 3),
    "bounded": ("m.csv", "--epsilon", "0.15"),
    "bounded-below": ("m.csv", "--epsilon", "0.15"),
    "divergent": ("m.csv", "--epsilon", "0.23"),
    "tight-upper": ("--backward", "m.csv", "--forward", "m.csv", "--epsilon", "0.1", "--steps", 4, "--time", 3),
    "tight-lower": ("--backward", "m.csv", "--epsilons", "e.csv", "--time", 2),
    "tight-forever": ("--backward", "m.csv", "--forward", "m.csv", "--epsilon", "0.1"),
    "tight-divergent": ("m.csv", "--epsilon", "0.23"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, matrix in {"m.csv": MODERATE, "strong.csv": [["1", "0"], ["0", "1"]]}.items():
        (tmp_path / name).write_text("".join(",".join(row) + "\n" for row in matrix))
    (tmp_path / "doubles.csv").write_text("0.1,0.2,0.7\n0.3,0.3,0.4\n0.5,0.3,0.2\n")
    (tmp_path / "e.csv").write_text("0.1\nlog(2)\n")
    return tmp_path


def run(*args, status=0, stdin=None):
    result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin, prog_name="tploracle")
    assert result.exit_code == status, result.output
    return result


def certified(kind, *args, stdin=None):
    return json.loads(run("certify", kind, *args, stdin=stdin).stdout)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_each_kind_is_written_and_accepted(folder, kind):
    document = checked(certified(kind, *QUESTIONS[kind]))
    assert document["certificate"] == kind
    assert is_true(document)
    assert run("certify", kind, *QUESTIONS[kind], "-o", "c.json").stdout == ""
    assert (folder / "c.json").read_text() == run("certify", kind, *QUESTIONS[kind]).stdout
    assert run("check", "c.json").stdout == f"c.json: accepted, {kind}\n"
    lone = subprocess.run(
        [sys.executable, "-I", checker.__file__, "c.json"], capture_output=True, text=True, check=False
    )
    assert (lone.returncode, lone.stdout) == (0, f"accepted: {kind}\n")


def test_the_papers_supremum(folder):
    above, below = (certified(kind, *QUESTIONS[kind], "--digits", 6) for kind in ("bounded", "bounded-below"))
    supremum = json.loads(run("supremum", "m.csv", "--epsilon", "0.15", "--digits", 6, "--json").stdout)
    assert (below["level"], above["level"]) == (supremum["lower"], supremum["upper"])
    assert (below["rows"], below["subset"]) == (supremum["rows"], supremum["subset"])


def test_a_supremum_that_there_is_not_has_no_bounds(folder):
    for kind in ("bounded", "bounded-below"):
        for epsilon in ("0.23", "log(5/4)", "inf"):
            complaint = run("certify", kind, "m.csv", "--epsilon", epsilon, status=2).stderr
            assert complaint == "InvalidRequest: the supremum is infinite: there is no bound, as divergent certifies\n"
    for args in (("m.csv", "--epsilon", "0.22"), ("strong.csv", "--epsilon", "0"), ("doubles.csv", "--epsilon", "400")):
        assert run("certify", "divergent", *args, status=2).stderr == (
            "InvalidRequest: the supremum is finite: there is a bound, certified by bounded, and no divergence\n"
        )


def test_the_ways_to_give_budgets_and_matrices(folder):
    listed = certified("leakage", "--forward", "m.csv", "--epsilons", "0.1,log(2)")
    assert listed == certified("leakage", "--forward", "m.csv", "--epsilons", "e.csv")
    assert (listed["backward"], listed["epsilons"]) == (None, ["1/10", "log(2)"])
    assert certified("loss", "-", "--alpha", "1", stdin="0.8,0.2\n0,1\n") == certified("loss", "m.csv", "--alpha", "1")
    both = folder / "both.json"
    both.write_text(json.dumps({"backward": MODERATE, "forward": [["1", "0"], ["0", "1"]]}))
    assert certified("divergent", "both.json", "--epsilon", "1e-9", "--role", "forward")["subset"] == [1]
    run("certify", "divergent", "both.json", "--epsilon", "1e-9", "--role", "backward", status=2)
    doubles = certified("loss-function", "doubles.csv", "--float64")
    assert doubles["matrix"][0][0] != "1/10"
    assert checked(doubles)


@pytest.mark.parametrize("digits", [1, 40, 1000])
def test_digits(folder, digits):
    document = certified("loss", "m.csv", "--alpha", "1/10", "--digits", digits)
    loss = parse_level("1/10").linear_fractional(Fraction(4, 5), Fraction(0))
    assert document["level"]["lower"] == str(loss.enclosure(digits).lower)


@pytest.mark.parametrize(
    ("sentence", "args"),
    [
        ("needs the file of a matrix", ("loss", "--alpha", "1")),
        ("certify loss needs --alpha", ("loss", "m.csv")),
        ("certify loss has no option --epsilon", ("loss", "m.csv", "--alpha", "1", "--epsilon", "1")),
        ("certify lfp-optimum needs --rows", ("lfp-optimum", "m.csv", "--alpha", "1")),
        ("not two of the rows 1 to 2", ("lfp-optimum", "m.csv", "--alpha", "1", "--rows", "1,3")),
        ("not two of the rows 1 to 2", ("lfp-optimum", "m.csv", "--alpha", "1", "--rows", "1")),
        ("not two of the rows 1 to 2", ("lfp-optimum", "m.csv", "--alpha", "1", "--rows", "1,2,")),
        ("certify loss-function has no option --alpha", ("loss-function", "m.csv", "--alpha", "1")),
        ("takes its matrices by", ("leakage", "m.csv", "--epsilon", "1", "--steps", "2")),
        ("--epsilon needs --steps", ("leakage", "--backward", "m.csv", "--epsilon", "1")),
        ("give either --epsilon and --steps, or --epsilons", ("leakage", "--backward", "m.csv")),
        ("--steps belongs to --epsilon", ("leakage", "--backward", "m.csv", "--epsilons", "1", "--steps", "1")),
        ("--steps is at least 1", ("leakage", "--backward", "m.csv", "--epsilon", "1", "--steps", "0")),
        ("too large", ("leakage", "--backward", "m.csv", "--epsilon", "1", "--steps", "10001")),
        ("certify leakage has no option --rows", ("leakage", "--epsilon", "1", "--steps", "1", "--rows", "1,2")),
        ("certify bounded needs --epsilon", ("bounded", "m.csv")),
        ("certify bounded-below has no option --steps", ("bounded-below", "m.csv", "--epsilon", "1", "--steps", "2")),
        ("certify divergent needs the file of a matrix", ("divergent", "--epsilon", "1")),
        ("--epsilon", ("divergent", "m.csv", "--epsilon", "-1")),
        ("1 to 1000 digits, not 0", ("bounded", "m.csv", "--epsilon", "0.1", "--digits", "0")),
        ("1 to 1000 digits, not 1001", ("loss", "m.csv", "--alpha", "0.1", "--digits", "1001")),
        ("none.csv", ("loss", "none.csv", "--alpha", "1")),
        ("no such option", ("loss", "m.csv", "--beta", "1")),
        ("is not one of", ("lemma", "m.csv")),
        ("cannot be written", ("loss-function", "m.csv", "-o", "m.csv/c.json")),
    ],
)
def test_what_cannot_be_asked(folder, sentence, args):
    result = run("certify", *args, status=2)
    assert sentence.lower() in result.stderr.lower()
    assert result.stdout == ""


def test_what_the_checker_does_not_accept_is_not_written(folder, monkeypatch):
    def refuse(text):
        raise checker.Rejected("matrix: it is not to its liking")

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
    run("check", status=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("--backward", "m.csv", "--epsilon", "1", "--steps", 2, "--time", 3),
            "--time: 3 is not one of the times 1 to 2",
        ),
        (
            ("--backward", "m.csv", "--epsilon", "1", "--steps", 2, "--time", "1,2"),
            "--time: 1,2 is not one of the times",
        ),
        (("m.csv", "--epsilon", "1", "--steps", 2, "--time", 1), "takes its matrices by --backward and --forward"),
        (("--backward", "m.csv", "--epsilon", "inf", "--steps", 2, "--time", 1), "give finite ones"),
        (("--backward", "m.csv", "--epsilon", "1", "--steps", 2, "--time", 1, "--alpha", "1"), "has no option --alpha"),
    ],
)
def test_what_is_refused_of_the_tight_kinds(folder, arguments, words):
    assert words in run("certify", "tight-upper", *arguments, status=2).stderr


def test_at_all_times_where_no_time_is_given(folder):
    document = checked(certified("tight-upper", "--backward", "m.csv", "--epsilon", "0.1", "--steps", 4))
    assert document["time"] is None
    assert is_true(document)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tight-lower", "--backward", "m.csv", "--epsilon", "1", "--steps", 2), "certify tight-lower needs --time"),
        (("tight-forever", "--backward", "m.csv"), "certify tight-forever needs --epsilon"),
        (("tight-forever", "--backward", "m.csv", "--epsilon", "1", "--steps", 3), "has no option --steps"),
        (("tight-forever", "m.csv", "--epsilon", "0.1"), "takes its matrices by --backward and --forward"),
        (("tight-forever", "--backward", "m.csv", "--epsilon", "0.23"), "as tight-divergent certifies"),
        (("tight-forever", "--backward", "m.csv", "--epsilon", "0"), "a finite budget above 0"),
        (("tight-divergent", "m.csv", "--epsilon", "0.22"), "certified by tight-forever"),
        (("tight-divergent", "m.csv", "--epsilon", "inf"), "a finite budget above 0"),
        (("tight-divergent", "--epsilon", "1"), "needs the file of a matrix"),
    ],
)
def test_what_is_refused_of_the_kinds_for_ever(folder, arguments, words):
    assert words in run("certify", *arguments, status=2).stderr
