"""The rows of the benchmarks: exact answers, each beside floats or what else it stands beside, and a target."""

import json
import subprocess
import sys
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from corpus import ROOT, as_printed, click_stream, doubles, random_matrix
from float_baseline import backward_in_c, loss_in_c, loss_ratio, pruned_ratio, worst_case_in_c, worst_case_ratio
from float_baseline import backward_leakage as float_leakage
from population import QUESTION, drawn_users, looped, looped_in_c, worst_case

from tploracle.certificates.all_times import worst_case_upper_at_all_times
from tploracle.certificates.checker import check
from tploracle.certificates.for_ever import worst_case_forever_certificate
from tploracle.checked import fast_worst_case_budget, fast_worst_case_leakage
from tploracle.checked_loss import quick_loss_function, quick_optimum
from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.ask.run import run_cases
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.model import Run
from tploracle.conformance.report.document import run_page
from tploracle.data.ledger import opened_ledger
from tploracle.data.ledger_chain import RecordedAccount
from tploracle.data.ledger_file import BY_WORST_CASE
from tploracle.population import user_rows
from tploracle.population.question import UserChunk
from tploracle.population.recomputed import answer
from tploracle.reference import (
    Adversary,
    TransitionMatrix,
    algorithm_7,
    algorithm_8,
    leakage,
    loss_function,
    parse_level,
    supremum,
)
from tploracle.solvers.batch import compiled
from tploracle.solvers.linear_programs.cbc import solve
from tploracle.solvers.linear_programs.charnes_cooper import RatioBound, compact
from tploracle.solvers.loss.sparse import SparseRows, sparse_leakage
from tploracle.wire.adapter import load

TENTH = parse_level("1/10")
TENTH_EXCESS = float(np.expm1(0.1))
SAMPLED_PROGRAMS = 10


@dataclass
class Case:
    """One row: what is timed, what it is held against, and the target. `target` gets the seconds of all three.

    in_c: the baseline in C, the other one is then numpy written to be fast; its seconds are None without a compiler.
    """

    name: str
    exact: Callable[[], object]
    baseline_name: str
    baseline: Callable[[], object]
    target_name: str
    target: Callable[[float, float, float | None], bool]
    runs: int = 5
    extrapolation: float = 1.0
    in_c: Callable[[], object] | None = None


def evaluated(matrix, alpha):
    """Return L(alpha) by the fast method, as 17 digits."""
    return quick_optimum(matrix, alpha).value(alpha).enclosure()


def by_compiled(loaded):
    """Take compiled code from now on, as a process does that has much to work out; or never where it is not loaded."""
    compiled._done[0] = compiled.LOADING if loaded else -(2**60)


def one_loss(matrix, loaded):
    """Return L(1/10), by compiled code where it is `loaded`."""
    by_compiled(loaded)
    return quick_optimum(matrix, TENTH).value(TENTH)


def whole_loss(matrix, loaded):
    """Return the whole of L, by compiled code where it is `loaded`."""
    by_compiled(loaded)
    return quick_loss_function(matrix)


def within_c(times):
    """Return whether an exact answer takes at most this many times what floats in C take, where there are any."""
    return lambda exact, _, in_c: in_c is None or exact < times * in_c


def digits_of_all(levels, digits):
    """Return the enclosures of all of the levels."""
    return [level.enclosure(digits) for level in levels]


def many_steps(adversary, epsilon, steps=1000):
    """Return BPL, FPL and TPL over the given number of releases, to 30 digits."""
    own = leakage([epsilon] * steps, adversary)
    return [digits_of_all(levels, 30) for levels in (own.bpl, own.fpl, own.tpl)]


def worst_case_steps(known, epsilon, steps):
    """Return BPL, FPL and TPL of the worst mechanisms to 30 digits."""
    own = fast_worst_case_leakage([epsilon] * steps, *map(copy, known))
    return [digits_of_all(levels, 30) for levels in (own.bpl, own.fpl, own.tpl)]


def worst_case_cases(known, adversary):
    """Yield the cases of the exact worst case, of the click stream and of random matrices."""
    backward, forward = known
    clicks = doubles(backward)
    for text, limit, steps, runs in (("1/10", 2, 50, 3), ("log(11/10)", 2, 50, 3), ("1/10", 60, 1000, 1)):
        epsilon = parse_level(text)
        yield Case(
            f"exact worst BPL, FPL and TPL of {steps:,} releases to 30 digits, click stream, ε = {text}",
            lambda epsilon=epsilon, steps=steps: worst_case_steps(known, epsilon, steps),
            "the paper's",
            lambda epsilon=epsilon, steps=steps: many_steps(adversary, epsilon, steps),
            f"{limit} s",
            lambda s, *_, limit=limit: s < limit,
            runs,
        )
    yield Case(
        "exact worst BPL of 50 releases to 30 digits, click stream, ε = 1/10",
        lambda: digits_of_all(fast_worst_case_leakage([TENTH] * 50, copy(backward)).bpl, 30),
        "the last of them",
        lambda: worst_case_ratio(clicks, 1 + TENTH_EXCESS, 49),
        "2 s",
        lambda s, *_: s < 2,
        3,
        in_c=lambda: worst_case_in_c(clicks, 1 + TENTH_EXCESS, 49),
    )
    yield Case(
        "supremum of the exact worst TPL to 30 digits with its certificate, click stream, ε = 1/10",
        lambda: worst_case_forever_certificate(TENTH, copy(backward), copy(forward), 30),
        "the paper's suprema of both sides, L included",
        lambda: [supremum(quick_loss_function(matrix), TENTH).level.enclosure(30) for matrix in map(copy, known)],
        "20 s",
        lambda s, *_: s < 20,
        3,
    )
    for name, document in (
        ("for an infinite horizon", worst_case_forever_certificate(TENTH, backward, forward, 30)),
        ("of the worst TPL of 50 releases", worst_case_upper_at_all_times([TENTH] * 50, backward, forward, 30)),
    ):
        text = json.dumps(document)
        yield Case(
            f"worst-case certificate {name} checked, 30 digits, click stream, ε = 1/10",
            lambda text=text: check(text),
            "its JSON decoded",
            lambda text=text: json.loads(text),
            "10 s",
            lambda s, *_: s < 10,
            3,
        )
    for n, steps, limit, runs in ((100, 100, 60, 5), (200, 50, 300, 1)):
        matrix = random_matrix(n)
        entries = doubles(matrix)
        yield Case(
            f"exact worst BPL of {steps} releases to 30 digits, n = {n}, ε = 1/10",
            lambda matrix=matrix, steps=steps: digits_of_all(
                fast_worst_case_leakage([TENTH] * steps, copy(matrix)).bpl, 30
            ),
            "the last of them",
            lambda entries=entries, steps=steps: worst_case_ratio(entries, 1 + TENTH_EXCESS, steps - 1),
            f"{limit} s",
            lambda s, *_, limit=limit: s < limit,
            runs,
            in_c=lambda entries=entries, steps=steps: worst_case_in_c(entries, 1 + TENTH_EXCESS, steps - 1),
        )


def allocated(matrix):
    """Return the schedule of Algorithm 8 for α = 1 and 10 releases to 30 digits, the matrix known both ways."""
    loss = quick_loss_function(matrix)
    return digits_of_all(algorithm_8(parse_level("1"), Adversary(loss, loss), 10), 30)


def serve(lines):
    """Put the lines to a fresh oracle on the wire and return its answers."""
    command = [sys.executable, "-m", "tploracle", "serve"]
    return subprocess.run(command, input=lines, capture_output=True, check=True).stdout


def echo(lines):
    """Put the lines to a process that only decodes and encodes them."""
    program = "import sys, json\nfor line in sys.stdin: print(json.dumps(json.loads(line)), flush=True)"
    return subprocess.run([sys.executable, "-c", program], input=lines, capture_output=True, check=True).stdout


def small_requests(count):
    """Return `count` requests for one loss each on 3 × 3 matrices, with the handshake around them."""
    matrix = [["1/10", "2/10", "7/10"], ["3/10", "3/10", "4/10"], ["5/10", "3/10", "2/10"]]
    requests = [{"seq": k, "op": "loss", "input": {"matrix": matrix, "alpha": f"{k}/100"}} for k in range(1, count + 1)]
    messages = [{"op": "start", "protocol": 1}, *requests, {"op": "stop"}]
    return "".join(json.dumps(message) + "\n" for message in messages).encode()


def cases():
    """Yield the cases; each builds its data only when it is reached."""
    counts = click_stream()
    backward, forward = counts.backward(), counts.forward()
    adversary = Adversary.knowing(backward, forward)
    clicks = doubles(backward)
    yield Case(
        "whole L, 17-state click stream, literal reference",
        lambda: loss_function(backward),
        "one L(1/10)",
        lambda: loss_ratio(clicks, TENTH_EXCESS),
        "1 s",
        lambda s, *_: s < 1,
        in_c=lambda: loss_in_c(clicks, TENTH_EXCESS),
    )
    for text, limit in (("1/10", 5), ("log(11/10)", 10)):
        epsilon = parse_level(text)
        yield Case(
            f"1,000 steps, BPL, FPL and TPL to 30 digits, ε = {text}",
            lambda epsilon=epsilon: many_steps(adversary, epsilon),
            "BPL alone",
            lambda: float_leakage(clicks, 0.1, 1000),
            f"{limit} s",
            lambda s, *_, limit=limit: s < limit,
            3,
            in_c=lambda: backward_in_c(clicks[None], 0.1, 1000),
        )
    one = parse_level("1")
    for horizon, text in ((50, "50 releases"), (None, "ever")):
        yield Case(
            f"greatest constant budget with the exact worst TPL ≤ 1 for {text}, click stream, 17 digits",
            lambda horizon=horizon: fast_worst_case_budget(one, copy(backward), copy(forward), horizon).enclosure(17),
            "the paper's, over an infinite horizon (Algorithm 7), L included",
            lambda: algorithm_7(one, Adversary.knowing(backward, forward)).enclosure(17),
            "60 s",
            lambda s, *_: s < 60,
            1,
        )
    yield from worst_case_cases((backward, forward), adversary)
    yield from population_cases()
    yield from account_cases(backward)
    yield from conformance_cases()
    small = [random_matrix(5, seed) for seed in range(100)]
    as_doubles = [doubles(matrix) for matrix in small]
    yield Case(
        "2,000 loss evaluations, n = 5, 100 matrices",
        lambda: [evaluated(m, TENTH) for m in small for _ in range(20)],
        "the same",
        lambda: [loss_ratio(p, TENTH_EXCESS) for p in as_doubles for _ in range(20)],
        "1 s",
        lambda s, *_: s < 1,
        in_c=lambda: [loss_in_c(p, TENTH_EXCESS) for p in as_doubles for _ in range(20)],
    )
    requests = small_requests(5000)
    yield Case(
        "serve: 5,000 small requests, process start included",
        lambda: serve(requests),
        "decode and encode only",
        lambda: echo(requests),
        "5 s",
        lambda s, *_: s < 5,
        3,
    )
    for n, runs in ((100, 15), (200, 15), (500, 5), (1000, 3)):
        matrix = random_matrix(n)
        entries = doubles(matrix)
        for name, loaded, again, times in (
            ("", True, copy, 5), (", the same matrix again", True, lambda own: own, 1.5),
            (", without the extra fast", False, copy, 5),
        ):  # fmt: skip
            yield Case(
                f"L(1/10), n = {n}{name}",
                lambda matrix=matrix, loaded=loaded, again=again: one_loss(again(matrix), loaded),
                "the same",
                lambda entries=entries: pruned_ratio(entries, TENTH_EXCESS),
                f"{times} × C" if loaded else f"{times} × numpy",
                within_c(times) if loaded else lambda s, b, _, times=times: s < times * b,
                runs,
                in_c=lambda entries=entries: loss_in_c(entries, TENTH_EXCESS),
            )
    for n, limit, runs, loaded in (
        (100, 0.5, 5, True), (200, 3, 3, True), (500, 60, 1, True), (1000, 5, 1, True), (1000, 10, 1, False)
    ):  # fmt: skip
        matrix = random_matrix(n)
        entries, unchecked = doubles(matrix), ", too large to be checked from above" * (n >= 500)
        yield Case(
            f"whole L on [0, ∞), n = {n}{'' if loaded else ', without the extra fast'}{unchecked}",
            lambda matrix=matrix, loaded=loaded: whole_loss(copy(matrix), loaded),
            "one L(1/10)",
            lambda entries=entries: pruned_ratio(entries, TENTH_EXCESS),
            f"{limit} s",
            lambda s, *_, limit=limit: s < limit,
            runs,
            in_c=lambda entries=entries: loss_in_c(entries, TENTH_EXCESS),
        )
    fifty = random_matrix(50)
    rows = fifty.rows
    bound = RatioBound(1 + TENTH.excess_bounds()[0])
    yield Case(
        "L(1/10), n = 50",
        lambda: quick_optimum(copy(fifty), TENTH).value(TENTH),
        f"PuLP + CBC, {SAMPLED_PROGRAMS} of the 2,450 programs, extrapolated",
        lambda: [solve(compact(rows[k], rows[k + 1], bound)) for k in range(SAMPLED_PROGRAMS)],
        "1/2000 of CBC",
        lambda s, b, _: s * 2000 < b,
        3,
        2450 / SAMPLED_PROGRAMS,
    )
    printed = doubles(fifty)
    yield Case(
        "L(1/10), n = 50, beside Algorithm 1",
        lambda: quick_optimum(copy(fifty), TENTH).value(TENTH),
        "Algorithm 1 in doubles, pair by pair, as the authors' program",
        lambda: as_printed.algorithm_1(printed, 0.1),
        "1/10 of it",
        lambda s, b, _: s * 10 < b,
        3,
    )
    yield Case(
        "supremum, n = 50, 30 digits, L included",
        lambda: supremum(quick_loss_function(copy(fifty)), TENTH).level.enclosure(30),
        "100 steps",
        lambda: float_leakage(doubles(fifty), 0.1, 100),
        "1 s",
        lambda s, *_: s < 1,
        3,
        in_c=lambda: backward_in_c(doubles(fifty)[None], 0.1, 100),
    )
    yield Case(
        "allocation for α = 1, T = 10, n = 50, 30 digits, L included",
        lambda: allocated(fifty),
        "100 steps",
        lambda: float_leakage(doubles(fifty), 0.1, 100),
        "2 s",
        lambda s, *_: s < 2,
        3,
        in_c=lambda: backward_in_c(doubles(fifty)[None], 0.1, 100),
    )


def population_cases():
    """Yield what is asked about many users, and about one large sparse matrix."""
    counts = drawn_users(3072, 17)
    some, of_all = counts[:10], UserChunk([str(number) for number in range(len(counts))], counts)

    def answered():
        user_rows._known.clear()  # what was answered in another run is not to be remembered
        answer(QUESTION, of_all, "")

    if compiled.has_compiled():
        yield Case(
            "a population: 3,072 users of 17 states, 100 releases, suprema and budgets, one core, compiled",
            answered,
            "BPL and FPL alone, 10 users in a loop, extrapolated",
            lambda: looped(some),
            "75 µs a user",
            lambda s, *_: s < 75e-6 * 3072,
            3,
            len(counts) / len(some),
            lambda: looped_in_c(some),
        )
    yield Case(
        "a population: the exact worst case of TPL of 10 users of 17 states over 100 releases, one core",
        lambda: worst_case(some),
        "BPL and FPL alone",
        lambda: looped(some),
        "1.2 s",
        lambda s, *_: s < 1.2,
        3,
        in_c=lambda: looped_in_c(some),
    )
    rows = sparse_hub_rows(10_000, 30)
    sample = np.zeros((40, rows.n))
    for row in range(len(sample)):
        own = slice(rows.starts[row], rows.starts[row + 1])
        sample[row, rows.columns[own]] = rows.weights[own] / rows.weights[own].sum()
    yield Case(
        "L and BPL of 100 releases, 10,000 states, 30 entries a row and a common column",
        lambda: sparse_leakage(rows, TENTH, 100),
        "one L(1/10) in plain numpy, 1,560 of the pairs of rows, extrapolated",
        lambda: loss_ratio(sample, TENTH_EXCESS),
        "60 s",
        lambda s, *_: s < 60,
        1,
        rows.n * (rows.n - 1) / (len(sample) * (len(sample) - 1)),
    )


class Remembered:
    """The numpy example in this process, which answers what it was asked before from memory."""

    restarts = 0

    def __init__(self):
        self.implementation = ObjectImplementation(load(f"{ROOT / 'examples/implementations/directed.py'}:Directed"))
        self.requests, self.answers = [], {}

    def start(self):
        """Say what it can do."""
        return self.implementation.start()

    def ask(self, request):
        """Answer a request, whatever its number."""
        key = json.dumps({**request, "seq": 0})
        if key not in self.answers:
            self.requests.append(request)
            self.answers[key] = self.implementation.ask(request)
        return self.answers[key]

    def processor_time(self):
        """Return the seconds that the example has used."""
        return self.implementation.processor_time()

    def close(self):
        """Do nothing."""

    def anew(self):
        """Answer everything once more."""
        return [self.implementation.ask(request) for request in self.requests]


def judged(implementation):
    """Return the page of a standard run with its search."""
    run = Run("--python examples/implementations/directed.py:Directed", "standard", 0, 4096)
    run_cases(implementation, Plan(), run)
    return run_page(run)


def quietly(*command):
    """Run a program in the checkout, without its output."""
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def account_cases(backward):
    """Yield a further spend by the command, on ledgers of 9,900 releases."""
    kinds = {
        "2 states, one budget": ([["4/5", "1/5"], ["3/10", "7/10"]], 1, 1),
        "3 states, seven budgets": ([["7/10", "1/5", "1/10"], ["1/5", "3/5", "1/5"], ["1/10", "3/10", "3/5"]], 7, 1),
        "click stream, one budget": (backward.rows, 1, 2),
    }
    for kind, (rows, budgets, limit) in kinds.items():
        matrix = TransitionMatrix.of(rows)
        ledger, copy = (Path(mkdtemp()) / name for name in ("ledger.db", "copy.db"))
        known = {"backward": [[str(entry) for entry in row] for row in matrix.rows]}
        account = RecordedAccount({"user": known | {"forward": known["backward"]}}, "10", BY_WORST_CASE)
        with opened_ledger(ledger, create=True) as opened:
            opened.open_account("main", account, "benchmark")
            opened.record("main", [f"{1 + place * 5 % budgets}/100" for place in range(9900)], None, "benchmark")

        def further(ledger=ledger, copy=copy):
            copy.write_bytes(ledger.read_bytes())
            quietly(sys.executable, "-m", "tploracle", "spend", str(copy), "--epsilon", "1/100")

        yield Case(
            f"a further spend on an account of 9,900 releases, {kind}, both correlations, program started",
            further,
            "BPL alone",
            lambda matrix=matrix: float_leakage(doubles(matrix), 0.04, 9900),
            f"{limit} s",
            lambda s, *_, limit=limit: s < limit,
            3,
        )


def conformance_cases():
    """Yield what is waited for before anything else is: the first commands, and the oracle's half of a standard run."""
    example = Remembered()
    yield Case(
        "a standard run of the numpy example with search, sizes and page, the oracle's half",
        lambda: judged(example),
        "the example's half",
        example.anew,
        "60 s",
        lambda s, *_: s < 60,
        3,  # in the first of them the example answers; the median is of one that has its answers from memory
    )
    yield Case(
        "make conform, set-up apart: two reports and their pages",
        lambda: quietly("make", "conform"),
        "set-up found done",
        lambda: quietly("make", ".venv/.use"),
        "130 s: 65 s on two cores",
        lambda s, *_: s < 130,
        1,
    )
    yield Case(
        "make test, set-up apart",
        lambda: quietly("make", "test"),
        "its tests collected",
        lambda: quietly(sys.executable, "-m", "pytest", "-q", "--collect-only"),
        "600 s: five minutes on two cores",
        lambda s, *_: s < 600,
        1,
    )


def sparse_hub_rows(n, entries):
    """Return rows with a given number of positive entries at random, one of them in a column that all rows share."""
    random = np.random.default_rng(1)
    columns = np.concatenate([[0, *sorted(random.choice(n - 1, entries - 1, replace=False) + 1)] for _ in range(n)])
    return SparseRows(
        np.arange(0, n * entries + 1, entries), columns, random.integers(1, 50, n * entries).astype(float)
    )
