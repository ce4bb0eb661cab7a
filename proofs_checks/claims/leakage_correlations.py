"""Temporal correlations and what they do: Definition 3, Examples 1 to 3, Figures 1 to 3; one that is known alone."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from itertools import product

from ...reference.correlations import reverse
from ...reference.definitions import LiteralStream, leakage_by_definition
from ...reference.levels import Level
from ...reference.paper.leakage import Adversary, backward_leakage, forward_leakage, leakage
from ...reference.paper.loss import loss_function
from ...reference.worst_case.mechanisms import randomized_response
from ..compared import compared, given
from ..coverage import left_out, members, over
from ..families import (
    MODERATE,
    STRONGEST,
    TWO,
    distributions,
    log,
    matrices,
    matrix,
    nats,
    ordered_matrices,
    shown,
    streams_of_two_values,
)
from ..faults import remark, told
from ..provers import identity, impossible, prove, sympy_algebra, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcript import printed_line, printed_matrices


@evidence(EvidenceKind.ENUMERATION, "every entry, with every initial distribution")
def bayes() -> str:
    """The backward correlation by Bayes' rule is the conditional of the joint distribution, entry by entry."""
    tried = 0
    for n, denominator in ((2, 4), (3, 2)):
        for rows in ordered_matrices(n, denominator):
            for initial in members(f"initial distributions over {n} values", distributions(n, denominator)):
                after = [sum((initial[j] * rows.rows[j][k] for j in range(n)), Fraction(0)) for k in range(n)]
                if not all(after):
                    left_out("a value that cannot be")
                    continue
                back = reverse(rows, initial)
                for j, k in product(range(n), repeat=2):
                    require(back.rows[k][j] * after[k] == initial[j] * rows.rows[j][k], f"{shown(rows)}, {initial}")
                    tried += 1
    exhausted(tried, 2_340)
    given("fig:mc", len(printed_matrices(397)) + len(printed_matrices(400)), 2)
    return f"{tried} entries"


@evidence(EvidenceKind.DECISION, "proved for all real distributions of the value before", errata="E22")
def no_such_chain() -> str:
    """The pairs P^B, P^F of Figure 3 (moderate) and Figure 8 belong to no Markov chain with both values possible."""
    z3 = z3_prover()
    p = z3.Real("p")
    for name, backward, forward in (
        ("Figure 3(c)", MODERATE, MODERATE),
        ("Figure 8", matrix("4/5 1/5", "1/5 4/5"), matrix("4/5 1/5", "1/10 9/10")),
    ):
        before = (p, 1 - p)
        rows = [[z3.Q(x.numerator, x.denominator) for x in row] for row in forward.rows]
        joint = [[before[j] * rows[j][k] for j in range(2)] for k in range(2)]
        equal = [
            joint[k][j] == z3.Q(x.numerator, x.denominator) * (joint[k][0] + joint[k][1])
            for k in range(2)
            for j, x in enumerate(backward.rows[k])
        ]
        possible = [p >= 0, p <= 1, *(joint[k][0] + joint[k][1] > 0 for k in range(2))]
        prove(z3.BoolVal(True), *possible, what=name)
        remark("E22", True, not impossible(*possible, *equal, what=name))
        (a, b), (x, y) = backward.rows, forward.rows
        if all((*b, *x)):
            odds = [one[0] * other[1] / (one[1] * other[0]) for one, other in ((a, b), (x, y))]
            told("E22", {"odds": odds[0], "odds'": odds[1]})
        else:
            told("E22", {"come": backward.rows[0][1]})
    return "no distribution makes the second matrix the reverse of the first"


@evidence(EvidenceKind.TRANSCRIPTION, "one chain, exact, straight from the joint distribution", errata="E46")
def one_matrix_each_time() -> str:
    """From a start that is not stationary the backward correlation is another one at each time."""
    rows, initial = matrix("4/5 1/5", "1/10 9/10"), (Fraction(1, 2), Fraction(1, 2))
    after = tuple(sum((initial[j] * rows.rows[j][k] for j in range(2)), Fraction(0)) for k in range(2))
    second, third = reverse(rows, initial), reverse(rows, after)
    remark("E46", second.rows, third.rows)
    stationary = (Fraction(1, 3), Fraction(2, 3))
    require(all(sum(stationary[j] * rows.rows[j][k] for j in range(2)) == stationary[k] for k in range(2)), "the start")
    told("E46", {"P^F": rows, "initial": initial, "later": third.rows[0][0]})
    return f"of those with the first value {second.rows[0][0]} had it before, and at the next time {third.rows[0][0]}"


@evidence(EvidenceKind.TRANSCRIPTION, "users of whom each has a value at each time, exact", errata="E42")
def databases_move() -> str:
    """That a user's value is the same at all times does not make the database so; the leakage is linear anyway."""
    own, others = (1, 1), (1, 2)
    databases = list(zip(own, others, strict=True))
    require(len(set(own)) == 1, "the value moves")
    compared("E42", True, databases[0] == databases[1])
    stream = LiteralStream((Fraction(1, 2),) * 2, STRONGEST, (randomized_response(2, TWO),) * 2)
    names = {"l": own, "D_K": others, "D_1": databases[0], "D_2": databases[1], "BPL": stream.bpl(2)}
    told("E42", names | {"t": 2, "e^ε": TWO})
    return f"values {own} beside {others}: the databases differ; BPL grows as Example 2 has it"


@evidence(EvidenceKind.DECISION, "proved: values exist")
def figure_2_possible() -> str:
    """The entries of Figure 2 that the text gives can be those of one chain and its reverse."""
    z3 = z3_prover()
    before, now, joint = z3.Reals("before now joint")
    solver = z3.Solver()
    solver.add(before > 0, before < 1, now > 0, now < 1, joint == before * z3.Q(3, 5), joint == now * z3.Q(7, 10))
    compared("fig:mc", True, solver.check() == z3.sat)
    return "there is such a chain"


@evidence(EvidenceKind.BRUTE_FORCE, "every database and every change of one user, with and without loc_4 → loc_5")
def example_1() -> str:
    """A change of one user changes as many counts as the text says, at one time and with the next."""
    places, once, twice = range(1, 6), 0, 0
    follows = {1: 1, 2: 3, 3: 1, 4: 5, 5: 5}
    for database in members("databases of 3 users at 5 places", product(places, repeat=3)):
        for new in places:
            if new == database[0]:
                continue
            changed = (new, *database[1:])
            once = max(once, _distance(database, changed))
            later = [tuple(follows[place] for place in one) for one in (database, changed)]
            twice = max(twice, _distance(database, changed) + _distance(*later))
    for number, found in ((206, once), (210, twice)):
        (sensitivity,) = re.findall(r"global sensitivity is \$ (\d) \$", printed_line(number))
        compared("example", int(sensitivity), found)
    told("example", {"now": once, "later": twice - once})
    (scale,) = re.findall(r"Lap\((\d)/", printed_line(217))
    compared("Section 1, a group", int(scale), twice)
    return f"global sensitivity {once} at one time, {twice} with the next"


def _distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(abs(one.count(place) - other.count(place)) for place in range(1, 6))


@evidence(EvidenceKind.ENUMERATION, "from the definitions: a chain with loc_4 → loc_5 certain, randomized response")
def example_1_defined() -> str:
    """FPL_1 is ε and ε again where the alternative never leads to loc_5, by the recursion and by the definition."""
    rows = matrix("1 0 0 0 0", "0 0 1 0 0", "1 0 0 0 0", "0 0 0 0 1", "0 0 0 0 1")
    loss = loss_function(rows)
    require(loss.is_identity, "L is not the identity")
    (horizon,) = over("T", (2,))
    stream = LiteralStream((Fraction(1, 5),) * 5, rows, (randomized_response(5, TWO),) * horizon)
    require(stream.fpl(1) == forward_leakage([log(2)] * 2, loss)[0], f"{stream.fpl(1)!r}")
    compared("example", log(TWO) + log(TWO), stream.fpl(1))
    compared("Section 1, a group", log(4), stream.fpl(1))  # ε = log 4, and each time has half of it
    return f"ε = {log(TWO).exact_text}: FPL_1 = {stream.fpl(1).exact_text}"


@evidence(EvidenceKind.ENUMERATION, "by the recursions, exact; strongest, moderate and no correlation")
def figure_3() -> str:
    """BPL rises by ε at each time for the identity, stays ε without correlation, lies between for the moderate one."""
    (tenth,), (times,) = over("ε", (Level.of(Fraction(1, 10)),), as_=("1/10",)), over("T", (10,))
    epsilons = [tenth] * times
    strongest = backward_leakage(epsilons, loss_function(STRONGEST))
    figure = ("example:bpl", "example:fpl", "fig:tpl")
    compared(figure, [Level.of(Fraction(t, 10)) for t in range(1, times + 1)], list(strongest))
    none = backward_leakage(epsilons, None)
    compared(figure, epsilons, list(none))
    moderate = backward_leakage(epsilons, loss_function(MODERATE))
    compared(figure, True, all(a < m < b for a, m, b in zip(none[1:], moderate[1:], strongest[1:], strict=True)))
    fpl = forward_leakage(epsilons, loss_function(MODERATE))
    require(all(a == b for a, b in zip(fpl, moderate[::-1], strict=True)), "FPL is not BPL reversed")
    own = leakage(epsilons, Adversary.knowing(MODERATE, MODERATE))
    most = Level.of(1)
    require(all(tenth < level < most for level in own.tpl), "TPL is not between ε and Tε")
    full = leakage(epsilons, Adversary.knowing(STRONGEST, STRONGEST)).tpl
    require(all(level == most for level in full), "TPL under the strongest correlation is not Tε at each time")
    return f"moderate: BPL at last and FPL at first {nats(moderate[-1])}, TPL to {nats(max(own.tpl))}"


@evidence(EvidenceKind.BRUTE_FORCE, "from the definitions: the identity chain and independent values")
def figure_3_defined() -> str:
    """The red and the black line by enumeration: t·ε and ε; FPL reversed, updated by each further release."""
    ratio, half = Fraction(11, 10), (Fraction(1, 2), Fraction(1, 2))
    for times in over("T", (3, 7)):
        same = LiteralStream(half, STRONGEST, (randomized_response(2, ratio),) * times)
        free = LiteralStream(half, matrix("1/2 1/2", "1/2 1/2"), (randomized_response(2, ratio),) * times)
        for time in range(1, times + 1):
            for ids, level, powers in (
                (("example:bpl", "fig:tpl"), same.bpl(time), time),
                (("example:fpl", "fig:tpl"), same.fpl(time), times - time + 1),
                (("example:bpl", "fig:tpl"), free.bpl(time), 1),
                (("example:fpl", "fig:tpl"), free.fpl(time), 1),
            ):
                compared(ids, log(ratio**powers), level)
    return "BPL_t = tε, and FPL_1 = Tε for each T"


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


@evidence(EvidenceKind.IDENTITY, "general: a value and another, a time on each side, one output of each")
def directions_cancel() -> str:
    """Given l_t, the law of values before cancels from the likelihood of later outputs, and with P^B that of l_t."""
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
    return "later outputs have P^F alone, earlier ones P^B alone"


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
    PaperClaim("def:temporal_corr", Item.DEFINITION, "Definition 3", "Temporal correlations",
        "P^B is the law of a value given the next, P^F given the last; one follows from the other by Bayes' rule.",
        ClaimVerdict.DEFINITION,
        corrected="P^B is the same at all times only in a stationary chain; not every pair is one of a chain.",
        errata=("E22", "E46"),
        checks=("leakage.chains_reversed_and_smoothed", "leakage.bayes", "leakage.no_such_chain")),
    PaperClaim("fig:mc", Item.FIGURE, "Figure 2", "Examples", "“(time t-1) is 0.7” in (a), “(time t) is 0.6” in (b).",
        ClaimVerdict.NOT_REPRODUCIBLE,
        corrected="The matrices are a picture that is not in the source; the entries can belong to one chain.",
        errata=("E23",),
        grounds=("leakage.bayes", "leakage.figure_2_possible")),
    PaperClaim("example", Item.EXAMPLE, "Example 1", "Counts of locations",
        "“Lap(2/ε)” gives ε-DP, but “only achieves 2ε-DP” where loc_4 is always followed by loc_5.", ClaimVerdict.HOLDS,
        corrected="In the worst case; less if the other place may also lead to loc_5.",
        grounds=("leakage.example_1", "leakage.example_1_defined")),
    PaperClaim("Section 1, a group", Item.TEXT, "Section 1", "Noise for a group of times",
        "Where loc_4 is always followed by loc_5, noise of “Lap(4/ε)” at each time protects both together.",
        ClaimVerdict.HOLDS,
        corrected="For the times named; if the value stays certain from then on, T times need the noise of T.",
        grounds=("leakage.example_1", "leakage.example_1_defined")),
    PaperClaim("fig:corr_example", Item.FIGURE, "Figure 1", "Continuous release",
        "A picture of the setting of [example].", ClaimVerdict.DEFINITION,
        corrected="It makes no claim beyond [example]; it is not in the source.",
        checks=("leakage.example_1",)),
    PaperClaim("example:bpl", Item.EXAMPLE, "Example 2", "BPL due to previous releases",
        "Linear for the identity, constant without correlation, between for the moderate one.", ClaimVerdict.HOLDS,
        errata=("E39", "E42"),
        grounds=("leakage.figure_3", "leakage.figure_3_defined"),
        checks=("quoted.matrices_as_printed",)),
    PaperClaim("example:fpl", Item.EXAMPLE, "Example 3", "FPL due to future releases",
        "The same from the other end; a further release updates all FPL.", ClaimVerdict.HOLDS,
        errata=("E38", "E39", "E42"),
        grounds=("leakage.figure_3", "leakage.figure_3_defined"),
        checks=("quoted.matrices_as_printed",)),
    PaperClaim("fig:tpl", Item.FIGURE, "Figure 3", "BPL, FPL and TPL of one mechanism",
        "Each kind of correlation over time; TPL = T·ε for the strongest.", ClaimVerdict.HOLDS,
        errata=("E22",),
        grounds=("leakage.figure_3", "leakage.figure_3_defined"),
        checks=("quoted.matrices_as_printed",)),
    PaperClaim(
        "Section 3.2, P^B and FPL", Item.TEXT, "Section 3.2", "P^B does not affect FPL, nor P^F BPL",
        "An adversary who knows P^B alone causes BPL only, one who knows P^F alone FPL only.", ClaimVerdict.HOLDS,
        corrected="“Knows alone” is a model: who knows P^B and how the values are distributed knows P^F too, by Bayes' "
        "rule, and has both.",
        grounds=("leakage.directions_apart", "leakage.one_side_known"),
        checks=("leakage.definitions_one_matrix_each",),
    ),
)  # fmt: skip
