"""The numbers of the article, a macro for each in numbers.tex: written by `python docs/paper/article_numbers.py`.

Levels are in nats, upper bounds and leakages rounded up, budgets down; nothing here is taken from another place.
"""

import json
import math
import random
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import permutations
from operator import mul
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tploracle import GaussianBudget, profile
from tploracle.certificates.all_times import worst_case_upper_at_all_times
from tploracle.certificates.checker import check
from tploracle.proofs_checks import theorems, trial
from tploracle.reference import (
    INFINITE,
    ZERO,
    Adversary,
    Level,
    TransitionCounts,
    TransitionMatrix,
    budgets,
    leakage,
    parse_level,
    reverse,
    stationary,
    supremum,
    worst_case_composition,
    worst_case_leakage,
)
from tploracle.reference.paper.loss import loss_function
from tploracle.reference.worst_case.joint import adaptive, tree_counter
from tploracle.reference.worst_case.mechanisms import response_about
from tploracle.reference.worst_case.mixtures import mixture_leakage, prior_ratio
from tploracle.solvers.linear_programs.joint import joint_leakage
from tploracle.solvers.worst_case.budgets import fast_worst_case_budget
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage, fast_worst_case_supremum
from tploracle.solvers.worst_case.worst import greatest_worst_case_tpl

HERE = Path(__file__).resolve().parent
NUMBERS = HERE / "numbers.tex"
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "examples"))

import related  # noqa: E402 - the bounds of others, of docs/related.md

TENTH = parse_level("1/10")
DIVERGES = TransitionMatrix.of([["7/11", "2/11", "2/11"], [0, 0, 1], ["3/7", "2/7", "2/7"]])
STICKY = TransitionMatrix.of([["4/5", "1/5"], ["1/10", "9/10"]])
TURNING = TransitionMatrix.of([["1/5", "4/5"], ["4/5", "1/5"]])
TWICE = TransitionMatrix.of([["41/50", "9/50"], ["9/50", "41/50"]])

Macro = tuple[str, str]


def nats(level: Level, digits: int = 6) -> str:
    """Return a level rounded up, for reading."""
    return r"\infty" if level.is_infinite else str(level.enclosure(digits).upper)


def odds(level: Level) -> str:
    """Return the exact odds of a level, as a fraction."""
    assert isinstance(level.ratio, Fraction)
    return str(level.ratio)


def of_the_recursion() -> Iterator[Macro]:
    """The chain on which the paper's bound diverges, and the exact worst case does not."""
    epsilon = parse_level("log(3/2)")
    assert supremum(loss_function(DIVERGES), epsilon).level.is_infinite
    said, worst = (
        leakage([epsilon] * 20, Adversary.knowing(DIVERGES)).bpl,
        worst_case_leakage([epsilon] * 20, DIVERGES).bpl,
    )
    for name, time in (("Two", 2), ("Three", 3), ("Four", 4), ("Twenty", 20)):
        yield f"DivergesPaper{name}", nats(said[time - 1])
        yield f"DivergesWorst{name}", nats(worst[time - 1])
    yield "DivergesWorstForEver", nats(fast_worst_case_supremum(epsilon, DIVERGES))


def chain_of(read: dict[str, Any]) -> TransitionMatrix:
    """Return P^F from counts."""
    counts = TransitionCounts(tuple(read["states"]), tuple(map(tuple, read["counts"])), tuple(read["first"]))
    return counts.forward(Fraction(0))


def clicks() -> tuple[TransitionMatrix, TransitionMatrix]:
    """Return P^B and P^F of the click stream: the forward matrix of the counts, and its stationary reversal."""
    forward = chain_of(json.loads((ROOT / "examples" / "msnbc" / "counts.json").read_text(encoding="utf-8")))
    return reverse(forward, stationary(forward)), forward


def panels() -> dict[str, Any]:
    """Return the counts of the panels."""
    return json.loads((HERE / "panels.json").read_text(encoding="utf-8"))


def chains() -> dict[str, related.Chain]:
    """Return the click stream and the panels, with e^ε = 11/10."""
    forward = {"clicks": clicks()[1]} | {name: chain_of(panel) for name, panel in panels().items()}
    return {name: related.Chain(name, own, RATIO) for name, own in forward.items()}


RATIO = Fraction(11, 10)
RELEASES = 10


def exact(chain: related.Chain, horizon: int | None) -> Level:
    """Return the exact worst TPL, by the fast way."""
    epsilon = Level.of_ratio(chain.ratio)
    if horizon is None:
        return fast_worst_case_supremum(epsilon, chain.backward, chain.forward)
    return greatest_worst_case_tpl([epsilon] * horizon, chain.backward, chain.forward).bound


def quilt(chain: related.Chain, horizon: int) -> Level:
    """Return the bound by the best Markov quilt. Above, in doubles."""
    sides = (
        SimpleNamespace(n=own.n, rows=[list(map(float, row)) for row in own.rows])
        for own in (chain.backward, chain.forward)
    )
    doubles = SimpleNamespace(ratio=float(chain.ratio), **dict(zip(("backward", "forward"), sides, strict=True)))
    return Level.of_ratio(_above(related.quilted(doubles, horizon)))


def contraction(chain: related.Chain, horizon: int | None) -> Level | None:
    """Return the bound by Birkhoff's coefficient, L(α) ≤ tanh(Δ/4)·α, on both sides; None for ∞. Above, in doubles."""
    sides = []
    for own in (chain.backward.rows, chain.forward.rows):
        if not all(min(row) for row in own):
            sides.append(1.0)
            continue
        pairs = permutations(range(len(own)), 2)
        apart = [max(p / q for p, q in zip(own[j], own[k], strict=True)) for j, k in pairs]
        sides.append(math.tanh(math.log(max(map(mul, apart, apart[::-1]))) / 4))
    if horizon is None:
        return None if max(sides) == 1 else Level.of(_above(sum(math.log(chain.ratio) / (1 - side) for side in sides)))
    epsilon, most = math.log(chain.ratio), 0.0
    for time in range(1, horizon + 1):
        both = [
            sum(side**s for s in range(count)) for side, count in zip(sides, (time, horizon + 1 - time), strict=True)
        ]
        most = max(most, (sum(both) - 1) * epsilon)
    return Level.of(_above(most))


def _above(value: float) -> Fraction:
    return Fraction(value * (1 + 1e-12))


def of_other_bounds() -> Iterator[Macro]:
    """The tables of the chains: every bound, the exact worst case over ε and T, and what a steward gains."""
    known = chains()
    for name, panel in panels().items():
        yield f"{name.capitalize()}Persons", str(sum(panel["first"]))
    yield "ChainSizes", " & ".join(["values", *(str(chain.forward.n) for chain in known.values())])
    yield "TableReleases", str(RELEASES)
    methods = {
        "exact worst case, the least $b$": exact,
        "recursion of Cao et al.": related.paper_bound,
        "Markov quilt": quilt,
        "contraction": contraction,
        "Lange et al.": related.by_entries,
        "group privacy": related.grouped,
    }
    rows = ""
    for name, method in methods.items():
        found = (method(chain, RELEASES) for chain in known.values())
        rows += " & ".join([name, *(f"${nats_of(own)}$" for own in found)]) + "\\\\\n"
    yield "OtherBounds", rows
    rows = ""
    for name, method in (("exact worst case", exact), ("recursion", related.paper_bound)):
        found = (method(chain, None) for chain in known.values())
        rows += " & ".join([name, *(f"${nats_of(own)}$" for own in found)]) + "\\\\\n"
    yield "ForEverBounds", rows
    budgets_found = [greatest_budgets(name) for name in known]
    for place, name in enumerate(("exact worst case", "recursion")):
        yield (
            f"Allowed{name.split()[0].capitalize()}",
            " & ".join([name, *(f"{own[place]}" for own in budgets_found)]),
        )
    gains = (f"{100 * (1 - paper / worst):.0f}\\,\\%" for worst, paper in budgets_found)
    yield "NoiseSaved", " & ".join(["less noise", *gains])
    rows = ""
    for text in ("1/100", "1/10", "1"):
        cells = []
        for name in ("clicks", "occupation"):
            for horizon in (10, 50, None):
                own = known[name]
                epsilon, adversary = parse_level(text), Adversary.knowing(own.backward, own.forward)
                if horizon:
                    pair = (
                        greatest_worst_case_tpl([epsilon] * horizon, own.backward, own.forward).bound,
                        max(leakage([epsilon] * horizon, adversary).tpl),
                    )
                else:
                    sides = [supremum(loss, epsilon).level for loss in (adversary.backward, adversary.forward)]
                    whole = sides[0] + sides[1]
                    pair = (
                        fast_worst_case_supremum(epsilon, own.backward, own.forward),
                        whole if whole.is_infinite else whole - epsilon,
                    )
                cells.append("/".join(f"${nats(level, 3)}$" for level in pair))
        rows += " & ".join([f"${text}$", *cells]) + "\\\\\n"
    yield "OverBudgets", rows


def nats_of(found: Level | Fraction | None) -> str:
    """Return what a bound comes to: a level, a ratio, None for ∞."""
    if found is None:
        return r"\infty"
    return nats(Level.of_ratio(found) if isinstance(found, Fraction) else found, 4)


def of_the_clicks() -> Iterator[Macro]:
    """Seventeen page categories, ε = 1/10 at each release, one stationary chain."""
    backward, forward = clicks()
    adversary = Adversary.knowing(backward, forward)
    assert adversary.backward is not None
    assert adversary.forward is not None
    worst, said = fast_worst_case_leakage([TENTH] * 50, backward, forward), leakage([TENTH] * 50, adversary)
    for name, time in (("Ten", 10), ("Twenty", 20), ("Fifty", 50)):
        yield f"ClicksWorst{name}", nats(worst.bpl[time - 1])
        yield f"ClicksPaper{name}", nats(said.bpl[time - 1])
    yield "ClicksStates", str(forward.n)
    yield "ClicksPairs", str(forward.n * (forward.n - 1))
    yield "ClicksReleases", str(50)
    yield "ClicksWorstTpl", nats(greatest_worst_case_tpl([TENTH] * 50, backward, forward).bound)
    yield "ClicksPaperTpl", nats(max(said.tpl))
    yield "ClicksWorstForEver", nats(fast_worst_case_supremum(TENTH, backward))
    yield "ClicksWorstTplForEver", nats(fast_worst_case_supremum(TENTH, backward, forward))
    sides = [supremum(loss, TENTH).level for loss in (adversary.backward, adversary.forward)]
    yield "ClicksPaperForEver", nats(sides[0])
    yield "ClicksPaperTplForEver", nats(sides[0] + sides[1] - TENTH)
    for name, allowed in zip(("Worst", "Paper"), greatest_budgets("clicks"), strict=True):
        yield f"Clicks{name}Budget", str(allowed)


@cache
def greatest_budgets(name: str) -> tuple[Decimal, Decimal]:
    """Return the greatest ε with TPL ≤ 1 over an infinite horizon, by the exact worst case and by the recursion."""
    own, one = chains()[name], parse_level("1")
    found = (
        fast_worst_case_budget(one, own.backward, own.forward),
        budgets(one, Adversary.knowing(own.backward, own.forward)).middle,
    )
    return found[0].enclosure(6).lower, found[1].enclosure(6).lower


def of_joint_streams() -> Iterator[Macro]:
    """Linear programs over all joint streams against the sweep; a tree counter; a release that repeats the past."""
    draw, equal, infinite = random.Random(29), 0, 0
    levels = [ZERO, INFINITE, *(Level.of_ratio(Fraction(own)) for own in ("11/10", "3/2", "2", "5"))]
    for n, releases, times in ((2, 2, 40), (2, 3, 40), (2, 4, 40), (3, 2, 40), (3, 3, 40), (3, 4, 20)):
        for _ in range(times):
            backward, forward = ([_drawn(draw, n) for _ in range(releases - 1)] for _ in range(2))
            epsilons, time = [draw.choice(levels) for _ in range(releases)], draw.randint(1, releases)
            rows = [[own.rows for own in steps] for steps in (backward, forward)]
            found = joint_leakage(epsilons, time, rows[0], rows[1], range(n))
            swept = worst_case_leakage(epsilons, backward, forward).tpl[time - 1]

            infinite += found.is_infinite
            equal += found.is_infinite == swept.is_infinite and (found.is_infinite or found.ratio == swept.ratio)
    yield "JointStreams", str(sum((40, 40, 40, 40, 40, 20)))
    yield "JointEqual", str(equal)
    yield "JointInfinite", str(infinite)
    counter, budget = tree_counter(4, Fraction(2)), [Level.of_ratio(Fraction(2))] * 4
    for name, matrix in (("Sticky", STICKY), ("Turning", TURNING)):
        swept = worst_case_leakage(budget, matrix, matrix).tpl[0]
        yield f"Tree{name}", nats(counter.leakage(1, matrix, matrix))
        yield f"Tree{name}Worst", nats(swept)
    response = dict(enumerate(response_about(2, {0}, Fraction(2)).channel))

    def answers(value: int, _earlier: object) -> dict[object, Fraction]:
        return dict(enumerate(response[value]))

    def repeats(value: int, earlier: object) -> dict[object, Fraction]:
        return {(earlier, own): chance for own, chance in answers(value, ()).items()}

    for name, second in (("Plain", answers), ("Repeating", repeats)):
        stream = adaptive(2, [answers, second, answers])
        yield f"Fpl{name}", odds(stream.leakage(2, TWICE, TWICE, window=(2, 3)))


def _drawn(draw: random.Random, n: int) -> TransitionMatrix:
    """Draw a matrix of small whole numbers over their sums, many of them 0."""
    rows = []
    for _ in range(n):
        weights = [draw.choice([0, 1, 2, 5]) for _ in range(n)]
        weights[draw.randrange(n)] += not any(weights)
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return TransitionMatrix.of(rows)


def of_what_is_not_known() -> Iterator[Macro]:
    """Two kinds of people with independent draws, and a prior; a window of releases with a zero in the matrix."""
    kinds = [TransitionMatrix.of([row] * 2) for row in (["9/10", "1/10"], ["1/10", "9/10"])]
    chains, prior = [(own, own) for own in kinds], [Fraction(1, 2)] * 2
    found = mixture_leakage([Level.of_ratio(Fraction(2))] * 7, chains, prior)
    yield "MixtureLower", str(max(found.lower).enclosure(4).lower)
    yield "MixtureUpper", nats(max(found.upper), 4)
    yield "MixtureAlone", nats(Level.of_ratio(Fraction(2)), 4)
    yield "MixtureCost", odds(Level.of_ratio(prior_ratio(chains, prior)))
    forward = TransitionMatrix.of([["1/2", "1/2"], [1, 0]])
    start = (Fraction(2, 3), Fraction(1, 3))  # stationary
    known = (reverse(forward, start), forward)
    two = [Level.of_ratio(Fraction(2))] * 4
    own = worst_case_leakage(two, *known)
    yield "WindowExact", odds(worst_case_composition(two, 2, 2, *known))
    yield "WindowSum", odds(own.bpl[1] + own.fpl[2])


def of_the_profile() -> Iterator[Macro]:
    """The click stream with a δ, and a day of Gaussian releases about two values."""
    stream = profile([TENTH] * 50, backward=clicks()[0])
    yield "ProfileDeltaOne", str(stream.delta(parse_level("1")).enclosure(4).upper)
    yield "ProfileAlpha", str(stream.alpha(Fraction(1, 1000)).enclosure(6).upper)
    for name, releases in (("One", 1), ("Day", 24)):
        noise = profile([GaussianBudget(Fraction(10), Fraction(1))] * releases, backward=STICKY)
        yield f"ProfileNoise{name}", str(noise.alpha(Fraction(1, 10**6)).enclosure(4).upper)


def of_the_evidence() -> Iterator[Macro]:
    """What is machine-checked, and how large what checks it is."""
    stated = list(theorems.stated().values())
    yield "RocqTheorems", str(stated.count("Theorem"))
    yield "RocqExamples", str(stated.count("Example"))
    yield "Claims", str(len(trial.all_claims()))
    yield "Errata", str(len(trial.all_errata()))
    lines = [
        len((ROOT / "certificates" / name).read_text("utf-8").splitlines())
        for name in ("checker.py", "rows.py", "trade_off.py", "reading.py")
    ]
    yield "CheckerLines", str(sum(lines))
    document = json.dumps(worst_case_upper_at_all_times([TENTH] * 50, *clicks(), 6))
    assert check(document) == "worst-case-upper"
    yield "CertificateKilobytes", str(-(-len(document) // 1000))


PARTS = (
    of_the_recursion,
    of_the_clicks,
    of_other_bounds,
    of_joint_streams,
    of_what_is_not_known,
    of_the_profile,
    of_the_evidence,
)


def macros() -> str:
    """Return the file of macros."""
    text = "% Written by python docs/paper/article_numbers.py\n"
    for part in PARTS:
        print(part.__name__, file=sys.stderr, flush=True)
        for name, value in part():
            text += f"\\newcommand{{\\{name}}}{{{value}}}\n"
    return text


if __name__ == "__main__":
    NUMBERS.write_text(macros(), encoding="utf-8")
