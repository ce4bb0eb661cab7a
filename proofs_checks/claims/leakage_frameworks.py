"""What the leakage is elsewhere, Sections 3.4 and 3.5: Pufferfish, personal budgets, sets of chains."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, permutations, product

from ...reference.correlations import Row
from ...reference.definitions import LiteralStream
from ...reference.levels import Level
from ...reference.paper.allocation import budgets
from ...reference.paper.leakage import Adversary, leakage, population_leakage
from ...reference.worst_case.mechanisms import greatest_ratio, randomized_response
from ..compared import compared
from ..coverage import over
from ..families import MODERATE, TWO, log, matrix, ordered_matrices, shown_stream, streams_of_two_values
from ..faults import told
from ..provers import prove, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, require
from ..transcript import printed_line
from .leakage_all_different import over_paths


def _pufferfish(stream: LiteralStream) -> Level:
    """Return the least ε for which the releases are ε-Pufferfish private, by its definition, from whole paths.

    Secrets: each value at each time. Pairs: values at one time. Evolution: the chain.
    """
    times = range(1, len(stream.mechanisms) + 1)
    return max(over_paths(stream, time, time, times) for time in times)


def _weight(stream: LiteralStream, path: tuple[int, ...]) -> Fraction:
    weight = stream.initial[path[0]]
    for before, after in pairwise(path):
        weight *= stream.forward.rows[before][after]
    return weight


def _told(stream: LiteralStream, path: tuple[int, ...], outputs: tuple[int, ...]) -> Fraction:
    told = Fraction(1)
    for mechanism, value, output in zip(stream.mechanisms, path, outputs, strict=True):
        told *= mechanism.channel[value][output]
    return told


@evidence(EvidenceKind.ENUMERATION, "both definitions, over all paths and outputs")
def pufferfish_is_tpl() -> str:
    """With each value at each time a secret, Pufferfish on a chain is max TPL ≤ ε; on independent values it is ε-DP."""
    printed_line(762, "it is equivalent to DP", "but with temporally correlated tuples")
    tried = independent = 0
    for stream in streams_of_two_values(3, 3, randomized_response(2, TWO)):
        found = _pufferfish(stream)
        compared("Section 3.4, Pufferfish", max(stream.tpl(t) for t in (1, 2, 3)), found)
        if stream.forward.rows[0] == stream.forward.rows[1]:
            require(found == log(2), f"{shown_stream(stream)}: independent, {found!r}")
            independent += 1
        tried += 1
    require(0 < independent < tried, f"{independent} of {tried} are independent")
    return f"{tried} chains, {independent} of them independent"


@evidence(
    EvidenceKind.DECISION,
    "proved for a pair of tuples of a pair of values, any mechanism and any distributions, all reals",
    human_step="more values and tuples: the same weighted mean, of more terms",
)
def pufferfish_is_dp() -> str:
    """For independent tuples ε-DP implies ε-Pufferfish, and is implied by it; for correlated ones it does not."""
    z3 = z3_prover()
    a, b, c, d, p, r, ratio = z3.Reals("a b c d p r A")
    assumed = [
        *(v > 0 for v in (a, b, c, d)),
        p >= 0,
        p <= 1,
        r >= 0,
        r <= 1,
        ratio >= 1,
        a <= ratio * c,
        b <= ratio * d,
    ]
    mixed = prove(p * a + (1 - p) * b <= ratio * (p * c + (1 - p) * d), *assumed, what="independent tuples")
    compared("Section 3.4, Pufferfish", True, mixed)
    at = [z3.substitute(p * a + (1 - p) * b <= ratio * (p * c + (1 - p) * d), (p, z3.RealVal(v))) for v in (1, 0)]
    prove(z3.And(a <= ratio * c, b <= ratio * d), *at, what="distributions of one value")
    solver = z3.Solver()
    solver.add(*assumed, p * a + (1 - p) * b > ratio * (r * c + (1 - r) * d))
    require(solver.check() == z3.sat, "correlated tuples are protected by DP after all")
    return "Σp_b Pr(r | a, b) ≤ e^ε·Σp_b Pr(r | a', b) with the same weights, not with others"


@evidence(EvidenceKind.BRUTE_FORCE, "users with a chain and a budget each, all outputs")
def personal_leakage() -> str:
    """Users with a budget each, released together: TPL of each, the other's value known, is that user's alone."""
    own = tuple(randomized_response(2, ratio) for ratio in over("e^ε", (TWO, Fraction(3))))
    tried = 0
    for rows in product(ordered_matrices(2, 2), repeat=2):
        users = [
            LiteralStream((Fraction(1, 2),) * 2, chain, (mechanism,) * 2)
            for chain, mechanism in zip(rows, own, strict=True)
        ]
        if not all(all(marginal) for user in users for marginal in user.marginals):
            continue
        for time in over("t", (1, 2)):
            for one, other in permutations(users):
                compared("Section 3.5, personal budgets", one.tpl(time), _of_two(one, other, time))
                tried += 1
    require(tried > 0, "none was tried")
    return f"{tried} leakages, each the user's own"


def _of_two(one: LiteralStream, other: LiteralStream, time: int) -> Level:
    """Return TPL of one user at a time from what is released of two, the other's value at the time known."""

    def likelihoods() -> Iterator[Row]:
        for outputs in product(product(range(2), repeat=2), repeat=2):
            for known in range(2):
                yield tuple(
                    _given(one, outputs[0], time, value) * _given(other, outputs[1], time, known) for value in range(2)
                )

    return greatest_ratio(likelihoods())


def _given(stream: LiteralStream, outputs: tuple[int, ...], time: int, value: int) -> Fraction:
    paths = [path for path in product(range(2), repeat=2) if path[time - 1] == value]
    told = sum((_weight(stream, path) * _told(stream, path, outputs) for path in paths), Fraction(0))
    return told / sum((_weight(stream, path) for path in paths), Fraction(0))


@evidence(EvidenceKind.ENUMERATION, "by the recursions, each user with their own P^B and P^F")
def personal_budgets() -> str:
    """Budgets by the chain and level of each user attain the level at every time; they differ."""
    printed_line(782, "convert a PDP mechanism to bound the temporal privacy leakage for each user")
    chains = ((MODERATE, matrix("3/5 2/5", "1/5 4/5")), (matrix("2/3 1/3", "1/2 1/2"), matrix("1/5 4/5", "2/5 3/5")))
    levels = tuple(map(log, over("e^α", (3, 2))))
    users = [Adversary.knowing(*chain) for chain in chains]
    schedules = [budgets(level, user).quantified(4) for level, user in zip(levels, users, strict=True)]
    for level, user, schedule in zip(levels, users, schedules, strict=True):
        compared("Section 3.5, personal budgets", [level] * 4, list(leakage(list(schedule), user).tpl))
    require(all(one != other for one, other in zip(*schedules, strict=True)), "the budgets do not differ")
    return "both levels are attained, each with its own budgets"


@evidence(EvidenceKind.ENUMERATION, "from the definitions, and by the recursions")
def greatest_of_a_set() -> str:
    """The greatest TPL over a set of chains is computed chain by chain, and bounds the leakage under each of them."""
    printed_line(791, "we can calculate the maximum TPL w.r.t. different TMs")
    epsilons, mechanism = [log(2)] * 3, randomized_response(2, TWO)
    streams = [*streams_of_two_values(3, 2, mechanism)]
    theta = {number: Adversary.knowing(stream.backward(2), stream.forward) for number, stream in enumerate(streams)}
    found = population_leakage(epsilons, theta)
    own = [leakage(epsilons, adversary).tpl[1] for adversary in theta.values()]
    compared("Section 3.5, sets of matrices", found.tpl[1].level, max(own))
    defined = [stream.tpl(2) for stream in streams]
    for stream, level, bound in zip(streams, defined, own, strict=True):
        require(level <= bound <= max(own), f"{shown_stream(stream)}: {level!r}, computed {bound!r}")
    require(min(own) < max(own), "the chains do not differ")
    low, high, least = (level.exact_text for level in (min(own), max(own), max(defined)))
    return f"{len(streams)} chains: from {low} to {high}, by definition to {least}"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact, by whole paths", errata="E39")
def a_mixture_of_chains() -> str:
    """An adversary who considers several chains possible, with probabilities, can learn more than under any one."""
    mechanism, often = randomized_response(2, TWO), (Fraction(9, 10), Fraction(1, 10))
    streams = [
        LiteralStream(row, matrix(*(" ".join(map(str, row)),) * 2), (mechanism,) * 2) for row in (often, often[::-1])
    ]
    compared("Section 3.5, sets of matrices", log(2), max(stream.tpl(time) for stream in streams for time in (1, 2)))
    given = []
    for value in range(2):
        likelihood = weight = Fraction(0)
        for stream, path in product(streams, product(range(2), repeat=2)):
            if path[0] == value:
                likelihood += _weight(stream, path) * _told(stream, path, (0, 0))
                weight += _weight(stream, path)
        given.append(likelihood / weight)
    found = log(given[0] / given[1])
    require(found > log(2), f"{found!r}")
    greatest = max(stream.tpl(time) for stream in streams for time in (1, 2))
    compared("E39", greatest, found, leakage=True)
    names = {"kinds": [row[0] for row in (often, often[::-1])], "T": 2, "e^ε": TWO, "maximum": greatest}
    told("E39", names | {"PL_0": mechanism.privacy_leakage(), "TPL": found})
    return f"independent values of different kinds of people, even odds: {found.exact_text} for {greatest.exact_text}"


CLAIMS = (
    PaperClaim(
        "Section 3.4, Pufferfish", Item.TEXT, "Section 3.4", "Pufferfish on a chain is DP_T",
        "With all values as secrets, all pairs of them and independent tuples Pufferfish is DP; with temporally "
        "correlated tuples it is DP_T.", ClaimVerdict.HOLDS,
        corrected="For one given chain ε-Pufferfish is max_t TPL_t ≤ ε. DP follows from all products of distributions.",
        grounds=("leakage.pufferfish_is_tpl", "leakage.pufferfish_is_dp"),
    ),
    PaperClaim(
        "Section 3.5, personal budgets", Item.TEXT, "Section 3.5", "Compatible with personalized DP",
        "Budgets may differ from user to user, and TPL be bounded for each.", ClaimVerdict.HOLDS,
        corrected="Where the users' values are independent of one another, as is assumed throughout.",
        errata=("E23",),
        grounds=("leakage.personal_leakage", "leakage.personal_budgets"),
    ),
    PaperClaim(
        "Section 3.5, sets of matrices", Item.TEXT, "Section 3.5", "The greatest TPL of a set of matrices",
        "Given a set of transition matrices, the greatest TPL over them can be computed.", ClaimVerdict.HOLDS,
        corrected="It bounds the leakage to an adversary who is certain of one of them. One who considers several "
        "possible can learn more: the releases then reveal which chain holds, and that reveals values.",
        errata=("E39",),
        grounds=("leakage.greatest_of_a_set", "leakage.a_mixture_of_chains"),
    ),
)  # fmt: skip
