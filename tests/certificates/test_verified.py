"""The verified checker: it agrees with the other one, says what it proves, and its absence is said by name."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from tploracle.certificates.checker import _KINDS, NotDecided, Rejected
from tploracle.certificates.reading import Node, Spent
from tploracle.certificates.trade_off import asked, attained, greatest_delta
from tploracle.certificates.verified import PROGRAM, VARIABLE, Unavailable, check_verified, program
from tploracle.cli.main import main

from .agreement import differences, documents, known_kinds, mutants, page_documents
from .documents import (
    FOR_EVER,
    MODERATE,
    by_steps,
    certified_loss,
    changed,
    for_ever,
    rejects,
)

needs_program = pytest.mark.skipif(
    not os.access(os.environ.get(VARIABLE) or PROGRAM, os.X_OK), reason="make proofs builds the verified checker"
)


@needs_program
def test_accepts_all_that_hold_and_none_that_do_not() -> None:
    known = documents()
    assert known_kinds() == set(_KINDS) == {document["certificate"] for document in known}
    said, found = differences([json.dumps(document).encode() for document in known])
    assert said == {("accepted", "accepted"): len(known)}
    assert not found
    wrong = [document for _, document in rejects() if isinstance(document, dict)]
    said, found = differences([json.dumps(document).encode() for document in wrong])
    assert said == {("rejected", "rejected"): len(wrong)}
    assert not found


@needs_program
def test_agrees_on_corrupted_certificates() -> None:
    said, found = differences(list(mutants(1500, 7)))
    assert said["accepted", "accepted"] > 20
    assert said["rejected", "rejected"] > 500
    assert not found


@needs_program
def test_says_what_it_proves() -> None:
    kind, claim = check_verified(json.dumps(certified_loss(MODERATE, "log(2)")))
    assert kind == "loss"
    assert claim.startswith("the loss function L of P at alpha: log(9/5) <= L(alpha) <= log(9/5), ")
    assert claim.endswith("alpha = log(2); P = [[4/5, 1/5], [0, 1]]")


@needs_program
def test_a_matrix_for_each_step() -> None:
    """The claim says which; what is true in the one order of the matrices is not in the other, by both checkers."""
    turning, attained, each, *_ = by_steps()
    _, claim = check_verified(json.dumps(turning))
    assert ", if each matrix is that of its step, and mechanisms" in claim
    assert "; backward = those of the steps, again and again [[[1/2, 1/3, 1/6], " in claim
    _, claim = check_verified(json.dumps(each))
    assert "; forward = those of the steps, [[[1/2, 1/3, 1/6], " in claim
    swapped = changed(attained, backward={"cycle": attained["backward"]["cycle"][::-1]})
    others = [changed(turning, assumed=["each matrix is that of all steps", *turning["assumed"][1:]])]
    others += [changed(each, forward={"steps": each["forward"]["steps"][:1]}), swapped]
    *_, recursion = by_steps()
    _, claim = check_verified(json.dumps(recursion))
    assert claim.startswith("the leakage by the recursions: log(2) <= BPL_1 <= log(2); ")
    assert "; backward = those of the steps, [[[1/2, 1/3, 1/6], " in claim
    assert "; forward = [[1/2, 1/3, 1/6], " in claim
    others += [changed(recursion, backward={"steps": recursion["backward"]["steps"][::-1]})]
    others += [changed(recursion, bpl__0={**recursion["bpl"][0], "rows": [1, 2]})]  # nothing is before the first
    assert differences([json.dumps(one).encode() for one in others]) == ({("rejected", "rejected"): 5}, [])


@needs_program
@pytest.mark.parametrize(("same", "other", "verdict"), [("1", "2", "accepted"), ("2", "1", "rejected")])
def test_ratios_where_nothing_was_released(same, other, verdict) -> None:
    """Before the first release a λ of 1 or more is proved, but for a value and itself it is 1, by both checkers."""
    first = next(one for one in by_steps() if one["certificate"] == "worst-case-upper" and one["time"] == 1)
    table = [[same if j == k else other for k in range(3)] for j in range(3)]
    document = changed(first, past=[table], level="9")
    assert differences([json.dumps(document).encode()]) == ({(verdict, verdict): 1}, [])


def drawn_releases(drawn, kind, levels):
    """Return the certificate of the page about a profile, of this kind, with another question."""
    n = drawn.choice((1, 2, 2, 3)) if kind == "profile-upper" else drawn.choice((2, 2, 3))
    counts = [[drawn.choice((0, 1, 1, 3, 7)) for _ in range(n)] for _ in range(n)]
    rows = [[Fraction(x + (i == j), sum(row) + 1) for j, x in enumerate(row)] for i, row in enumerate(counts)]
    return {
        **next(one for one in page_documents() if one["certificate"] == kind),
        "digits": drawn.choice((1, 17)),
        "matrix": [[str(x) for x in row] for row in rows],
        "epsilon": drawn.choice(("0", "1/10", "2", "log(3/2)", "log(7)")),
        "delta_per_release": drawn.choice(("0", "0", "1e-9", "1/50", "1/2", "1")),
        "releases": drawn.choice((1, 2, 2, 3, 4)),
        "alpha": drawn.choice(levels),
    }


def known_of(document, up):
    """Return what the checker in Python makes of the question: a place, matrix, φ, e^α and how many bits."""
    at, bits = Node("document", document, Spent(10**9)), 128 + 4 * document["digits"]
    level = at["alpha"].finite(bits)
    odds = at["alpha"].grid(level.lower if up else level.upper, bits, up=not up)
    p, phi, _ = asked(at, up=up)
    return at, p, phi, Fraction(odds, 1 << bits), bits


def upper_at_the_edge(drawn):
    """Return a document whose δ is the least that the checker in Python proves, and one of a little less."""
    document = drawn_releases(drawn, "profile-upper", ("0", "1/3", "log(6/5)", "3"))
    at, p, phi, odds, bits = known_of(document, up=True)
    least = greatest_delta(at, p, phi, odds, releases=document["releases"], bits=bits)
    return [{**document, "delta": str(delta)} for delta in (least, least - Fraction(1, 1 << bits)) if delta >= 0]


def lower_at_the_edge(drawn):
    """Return a document whose δ is what a drawn set of outputs attains, and one of a little more."""
    document = drawn_releases(drawn, "profile-lower", ("0", "1/99", "log(1.1)"))
    at, p, phi, odds, _ = known_of(document, up=False)
    n = len(p.rows)
    peaks = [[Fraction(drawn.randrange(9), 8) for _ in range(n)] for _ in range(document["releases"] - 1)]
    start, pair = Fraction(drawn.randrange(13), 24), drawn.sample(range(n), 2)
    first, second = attained(at, p, phi, pair, peaks, start)
    document |= {"peaks": [[str(x) for x in own] for own in peaks], "start": str(start), "rows": [x + 1 for x in pair]}
    told = max(first - odds * second, Fraction(0))
    return [{**document, "delta": str(delta)} for delta in (told, told + Fraction(1, 10**300))]


@needs_program
def test_both_find_the_same_delta_to_the_last_bit() -> None:
    """Of any matrix, budget and number of releases: what one proves of a profile the other does, and no less."""
    drawn = random.Random(30)
    makers = (upper_at_the_edge, lower_at_the_edge)
    known = [document for make in makers for _ in range(40) for document in make(drawn)]
    said, found = differences([json.dumps(document).encode() for document in known])
    assert not found
    assert said["accepted", "accepted"] > 65
    assert said["rejected", "rejected"] > 65
    assert sum(said.values()) == len(known)


MODERATE_ROWS, HALF_ROWS = "[[4/5, 1/5], [0, 1]]", "[[1/2, 1/2], [1/4, 3/4]]"
RECURSION = "with the budget epsilon at every time the"
THREE_BUDGETS = "epsilons = [log(2), log(2), log(2)]"
FROM_ABOVE = "if each matrix is that of all steps, and mechanisms after a time do not depend on earlier outputs"
FROM_BELOW = "if each matrix is that of all steps, both values can occur, and the matrices are those of one chain"
MIXED = (
    "for an adversary who does not know which of the chains it is, if each matrix is that of all steps, and the values "
    f"are one of the chains, with the probabilities of the prior, and stationary; {THREE_BUDGETS}; prior = [1/2, 1/2]; "
    "chains = [[stationary = [1/2, 1/2], backward = [[4/5, 1/5], [1/5, 4/5]], forward = [[4/5, 1/5], [1/5, 4/5]]], "
    f"[stationary = [1/3, 2/3], backward = {HALF_ROWS}, forward = {HALF_ROWS}]]"
)
LAST_OR_FIRST = (
    "l^t being the last value where P is the backward matrix, the first where it is the forward one, if each matrix is "
    "that of all steps, and"
)
RELEASES = "epsilon = log(2); delta_per_release = 0; releases = 3; P = [[4/5, 1/5], [1/5, 4/5]]"
CLAIMS = {
    "profile-upper": "no stream of releases that are each (epsilon, delta_per_release)-private has a set of outputs "
    "with Pr(set | l^t = j) - e^alpha Pr(set | l^t = k) above 0.01, for alpha = 1.2927683031090674, "
    f"{LAST_OR_FIRST} releases up to the time read no later values, or for a forward matrix those from it on no "
    f"earlier ones; {RELEASES}",
    "profile-lower": "some releases that are each (epsilon, delta_per_release)-private have a set of outputs with "
    "Pr(set | l^t = j) - e^alpha Pr(set | l^t = k) of at least 0.01, for j = 1, k = 2, alpha = 1.2927683031090669, "
    f"{LAST_OR_FIRST} both values can occur; {RELEASES}",
    "lfp-optimum": "the greatest v = log(q x / d x) over all x whose entries are within e^alpha of one another: "
    "log(9/5) <= v <= log(9/5); e^v = 9/5; alpha = log(2); q = [4/5, 1/5]; d = [0, 1]",
    "loss": "the loss function L of P at alpha: log(9/5) <= L(alpha) <= log(9/5), 0.587786664902119 <= L(alpha) <= "
    f"0.58778666490211901; alpha = log(2); P = {MODERATE_ROWS}",
    "loss-function": "the loss function L of P: e^L(alpha) = (q E + 1)/(d E + 1) with E = e^alpha - 1, where "
    "[q, d, from, to] is one of [[7/10, 1/5, 0, log(13/3)], [1/2, 1/10, log(13/3), inf]], from <= alpha <= to; "
    "P = [[1/10, 1/5, 7/10], [3/10, 3/10, 2/5], [1/2, 3/10, 1/5]]",
    "bounded": f"{RECURSION} leakage by the recursion is at most log(9/4), and 0.81093021621632877, for ever; "
    f"epsilon = log(9/8); P = {MODERATE_ROWS}",
    "bounded-below": f"{RECURSION} supremum of the leakage by the recursion is at least log(9/4), and "
    f"0.81093021621632876; epsilon = log(9/8); P = {MODERATE_ROWS}",
    "divergent": f"{RECURSION} leakage by the recursion grows without bound; epsilon = log(5/4); P = {MODERATE_ROWS}",
    "worst-case-upper": "no mechanisms with the budgets epsilons have a TPL above 1.463255402256019 at time 2, "
    f"{FROM_ABOVE}; {THREE_BUDGETS}; backward = {MODERATE_ROWS}; forward = {HALF_ROWS}",
    "worst-case-lower": "some mechanisms with the budgets epsilons "
    "have a TPL of at least 1.4632554022560189 at time 2, "
    f"about the values 1 and 2, {FROM_BELOW}; {THREE_BUDGETS}; backward = {MODERATE_ROWS}; forward = {HALF_ROWS}",
    "mixture-upper": f"no stream with the budgets epsilons has a TPL above 1.8405496333974871 at time 2, {MIXED}",
    "mixture-lower": "some mechanisms with the budgets epsilons have a TPL of at least 1.3262490416741067 at time 2, "
    f"about the values 1 and 2, {MIXED}",
    "worst-case-forever": "no mechanisms with the budget epsilon at every time "
    "have a BPL above 0.81093021621632877 at any "
    f"time, however many releases there are, {FROM_ABOVE}; epsilon = log(9/8); backward = {MODERATE_ROWS}; "
    "forward = not known",
    "worst-case-divergent": "with the budget epsilon at every time mechanisms leak without bound, a BPL where P is the "
    "backward matrix, an FPL where it is the forward one, about values of the sets, if P is that of all steps, and "
    f"these values can occur at all times; epsilon = log(5/4); sets = [[1], [2]]; P = {MODERATE_ROWS}",
    "leakage": "the leakage by the recursions: log(2) <= BPL_1 <= log(2); 0.6931471805599453 <= BPL_1 <= "
    "0.69314718055994531; log(18/5) <= BPL_2 <= log(18/5); 1.2809338454620643 <= BPL_2 <= 1.2809338454620644; "
    "0 <= the loss in BPL_1 <= 0; log(9/5) <= the loss in BPL_2 <= log(9/5); log(2) <= FPL_1 <= log(2); "
    "0.6931471805599453 <= FPL_1 <= 0.69314718055994531; log(2) <= FPL_2 <= log(2); 0.6931471805599453 <= FPL_2 <= "
    "0.69314718055994531; 0 <= the loss in FPL_1 <= 0; 0 <= the loss in FPL_2 <= 0; 0.6931471805599453 <= TPL_1 <= "
    "0.69314718055994531; 1.2809338454620643 <= TPL_2 <= 1.2809338454620644; epsilons = [log(2), log(2)]; "
    f"backward = {MODERATE_ROWS}; forward = not known",
}
"""What the documents of docs/certificates.md claim, in words and with their numbers."""


@needs_program
@pytest.mark.parametrize("document", page_documents(), ids=lambda document: document["certificate"])
def test_the_claim_is_that_of_the_document(document) -> None:
    kind, claim = check_verified(json.dumps(document))
    assert claim == re.sub(r"[0-9]+\.[0-9]+", lambda decimal: str(Fraction(decimal[0])), CLAIMS[kind])


@needs_program
def test_names_the_step_that_fails() -> None:
    with pytest.raises(Rejected, match=r"^matrix\[1\]\[1\]: division by zero"):
        check_verified(json.dumps(changed(certified_loss(MODERATE, "log(2)"), matrix__0__0="4/0")))
    with pytest.raises(NotDecided, match=r"^digits: more than 1000 digits"):
        check_verified(json.dumps(changed(certified_loss(MODERATE, "log(2)"), digits=2000)))


@needs_program
def test_a_limit_is_no_reason_to_reject() -> None:
    loss = certified_loss(MODERATE, "log(2)")
    for text in (
        json.dumps(changed(loss, alpha="1e99999999999999999999")),
        json.dumps(changed(loss, alpha="0." + "1" * 30_000)),
        json.dumps(changed(loss, matrix=[["1"] * 1001] * 1001)),
        "[" * 200_000,
        json.dumps(changed(for_ever(*FOR_EVER[0]), past__steps=10**6 + 1)),
        json.dumps(changed(for_ever(*FOR_EVER[0]), past__barriers=for_ever(*FOR_EVER[0])["past"]["barriers"] * 101)),
        "9" * 10_000,
        " " * (1 << 25) + "{}",
    ):
        with pytest.raises(NotDecided):
            check_verified(text)


def hard(entry):
    """A certificate of 300 states whose numbers have many digits."""
    return json.dumps(changed(certified_loss(MODERATE, "log(2)"), matrix=[[entry] * 300] * 300))


@needs_program
def test_the_program_limits_itself(tmp_path) -> None:
    """Its time and its memory, whoever calls it; what it has not decided by then it does not decide."""
    (tmp_path / "hard.json").write_text(hard("1e-19999"))
    (tmp_path / "easy.json").write_text(json.dumps(certified_loss(MODERATE, "log(2)")))
    for limit, why in (("--seconds 0.2", r"more than its processor time"), ("--megabytes 100", "not enough memory")):
        command = [PROGRAM, *limit.split(), tmp_path / "hard.json", tmp_path / "easy.json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 3
        first, second, _ = done.stdout.splitlines()
        assert re.fullmatch(f".*hard.json: not decided, document: {why}.*", first)
        assert second.endswith("easy.json: accepted, loss")


def run(*args):
    return CliRunner().invoke(main, ["check", *map(str, args)], prog_name="tploracle")


@needs_program
def test_the_command_prints_the_claim_and_ends_as_without_it(tmp_path) -> None:
    document = certified_loss(MODERATE, "log(2)")
    (tmp_path / "a.json").write_text(json.dumps(document))
    (tmp_path / "b.json").write_text(json.dumps(changed(document, loss__upper="log(17/10)")))
    (tmp_path / "c.json").write_text(json.dumps(changed(document, digits=2000)))
    accepted = run("--verified", tmp_path / "a.json")
    assert accepted.exit_code == 0
    first, second = accepted.output.splitlines()
    assert first.endswith("a.json: accepted, loss")
    assert second.startswith("  the loss function L of P at alpha: ")
    assert run("--verified", tmp_path / "b.json").exit_code == 1
    assert run("--verified", tmp_path / "c.json").exit_code == 3
    assert run("--verified", tmp_path / "a.json", tmp_path / "b.json", tmp_path / "c.json").exit_code == 1


def a_program(folder, script):
    """Make a program in place of the checker."""
    path = folder / "program"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return str(path)


def test_it_is_sought_where_the_proofs_put_it(monkeypatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(os, "access", lambda *_: True)
    assert program() == Path(__file__).parents[2] / "build" / "verified" / "verified_checker"


def test_says_what_to_do_where_it_is_not_built(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    with pytest.raises(Unavailable, match="make proofs"):
        check_verified("{}")
    (tmp_path / "a.json").write_text("{}")
    done = run("--verified", tmp_path / "a.json")
    assert done.exit_code == 2
    assert "InvalidRequest, there is no verified checker at " in done.output
    assert run(tmp_path / "a.json").exit_code == 1


@pytest.mark.parametrize(
    "script",
    [
        "kill -9 $$",
        "exit 1",
        "exit 0",
        "echo '-: accepted, loss'; exit 1",
        "echo '-: rejected, x: y'",
        "sleep 60",
        "cat; exit 2",
    ],
)
def test_a_program_that_fails_decides_nothing(tmp_path, monkeypatch, script) -> None:
    monkeypatch.setenv(VARIABLE, a_program(tmp_path, script))
    with pytest.raises(NotDecided):
        check_verified("{}", 1000)


def test_says_why_it_could_not_start(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, a_program(tmp_path, ""))
    (tmp_path / "program").write_text("no program")
    with pytest.raises(Unavailable, match=r"program could not start: \w"):
        check_verified("{}")


def test_the_program_is_told_its_time(tmp_path, monkeypatch) -> None:
    """Two nanoseconds for a unit of work."""
    monkeypatch.setenv(VARIABLE, a_program(tmp_path, """echo "-: rejected, $*"; exit 1"""))
    with pytest.raises(Rejected, match=r"^--seconds 6\.000 -$"):
        check_verified("{}", 3 * 10**9)


def test_what_the_program_accepts_and_claims(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, a_program(tmp_path, """echo "-: accepted, loss"; echo "  so it is"; exit 0"""))
    assert check_verified("{}") == ("loss", "so it is")


def test_a_program_that_takes_too_long_is_ended(tmp_path, monkeypatch) -> None:
    """A second is the least that it has."""
    monkeypatch.setenv(VARIABLE, a_program(tmp_path, f"sleep 3; echo >{tmp_path}/late"))
    with pytest.raises(NotDecided, match=r"^document: more than 1 seconds"):
        check_verified("{}", 1000)
    assert not (tmp_path / "late").exists()
