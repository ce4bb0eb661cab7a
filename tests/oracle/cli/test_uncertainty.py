"""`uncertainty`: quantiles and the worst over drawn matrices, against `leakage` on the draws as candidates."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from tploracle.cli.main import main
from tploracle.reference import count_transitions

SEQUENCES = "a b a a b\nb b a\na a\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.txt").write_text(SEQUENCES)


def run(*args):
    done = CliRunner().invoke(main, list(args), catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def middle(level):
    return (Fraction(level["lower"]) + Fraction(level["upper"])) / 2


def found(*args, file="s.txt"):
    return json.loads(run("uncertainty", file, "--epsilon", "0.1", "--steps", "5", "--json", *args))


def worst_of(*correlations, digits):
    told = run(
        "leakage", *correlations, "--epsilon", "0.1", "--steps", "5", "--after", "5", "--json", "--digits", str(digits)
    )
    return json.loads(told)["after"][0]


def tpl_of(known):
    """The worst TPL of an adversary who knows these matrices, by `leakage`."""
    for role, matrix in known.items():
        Path(f"{role}.json").write_text(json.dumps(matrix))
    return middle(worst_of("--backward", "backward.json", "--forward", "forward.json", digits=12)["tpl"])


def test_the_worst_is_the_leakage_of_the_draws_as_candidates():
    value = found("--draws", "20", "--seed", "4", "--write", "draws.json", "--digits", "6")
    assert len(json.loads(Path("draws.json").read_text())) == 20
    worst = worst_of("--users", "draws.json", digits=6)
    for kind in ("bpl", "fpl", "tpl"):
        assert {**worst[kind], **value["quantiles"]["1"][kind]} == worst[kind]


def test_quantiles_are_levels_of_draws():
    value = found("--draws", "20", "--write", "draws.json", "--digits", "12")
    each = sorted(tpl_of(known) for known in json.loads(Path("draws.json").read_text()).values())
    for part, number in (("1/20", 1), ("1/2", 10), ("19/20", 19), ("1", 20)):
        assert middle(value["quantiles"][part]["tpl"]) == each[number - 1]


def test_estimates_with_more_smoothing_leak_less():
    value = found("--smoothing", "2", "--digits", "12")
    assert list(value["smoothed"]) == ["0", "1/10", "1/2", "1", "2", "10"]
    counts = count_transitions([line.split() for line in SEQUENCES.splitlines()])
    for smoothing, levels in value["smoothed"].items():
        known = {role: getattr(counts, role)(Fraction(smoothing)).texts() for role in ("backward", "forward")}
        assert tpl_of(known) == middle(levels["tpl"])
    tpl = [middle(levels["tpl"]) for levels in value["smoothed"].values()]
    assert tpl == sorted(tpl, reverse=True)
    assert tpl[0] > tpl[-1]


def test_counts_and_sequences_are_the_same():
    Path("counts.json").write_text(run("estimate", "s.txt", "--counts"))
    from_counts = run("uncertainty", "counts.json", "--epsilons", "0.1,0.2", "--draws", "3", "--json")
    assert from_counts == run("uncertainty", "s.txt", "--epsilons", "0.1,0.2", "--draws", "3", "--json")
    assert run("estimate", "counts.json", "--json") == run("estimate", "s.txt", "--json")


# a→b, b→a, a→a, a→b, b→b, b→a, a→a of the sequences, by hand
TABLES = {
    "c.csv": "from,a,b\na,2,2\nb,2,1\n",
    "plain.csv": "2,2\n2,1\n",
    "c.json": "[[2, 2], [2.0, 1]]",
}


@pytest.mark.parametrize("name", [*TABLES, "c.parquet", "c.npy"])
def test_a_table_of_counts_is_as_good_as_the_sequences(name):
    frame = pd.DataFrame([[2, 2], [2, 1]], index=["a", "b"], columns=["a", "b"])
    for table, text in TABLES.items():
        Path(table).write_text(text)
    frame.astype(float).to_parquet("c.parquet")
    np.save("c.npy", frame.to_numpy())
    assert found("--draws", "3") == found("--draws", "3", "--entries", "counts", file=name)
    table, seen = (json.loads(run("estimate", *args, "--json")) for args in ((name, "--entries", "counts"), ("s.txt",)))
    assert table["initial"] is None
    assert [table[role] for role in ("forward", "backward")] == [seen[role] for role in ("forward", "backward")]
    assert table["states"] == (["a", "b"] if name in ("c.csv", "c.parquet") else ["1", "2"])
    assert "not known" in run("estimate", name, "--entries", "counts")
    Path("again.json").write_text(run("estimate", name, "--entries", "counts", "--counts"))
    assert json.loads(run("estimate", "again.json", "--json")) == table


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        ("a,b\n1,2\n3,1/2\n", (), "InvalidNumber: c.csv: row 2, column 2: 1/2 is no count"),
        ("1,2\n3\n", (), "NotSquare: c.csv: line 2: row 2 has 1 entries"),
        ("1,2\n3,x\n", (), "InvalidNumber: c.csv: line 2, column 2"),
        ("0,0\n0,0\n", (), "UnreachableState: no transition was counted"),
        ("1,2\n3,4\n", ("--separator", "comma"), "InvalidRequest: --entries counts is a table"),
        ("1,2\n3,4\n", ("--user", "u", "--time", "t", "--state", "s"), "InvalidRequest: --entries counts is a table"),
    ],
)
def test_errors_of_tables_of_counts(text, options, error):
    Path("c.csv").write_text(text)
    done = CliRunner().invoke(main, ["estimate", "c.csv", "--entries", "counts", *options])
    assert (done.exit_code, done.stderr[: len(error)]) == (2, error)


@pytest.mark.parametrize("name", ["c.parquet", "c.npy", "c.npz"])
def test_a_file_that_is_a_table_is_not_taken_for_sequences(name):
    done = CliRunner().invoke(main, ["estimate", name])
    assert (done.exit_code, done.stderr.partition(":")[0]) == (2, "InvalidRequest")
    assert "--entries counts" in done.stderr


def test_the_tables_say_what_to_make_of_them():
    shown = run("uncertainty", "s.txt", "--epsilon", "log(11/10)", "--steps", "3", "--draws", "5", "--seed", "9")
    for words in ("5 draws with seed 9 and smoothing 1/2", "worst TPL", "7 transitions, 3 or more from each state",
                  "Smoothing makes rows alike", "of whom the draws are the candidates"):  # fmt: skip
        assert words in shown


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["s.txt"], "InvalidRequest: give either --epsilon"),
        (
            ["s.txt", "--epsilon", "1", "--steps", "2", "--smoothing", "0.01"],
            "InvalidRequest: the smoothing of",
        ),
        (["s.txt", "--epsilon", "1", "--steps", "2", "--draws", "0"], "InvalidRequest: draws are at least 1"),
        (["no.txt", "--epsilon", "1", "--steps", "2"], "InvalidRequest: no.txt: cannot be read"),
        (
            ["s.txt", "--epsilon", "1", "--steps", "2", "--user", "u"],
            "InvalidRequest: --user, --time and",
        ),
    ],
)
def test_errors(args, error):
    done = CliRunner().invoke(main, ["uncertainty", *args])
    assert done.exit_code == 2
    assert done.stderr.startswith(error)
