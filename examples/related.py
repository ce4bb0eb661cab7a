"""Other answers to the same question, beside the paper's: docs/related.md, written by `python examples/related.py`.

On two stationary chains, what each method says that releases with a budget ε leak about a value at one time. And what
the paper's method says where the chain has been estimated: by counting, and by Baum and Welch's algorithm.
"""

import random
import re
import textwrap
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np

from tploracle import profile
from tploracle.output.writing import write_text
from tploracle.reference import (
    Adversary,
    Level,
    TransitionMatrix,
    count_transitions,
    leakage,
    reverse,
    stationary,
    supremum,
    worst_case_leakage,
    worst_case_supremum,
)
from tploracle.reference.decimals import outward
from tploracle.reference.worst_case.one_side_first import told_together
from tploracle.reference.worst_case.profile import ProfileSide
from tploracle.reference.worst_case.trade_off import IGNORED, TradeOff

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PROFILE, WORKS = DOCS / "related.md", DOCS / "profile.md", DOCS / "related.toml"
HORIZONS = (5, 20, None)
"""Releases; None for infinitely many."""


@dataclass(frozen=True)
class Chain:
    """A stationary chain and e^ε of each release."""

    name: str
    forward: TransitionMatrix
    ratio: Fraction

    @property
    def backward(self):
        """P^B, by Bayes."""
        return reverse(self.forward, stationary(self.forward))


CHAINS = (
    Chain("two values, rows (0.8, 0.2), (0.1, 0.9), $e^ε = 11/10$",
          TransitionMatrix.of([["4/5", "1/5"], ["1/10", "9/10"]]), Fraction(11, 10)),
    Chain("three values, rows (7/11, 2/11, 2/11), (0, 0, 1), (3/7, 2/7, 2/7), $e^ε = 3/2$",
          TransitionMatrix.of([["7/11", "2/11", "2/11"], [0, 0, 1], ["3/7", "2/7", "2/7"]]), Fraction(3, 2)),
)  # fmt: skip


# What each method says. Ratios e^α, None for ∞.


def alone(chain, _horizon):
    """ε-DP: the value at one time is in one release."""
    return chain.ratio


def grouped(chain, horizon):
    """Group differential privacy: all releases are about the same person, and count together."""
    return None if horizon is None else chain.ratio**horizon


def quilted(chain, horizon):
    """The bound by the best Markov quilt of each time, and of the worst time.

    A quilt is the values a steps before and b steps after. Outputs at and beyond them tell of the value between by
    what the quilt tells (the max-influence), the a + b − 1 outputs within by ε each. Without one of the two the
    outputs to the end of that side are within; without both all are.
    """
    if horizon is None:
        return _for_ever(chain)
    past, future = ([_ratios(rows, steps) for steps in range(horizon)] for rows in (chain.backward, chain.forward))
    pairs = list(permutations(range(chain.forward.n), 2))
    worst = Fraction(1)
    for time in range(1, horizon + 1):
        bounds = [chain.ratio**horizon]
        for a in range(time):  # a = 0, b = 0: no value of the quilt on that side
            for b in range(horizon - time + 1):
                within = (a - 1 if a else time - 1) + 1 + (b - 1 if b else horizon - time)
                told = [(past[a][pair], future[b][pair]) for pair in pairs]
                if all(one is not None and other is not None for one, other in told):
                    bounds.append(max(one * other for one, other in told) * chain.ratio**within)
        worst = max(worst, min(bounds))
    return worst


def _for_ever(chain):
    """Return the same for a time far from both ends: the fewer within, the better, so that the search ends."""
    pairs = list(permutations(range(chain.forward.n), 2))
    best, reach = None, 2
    while best is None or chain.ratio ** (reach - 1) < best:
        for a in range(1, reach):
            past, future = _ratios(chain.backward, a), _ratios(chain.forward, reach - a)
            if None not in past.values() and None not in future.values():
                bound = max(past[pair] * future[pair] for pair in pairs) * chain.ratio ** (reach - 1)
                best = bound if best is None else min(best, bound)
        reach += 1
    return best


def _ratios(rows, steps):
    """Return the greatest ratio of what two values make of a value some steps away; 1 for 0 steps, None for ∞."""
    away = rows.rows
    for _ in range(steps - 1):
        columns = tuple(zip(*rows.rows, strict=True))
        away = tuple(tuple(sum(p * q for p, q in zip(row, column, strict=True)) for column in columns) for row in away)
    pairs = permutations(range(rows.n), 2)
    return {(j, k): Fraction(1) if steps == 0 else _greatest(away[j], away[k]) for j, k in pairs}


def _greatest(one, other):
    if any(p and not q for p, q in zip(one, other, strict=True)):
        return None
    return max(p / q for p, q in zip(one, other, strict=True) if q)


def by_entries(chain, _horizon):
    """Lange et al.: ε and four times the logarithm of the greatest entry over the least, whatever is released."""
    entries = [p for row in chain.forward.rows for p in row]
    return chain.ratio * (max(entries) / min(entries)) ** 4 if min(entries) else None


def paper_bound(chain, horizon):
    """The paper's bound: BPL + FPL − ε by the recursions; over an infinite horizon, Theorem 11 corrected."""
    epsilon, adversary = Level.of_ratio(chain.ratio), Adversary.knowing(chain.backward, chain.forward)
    if horizon is not None:
        return max(leakage([epsilon] * horizon, adversary).tpl)
    past, future = (supremum(loss, epsilon).level for loss in (adversary.backward, adversary.forward))
    return None if past.is_infinite or future.is_infinite else past + future - epsilon


def worst_case(chain, horizon):
    """The exact worst case over all mechanisms with these budgets, which one attains."""
    epsilon = Level.of_ratio(chain.ratio)
    if horizon is None:
        return worst_case_supremum(epsilon, chain.backward, chain.forward)
    return max(worst_case_leakage([epsilon] * horizon, chain.backward, chain.forward).tpl)


METHODS = {
    "ε-DP, times taken for independent": alone,
    "exact worst case": worst_case,
    "paper's bound": paper_bound,
    "best Markov quilt": quilted,
    "greatest entry over the least": by_entries,
    "group differential privacy": grouped,
}


def nats(found):
    """Return a level, or the level of a ratio, for reading: rounded up."""
    if isinstance(found, Fraction):
        found = Level.of_ratio(found)
    return "∞" if found is None or found.is_infinite else str(found.enclosure(5).upper)


# At a δ: what releases up to a time tell of its value, beyond α, where P^B are the rows of the second chain

PAST = (1, 2, 8)
"""Past releases."""

BEYOND = Level.of(Fraction(7, 10))
"""α."""

BITS = 60


def profile_exactly(chain, past):
    """The exact worst case: theorem (profile)."""
    return profile([Level.of_ratio(chain.ratio)] * (past + 1), backward=chain.forward).delta(BEYOND).upper


def contracted(chain, past):
    """The best nonlinear contraction of each step by itself, then φ: the recursion of the paper for f-DP."""
    phi = told = TradeOff.approximate(chain.ratio)
    for _ in range(past):
        side = ProfileSide((IGNORED, told), (chain.forward.rows,))
        pairs = permutations(range(chain.forward.n), 2)
        told = phi.after(_majorant([told_together(side, pair, BITS) for pair in pairs]))
    return _beyond(told)


def grouped_tests(chain, past):
    """Group privacy of f-DP: φ as often as there are releases, whatever the chain is."""
    phi = told = TradeOff.approximate(chain.ratio)
    for _ in range(past):
        told = phi.after(told)
    return _beyond(told)


def _majorant(several):
    """Return the least concave function above several."""
    hull = []
    for u in sorted({u for own in several for u in own.kinks}):
        y = max(own(u) for own in several)
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (u - hull[-2][0]) <= (y - hull[-2][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        hull.append((u, y))
    return TradeOff(tuple(hull))


def _beyond(told):
    odds = 1 + BEYOND.excess_bounds()[0]
    return max(told(u) - odds * u for u in told.kinks)


AT_A_DELTA = {
    "exact worst case": profile_exactly,
    "contraction of each step": contracted,
    "group privacy of f-DP": grouped_tests,
}


# Estimation

WALKS, STEPS, SEED = 20, 200, 1
MISREAD = Fraction(1, 10)


def observed(chain):
    """Draw walks of the first chain, and what is seen of them where a reading is wrong at times; always the same."""
    draw = random.Random(SEED)
    walks, seen = [], []
    for _ in range(WALKS):
        walk = [0]
        while len(walk) < STEPS:
            walk.append(int(draw.random() >= chain.forward.rows[walk[-1]][0]))
        walks.append(walk)
        seen.append([1 - value if draw.random() < MISREAD else value for value in walk])
    return walks, seen


def counted(walks):
    """Maximum likelihood: the frequencies of the transitions."""
    return count_transitions([list(map(str, walk)) for walk in walks], ["0", "1"]).forward()


def baum_welch(seen):
    """Maximum likelihood where the values are hidden and it is known how often they are misread. In thousandths."""
    from hmmlearn.hmm import CategoricalHMM  # takes a second, and little here needs it

    wrong = float(MISREAD)
    model = CategoricalHMM(2, n_features=2, params="st", init_params="", n_iter=1000, tol=1e-6)
    vars(model).update(
        startprob_=np.array([0.5, 0.5]),
        transmat_=np.array([[0.6, 0.4], [0.4, 0.6]]),
        emissionprob_=np.array([[1 - wrong, wrong], [wrong, 1 - wrong]]),
    )
    model.fit(np.concatenate(seen)[:, None], [len(walk) for walk in seen])
    stay, back = (Fraction(round(1000 * row[0]), 1000) for row in model.transmat_)
    return TransitionMatrix(((stay, 1 - stay), (back, 1 - back)))


def estimates(chain):
    """Return the chain, and what it is estimated to be."""
    walks, seen = observed(chain)
    return {
        "the chain itself": chain.forward,
        "counts of the values": counted(walks),
        "counts of the readings, as if they were the values": counted(seen),
        "Baum–Welch on the readings (hmmlearn)": baum_welch(seen),
    }


# The page

HEAD = """# Beside related work

Written by `python examples/related.py`. The tables give the leakage, in nats and rounded up, of all releases together
about the value at one time, for the worst time, where each release has the budget ε. The chain is stationary, and the
adversary knows it.

- *ε-DP, times taken for independent* is the leakage of the release at that time alone.
- *The [exact worst case](worst-case.md)* is the greatest leakage over all mechanisms; some mechanism attains it.
- *The paper's bound*: Cao et al., Theorems 2 and 11 as [corrected](claims.md). An upper bound.
- *Best Markov quilt*: S. Song, Y. Wang, K. Chaudhuri, *Pufferfish privacy mechanisms for correlated data*, SIGMOD
  2017, [arXiv:1603.03977](https://arxiv.org/abs/1603.03977): the bound behind their mechanism, applied to one
  release at each time. It is the max-influence of the values a steps before and b steps after, plus ε for each release
  between them, for the best a and b. It is an upper bound for Pufferfish privacy in which each value at each time is a
  secret; on a chain this means max TPL ≤ ε ([Section 3.4](claims.md)). We found no maintained library that has it.
- *Greatest entry over the least*: M. Lange, P. Guerra-Balboa, J. Parra-Arnau, T. Strufe, *Balancing privacy and
  utility in correlated data*, 2025, [arXiv:2506.21308](https://arxiv.org/abs/2506.21308): ε + 4·ln(max P/min P), for
  chains whose entries are all positive, and any mechanism. It is an upper bound for every horizon and every ε, and
  covers more adversaries than those considered here: also those who know some of the values. So it was known before
  the [corollary](worst-case.md#over-an-infinite-horizon-the-criterion) of Theorem 4 that the leakage of such chains is
  bounded for every ε.
- *Group differential privacy*: all T releases as one group, Tε, for any chain. An upper bound.

"""

MIDDLE = """No bound is below the exact worst case, and none of the bounds is always the best. The paper's bound
considers one step at a time. On the chain of three values it grows without limit, because one value is never followed
by values that may follow the others, although the square of the matrix has no zero. A quilt considers several steps
and adds ε for each release in between: it is bounded if some power of the matrix has no zero. On the chain of two
values the paper's bound is exact, and the influence in a quilt costs more than it saves. The bound by entries uses
only the greatest and the least entry of the chain, and ε; if an entry is 0, it is infinite. If it is finite, the
paper's bound never exceeds it, because each side of time adds at most the greatest ratio within a column of its matrix
to the paper's bound: once max P/min P for $P^F$, and twice for the reversal.

{at_a_delta}## What others have done

The profile for (ε, δ) and Gaussian releases has [a page of its own](profile.md#what-others-have-done).

In what we read of the following works (*read* says what that was; of many the abstract), there is no exact worst case
for n values, nor the theorem that it is the same for all event-level private streams, nor the criterion of
boundedness, nor certificates. “To our knowledge” means no more than that. Tell us of what we have missed.

{others}
This project computes Pufferfish privacy in which Θ is one chain and the secrets are the values at one time: the
adversary knows the chain, but none of this person's values. Guarantees against every adversary who may know some of
them ("Bayesian" differential privacy) are stronger, and are not bounded by these numbers; `leakage --knowing` answers
for one such adversary at a time.

## Estimated correlations

By Section 3.1 of the paper, the adversary may have learnt the chain by maximum likelihood or, if the values are
hidden, by the algorithm of Baum and Welch. For the table we drew {walks} walks of {steps} steps of the
chain of two values above, and for each value a reading that is wrong with probability 1/10. The table gives TPL at the
worst of ten times, for $e^ε = 11/10$, if the chain is the estimated one:

"""

TAIL = """
If readings are counted as if they were values, the estimated correlation is weaker and the leakage too small, which is
unsafe. If the errors are modelled, the estimate is close again. `tploracle uncertainty` reports the effect of an
estimate's own uncertainty on the leakage.
"""


BESIDE_THE_PROFILE = """**Beyond pure ε: δ at α = 0.7 of BPL, with the rows of the three values for $P^B$, $e^ε = 3/2$**

{table}
A contraction coefficient (S. Asoodeh, M. Diaz, F. Calmon, [arXiv:2012.11035](https://arxiv.org/abs/2012.11035)) bounds
the part of a divergence that remains after one step of the chain. The table uses the best one for tests, a function of
their probability, with φ after each step. The exact worst case keeps track of the pair of values instead, and is
smaller from the first past release on. Group privacy (J. Dong, A. Roth, W. Su,
[arXiv:1905.02383](https://arxiv.org/abs/1905.02383)) does not use the chain. Rényi Pufferfish privacy (C. Pierquin et
al., [arXiv:2312.13985](https://arxiv.org/abs/2312.13985)) is about given noise that is added to an answer, and gives no
number for all streams with a budget.

"""


def others(page):
    """Return what others have done, for a page: a line for each work, with what of it has been read."""
    lines = []
    for work in tomllib.loads(WORKS.read_text(encoding="utf-8"))["work"]:
        if page in work["pages"]:
            title = f"*{work['title']}*, " if work["title"] else ""
            links = r"[\g<0>](https://arxiv.org/abs/\1)", r"[\g<0>](https://doi.org/\1)"
            where = re.sub(r"arXiv:(\S+)", links[0], work["where"])
            where = re.sub(r"doi:(\S+)", links[1], where)
            text = f"{work['authors']}, {title}{where}: {work['said']} *Read: {work['read']}.*"
            lines.append(
                textwrap.fill(
                    text,
                    118,
                    initial_indent="- ",
                    subsequent_indent="  ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )
    return "\n".join(lines) + "\n"


def profile_page():
    """Return docs/profile.md with its list of what others have done written anew."""
    head, heading, _ = PROFILE.read_text(encoding="utf-8").partition("## What others have done\n")
    return head + heading + PROFILE_OTHERS + others("profile")


PROFILE_OTHERS = """
This list is made from [related.toml](related.toml) by `python examples/related.py`; *read* says what of a work has been
read for it. In that we found no exact profile of f-private streams on a chain. [Related work](related.md) has more.

"""


def beside_the_profile():
    """Return what stands beside the profile."""
    table = (
        "| | "
        + " | ".join(f"{past} past release{'s' if past > 1 else ''}" for past in PAST)
        + " |\n|---|---|---|---|\n"
    )
    for name, method in AT_A_DELTA.items():
        found = (method(CHAINS[1], past) for past in PAST)
        table += f"| {name} | " + " | ".join(str(outward(own, own, 4).upper) for own in found) + " |\n"
    return BESIDE_THE_PROFILE.format(table=table)


def page():
    """Return the page."""
    text = HEAD
    for chain in CHAINS:
        text += f"**{chain.name[0].upper()}{chain.name[1:]}**\n\n"
        horizons = (f"{t} releases" if t else "infinite horizon" for t in HORIZONS)
        text += "| | " + " | ".join(horizons) + " |\n|---|---|---|---|\n"
        for name, method in METHODS.items():
            text += f"| {name} | " + " | ".join(nats(method(chain, horizon)) for horizon in HORIZONS) + " |\n"
        text += "\n"
    text += MIDDLE.format(walks=WALKS, steps=STEPS, at_a_delta=beside_the_profile(), others=others("related"))
    text += "| estimated from | rows | exact worst case | paper's bound |\n|---|---|---|---|\n"
    chain = CHAINS[0]
    for name, rows in estimates(chain).items():
        own = Chain(name, rows, chain.ratio)
        shown = ", ".join("(" + ", ".join(f"{float(p):.3f}" for p in row) + ")" for row in rows.rows)
        text += f"| {name} | {shown} | {nats(worst_case(own, 10))} | {nats(paper_bound(own, 10))} |\n"
    return text + TAIL


if __name__ == "__main__":
    write_text(str(PAGE), page(), "page")
    write_text(str(PROFILE), profile_page(), "page")
