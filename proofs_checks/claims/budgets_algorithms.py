"""Algorithms 7 and 8 as printed and corrected."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ...reference.correlations import TransitionMatrix
from ...reference.errors import InfeasibleBudget
from ...reference.levels import Level
from ...reference.paper.algorithms_2_3 import algorithm_2
from ...reference.paper.allocation import algorithm_8, budgets
from ...reference.paper.leakage import Adversary, leakage
from ...reference.paper.loss import LossFunction, loss_function
from ...reference.paper.supremum import algorithm_6, supremum
from .. import transcriptions as printed
from ..compared import compared, mended
from ..coverage import over
from ..families import STRONGEST, matrices, matrix, nats, shown
from ..faults import Odds, gap, remark, slip, told
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, raising, require
from ..transcript import printed_line
from ..transcriptions import Looping, Watch
from .budgets_solved import FIGURE_8, ONE_NAT, SYMMETRIC, agree


def _order_7(alpha: Level, backward: TransitionMatrix, forward: TransitionMatrix) -> Callable[[Fraction], int]:
    """Return what Algorithm 7 compares, the supremum put right; at e ≤ 0 as printed: ∞ for q = 1, d = 0."""
    assert alpha.rational is not None
    whole, functions = alpha.rational, [algorithm_2(rows) for rows in (backward, forward)]

    def order(part: Fraction) -> int:
        if part <= 0:
            full = any(f.q_sums and f.q_sums[0] == 1 and f.d_sums[0] == 0 for each in functions for f in each)
            return 1 if full else -1
        e = Level.of(whole * part)
        sup_b, sup_f = (algorithm_6(each, e).level for each in functions)
        return (sup_b + sup_f).compare(alpha + e)

    return order


def _order_8(alpha: Level, loss_b: LossFunction, loss_f: LossFunction) -> Callable[[Fraction], int]:
    assert alpha.rational is not None
    whole = alpha.rational

    def order(part: Fraction) -> int:
        a_b = Level.of(whole * part)
        return (loss_f(alpha - loss_b(a_b)) + a_b).compare(alpha)

    return order


def _never_ends(algorithm: Callable[[printed.Sign, Watch], Fraction], order: printed.Sign, solution: Level) -> None:
    """Check that a printed bisection of one nat makes 60 turns without end, and closes in on the solution."""
    tried = []

    def watched(part: Fraction) -> int:
        tried.append(part)
        return order(part)

    with raising(Looping, "the printed loop ends"):
        algorithm(watched, Watch(bound=60))
    bounds, near = solution.enclosure(30), Fraction(1, 2**50)
    require(tried[-1] - near < Fraction(bounds.lower) < tried[-1] + near, f"{float(tried[-1])}, {bounds}")
    slip("E27", "no end", "an end", [(1319, "binary search."), (1359, "then use binary search")])
    told("E27", {"turns": len(tried)})


@evidence(
    EvidenceKind.TRANSCRIPTION,
    "the symmetric matrix",
    "an equality would make e to a rational power algebraic (Lindemann)",
    errata="E27",
)
def algorithm_7_never_ends() -> str:
    """Algorithm 7 waits for computed reals to be equal: after many exact comparisons they enclose the closed form.

    Where all rows are equal the solution is dyadic: the loop ends.
    """
    own = Adversary.knowing(SYMMETRIC, SYMMETRIC)
    _never_ends(printed.algorithm_7, _order_7(ONE_NAT, SYMMETRIC, SYMMETRIC), budgets(ONE_NAT, own).middle)
    two_sided = Adversary.knowing(*FIGURE_8)
    _never_ends(printed.algorithm_7, _order_7(ONE_NAT, *FIGURE_8), budgets(ONE_NAT, two_sided).middle)
    equal = matrix("1/2 1/2", "1/2 1/2")
    part = printed.algorithm_7(_order_7(ONE_NAT, equal, equal), Watch(bound=60))
    require(part == 1, f"equal rows: e = {part}·α")
    middle = budgets(ONE_NAT, Adversary.knowing(SYMMETRIC, SYMMETRIC)).middle
    limit = supremum(loss_function(SYMMETRIC), middle).level
    require(agree(limit + limit, ONE_NAT + middle), "the closed form does not solve the equation")
    compared("algo:release1", "an end", "none in 60 turns")
    told("E27", {"P": SYMMETRIC, "α": 1, "x": Odds(limit), "e^ε": Odds(middle), "e": Odds(ONE_NAT)})
    return f"no end; closed form ε = {nats(middle)}"


@evidence(
    EvidenceKind.TRANSCRIPTION,
    "the identity",
    "the supremum is ∞ for every positive e, and as printed for others too",
    errata="E37",
)
def algorithm_7_strongest() -> str:
    """Under the strongest correlation Algorithm 7 never ends; by the printed suprema it tries negative budgets."""
    order, tried = _order_7(ONE_NAT, STRONGEST, STRONGEST), []

    def watched(part: Fraction) -> int:
        tried.append(part)
        return order(part)

    with raising(Looping, "the printed loop ends"):
        printed.algorithm_7(watched, Watch(bound=60))
    require(tried[:3] == [Fraction(1, 2), Fraction(0), Fraction(-1, 4)], f"{tried[:3]}")
    with raising(InfeasibleBudget, "the reference finds a budget"):
        budgets(ONE_NAT, Adversary.knowing(STRONGEST, STRONGEST))
    compared("Abstract, any mechanism", "a budget", "none")
    remark("E37", "a budget", "none")
    told("E37", {"P": STRONGEST, "tried": tried[:3]})
    return f"e = {', '.join(map(str, tried[:4]))}, … of α: no end; the reference answers InfeasibleBudget"


@evidence(
    EvidenceKind.TRANSCRIPTION,
    "the symmetric matrix",
    "an equality would make e to a rational power algebraic (Lindemann)",
    errata="E27",
)
def algorithm_8_never_ends() -> str:
    """Algorithm 8 waits for computed reals to be equal as well: many exact comparisons without end."""
    loss, other = map(loss_function, FIGURE_8)
    for sides in ((loss, loss), (loss, other), (other, loss)):
        _never_ends(printed.algorithm_8, _order_8(ONE_NAT, *sides), budgets(ONE_NAT, Adversary(*sides)).first)
    found = algorithm_8(ONE_NAT, Adversary(loss, loss), 5)
    require(len(found) == 5, "the reference's schedule")
    return f"no end; closed form ε_1 = {nats(found[0])}, ε_m = {nats(found[1])}"


@evidence(EvidenceKind.TRANSCRIPTION, "exact", errata="E37")
def algorithm_8_strongest() -> str:
    """Under the strongest correlation Algorithm 8 does end, at once, and leaves no budget to the times between.

    That needs infinite noise. With one correlation the identity, and the other not, it ends at its second trial.
    """
    identity_, loss = loss_function(STRONGEST), loss_function(SYMMETRIC)
    watch = Watch(bound=60)
    part = printed.algorithm_8(_order_8(ONE_NAT, identity_, identity_), watch)
    first = Level.of(part)
    last = ONE_NAT - identity_(first)
    require(part == Fraction(1, 2) and watch.turns == 1, f"{part} after {watch.turns} turns")
    require(first + last == ONE_NAT, "the budget between is not 0")
    told("E37", {"middle": first + last - ONE_NAT})
    watch = Watch(bound=60)
    require(
        printed.algorithm_8(_order_8(ONE_NAT, identity_, loss), watch) == 1 and watch.turns == 2, f"{watch.turns} turns"
    )
    with raising(InfeasibleBudget, "the reference finds a schedule"):
        algorithm_8(ONE_NAT, Adversary(identity_, identity_), 4)
    return "nothing is left to the times between; the reference answers InfeasibleBudget"


@evidence(EvidenceKind.TRANSCRIPTION, "the symmetric matrix", errata=("E29", "E30"))
def algorithm_8_ends_of_time() -> str:
    """A single time is assigned both a^B and a^F; the text gives ε_m to the last time as well, the algorithm does not.

    With ε_m there, TPL at T falls short of α. One release of budget α attains it.
    """
    require(printed.assigned_budgets("a^B", "ε_m", "a^F", 1) == {1: ["a^B", "a^F"]}, "T = 1")
    twice = printed.assigned_budgets("a^B", "ε_m", "a^F", 1)[1]
    compared("algo:release2", len(twice), 1)
    remark("E29", len(twice), 1)
    require(all(len(given) == 1 for given in printed.assigned_budgets("b", "m", "f", 3).values()), "T = 3")
    own = Adversary.knowing(SYMMETRIC, SYMMETRIC)
    found = budgets(ONE_NAT, own)
    always = Adversary.knowing(STRONGEST, STRONGEST)
    for schedule in (algorithm_8(ONE_NAT, own, 1), algorithm_8(ONE_NAT, always, 1), found.quantified(1)):
        require(schedule == (ONE_NAT,), f"the reference, T = 1: {schedule}")
    text = leakage((found.first, found.middle, found.middle), own).tpl[-1]
    require(text < ONE_NAT, f"with ε_m at T: {nats(text)}")
    compared("Section 5, constant budgets", True, agree(text, ONE_NAT))
    slip("E30", text, ONE_NAT, [(1383, r"t\in[2,T-1]"), (1326, "$ sup_B + sup_F - e")])
    names = {"P": SYMMETRIC, "α": 1, "a^B": found.first, "a^F": found.last, "TPL": text}
    told("E30", names)
    told("E29", names | {"single": 1})
    return f"the text's schedule has {nats(text)} at T instead of α; a single release has the budget α"


@evidence(EvidenceKind.TRANSCRIPTION, "the symmetric matrix, by the recursion", errata="E55")
def two_equal_levels() -> str:
    """Where BPL is the same at different times budgets need not be: it takes the time before them as well."""
    two = Level.of_ratio(Fraction(2))
    kept = Level.of_ratio(Fraction(3))
    budgets_ = (two, two, kept - loss_function(SYMMETRIC)(kept))
    bpl = leakage(budgets_, Adversary.knowing(SYMMETRIC, None)).bpl
    gap("E55", premise=bpl[1] == bpl[2], conclusion=budgets_[1] == budgets_[2])
    names = {f"ε_{t}": budget for t, budget in enumerate(budgets_, 1)}
    told("E55", {"P": SYMMETRIC, "BPL": bpl} | names)
    return f"budgets {', '.join(map(nats, budgets_))}: BPL_2 = BPL_3 = {nats(bpl[2])}"


@evidence(EvidenceKind.TRANSCRIPTION, "the symmetric matrix", errata="E56")
def first_halving() -> str:
    """`range` is halved before its first use: the second trial is an end of the interval, and a turn is lost."""
    printed_line(1321, "$ range = 0.5*range $")
    order, trials = _order_7(ONE_NAT, SYMMETRIC, SYMMETRIC), []
    for step, turns in ((Fraction(1), 3), (Fraction(1, 2), 2)):
        own: list[Fraction] = []

        def watched(part: Fraction, own: list[Fraction] = own) -> int:
            own.append(part)
            return order(part)

        with raising(Looping, "the loop ends"):
            printed.bisection(Fraction(1, 2), step, watched, Watch(bound=turns).turn)
        trials.append(own)
    tried, usual = trials
    remark("E56", len(tried), len(usual))
    require(tried[0] == usual[0] and tried[2] == usual[1], f"{tried}, {usual}")
    told("E56", {"P": SYMMETRIC, "α": 1, "tried": tried, "usual": usual, "range": usual[0]})
    return f"e = {', '.join(map(str, tried))} of α; by bisection {', '.join(map(str, usual))}"


@evidence(EvidenceKind.ENUMERATION, "the symmetric matrix, by the recursions", errata="E40")
def after_the_last() -> str:
    """If the stream goes on after Algorithm 8's last budget, TPL there exceeds α: the algorithm has to know T."""
    own = Adversary.knowing(SYMMETRIC, SYMMETRIC)
    first, middle, last = algorithm_8(ONE_NAT, own, 3)
    require(agree(leakage((first, middle, last), own).tpl[-1], ONE_NAT), "the schedule does not keep α")
    after = leakage((first, middle, last, middle), own).tpl[2]
    compared("E40", ONE_NAT, after, leakage=True)
    for times in over("T", (2, 3, 4, 5)):
        own_tpl = leakage((first, *(middle,) * (times - 1)), own).tpl
        require(all(level < ONE_NAT or agree(level, ONE_NAT) for level in own_tpl), f"T = {times}: {own_tpl}")
    told("E40", {"P": SYMMETRIC, "α": 1, "T": 3, "ε_1": first, "ε_T": last, "ε_m": middle, "TPL": after})
    return f"TPL at T is α, and {nats(after)} once there is another release"


@evidence(EvidenceKind.TRANSCRIPTION, "the printed words", errata="E35")
def wrong_calls() -> str:
    """Algorithms 7 and 8 give Algorithm 4 a matrix to find qM, dM; it takes these as inputs: Algorithm 2 makes them.

    And the text's “supremum of BPL and the supremum of BPL” must have FPL second.
    """
    inputs = ("$ a_1 $", "$ a_m $", r"\textit{qM}", r"\textit{dM}", r"\textit{aM}")
    printed_line(1175, *inputs)
    for number, side in ((1316, "B"), (1317, "F"), (1368, "B"), (1369, "F")):
        line = printed_line(
            number, "Find", f"qM{'_' if number < 1350 else '^'}{side}", r"\ref{algo:gen_L_func}", "with "
        )
        given = line.partition("with ")[2]
        require(f"P_i^{side}" in given, f"line {number} gives {given}")
        slip("E35", [word for word in inputs if word in given], list(inputs), [(1175, word) for word in inputs])
        told("E35", {"inputs": len(inputs), "given": sum(word in given for word in inputs)})
    printed_line(1196, r"with  $ P_i, a_1, a_k $")
    printed_line(1305, "the supremum of BPL and the supremum of BPL")
    made = printed.algorithm_2(SYMMETRIC, Watch())
    require([len(arrays) for arrays in made] == [3, 3], "Algorithm 2 makes no qArr, dArr, aArr for each pair")
    return "each call of Algorithm 4 has P alone; its inputs are P, a_1, a_m, qM, dM, aM"


@evidence(
    EvidenceKind.ENUMERATION,
    "as P^B, budgets halved until the supremum is within the level",
    closed_by="Supremum.bounded_iff",
)
def any_level_is_kept() -> str:
    """Unless L is the identity (a pair of rows has disjoint supports), some budget stays within any level."""
    printed_line(1303, "if it is not the strongest temporal correlation")
    kept = strongest = 0
    for rows in (*matrices(2, 4), *matrices(3, 2)):
        loss = loss_function(rows)
        for alpha in over("α", (Fraction(1, 100), Fraction(1)), as_=("1/100", "1")):
            found = (supremum(loss, Level.of(alpha / 2**k)).level for k in range(1, 40))
            keeps = any(level <= Level.of(alpha) for level in found)
            if loss.is_identity:
                require(not keeps, f"{shown(rows)}: a budget keeps the strongest correlation")
                strongest += 1
                continue
            compared("Section 5, all but the strongest", True, keeps)
            mended("Abstract, any mechanism", keeps, True)
            kept += 1
    piece, own = loss_function(SYMMETRIC).pieces[0], Level.of_ratio(Fraction(2))
    names = {"q": piece.q, "d": piece.d, "e^ε": Odds(own), "e^sup": Odds(supremum(loss_function(SYMMETRIC), own).level)}
    told("Section 5, all but the strongest", names)
    return f"{kept} levels not exceeded; {strongest} under the strongest correlation exceeded by every budget"


CLAIMS = (
    PaperClaim("Section 5, all but the strongest", Item.TEXT, "Section 5", "Any level, with one exception",
        "Unless “d=0 and q=1” a suitable budget bounds BPL or FPL by any desired value.", ClaimVerdict.HOLDS,
        grounds=("budgets.any_level_is_kept", "Supremum.bounded_iff")),
    PaperClaim("Abstract, any mechanism", Item.TEXT, "Abstract", "Any existing DP mechanism can be converted",
        "The proposed mechanisms convert any existing DP mechanism into one against TPL.", ClaimVerdict.CORRECTED,
        corrected="True unless a pair of rows has disjoint supports, which the text excludes. Over T releases, "
        "a budget of α/T keeps TPL within α under any correlation.",
        errata=("E37",),
        grounds=("budgets.algorithm_7_strongest", "budgets.any_level_is_kept")),
    PaperClaim("algo:release1", Item.ALGORITHM, "Algorithm 7", "A constant budget", "Bisect for sup_B + sup_F − ε = α.",
        ClaimVerdict.CORRECTED,
        errata=("E27", "E35", "E37", "E56"),
        grounds=("budgets.algorithm_7_never_ends", "budgets.bisected"),
        checks=("budgets.attained_on_later_pieces",)),
    PaperClaim("algo:release2", Item.ALGORITHM, "Algorithm 8", "Budgets that attain α at every time",
        "Bisect for a^B; ε_1 = a^B, ε_t = a^B + a^F − α, ε_T = a^F.", ClaimVerdict.CORRECTED,
        errata=("E27", "E29", "E30", "E35", "E37", "E40", "E56"),
        grounds=("budgets.algorithm_8_ends_of_time", "budgets.exactly_attained"),
        checks=("budgets.attained_on_later_pieces",)),
    PaperClaim("Section 5, constant budgets", Item.TEXT, "Section 5",
        "Constant BPL needs constant budgets after the first",
        "BPL_t = BPL_{t+1} gives ε_t = ε_{t+1} after the first time, at it only if L^B is zero; ε_m is for “[2,T]”.",
        ClaimVerdict.CORRECTED,
        errata=("E30", "E55"),
        grounds=("budgets.algorithm_8_ends_of_time", "budgets.exactly_attained")),
)  # fmt: skip
