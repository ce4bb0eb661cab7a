"""Every command that answers with levels or budgets: both models, what they rest on, and how numbers are rounded."""

from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest
from scipy import sparse

from tploracle.cli.main import COMMANDS

from ...commands import SCHEMA, csv_rows, ends, line, run, value
from ...profiles import some
from .test_answers import numbers

KNOWN, D = "--backward b.csv --forward f.csv", "--backward d.csv"
STREAM = f"{KNOWN} --epsilon log(5/4) --steps 4"
MODELS = {"worst_case": "worst-case", "paper_bound": "paper-bound"}
QUESTIONS = [
    f"leakage {STREAM}",
    f"leakage {D} --epsilon log(3/2) --steps 6 --at 2,6",
    f"leakage {STREAM} --after 1,3",
    "supremum d.csv --one-sided --epsilon log(3/2) --within 0.1 --steps 1000",
    "supremum f.csv --one-sided --cap 1/2",
    "control d.csv --cap log(23/10) --spent log(3/2),log(5/4)",
    "control m.csv --cap 1 --previous 1/2",
    f"composition {STREAM} --w 2 --window 2:3 --alpha 0.8",
    "composition --users u.json --one-sided --independent --epsilon 0.1 --steps 3 --alpha 0.2",
    f"allocate --alpha 1 {KNOWN} --method upper-bound",
    f"allocate --alpha 1 {KNOWN} --method constant --steps 3",
    f"allocate --alpha log(2) {KNOWN} --method quantified --steps 3",
    "allocate --alpha 1 --users u.json --one-sided --independent --method constant --steps 2",
    "allocate --alpha 1 --backward e.csv --one-sided --method upper-bound",
    f"utility --alpha 1 --steps 2,3 {KNOWN}",
    f"attack {STREAM} --at 2",
    f"attack {D} --epsilon 1 --steps 3",
    "sparse m.npz --epsilon 0.1 --steps 4",
    "spend kept.db",
    "spend kept.db --show",
    "spend paper.db --show",
]
OTHERS = {*line("audit certify check conform crosscheck estimate example fit loss loss-function population profile")}
OTHERS |= {*line("reverse serve smooth uncertainty vectors verify")}
"""Commands that say nothing of leakage by both models, or are held to it elsewhere."""

BASIS = ("adversary", "values", "chain", "neighbours", "mechanisms", "step", "users", "estimate", "absent", "fit")
LINES = ("Adversary: ", "Mechanisms: ", "FPL: ", "Neighbours: ")
NOT_SHOWN = ("basis", "comparison", "cap", "factor", "exact", "lower", "upper", "double", "hex", "simulation")


@pytest.fixture(autouse=True)
def _files(folder):
    (folder / "e.csv").write_text("1/2,1/2,0\n0,0,1\n1/3,1/3,1/3\n")
    sparse.save_npz("m.npz", sparse.csr_matrix(np.array([[3, 1, 0], [2, 0, 4], [1, 2, 5]]) / [[4], [6], [8]]))


def asked(line):
    """Return a question, with its account where it is about one."""
    if line.startswith("spend"):
        kept = "worst-case" if "kept" in line else "paper-bound"
        begin = f"spend {line.split()[1]} --init --model {kept} {D} --cap 1 --epsilon 0.3 --epsilon log(11/10)"
        run(*begin.split())
    return line.split()


def levels(found, path=()):
    """Yield each level or budget within an answer, and where it stands."""
    if isinstance(found, dict):
        if "lower" in found:
            assert {"exact", "upper"} <= found.keys()
            yield path, found
        else:
            assert "exact" not in found
        for key, each in found.items():
            if key not in NOT_SHOWN:
                yield from levels(each, (*path, key))
    if isinstance(found, list):
        for number, each in enumerate(found):
            yield from levels(each, (*path, number))


def is_budget(line, path):
    """Whether a level is a budget, which is rounded down."""
    return bool({"epsilons", "left", "personalised"} & {*path}) or line.startswith("control") or "--cap 1/2" in line


def test_all_commands_are_here():
    assert {question.split()[0] for question in QUESTIONS} | OTHERS == {*COMMANDS}
    without_schema = line("audit certify check conform example population serve vectors verify")
    assert {*COMMANDS} - {*SCHEMA["$defs"]} <= {*without_schema}


@pytest.mark.parametrize("line", QUESTIONS)
def test_both_models_and_what_they_rest_on(line):
    words = asked(line)
    found = value(*words)
    assert tuple(key for key in found["basis"] if key != "checked") == BASIS
    assert found["checked"] == "from above"
    assert "checked" not in found["basis"]
    absent = found["basis"]["absent"]
    assert {*found} & {*MODELS} == {*MODELS} - {*absent}
    assert all(absent.values())
    if "allocate" not in line or "quantified" not in line:
        compare(line, found)
    (header, *_) = csv_rows(*(words if "--alpha 0." not in line else words[:-2]))
    for key in MODELS:
        assert any(column.startswith(key) for column in header) is (key in found and words[0] != "attack")
    shown = run(*words).stdout
    after = shown.rstrip().rpartition("\n\n")[2].splitlines()
    assert [text.startswith(label) for text, label in zip(after[:3], LINES[:3], strict=True)] == [True] * 3
    assert LINES[3] in after[3]
    doubt = found["basis"].get("checked", "").capitalize()
    assert after[4].startswith("Chain: ")
    assert after[5:] == [*(f"Left out: {why}." for why in absent.values()), *([f"{doubt}."] if doubt else [])]
    assert max(len(text) for text in shown.splitlines() if text and set(text) == {"─"}) <= 80


def compare(line, found):
    """See that the exact worst case leaks no more than the paper's bound says, and leaves budgets no smaller."""
    by_paper = dict(levels(found.get("paper_bound", {})))
    made = ("tpl", "suprema", "least-noise") if line.startswith("allocate") else ()
    for path, worst in levels(found.get("worst_case", {})):
        if path in by_paper and not {*path[:1]} & {*made}:
            low, high = (by_paper[path], worst) if is_budget(line, path) else (worst, by_paper[path])
            assert ends(low)[0] <= ends(high)[1], path


@pytest.mark.parametrize("line", some(QUESTIONS, 2))
def test_numbers_are_on_the_safe_side(line):
    """Of six digits on a terminal, and as doubles; --digits shows the enclosures themselves."""
    words = asked(line)
    brief, precise = numbers(run(*words).stdout), list(levels(value(*words, *DIGITS[words[0] == "sparse"])))
    unit, shown = Fraction(1, 10**5), words[-1] != "--show"
    for path, level in precise:
        (low, high), down = ends(level), is_budget(line, path)
        assert (
            high == inf
            or not (shown or {"bpl", "fpl", "tpl"} & {*path})
            or any((low * (1 - unit) <= end <= high) if down else (low <= end <= high * (1 + unit)) for end, _ in brief)
        ), path
    if words[0] == "sparse":
        return
    enclosed = numbers(run(*words, "--digits", 9).stdout)
    for path, level in levels(value(*words, "--digits", 9)):
        assert "inf" in level.values() or ends(level) in enclosed or not shown, path
    if words[0] in ("utility", "attack"):
        return
    exact = dict(precise)
    doubles = [(path, level) for path, level in levels(value(*words, "--float")) if "double" in level]
    assert doubles
    for path, level in doubles:
        double, (low, high) = float(level["double"]), ends(exact[path])
        assert level["hex"] in (double.hex(), "inf")
        if is_budget(line, path):
            assert double <= low
            assert nextafter(double, inf) > high * (1 - Fraction(1, 10**16))
        else:
            assert double >= high
            assert double == inf or nextafter(double, 0) <= low


DIGITS = (("--digits", 30), ())


@pytest.mark.parametrize(
    "line", some([line for line in QUESTIONS if line.split()[0] not in ("attack", "sparse", "spend")], 2)
)
def test_a_model_alone_says_the_same(line):
    both = value(*line.split())
    for key, name in MODELS.items():
        if key in both:
            alone = value(*line.split(), "--model", name)
            assert alone[key] == both[key]
            assert {*alone} & {*MODELS} == {key}
            assert alone["basis"] == {**both["basis"], "absent": {}}
            assert not {other for other in MODELS if other != key} & {*csv_rows(*plain(line), "--model", name)[0]}


def plain(line):
    return line.partition(" --alpha 0.")[0].split()


def test_no_option_changes_what_a_key_means():
    stream = ["leakage", *f"{D} --forward l.csv --epsilon log(3/2)".split()]
    whole, chosen = value(*stream, "--steps", 4), value(*stream, "--steps", 4, "--at", "3,1")
    after = value(*stream, "--after", "4,1")
    for key in MODELS:
        for kind, found in whole[key].items():
            assert chosen[key][kind] == [found[2], found[0]]
            worst = after[key][f"worst_{kind}"][0]
            best = max(found, key=ends)
            assert worst == {**best, "times": [time for time, level in enumerate(found, 1) if level == best]}
    composed = ["composition", *stream[1:], "--steps", 4]
    event, window = value(*composed, "--window", "2:1"), value(*composed, "--w", 1)
    for key, kinds in ((key, whole[key]) for key in MODELS):
        windows = event[key]["windows"]
        assert [ends(windows[0]), ends(windows[2])] == [ends(max(kinds["tpl"], key=ends)), ends(kinds["tpl"][1])]
        assert ends(window[key]["windows"][1]) == ends(windows[0])


@pytest.mark.parametrize("forwards", [True, False])
def test_sparse_is_leakage(forwards):
    role, kind = ("forward", "fpl") if forwards else ("backward", "bpl")
    np.savetxt("m.csv", [[3, 1, 0], [2, 0, 4], [1, 2, 5]], "%d", ",")
    sparse.save_npz("c.npz", sparse.csr_matrix(np.array([[3, 1, 0], [2, 0, 4], [1, 2, 5]])))
    stream = ("--epsilon", "0.1", "--steps", 7, "--entries", "counts")
    found = value("sparse", "c.npz", *stream, "--role", role)["paper_bound"][kind]
    exact = value("leakage", f"--{role}", "m.csv", *stream)["paper_bound"][kind]
    for level, own in zip(found, exact, strict=True):
        assert ends(level)[0] <= ends(own)[1] <= ends(level)[1] + Fraction(1, 10**16)
        assert ends(level)[1] - ends(level)[0] < Fraction(1, 10**10)
