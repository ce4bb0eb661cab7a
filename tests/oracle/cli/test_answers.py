"""A command prints what its operation answers on the wire, as JSON, CSV and a table: one list for all commands."""

import re
from decimal import Decimal

import pytest

from ...commands import answer, csv_rows, run, value, values
from ...matrices import DIVERGES, FILES, MODERATE, PAPER_L, SKEWED, SYMMETRIC, csv_text, texts_of

M, L, D, B, F = map(texts_of, (MODERATE, PAPER_L, DIVERGES, SYMMETRIC, SKEWED))
MM = "--backward m.csv --forward m.csv"
BOTH, KNOWN = "--backward b.csv --forward f.csv", {"backward": B, "forward": F}
STEP = {"backward": D, "epsilons": ["log(3/2)"] * 4}


def at(*path, without=()):
    """Return what finds the answer in what a command prints, which says more."""

    def found(printed):
        for key in path:
            printed = printed[key]
        return {key: each for key, each in printed.items() if key not in without} if without else printed

    return found


BY_PAPER, WORST = at("paper_bound"), at("worst_case")
PARTS = {
    **dict.fromkeys(("leakage", "supremum", "control"), BY_PAPER),
    **dict.fromkeys(("worst_case_leakage", "worst_case_supremum"), WORST),
    "composition": at("paper_bound", "windows", 2, without=["start", "level", "length"]),
    "allocate": lambda printed: {"epsilons": printed["paper_bound"]["epsilons"]},
}
"""Where in the printed value the answer to an operation stands, if not all of it is."""

ALONE, LONG = "--backward d.csv --one-sided --epsilon log(3/2) --steps 4", "0.1,log(2),1/3"
LARGE, FLIPS = {"matrix": texts_of(FILES["strong.csv"]), "alpha": "inf"}, {"backward": D, "epsilon": "log(3/2)"}
WINDOW = {**KNOWN, "epsilons": ["0.1", "0.2", "0.3"], "start": 2, "length": 2}
FITTED = {**KNOWN, "alpha": "1", "horizon": 3}
ANSWERS = [
    ("loss m.csv --alpha 0.1", "loss", {"matrix": M, "alpha": "0.1"}),
    ("loss l.csv --alpha log(5) --digits 40 --reference", "loss", {"matrix": L, "alpha": "log(5)"}),
    ("loss strong.csv --alpha inf", "loss", LARGE),
    ("loss-function l.csv", "loss_function", {"matrix": L}),
    (f"leakage {MM} --epsilons {LONG}", "leakage", {"backward": M, "forward": M, "epsilons": LONG.split(",")}),
    ("leakage --forward m.csv --one-sided --epsilon 0.1 --steps 3", "leakage", {"forward": M, "epsilons": ["0.1"] * 3}),
    ("leakage --independent --epsilon 0.1 --steps 2", "leakage", {"epsilons": ["0.1"] * 2}),
    (f"leakage {ALONE}", "leakage", STEP),
    (f"leakage {ALONE}", "worst_case_leakage", STEP),
    (f"leakage {ALONE} --reference --model worst-case", "worst_case_leakage", STEP),
    *(
        (f"supremum m.csv --one-sided --epsilon {epsilon}", "supremum", {"matrix": M, "epsilon": epsilon})
        for epsilon in ("0.23", "0.15", "log(5/4)", "inf", "0")
    ),
    ("supremum f.csv --one-sided --epsilon 1 --digits 40 --reference", "supremum", {"matrix": F, "epsilon": "1"}),
    ("supremum d.csv --one-sided --epsilon log(3/2)", "worst_case_supremum", FLIPS),
    ("supremum d.csv --one-sided --epsilon log(3/2) --reference", "worst_case_supremum", FLIPS),
    ("control m.csv --previous 1/2 --cap 1", "control", {"matrix": M, "previous": "1/2", "cap": "1"}),
    (f"composition {BOTH} --epsilons 0.1,0.2,0.3 --window 2:2", "composition", WINDOW),
    *(
        (f"allocate --alpha 1 {BOTH} --method {method} --steps 3 --digits 25", "allocate", {**FITTED, "method": method})
        for method in ("quantified", "upper-bound")
    ),
    (f"allocate --alpha 1 {BOTH} --method upper-bound", "allocate", {**KNOWN, "alpha": "1", "method": "upper-bound"}),
    ("smooth m.csv --s 1/2", "smooth", {"matrix": M, "s": "1/2"}),
    ("smooth -n 3 --s 1/2", "smooth", {"n": 3, "s": "1/2"}),
    ("reverse m.csv --initial i.csv", "reverse", {"forward": M, "initial": ["1/2", "1/2"]}),
    # Reversible, with the stationary distribution 1/3, 2/3.
    ("reverse f.csv --stationary", "reverse", {"forward": F, "initial": ["1/3", "2/3"]}),
    ("estimate s.txt", "estimate", {"sequences": [["a", "a", "b", "a"], ["b", "a"], ["b"]]}),
]
"""Command lines, the operation and its input."""

CASES = [pytest.param(*case, PARTS.get(case[1], at(without=["basis"])), id=", ".join(case[:2])) for case in ANSWERS]
SHOWN = [case for case in CASES if case.values[1] != "estimate"]  # its tables are rounded, its CSV one matrix


@pytest.fixture(autouse=True)
def _files(folder):
    (folder / "i.csv").write_text("1/2,1/2\n")
    (folder / "s.txt").write_text("a a b a\nb a\nb\n")


def asked(line, op, given):
    """Return what the wire answers, to as many digits as the command line asks for."""
    return answer(op, int(line.partition("--digits ")[2].partition(" ")[0] or 17), **given)


def leaves(found):
    """Yield the levels of an answer, and the texts that are no part of one, witnesses among them."""
    if isinstance(found, dict) and found.get("rows"):
        yield " / ".join(map(str, found["rows"]))
        yield " ".join(map(str, found["subset"]))
    if isinstance(found, str) or (isinstance(found, dict) and "lower" in found):
        yield found
    if isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            if not (isinstance(found, dict) and "lower" in found):
                yield from leaves(each)


@pytest.mark.parametrize(("line", "op", "given", "part"), CASES)
def test_json(line, op, given, part):
    assert part(value(*line.split())) == asked(line, op, given)


@pytest.mark.parametrize(("line", "op", "given", "part"), SHOWN)
def test_csv(line, op, given, part):
    cells = {cell for row in run(*line.split(), "--csv").stdout.splitlines() for cell in row.split(",")}
    if op not in ("smooth", "reverse"):
        cells = {cell for row in csv_rows(*line.split()) for cell in row.values()}
    enclosures = {tuple(map(Decimal, cell[1:-1].split(", "))) for cell in cells if cell.startswith("[")}
    for leaf in leaves(asked(line, op, given)):
        if isinstance(leaf, str):
            assert leaf in cells
        else:
            assert (Decimal(leaf["lower"]), Decimal(leaf["upper"])) in enclosures
            assert (leaf["exact"] or "") in cells


def numbers(text):
    """Return the enclosures that a table shows: 0.12[3,4], [0.99, 1.01], or 0.1 for itself."""
    found = re.findall(r"\[(\S+), (\S+)\]", text)
    found += [(common + lower, common + upper) for common, lower, upper in re.findall(r"(\S*)\[(\d+),(\d+)\]", text)]
    found += [(number, number) for number in re.findall(r"(?<!\S)(?:\d+(?:\.\d+)?|inf)(?!\S)", text)]
    return {tuple(map(Decimal, pair)) for pair in found}


@pytest.mark.parametrize(("line", "op", "given", "part"), SHOWN)
def test_table(line, op, given, part):
    table = run(*line.split(), *([] if "--digits" in line else ["--digits", 17])).stdout
    shown = numbers(table)
    for leaf in leaves(asked(line, op, given)):
        if isinstance(leaf, str):
            assert re.search(rf"(?<!\S){re.escape(leaf)}(?!\S)", table)
        else:
            assert (Decimal(leaf["lower"]), Decimal(leaf["upper"])) in shown
            assert "log" not in (leaf["exact"] or "") or f"= {leaf['exact']}" in table


def test_several_levels_are_several_lines():
    levels = ("--alpha", "0", "--alpha", "log(11/10)")
    assert [found["exact"] for found in values("loss", "m.csv", *levels)] == ["0", "log(27/25)"]
    assert [row["loss_exact"] for row in csv_rows("loss", "m.csv", *levels)] == ["0", "log(27/25)"]


def test_a_matrix_is_read_from_standard_input_as_well():
    assert value("loss", "-", "--alpha", "1", stdin=csv_text(MODERATE)) == value("loss", "m.csv", "--alpha", "1")
    smoothed = run("smooth", "-n", 2, "--s", "1/2", "--csv").stdout
    assert smoothed == "3/4,1/4\n1/4,3/4\n"
    assert value("smooth", "-", "--s", "0", stdin=smoothed)["matrix"] == [["3/4", "1/4"], ["1/4", "3/4"]]
    assert run("estimate", "s.txt", "--csv", "--role", "backward").stdout == ",a,b\na,1/3,2/3\nb,1,0\n"
