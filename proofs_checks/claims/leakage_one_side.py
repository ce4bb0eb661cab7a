"""The end of Section 3.2: P^B has nothing to do with FPL, nor P^F with BPL."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

from ...reference.definitions import leakage_by_definition
from ...reference.paper.leakage import Adversary, leakage
from ...reference.worst_case.mechanisms import randomized_response
from ..compared import compared
from ..coverage import over
from ..families import TWO, log, matrices, shown, streams_of_two_values
from ..provers import identity, sympy_algebra
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcript import printed_line


@evidence(EvidenceKind.ENUMERATION, "from the definitions")
def directions_apart() -> str:
    """Chains of the same P^F have the same FPL whatever P^B is, and chains of the same P^B the same BPL."""
    fpl, bpl = defaultdict(set), defaultdict(set)
    others, tried = defaultdict(set), 0
    for stream in streams_of_two_values(3, 4, randomized_response(2, TWO)):
        fpl[stream.forward].add(stream.fpl(2).ratio)
        bpl[stream.backward(2)].add(stream.bpl(2).ratio)
        others[stream.forward].add(stream.backward(2))
        others[stream.backward(2)].add(stream.forward)
        tried += 1
    for name, found in (("FPL", fpl), ("BPL", bpl)):
        compared("Section 3.2, P^B and FPL", [1] * len(found), [len(levels) for levels in found.values()])
        require(bool(found), f"no {name}")
    several = sum(len(other) > 1 for other in others.values())
    require(several > 0, "no matrix goes with two others")
    exhausted(tried, 69)
    return f"{tried} chains; {several} matrices that go with several others"


@evidence(EvidenceKind.IDENTITY, "general: two values, three times, one output of each")
def directions_cancel() -> str:
    """Given l², the distribution of l¹ cancels from the likelihood of r², r³, and with P^B that of l² from r¹, r²."""
    sympy = sympy_algebra()
    p, f, g, b, c, m1, n1, m2, m3, n3 = sympy.symbols("p f g b c m_1 n_1 m_2 m_3 n_3")
    forward, backward = ((f, 1 - f), (g, 1 - g)), ((b, 1 - b), (c, 1 - c))
    first, third, before = (m1, n1), (m3, n3), (p, 1 - p)
    for now in range(2):
        weight = sum(before[past] * forward[past][now] for past in range(2))
        joint = sum(
            before[past] * forward[past][now] * m2 * forward[now][later] * third[later]
            for past, later in product(range(2), repeat=2)
        )
        identity(joint / weight, m2 * sum(forward[now][later] * third[later] for later in range(2)), "r², r³")
        joint = sum(before[now] * backward[now][past] * first[past] * m2 for past in range(2))
        identity(joint / before[now], m2 * sum(backward[now][past] * first[past] for past in range(2)), "r¹, r²")
        alone = sum(before[past] * forward[past][now] * m2 for past in range(2)) / weight
        compared("Section 3.2, PL_0", True, identity(alone, m2, "r² alone"))
    return "Pr(r², r³ | l²) has P^F alone, Pr(r¹, r² | l²) has P^B alone"


@evidence(EvidenceKind.BRUTE_FORCE, "the definitions and the recursions, each given one matrix")
def one_side_known() -> str:
    """With P^B known alone FPL = ε, nothing from the future; with P^F alone BPL = ε, nothing from the past."""
    printed_line(651, "does not affect FPL", "does not affect BPL")
    mechanisms, epsilons, tried = (randomized_response(2, TWO),) * 3, [log(2)] * 3, 0
    for rows in matrices(2, 4):
        past, future = leakage(epsilons, Adversary.knowing(rows)), leakage(epsilons, Adversary.knowing(forward=rows))
        for other_side in (past.fpl, future.bpl):
            compared("Section 3.2, P^B and FPL", epsilons, list(other_side))
        require((past.tpl, future.tpl) == (past.bpl, future.fpl), f"{shown(rows)}: TPL is not the one side's")
        for time in over("t", (1, 2, 3)):
            until, since = mechanisms[:time], mechanisms[time - 1 :]
            told, said = leakage_by_definition(mechanisms, time, backward=rows), past.bpl[time - 1]
            require(told == leakage_by_definition(until, time, backward=rows), f"{shown(rows)}, {time}: the future")
            require(told <= said and (time == 3 or told == said), f"{shown(rows)}: {told!r}, computed {said!r}")
            told, said = leakage_by_definition(mechanisms, time, forward=rows), future.fpl[time - 1]
            require(told == leakage_by_definition(since, 1, forward=rows), f"{shown(rows)}, {time}: the past")
            require(told <= said and (time == 1 or told == said), f"{shown(rows)}: {told!r}, computed {said!r}")
            tried += 1
    return f"{tried} times"


CLAIMS = (
    PaperClaim(
        "Section 3.2, P^B and FPL", Item.TEXT, "Section 3.2", "P^B does not affect FPL, nor P^F BPL",
        "An adversary who knows P^B alone causes BPL only, one who knows P^F alone FPL only.", ClaimVerdict.HOLDS,
        corrected="“Knows alone” is a model: who knows P^B and how the values are distributed knows P^F too, by Bayes' "
        "rule (Section 3.1), and has both.",
        by_hand="Pr(r^t, r^{t+1} | l^t) = Pr(r^t | l^t)·Σ_k P^F(l^t, k)·Pr(r^{t+1} | k): P^B is not in it.",
        grounds=("leakage.directions_apart", "leakage.one_side_known"),
        checks=("leakage.definitions_one_matrix_each",),
    ),
)  # fmt: skip
