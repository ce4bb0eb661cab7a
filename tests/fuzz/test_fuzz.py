"""A short part of `make fuzz`, always the same: the attacks find nothing, and each finds what it is there to find."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from math import inf
from random import Random
from unittest import mock

import psutil
import pytest
from click.testing import CliRunner

from tploracle.certificates.rows import Matrix
from tploracle.cli.main import main
from tploracle.conformance.judge import judge
from tploracle.conformance.model import Judgement, Verdict
from tploracle.contract.limits import MOST_DIGITS, MOST_RELEASES
from tploracle.data.parquet import ParquetTable
from tploracle.wire import requests

from ..children import forked
from ..lost_power.ledger import SPENDER
from . import __main__ as fuzz
from . import (
    answers,
    arrays,
    certificates,
    costs,
    files,
    forged,
    hostile,
    implementations,
    killed,
    ledger,
    parquet,
    parts,
    power,
    separators,
    surroundings,
    wire,
)
from .finding import SEEN, Finding
from .mutations import damaged, mutated, written

TRIES = {
    "wire": 60,
    "costs": 3,
    "certificates": 100,
    "answers": 40,
    "files": 60,
    "arrays": 200,
    "parquet": 40,
    "parts": 100,
    "separators": 120,
    "implementations": 25,
    "killed": 3,
    "ledger": 2,
    "forged": 20,
    "surroundings": 20,
    "hostile": 8,
    "power": 1,
}
SLOW = ("killed",)
SEED = 5
"""One of a few whose tries are all short, and none of whose requests is too long to be put."""


@pytest.mark.parametrize(
    "attack", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in fuzz.ATTACKS]
)
def test_nothing_is_found(attack):
    found = [(number, wrong) for number in range(TRIES[attack]) if (wrong := fuzz.attacked(attack, SEED, number))]
    assert not found


@pytest.mark.parametrize("command", dict(files.READERS))
def test_each_command_takes_the_files_that_are_then_made_wrong(tmp_path, command):
    for number, kind in enumerate(
        kind for reader, kinds in files.READERS if reader == command for kind in kinds.split()
    ):
        path = tmp_path / str(number)
        path.write_bytes(files.whole(kind))
        result = CliRunner().invoke(main, files.words(command, path))
        assert result.exit_code == 0, result.output


def finds(module, tries, *names, first=0):
    """Whether one of so many tries finds something, and says one of these texts; the first is one near a finding."""
    for number in range(first, first + tries):
        try:
            module.attack(Random(f"finds {number}"))
        except Exception as error:  # noqa: BLE001 - of broken code an exception is found as well
            return not isinstance(error, Finding) or any(name in str(error) for name in names)
    return False


@pytest.mark.parametrize("has_journal", [True, False])
def test_a_journal_that_is_believed_or_passed_over_is_found(monkeypatch, has_journal):
    for module in ("ledger", "ledger_sides"):
        monkeypatch.setattr(f"tploracle.data.{module}.check_sides", lambda *_: has_journal)
    said, is_stuck = forked(lambda report: report(finds(surroundings, 60, "")), 3)  # SQLite waits for a pipe for ever
    assert is_stuck or said == [True]


def _names_another(folder, base, _random):
    surroundings.interrupted(folder / "l.db")
    surroundings.name_another(folder / "l.db", base / "victim")
    return "names another"


def _pipe(folder, _base, _random):
    (folder / "m.csv").unlink(missing_ok=True)
    os.mkfifo(folder / "m.csv")
    return "is a pipe"


@pytest.mark.parametrize(
    ("where", "instead", "told", "what"),
    [
        (
            "tploracle.data.ledger_sides.check_sides",
            lambda *_: False,
            ("changed", "lost"),
            {"plant": _names_another, "READING": {("spend", "l.db"): 1}},
        ),
        ("tploracle.data.ledger_chain.Ledger.commit", lambda _self: None, ("recorded", "is not read"), {}),
        (
            "tests.fuzz.hostile.SILENCE",
            10**6,
            ("is a pipe",),
            {"plant": _pipe, "READING": {("smooth", "m.csv", "--s", "1/3"): 1}, "_SECONDS": 3, "FORKED": 1},
        ),
        ("tploracle.cli.shell._open_what_is_closed", lambda: None, ("for the world alone",), {"WORLDS": ("closed",)}),
    ],
)
def test_a_defence_that_is_taken_away_is_found_in_a_hostile_folder(monkeypatch, where, instead, told, what):
    hostile.prepare()
    monkeypatch.setattr(hostile, "prepare", lambda: None)
    monkeypatch.setattr(where, instead)
    if "check_sides" in where:
        monkeypatch.setattr("tploracle.data.ledger.check_sides", instead)
    for name, value in what.items():
        monkeypatch.setattr(hostile, name, value)
    assert finds(hostile, 60, *told)


def test_a_wrong_number_on_the_wire_is_found(monkeypatch):
    right = requests.value_of

    def halved(op, value, digits):
        answer = right(op, value, digits)
        return {**answer, "upper": answer["lower"], "lower": "0"} if op == "loss" and answer["upper"] != "0" else answer

    monkeypatch.setattr(requests, "value_of", halved)
    assert finds(wire, 2_000, "wider", "differs", "the last answer", "not of the schema")


def test_an_error_that_is_not_of_the_contract_is_found(monkeypatch):
    def broken(*_):
        raise KeyError("alpha")

    monkeypatch.setattr(requests, "check_query", broken)
    assert finds(wire, 50, "InternalError", "the last answer")
    assert finds(costs, 5, "InternalError")


@pytest.mark.slow
def test_requests_that_cost_reach_the_limits():
    asked = [costs.request(Random(number)) for number in range(60)]
    assert sum(len(text) <= costs.LONGEST for text in asked) > 30
    asked = [json.loads(text) for text in asked]
    assert {one["op"] for one in asked} > {"leakage", "loss"}
    assert max(one["want"]["digits"] for one in asked) == MOST_DIGITS
    assert max(len(one["input"].get("epsilons", ())) for one in asked) == MOST_RELEASES
    assert max(len(one["input"].get("matrix", ())) for one in asked) == costs.LARGEST


@pytest.mark.parametrize("step", ["loss_at_most", "none_exceeds"])
def test_a_checker_that_leaves_out_a_step_is_found(monkeypatch, step):
    monkeypatch.setattr(Matrix, step, lambda *_: None)
    assert finds(certificates, 3_000, "that is false is accepted", first=2_100)


def test_a_judge_who_lets_everything_pass_is_found(monkeypatch):
    monkeypatch.setattr(judge.Judge, "judge", lambda *_: Judgement(Verdict.EXACT, 0))
    assert finds(answers, 100, "pass")


def test_a_command_that_falls_over_is_found(monkeypatch):
    monkeypatch.setattr("tploracle.data.files.opened", lambda *_: 1 / 0)
    assert finds(files, 50, "escapes")


def test_indices_that_are_not_looked_at_are_found(monkeypatch):
    monkeypatch.setattr("tploracle.data.arrays._within", lambda indices, *_: indices)
    assert finds(arrays, 300, "is read as", "indices")


def test_rows_of_parquet_that_are_lost_are_found(monkeypatch):
    honest = ParquetTable.table
    monkeypatch.setattr(ParquetTable, "table", lambda self, columns: honest(self, columns).slice(1))
    assert finds(parquet, 60, "is read as")


def test_a_seal_that_is_not_looked_at_is_found(monkeypatch):
    monkeypatch.setattr("tploracle.population.parts._content", lambda path: path.read_bytes())
    assert finds(parts, 60, "bytes that were changed")


@pytest.mark.parametrize("reader", ["sequences", "logs", "tables"])
def test_white_space_that_is_not_looked_at_is_found(monkeypatch, reader):
    monkeypatch.setattr(f"tploracle.data.{reader}.check_plain", lambda *_: None)
    assert finds(separators, 60, "is read as", "has no line")


def test_digests_that_are_not_compared_are_found(monkeypatch):
    monkeypatch.setattr("tploracle.data.ledger_chain._digest", lambda *_: "0")
    forged.honest.cache_clear()
    try:
        assert finds(forged, 60, "silently", "does not name")
    finally:
        forged.honest.cache_clear()


def test_a_schema_that_is_not_compared_is_found(monkeypatch):
    """Of a trigger that swallows what is recorded; the try is one of those that forge the schema."""
    monkeypatch.setattr("tploracle.data.ledger_file._ledger_schema", lambda: mock.ANY)
    monkeypatch.setattr(forged, "SCHEMA", forged.SCHEMA[:1])
    monkeypatch.setattr(forged, "flipped", lambda random, path, _content: forged.forged(random, path))
    assert finds(forged, 10, "the spend is not recorded", "does not match its record")


@pytest.mark.slow
def test_a_part_that_is_not_written_whole_is_found(monkeypatch):
    def in_halves(path, content, _what):
        with open(path, "wb", buffering=0) as stream:  # noqa: PTH123 - unbuffered
            stream.write(content[:100])
            sum(range(6_000_000))  # it is at that for half of the time: of 15 kills one meets it but for 0.5^15
            stream.write(content[100:])

    monkeypatch.setattr("tploracle.population.runs.write_bytes", in_halves)
    killed._undisturbed.cache_clear()
    assert finds(killed, 3, "fails", "status 2")


def test_a_process_that_is_left_behind_is_found(monkeypatch):
    monkeypatch.setattr("tploracle.system.children._end_session", lambda process, *_: process.kill())
    monkeypatch.setattr(implementations, "DEEDS", ("child",))
    monkeypatch.setattr(implementations, "SECONDS", 20)  # a program that is slow to begin leaves no child
    monkeypatch.setattr(implementations, "has_ended", lambda process, _: os.kill(process, signal.SIGKILL))
    assert finds(implementations, 30, "leaves a process behind")


def test_a_ledger_that_loses_a_budget_is_found(monkeypatch):
    monkeypatch.setattr("tploracle.data.ledger_chain.Ledger.commit", lambda _self: None)
    assert finds(ledger, 3, "no account is opened", "is not", "no history", "status")


def test_a_transaction_of_a_killed_process_that_is_not_rolled_back_is_found(monkeypatch):
    monkeypatch.setattr("tploracle.data.ledger_sides.check_sides", lambda *_: False)
    assert finds(ledger, 9, "no history", "status")
    assert SEEN["kills that left a journal"]


@pytest.mark.skipif("power" not in fuzz.ATTACKS, reason="nothing can be recorded")
def test_a_ledger_that_does_not_sync_is_found(monkeypatch):
    monkeypatch.setattr("tests.lost_power.ledger.SPENDER", SPENDER.replace("sys.argv[2]", "'OFF'"))
    assert finds(power, 3, "after step")


def test_a_try_is_the_same_again():
    document = {"a": ["1/2", "0x1p-3", 3, None], "b": {"c": "log(2)"}}

    def made(seed):
        random = Random(seed)
        return damaged(random, written(random, mutated(random, document)))

    assert [made(seed) for seed in range(200)] == [made(seed) for seed in range(200)]
    assert len({made(seed) for seed in range(200)}) > 100
    assert document == {"a": ["1/2", "0x1p-3", 3, None], "b": {"c": "log(2)"}}


def test_what_takes_too_long_or_ends_the_process_is_found_and_the_next_try_is_made(monkeypatch):
    deeds = {1: lambda: os._exit(3), 2: lambda: subprocess.run(["sleep", "600"], check=False)}
    monkeypatch.setattr(fuzz, "MOST_SECONDS", 0.5)
    monkeypatch.setattr(fuzz, "TURN", 0.5)
    monkeypatch.setattr(fuzz, "attacked", lambda _attack, _seed, number: deeds.get(number, str)() or "")
    found = {number: wrong for _, number, wrong in fuzz.fuzz(0, ["wire"], range(5), inf)}
    assert found == {0: "", 1: "the process ended", 2: "it goes on after 0.5 seconds", 3: "", 4: ""}


def test_what_computes_too_long_or_needs_too_much_is_found(monkeypatch):
    assert fuzz._most_memory() > 0.9 * psutil.Process().memory_info().rss  # the kernel counts a little late
    monkeypatch.setattr(wire, "attack", lambda random: None)
    for before, after, wrong in ((1, 9, "the process grew to 9216 MiB"), (9, 9, ""), (1, 2, "")):
        needed = iter([before << 30, *[after << 30] * 2])
        monkeypatch.setattr(fuzz, "_most_memory", lambda needed=needed: next(needed))
        assert fuzz.attacked("wire", 0, 0) == wrong
    monkeypatch.undo()
    monkeypatch.setattr(wire, "attack", lambda random: sum(range(1_000)))
    monkeypatch.setattr(fuzz, "MOST_SECONDS", 0)
    assert fuzz.attacked("wire", 0, 0).startswith("it computes for ")


def test_attacks_have_the_same_time_and_make_each_try_once(monkeypatch):
    """The tries of one attack take a tenth of the time of those of the other."""
    monkeypatch.setattr(fuzz, "TURN", 0.2)
    monkeypatch.setattr(fuzz, "attacked", lambda attack, *_: time.sleep({"answers": 0.01, "files": 0.1}[attack]) or "")
    made = [one[:2] for one in fuzz.fuzz(0, ["answers", "files"], range(100, 170, 7), inf)]
    assert sorted(made) == [(attack, number) for attack in ("answers", "files") for number in range(100, 170, 7)]
    assert made.index(("answers", 163)) < made.index(("files", 121))
    assert list(fuzz.fuzz(0, ["answers"], range(9), time.monotonic())) == []


@pytest.mark.parametrize(("length", "told"), [(["--minutes", "0.05"], "0.05 minutes"), (["--tries", "9"], "9 tries")])
def test_the_command_says_what_it_tried(length, told):
    command = [sys.executable, "-m", "tests.fuzz", "answers", *length, "--seed", "5", "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"seed 5, {told} of answers\n")
    made = re.search(r"tries: answers (\d+); findings: 0", done.stdout)
    assert int(made[1]) == 9 if "tries" in told else int(made[1]) > 0


def test_the_command_prints_what_repeats_a_finding(monkeypatch, capsys):
    monkeypatch.setattr(fuzz, "attacked", lambda _attack, _seed, number: "a fault" * (number == 1))
    monkeypatch.setattr(sys, "argv", ["fuzz", "wire", "--tries", "3", "--seed", "7", "--workers", "1"])
    monkeypatch.setattr(fuzz, "together", lambda _jobs, part: part(0))
    assert fuzz.main()
    said = capsys.readouterr().out
    assert "FOUND by wire: a fault\nagain: python -m tests.fuzz wire --seed 7 --try 1\n" in said
    assert said.endswith("tries: wire 3; findings: 1\n")
