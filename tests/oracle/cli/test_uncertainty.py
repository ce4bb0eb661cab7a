"""`uncertainty`: quantiles and the worst over drawn matrices, against `leakage` on the draws as candidates."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tploracle.reference import count_transitions

from ...commands import refused, run, value

SEQUENCES = "a b a a b\nb b a\na a\n"


@pytest.fixture(autouse=True)
def _sequences(empty_folder):
    (empty_folder / "s.txt").write_text(SEQUENCES)


def printed(*args):
    return run(*args).stdout


def middle(level):
    return (Fraction(level["lower"]) + Fraction(level["upper"])) / 2


def found(*args, file="s.txt"):
    return value("uncertainty", file, "--epsilon", "0.1", "--steps", "5", *args)


def worst_of(*correlations, digits):
    given = (*correlations, "--epsilon", "0.1", "--steps", "5", "--after", "5", "--digits", digits)
    worst = value("leakage", *given, "--model", "paper-bound")["paper_bound"]
    return {kind: worst[f"worst_{kind}"][0] for kind in ("bpl", "fpl", "tpl")}


def tpl_of(known):
    """The worst TPL of an adversary who knows these matrices, by `leakage`."""
    for role, matrix in known.items():
        Path(f"{role}.json").write_text(json.dumps(matrix))
    return middle(worst_of("--backward", "backward.json", "--forward", "forward.json", digits=12)["tpl"])


def test_the_worst_is_the_leakage_of_the_draws_as_candidates():
    answer = found("--draws", "20", "--seed", "4", "--out", "draws.json", "--digits", "6")
    assert len(json.loads(Path("draws.json").read_text())) == 20
    worst = worst_of("--users", "draws.json", digits=6)
    for kind in ("bpl", "fpl", "tpl"):
        assert {**worst[kind], **answer["quantiles"]["1"][kind]} == worst[kind]


def test_quantiles_are_levels_of_draws():
    answer = found("--draws", "20", "--out", "draws.json", "--digits", "12")
    each = sorted(tpl_of(known) for known in json.loads(Path("draws.json").read_text()).values())
    for part, number in (("1/20", 1), ("1/2", 10), ("19/20", 19), ("1", 20)):
        assert middle(answer["quantiles"][part]["tpl"]) == each[number - 1]


def test_estimates_with_more_smoothing_leak_less():
    answer = found("--smoothing", "2", "--digits", "12")
    assert list(answer["smoothed"]) == ["0", "1/10", "1/2", "1", "2", "10"]
    counts = count_transitions([line.split() for line in SEQUENCES.splitlines()])
    for smoothing, levels in answer["smoothed"].items():
        Path("forward.json").write_text(json.dumps(counts.forward(Fraction(smoothing)).texts()))
        assert middle(worst_of("--forward", "forward.json", digits=12)["tpl"]) == middle(levels["tpl"])
    tpl = [middle(levels["tpl"]) for levels in answer["smoothed"].values()]
    assert tpl == sorted(tpl, reverse=True)
    assert tpl[0] > tpl[-1]


def test_counts_and_sequences_are_the_same():
    Path("counts.json").write_text(printed("estimate", "s.txt", "--counts"))
    from_counts = printed("uncertainty", "counts.json", "--epsilons", "0.1,0.2", "--draws", "3", "--json")
    assert from_counts == printed("uncertainty", "s.txt", "--epsilons", "0.1,0.2", "--draws", "3", "--json")
    assert printed("estimate", "counts.json", "--json") == printed("estimate", "s.txt", "--json")


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
    of_sequences, of_table = found("--draws", "3"), found("--draws", "3", "--count-table", file=name)
    assert "too few counts" in of_sequences["basis"].pop("fit")
    assert of_table["basis"].pop("fit").endswith("for everybody: not tested")
    assert of_sequences == of_table
    table, seen = (value("estimate", *args) for args in ((name, "--count-table"), ("s.txt",)))
    assert table["initial"] is None
    assert [table[role] for role in ("forward", "backward")] == [seen[role] for role in ("forward", "backward")]
    assert table["states"] == (["a", "b"] if name in ("c.csv", "c.parquet") else ["1", "2"])
    assert "not known" in printed("estimate", name, "--count-table")
    Path("again.json").write_text(printed("estimate", name, "--count-table", "--counts"))
    assert value("estimate", "again.json") == table


def test_a_file_of_which_nothing_can_be_estimated_is_named():
    Path("s.txt").write_text("a\nb\n")
    assert refused("uncertainty", "s.txt", "--epsilon", "1/10", "--steps", "3").startswith(
        "UnreachableState: s.txt: no"
    )
    Path("s.txt").write_text("a b\nb c\n")
    message = refused("uncertainty", "s.txt", "--epsilon", "1/10", "--steps", "3", "--smoothing", "0")
    assert message.startswith("UnreachableState: s.txt: ")


@pytest.mark.parametrize("name", ["c.parquet", "c.npy", "c.npz"])
def test_a_file_that_is_a_table_is_not_taken_for_sequences(name):
    message = refused("estimate", name)
    assert message.startswith("InvalidRequest: ")
    assert "--count-table" in message


def test_the_tables_say_what_to_make_of_them():
    shown = printed("uncertainty", "s.txt", "--epsilon", "log(11/10)", "--steps", "3", "--draws", "5", "--seed", "9")
    for words in ("5 draws with seed 9 and smoothing 1/2", "worst TPL", "7 transitions, 3 or more from each state",
                  "Smoothing makes rows alike", "of whom the draws are the candidates"):  # fmt: skip
        assert words in shown
