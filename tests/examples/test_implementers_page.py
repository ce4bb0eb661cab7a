"""docs/implementers.md: the code on it runs and does what it says, the commands and the flags exist."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tploracle.cli.conform_command import ConformCommand
from tploracle.cli.declared import command
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.ask.runner import read_xfails
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Verdict
from tploracle.wire.adapter import load

from .questions import NODE, said_by_node

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "implementers.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w+\n(?:#|//) ([\w.]+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
VECTORS = [case for case in load_vectors("standard") if case.op == "loss" and case.numbers == "float64"]


def written(name, folder):
    """Write the file of that name on the page, its pieces in order; return its path and how many pieces it has."""
    pieces = [text for place, text in BLOCKS if place == name]
    (folder / name).write_text("\n".join(pieces), encoding="utf-8")
    return folder / name, len(pieces)


def judgements(implementation, cases):
    """Return what is said of the answer to each case."""
    judge, implementation = Judge(), ObjectImplementation(implementation)
    return {case.id: judge.judge(case, implementation.ask(case.request(1))) for case in cases}


def test_the_first_answer_is_never_below_the_truth(tmp_path):
    path, _ = written("mine.py", tmp_path)
    path.write_text(next(text for place, text in BLOCKS if place == "mine.py"), encoding="utf-8")
    found = {judgement.verdict for judgement in judgements(load(f"{path}:Mine"), VECTORS).values()}
    assert Verdict.UNSAFE not in found
    assert {Verdict.WRONG, Verdict.ERROR_MISMATCH, Verdict.EXACT} <= found


def test_the_finished_one_conforms_but_for_what_is_known(tmp_path):
    path, pieces = written("mine.py", tmp_path)
    assert pieces == 3
    text = path.read_text(encoding="utf-8").split("import math", 1)[1]
    path.write_text(f"import math{text}", encoding="utf-8")
    found = judgements(load(f"{path}:Mine"), VECTORS)
    known = read_xfails(str(written("known.txt", tmp_path)[0])).reasons
    assert {name for name, judgement in found.items() if judgement.verdict.fails} == set(known)
    assert {found[name].verdict for name in known} == {Verdict.WRONG}
    assert max(found[name].ulps or 0 for name in set(found) - set(known)) <= 100


def test_the_suite_has_the_same_xfails(tmp_path):
    suite, _ = written("test_mine.py", tmp_path)
    known = read_xfails(str(written("known.txt", tmp_path)[0])).reasons
    assert re.findall(r'^    xfails = \{"(.*)": "(.*)"\}$', suite.read_text(encoding="utf-8"), re.MULTILINE) == [
        *known.items()
    ]
    compile(suite.read_text(encoding="utf-8"), "test_mine.py", "exec")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_javascript_answers(tmp_path):
    path, _ = written("mine.mjs", tmp_path)
    asked = [
        {"op": "start", "protocol": 1},
        {"seq": 1, "op": "loss", "input": {"alpha": "0x1p+0"}},
        {"seq": 2, "op": "leek", "input": {}},
        {"op": "stop"},
    ]
    start, value, error = said_by_node(path, *asked)
    assert start["operations"] == ["loss"]
    assert value == {"seq": 1, "value": "0x1p+0"}
    assert error["error"]["name"] == "UnknownOperation"


def test_every_option_of_a_command_exists():
    options = {option for param in command("conform", ConformCommand).params for option in param.opts}
    commands = re.findall(r"tploracle conform ([^`\n]*)", PAGE)
    assert len(commands) == 13
    for asked in commands:
        own = asked.split(" -- ")[0]
        assert set(re.findall(r"(?<!\S)--?[a-z]+(?:-[a-z]+)*", own)) <= options, asked
    assert set(re.findall(r"`(--[a-z]+)", PAGE)) <= options


def test_every_flag_exists():
    flags = json.loads((ROOT / "vectors" / "flags.json").read_text(encoding="utf-8"))["flags"]
    table = PAGE.partition("## 5.")[2].partition("## 6.")[0]
    named = {
        name for row in re.findall(r"^\|.*\| (.*) \|$", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert len(named) > 25
    assert named <= set(flags)
    assert {name for name in re.findall(r"`([A-Z]\w+)`", PAGE) if name in flags} >= named


def test_the_worst_case_is_met_from_above(tmp_path):
    """The last BPL of each vector is one of the doubles that conform, wherever the page says that it works."""
    path, _ = written("worst.py", tmp_path)
    worst_bpl, met = load(f"{path}:worst_bpl"), 0
    for case in load_vectors("standard"):
        if case.op != "worst_case_leakage" or case.numbers != "float64" or "value" not in case.expected:
            continue
        epsilons = [float.fromhex(text) for text in case.input["epsilons"]]
        if not isinstance(case.input.get("backward"), list) or sum(epsilons) > 600:
            continue
        rows = np.array([[float.fromhex(entry) for entry in row] for row in case.input["backward"]])
        truth = case.expected["value"]["bpl"][-1]
        assert float.fromhex(truth["safe"]) <= worst_bpl(rows, epsilons) <= float.fromhex(truth["limit"]), case.id
        met += 1
    assert met >= 10
