"""Certificates for the tests: honest ones of every kind, and ones to reject, one for each reason."""

import copy
import json
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import permutations

import jsonschema

from tploracle.certificates.all_times import worst_case_upper_at_all_times
from tploracle.certificates.checker import check
from tploracle.certificates.divergence import worst_case_divergent_certificate
from tploracle.certificates.for_ever import worst_case_forever_certificate
from tploracle.certificates.mixtures import mixture_lower_certificate, mixture_upper_certificate
from tploracle.certificates.profile import AskedProfile, profile_lower_certificate, profile_upper_certificate
from tploracle.certificates.recursion import (
    leakage_certificate,
    lfp_optimum_certificate,
    loss_certificate,
    loss_function_certificate,
)
from tploracle.certificates.supremum import bounded_below_certificate, bounded_certificate, divergent_certificate
from tploracle.certificates.worst_case import worst_case_lower_certificate, worst_case_upper_certificate
from tploracle.reference import (
    Adversary,
    ApproximateBudget,
    Level,
    TransitionMatrix,
    WorstProfile,
    loss_function,
    parse_level,
    reverse,
    stationary,
    strongest,
)
from tploracle.reference.paper.own_steps import StepwiseAdversary
from tploracle.reference.stepwise import Stepwise
from tploracle.reference.worst_case.sweep import OneSide, worst

from ..matrices import DIVERGES, HALF, MODERATE, ONE_STATE, PAPER_L, SKEWED, SLOW, TURNING, UNCORRELATED

SCHEMA = jsonschema.Draft202012Validator(
    json.loads(files("tploracle.certificates").joinpath("certificate.schema.json").read_text(encoding="utf-8"))
)

THREE = TransitionMatrix.of([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], ["0", "1/2", "1/2"]])
PIECES = TransitionMatrix.of([["11/20", "1/20", "1/20", "7/20"], *[["1/4", "1/5", "3/20", "2/5"]] * 3])
TIED = TransitionMatrix.of([["1/3", "1/6", "1/6", "1/3"], *[["1/24", "1/8", "1/8", "17/24"]] * 3])
SURD = "log((7+sqrt(33))/8)"
BELOW, ABOVE = "0.69314718055994530941723212145", "0.69314718055994530941723212146"
"""Decimals next to log(2), the budget from which the leakage under HALF is infinite."""


def checked(document):
    """Return a document that the checker accepts and the schema knows."""
    assert check(json.dumps(document)) == document["certificate"]
    SCHEMA.validate(document)
    return document


def certified_loss(matrix, alpha, digits=17):
    loss, level = loss_function(matrix), parse_level(alpha)
    return loss_certificate(matrix, level, loss.piece_at(level).witness, loss(level), digits)


def certified_leakage(epsilons, backward, forward, digits=17):
    levels = [parse_level(epsilon) for epsilon in epsilons]
    return leakage_certificate(levels, Adversary.knowing(backward, forward), digits)


def certified_supremum(make, matrix, epsilon, digits=17):
    return make(loss_function(matrix), parse_level(epsilon), digits)


BOUNDED = [
    (MODERATE, "log(9/8)"),
    (MODERATE, "1/10"),
    (PAPER_L, "log(3/2)"),
    (PAPER_L, SURD),
    (THREE, "1/10"),
    (HALF, BELOW),
    (UNCORRELATED, "1/3"),
    (ONE_STATE, "log(2)"),
    (strongest(2), "0"),
    (MODERATE, "1e-12"),
    (PAPER_L, "400"),
]
DIVERGENT = [(MODERATE, "log(5/4)"), (HALF, ABOVE), (MODERATE, SURD), (THREE, "inf"), (strongest(2), "1e-12")]


def about_suprema():
    """Return certificates of upper and of lower bounds of suprema, and of there being none."""
    return [
        *(certified_supremum(bounded_certificate, *case) for case in BOUNDED),
        *(certified_supremum(bounded_below_certificate, *case) for case in BOUNDED),
        *(certified_supremum(divergent_certificate, *case) for case in DIVERGENT),
    ]


WORST_CASE = [
    (["log(2)"] * 3, 2, MODERATE, HALF),
    (["log(3/2)", "log(2)", "log(3/2)"], 3, PAPER_L, None),
    (["1/10"] * 4, 1, None, THREE),
    (["1/10", "0", SURD], 2, PAPER_L, THREE),
    (["1/10"], 1, UNCORRELATED, UNCORRELATED),
    (["1e-9"] * 3, 3, THREE, None),
    (["20"] * 3, 2, PAPER_L, PAPER_L),
]


def certified_worst_case(make, epsilons, time, backward, forward):
    return make([parse_level(epsilon) for epsilon in epsilons], time, backward, forward)


AT_ALL_TIMES = [
    (["log(2)"] * 3, MODERATE, HALF),
    (["1/10"] * 4, PAPER_L, None),
    (["1/10", "0", SURD, "1/3"], None, THREE),
    (["1/3"], UNCORRELATED, None),
    (["log(2)", "1/10"], None, None),
]

APART = TransitionMatrix.of([["1/2", "1/2", 0, 0], ["1/3", 0, "1/3", "1/3"], [0, 0, 0, 1], [0, 0, 1, 0]])
TRANSIENT = TransitionMatrix.of([["1/4", "1/8", "5/8"], ["1/2", "1/3", "1/6"], [0, 0, 1]])

FOR_EVER = [
    ("log(9/8)", MODERATE, None),
    ("1/10", PAPER_L, THREE),
    ("log(3/2)", None, DIVERGES),
    (SURD, THREE, None),
    ("log(6/5)", SLOW, None),
    ("1/5", UNCORRELATED, HALF),
    ("1e-9", None, MODERATE),
    ("3", TURNING, None),
    ("20", PAPER_L, None),
    ("1/10", ONE_STATE, ONE_STATE),
    ("1/10", None, None),
]
THREE_OF_FOUR = TransitionMatrix.of([["3/4", "1/4"], ["1/4", "3/4"]])
NEVER = [
    (SLOW, "log(1.25)"),
    (TRANSIENT, "1"),
    (HALF, ABOVE),
    (APART, "1/10"),
    (strongest(3), "1e-9"),
    (SLOW, SURD),
]


def about_all_mechanisms():
    """Return certificates of the worst-case leakage: from above, from below, at all times, for ever, of no bound."""
    makers = (worst_case_upper_certificate, worst_case_lower_certificate)
    return [
        *(certified_worst_case(make, *case) for case in WORST_CASE for make in makers),
        *(at_all_times(*case) for case in AT_ALL_TIMES),
        *(for_ever(*case) for case in FOR_EVER),
        *(worst_case_divergent_certificate(matrix, parse_level(epsilon)) for matrix, epsilon in NEVER),
    ]


def at_all_times(epsilons, backward, forward):
    return worst_case_upper_at_all_times([parse_level(epsilon) for epsilon in epsilons], backward, forward)


def for_ever(epsilon, backward, forward):
    return worst_case_forever_certificate(parse_level(epsilon), backward, forward)


KINDS_OF_PEOPLE = [TransitionMatrix.of([row] * 2) for row in (["9/10", "1/10"], ["1/10", "9/10"])]
MIXTURES = [
    (["log(2)"] * 3, 2, KINDS_OF_PEOPLE, "1/2 1/2"),
    (["1/10", "log(3)", "0", SURD], 3, [PAPER_L, TURNING, THREE], "1/2 1/3 1/6"),
    (["1/3"], 1, [SKEWED, UNCORRELATED], "1/10 9/10"),
]


def of_mixture(make, epsilons, time, matrices, prior):
    """Return a certificate about stationary chains with these forward matrices."""
    chains = [(reverse(matrix, stationary(matrix)), matrix) for matrix in matrices]
    shares = [Fraction(share) for share in prior.split()]
    return make([parse_level(epsilon) for epsilon in epsilons], time, chains, shares)


def about_mixtures():
    """Return certificates for adversaries with a prior over chains, from above and from below."""
    makers = (mixture_upper_certificate, mixture_lower_certificate)
    return [of_mixture(make, *case) for case in MIXTURES for make in makers]


PROFILES = [
    (MODERATE, "log(2)", 3, "1/20", "0"),
    (SKEWED, "1/2", 2, "1/10", "1/50"),
    (THREE, "log(3/2)", 2, "1/100", "0"),
    (MODERATE, "1/3", 1, "1/20", "0"),
]
"""Matrices, budgets, releases, δ and that of each release."""


def about_profiles():
    """Return certificates of levels at a δ, from above and from below."""
    asked = [
        AskedProfile(matrix, parse_level(epsilon), releases, Fraction(delta), Fraction(own))
        for matrix, epsilon, releases, delta, own in PROFILES
    ]
    return [make(each) for each in asked for make in (profile_upper_certificate, profile_lower_certificate)]


@cache
def by_steps():
    """Return certificates with a matrix for each step, of the exact worst case also with budgets of 0."""
    turns, each = (Stepwise((THREE, PAPER_L), repeats=repeats) for repeats in (True, False))
    makers = (worst_case_upper_certificate, worst_case_lower_certificate)
    cases = (
        (["log(2)", "1/10", SURD], 3, turns, None),
        (["log(2)", "1/10", SURD], 1, THREE, each),
        (["1/10", "0", "log(3)", "1/3"], 3, THREE, turns),
        (["0", "0", "1/3"], 3, THREE, None),
        (["0", "log(2)", "0"], 2, each, THREE),
    )
    unlimited = [
        worst_case_upper_at_all_times([parse_level("log(2)"), parse_level("0"), parse_level("0")], *known)
        for known in ((turns, THREE), (each, turns))
    ]
    losses = (Stepwise(tuple(map(loss_function, own.each)), own.repeats) for own in (turns, each))
    budgets = [parse_level(text) for text in ("log(2)", "1/10", SURD)]
    by_recursion = [
        leakage_certificate(budgets, StepwiseAdversary(*known))
        for own in losses
        for known in ((own, None), (None, own), (own, loss_function(THREE)))
    ]
    worst = [certified_worst_case(make, *case) for case in cases for make in makers]
    return [checked(document) for document in (*worst, *unlimited, *by_recursion)]


@cache
def honest():
    """Return certificates of all kinds over all kinds of levels."""
    documents = [
        lfp_optimum_certificate(THREE, 0, 1, parse_level(alpha)) for alpha in ("log(2)", "0", "1/10", SURD, "inf")
    ]
    documents.append(lfp_optimum_certificate(UNCORRELATED, 0, 1, parse_level("log(2)")))
    documents += [lfp_optimum_certificate(strongest(2), 0, 1, parse_level(alpha)) for alpha in ("log(3)", "1/3")]
    documents += [
        certified_loss(matrix, alpha)
        for matrix, alpha in (
            (PAPER_L, "log(13/3)"),
            (PAPER_L, "1/10"),
            (THREE, "inf"),
            (MODERATE, "inf"),
            (THREE, SURD),
            (MODERATE, "0"),
            (UNCORRELATED, "2"),
            (ONE_STATE, "log(2)"),
            (strongest(2), "1/10"),
            (MODERATE, "1e-12"),
            (PAPER_L, "710"),
        )
    ]
    documents += [
        loss_function_certificate(loss_function(matrix)) for matrix in (PAPER_L, PIECES, TIED, UNCORRELATED, ONE_STATE)
    ]
    return [
        *documents,
        *by_steps(),
        *about_suprema(),
        *about_all_mechanisms(),
        *about_mixtures(),
        *about_profiles(),
        certified_leakage(["log(3/2)"] * 3, THREE, PAPER_L),
        certified_leakage(["1/10", "log(2)", "1/3"], PAPER_L, PAPER_L, 6),
        certified_leakage(["1/10", "1/5"], strongest(2), None),
        certified_leakage(["1/10", SURD, "0"], None, MODERATE),
        certified_leakage(["1/10"], PAPER_L, PAPER_L),
        certified_leakage(["1", "inf", "1/2"], PAPER_L, THREE, 3),
    ]


def changed(document, **fields):
    """Return a copy with other values; a key names a path, its parts set apart by two underscores."""
    document = copy.deepcopy(document)
    for key, value in fields.items():
        *path, last = (int(part) if part.isdigit() else part for part in key.split("__"))
        target = document
        for part in path:
            target = target[part]
        target[last] = value
    return document


def rejects():
    """Yield (place of the first failing step, document) for every reason to reject one, most of them alone."""
    lfp = lfp_optimum_certificate(MODERATE, 0, 1, parse_level("log(2)"))
    surd = lfp_optimum_certificate(MODERATE, 0, 1, parse_level(SURD))
    loss = certified_loss(MODERATE, "log(2)")
    rational = certified_loss(MODERATE, "1/10", 3)
    function = loss_function_certificate(loss_function(PAPER_L))
    steps = certified_leakage(["log(2)", "log(2)"], MODERATE, MODERATE)
    first, last = function["pieces"]
    yield "document", {key: value for key, value in loss.items() if key != "digits"}
    yield "document", {**loss, "note": "1"}
    yield "document", {**loss, "certificate": "lemma"}
    yield "document", [loss]
    yield "version", {**loss, "version": 2}
    yield "version", {**loss, "version": True}
    yield "digits", {**loss, "digits": "17"}
    yield "digits", {**loss, "digits": 0}
    yield "matrix", {**loss, "matrix": "1"}
    yield "matrix", {**loss, "matrix": []}
    yield "matrix[2]", {**loss, "matrix": [["4/5", "1/5"], ["1"]]}
    yield "alpha", {**loss, "alpha": 2}
    yield "alpha", {**loss, "alpha": None}
    yield "alpha", {**loss, "alpha": "ten"}
    yield "alpha", {**loss, "alpha": "exp(2)"}
    yield "loss", changed(certified_loss(UNCORRELATED, "2"), loss={"lower": "log(3/2)", "upper": "log(3/2)"})
    yield "alpha", {**certified_loss(ONE_STATE, "1"), "alpha": "log(sqrt(2)/0)"}
    yield "loss.lower", changed(loss, loss__lower="log(1/2)")
    yield "matrix[1][1]", changed(loss, matrix__0__0="4/0")
    yield "matrix[2]", changed(certified_loss(MODERATE, "0"), matrix__1__1="0")
    # Each bound of one answer by itself.
    yield "loss", changed(loss, loss__lower="log(2)", loss__upper="log(2)")
    yield "loss", changed(rational, loss__lower="1/10")
    yield "loss", changed(loss, loss__lower="0", loss__upper="log(17/10)", level__lower="0")
    yield "level", changed(loss, level__lower="0.59")
    yield "level", changed(loss, level__upper="0.58")
    # Sets that are none, or whose value falls as the level rises.
    yield "rows[2]", changed(loss, rows=[1, 3])
    yield "rows", changed(loss, rows=[1])
    yield "subset", changed(loss, rows=None)
    yield "subset[1]", changed(loss, subset=[3])
    yield "subset", changed(certified_loss(PAPER_L, "0"), subset=[3, 2])
    yield "subset", changed(certified_loss(PAPER_L, "0"), subset=[3, 3])
    yield "bpl[1].subset", changed(steps, bpl__0__subset=[2])
    known = StepwiseAdversary(Stepwise((loss_function(MODERATE),), repeats=True), None)
    own = leakage_certificate([parse_level("log(2)")] * 2, known)
    yield "backward", changed(own, backward={"cycle": [*own["backward"]["cycle"], [["1"]]]})  # of no step that counts
    one_side, other_side = certified_leakage(["1/10"], PAPER_L, None), certified_leakage(["1/10"], None, MODERATE)
    yield "forward", {**one_side, "forward": other_side["forward"], "fpl": other_side["fpl"]}
    # One program and its dual: each equation by itself.
    yield "value", changed(lfp, value__lower="0", value__upper="log(17/10)")
    yield "value", changed(surd, value__upper=surd["value"]["lower"])
    yield "primal", changed(surd, primal={"t": "1", "y": ["2", "1"]})
    yield "dual", changed(surd, dual={"lambda": "1", "u": ["0", "0"], "w": ["0", "0"]})
    yield "primal.y", changed(lfp, primal__y=["15/8", "3/2"])
    yield "primal.y", changed(lfp, primal__t="1/2")
    yield "primal.y", changed(lfp, primal__t="3/2")
    yield "primal.y", changed(lfp, primal__y=["3/2", "1"])
    yield "dual.u", changed(lfp, dual__u=["2", "8/5"], dual__w=["9/5", "0"])
    yield "dual.u", changed(lfp, dual__u=["1", "8/5"], dual__w=["9/5", "0"])
    yield "subset", changed(lfp, subset=[], value__lower="0")
    yield "dual.w", changed(lfp, dual__w=["4/5", "0", "0"])
    # Pieces: what is missing between them, at the ends, or said twice.
    yield "pieces[1].q", changed(function, pieces__0__q="0.71")
    yield "pieces[1].d", changed(function, pieces__0__d="0.21")
    equal = loss_function_certificate(loss_function(UNCORRELATED))
    yield (
        "pieces[1]",
        changed(equal, pieces__0__q="1/2", pieces__0__d="1/2", pieces__0__rows=[1, 2], pieces__0__subset=[1]),
    )
    yield "pieces[1]", changed(function, pieces=[{**first, "to": "inf"}])
    yield "pieces[1]", changed(function, pieces=[{**last, "from": "0"}])
    yield "pieces[1].from", changed(function, pieces__0__from="log(2)")
    yield "pieces[2].from", changed(function, pieces__0__to="log(4)")
    yield "pieces[2].from", changed(function, pieces__0__to="1/10", pieces__1__from="log(1.1)")
    yield "pieces[2].from", changed(function, pieces__0__to=SURD, pieces__1__from=SURD)
    yield "pieces[2]", changed(function, pieces__0__to="1/10", pieces__1__from="1/10")
    yield "pieces[2]", changed(function, pieces__0__to="log(5)", pieces__1__from="log(5)")
    yield "pieces[2]", changed(function, pieces=[{**first, "to": "log(2)"}, {**first, "from": "log(2)"}, last])
    yield "pieces[2]", changed(function, pieces__1__to="log(100)")
    yield "pieces[1]", _by_one_unit()
    yield from _missing_middle()
    yield from _without_length()
    yield from _bounds_of_suprema()
    yield from _worst_case_bounds()
    yield from _worst_case_for_ever()
    yield from _mixed()
    yield from _profiled()
    yield from _worst_case_without_bound()
    # Leakage: each bound of a step by itself.
    for role, step in (("bpl", 1), ("fpl", 0)):
        place = f"{role}[{step + 1}]"
        yield f"{place}.loss", changed(steps, **{f"{role}__{step}__loss__lower": "log(2)"})
        yield f"{place}.loss", changed(steps, **{f"{role}__{step}__loss__upper": "log(17/10)"})
        yield f"{place}.bounds", changed(steps, **{f"{role}__{step}__bounds__lower": "log(3.61)"})
        yield f"{place}.bounds", changed(steps, **{f"{role}__{step}__bounds__upper": "log(3.59)"})
        yield f"{place}.level", changed(steps, **{f"{role}__{step}__level__lower": "1.3"})
        yield f"{place}.level", changed(steps, **{f"{role}__{step}__level__upper": "1.2"})
        # Bounds further apart than need be are true. A step must not take one of them for the other.
        loose = _loose(steps, role, step)
        check(json.dumps(loose))
        yield f"{place}.loss", changed(loose, **{f"{role}__{step}__loss__lower": "log(2)"})
        yield f"{place}.loss", changed(loose, **{f"{role}__{step}__loss__upper": "log(3/2)"})
        yield f"{place}.bounds", changed(loose, **{f"{role}__{step}__bounds__lower": "log(5)"})
        yield f"{place}.bounds", changed(loose, **{f"{role}__{step}__bounds__upper": "log(3)"})
        yield f"tpl[{step + 1}]", changed(loose, **{f"tpl__{step}__lower": "1.3"})
        yield f"tpl[{step + 1}]", changed(loose, **{f"tpl__{step}__upper": "1.2"})
    yield "tpl[1]", changed(steps, tpl__0__lower="1.3")
    yield "tpl[2]", changed(steps, tpl__1__upper="1.2")
    yield "tpl", changed(steps, tpl=steps["tpl"][:1])
    yield "bpl", changed(steps, bpl=steps["bpl"][:1])
    yield "bpl[1].rows[1]", changed(steps, backward=None)
    yield "epsilons", changed(steps, epsilons=[])


def undecided():
    """Yield (place of the limit, document) for what is beyond a limit, and true or not for all the checker can tell."""
    loss = certified_loss(MODERATE, "log(2)")
    yield "digits", {**loss, "digits": 1001}
    yield "alpha", {**loss, "alpha": "log(1e1000001)"}
    yield "alpha", {**loss, "alpha": "log(1e" + "0" * 9 + "9" * 5000 + ")"}
    yield "alpha", {**certified_loss(ONE_STATE, "1"), "alpha": "2000001"}
    yield "matrix[1][2]", changed(loss, matrix__0__1="0." + "0" * 20000)
    yield "matrix", changed(loss, matrix=[[]] * 1001)
    yield "document", {**certified_loss(ONE_STATE, "1"), "alpha": "1" * (1 << 25)}
    long = [f"1/1{number:01498}" for number in range(1, 201, 2)]
    yield "matrix", changed(loss, matrix=[long, *[["0"] * 100] * 99])
    yield "document", _of_nobody(["1e-1000000"] * 300)
    coprime = [f"1/1{number:09999}" for number in range(1, 401, 2)]
    lfp = lfp_optimum_certificate(MODERATE, 0, 1, parse_level("log(2)"))
    yield "q", {**lfp, "q": coprime, "d": coprime}
    tiny = [f"1/1{number:01999}" for number in range(1, 401, 2)]
    vectors = {"primal": {"t": "1", "y": tiny}, "dual": {"lambda": "1", "u": tiny, "w": tiny}}
    point, same = ["1", *["0"] * 199], {"lower": "0", "upper": "0"}
    yield "dual", {**lfp, "alpha": "0", "q": point, "d": point, "subset": [], "value": same, **vectors}
    above = for_ever(*FOR_EVER[0])
    yield "past.steps", changed(above, past__steps=10**6 + 1)
    yield "past.barriers", changed(above, past__barriers=above["past"]["barriers"] * 101)


def _of_nobody(epsilons):
    """Return a certificate of the leakage of these budgets, without any correlation."""
    nothing, same = {"lower": "0", "upper": "0"}, [{"lower": epsilon, "upper": epsilon} for epsilon in epsilons]
    steps = [{"rows": None, "subset": [], "loss": nothing, "bounds": bounds, "level": bounds} for bounds in same]
    return {
        "certificate": "leakage",
        "version": 1,
        "digits": 17,
        "backward": None,
        "forward": None,
        "epsilons": epsilons,
        "bpl": steps,
        "fpl": steps,
        "tpl": same,
    }


def _worst_case_bounds():
    above = certified_worst_case(worst_case_upper_certificate, *WORST_CASE[0])
    assert above["past"][0][0][1].startswith("1.8000")
    assert above["future"][0][0][1].startswith("1.5000")
    # A little below what is attained; with two releases on a side the sweep has more than one step.
    yield "past[1][1][2]", changed(above, past__0__0__1="1.79999999999999999999999999999")
    yield "future[1][1][2]", changed(above, future__0__0__1="1.49999999999999999999999999999")
    yield "past[1][1][2]", changed(above, epsilons__0="log(2.000000000000000001)")
    yield "past[1][1][2]", changed(above, past__0__0__1="0.9")
    yield "past[1][1][1]", changed(above, past__0__0__0="2")
    yield "past", changed(above, past=None)
    yield "past", changed(above, backward=None)
    yield "past[1][2]", changed(above, past__0__1=["1"])
    yield "level", changed(above, level="log(5.3999)")
    yield "level", changed(above, epsilons__1="log(2.00001)")
    yield "time", changed(above, time=4)
    yield "time", changed(above, time=0)
    yield "epsilons[3]", changed(above, epsilons__2="inf")
    nines = [["1" if j == k else "9" for k in range(3)] for j in range(3)]
    yield "forward", changed(above, forward=PAPER_L.texts(), future=[nines], level="9")
    longer = certified_worst_case(worst_case_upper_certificate, ["log(3/2)"] * 5, 5, THREE, None)
    for j, k in permutations(range(3), 2):
        attained = worst(OneSide((THREE.rows,) * 4), [Fraction(3, 2)] * 4, (j, k)).ratio
        lower = 1 + (attained - 1) * Fraction(4, 5)
        yield f"past[1][{j + 1}][{k + 1}]", changed(longer, **{f"past__0__{j}__{k}": str(lower)})
    below = certified_worst_case(worst_case_lower_certificate, *WORST_CASE[0])
    assert below["rows"] == [1, 2]
    yield "level", changed(below, level="log(5.4001)")
    yield "level", changed(below, past__0=[])
    yield "level", changed(below, past__0=[2])
    yield "level", changed(below, future__0=[1, 2])
    yield "level", changed(below, rows=[2, 1])
    yield "level", changed(below, epsilons__1="log(1.9999)")
    yield "rows", changed(below, rows=[1, 1])
    alone = changed(below, backward=[["1"]], forward=[["1"]], past=[], future=[], epsilons=["1/10"], time=1)
    yield "rows", changed(alone, rows=[1, 1], level="1/10")
    yield "rows", changed(below, rows=None)
    yield "rows[2]", changed(below, rows=[1, 3])
    yield "past[1][1]", changed(below, past__0=[3])
    yield "past[1]", changed(certified_worst_case(worst_case_lower_certificate, *WORST_CASE[1]), past__0=[2, 1])
    yield "past", changed(below, past=[])
    yield "future", changed(below, forward=None)
    yield "epsilons[3]", changed(below, epsilons__2="inf")

    yield "assumed", changed(below, assumed=below["assumed"][:2])
    always = at_all_times(*AT_ALL_TIMES[0])
    yield "past", changed(always, past=always["past"][:2])
    yield "time", changed(always, time=0)
    yield "assumed", changed(always, assumed=[])
    # Too little at one time alone, of the first whose sweep is not left out and of one whose may be.
    for t in (1, 2):
        yield f"past[{t + 1}][1][2]", changed(always, **{f"past__{t}__0__1": "1.1"})
        yield f"future[{3 - t}][1][2]", changed(always, **{f"future__{2 - t}__0__1": "1.1"})
    yield "level", changed(always, level=always["epsilons"][0])
    # The budgets nearest to a time differ from time to time: nothing follows from one for the other.
    mixed = at_all_times(["log(2)", "1/10", "1/10"], MODERATE, None)
    yield "past[2][1][2]", changed(mixed, past__1__0__1="1.2", past__2__0__1="1.9")


def _mixed():
    above, below = (of_mixture(make, *MIXTURES[0]) for make in (mixture_upper_certificate, mixture_lower_certificate))
    for document in (above, below):
        yield "assumed", changed(document, assumed=[])
        yield "prior", changed(document, prior=["1/2"])
        yield "prior", changed(document, prior=["1/2", "1/3"])
        yield "prior", changed(document, prior=["0", "1"])
        yield "chains[1]", changed(document, chains__0={"stationary": ["1"]})
        yield "chains[1].stationary", changed(document, chains__0__stationary=["9/10", "1/5"])
        yield "chains[1].stationary", changed(document, chains__0__stationary=["1"])
        sure = [["1", "0"], ["0", "1"]]
        certain = {"chains__0__backward": sure, "chains__0__forward": sure}
        yield "chains[1].stationary", changed(document, **certain, chains__0__stationary=["1", "0"])
        yield "chains[1].backward", changed(document, chains__0__stationary=["4/5", "1/5"])
        yield "chains[1].backward", changed(document, chains__0__backward=sure)
        yield "chains[2].forward", changed(document, chains__1__forward=[["1"]])
        yield "time", changed(document, time=4)
        yield "time", changed(document, time=0)
        yield "epsilons[2]", changed(document, epsilons__1="inf")
    # Nothing is told of a past whose rows are equal: 9 from the posterior, and 2 at the time itself.
    yield "level", changed(above, level="log(17.999)")
    kept = of_mixture(mixture_upper_certificate, ["log(2)"] * 3, 2, [SKEWED, THREE_OF_FOUR], "1/2 1/2")
    yield "chains[1].past[1][1][2]", changed(kept, chains__0__past__0__0__1="1.1")
    yield "chains[2].future", changed(kept, chains__1__future=[])
    yield "level", changed(kept, prior=["1/1000", "999/1000"])
    yield "level", changed(below, level=str(Decimal(below["level"]) + Decimal("1e-15")))
    yield "level", changed(below, rows=[2, 1])
    yield "level", changed(below, past__0=[2])
    yield "rows", changed(below, rows=[1, 1])
    one = {"stationary": ["1"], "backward": [["1"]], "forward": [["1"]]}
    alone = changed(below, chains=[one, one], epsilons=["1/10"], time=1, past=[], future=[], level="1/10")
    yield "rows", changed(alone, rows=[1, 1])
    yield "rows[2]", changed(below, rows=[1, 3])
    yield "past", changed(below, past=[])
    yield "future[1][1]", changed(below, future__0=[3])


def greatest_told(matrix, ratio, releases, odds):
    """Return δ at e^α = odds of releases of log ratio, exact."""
    budgets = [ApproximateBudget(Level.of_ratio(ratio))] * releases
    found = WorstProfile(budgets, [matrix.rows] * (releases - 1), list(permutations(range(matrix.n), 2)))
    return found.delta(Level.of_ratio(odds)).upper


def _profiled():
    asked = AskedProfile(MODERATE, parse_level("log(2)"), 3, Fraction(1, 20))
    above, below = profile_upper_certificate(asked), profile_lower_certificate(asked)
    for document in (above, below):
        yield "assumed", changed(document, assumed=[])
        yield "epsilon", changed(document, epsilon="inf")
        yield "delta_per_release", changed(document, delta_per_release="1.1")
        yield "releases", changed(document, releases=0)
        yield "matrix[1]", changed(document, matrix__0=["1/2", "1/3"])
        yield "alpha", changed(document, alpha="inf")
    yield "delta", changed(above, alpha=str(Decimal(above["alpha"]) - Decimal("1e-15")))
    yield "delta", changed(above, delta="0.0499")
    yield "delta", changed(above, epsilon="log(2.01)")
    yield "delta", changed(above, delta_per_release="1/1000")
    yield "delta", changed(below, alpha=str(Decimal(below["alpha"]) + Decimal("1e-15")))
    yield "delta", changed(below, delta="0.0501")
    yield "delta", changed(below, epsilon="log(1.99)")
    yield "delta", changed(below, rows=below["rows"][::-1])
    yield "delta", changed(below, peaks__0=below["peaks"][0][::-1])
    yield "delta", changed(below, start="1")
    yield "rows", changed(below, rows=[1, 1], alpha="0", delta="0")
    yield "rows[2]", changed(below, rows=[1, 3])
    yield "peaks", changed(below, peaks=below["peaks"][:1])
    yield "peaks", changed(below, peaks__0=["1.1", "0"])
    yield "peaks[1]", changed(below, peaks__0=["1"])
    yield "peaks", changed(below, peaks=[*below["peaks"], below["peaks"][0]])
    yield "start", changed(below, start="1.1", alpha="0", delta="0")
    one = AskedProfile(MODERATE, parse_level("1/2"), 1, Fraction(1, 20))
    above, below = profile_upper_certificate(one), profile_lower_certificate(one)
    yield "delta", changed(below, start="1/2", alpha="0", delta="0.3")  # φ(1/2) is less than e^ε/2
    # By less than rounding is: with e^ε rounded the other way, as e^α is, they would pass.
    yield "delta", changed(above, alpha=f"0.4{'9' * 70}", delta="0")
    yield "delta", changed(below, alpha=f"0.5{'0' * 70}1", delta="0", start="1/3")
    exact = {"epsilon": "log(2)", "releases": 3, "alpha": "log(3/2)", "delta_per_release": "0"}
    delta = greatest_told(MODERATE, Fraction(2), 3, Fraction(3, 2)) - Fraction(1, 10**65)
    yield "delta", changed(above, **exact, delta=str(delta))


def _worst_case_for_ever():
    above = for_ever(*FOR_EVER[0])
    past = above["past"]
    assert past["ratios"][0][1].startswith("2.0000")
    assert past["barriers"]
    yield "past.ratios[1][2]", changed(above, past__ratios__0__1="1.99999999999999999999999999999999")
    yield "past.ratios[2][1]", changed(above, past__ratios__1__0="0.9")
    yield "past.ratios[1][1]", changed(above, past__ratios__0__0="2")
    yield "past.ratios[1][2]", changed(above, past__steps=0, past__ratios__0__1="1.99")
    yield "past.steps", changed(above, past__steps=-1)
    yield "level", changed(above, level="log(2.24)")
    yield "level", changed(above, level=above["epsilon"])
    yield "past", changed(above, past=None)
    yield "past", changed(above, backward=None)
    yield "backward", changed(above, backward={"cycle": [above["backward"]]})
    yield "epsilon", changed(above, epsilon="inf")
    yield "assumed", changed(above, assumed=[*above["assumed"], "it is true"])
    yield "forward", changed(for_ever(*FOR_EVER[1]), forward=UNCORRELATED.texts())
    barrier = {"above": ["1", "0"], "below": ["0", "9/4"], "theta": "9/10"}
    check(json.dumps(changed(above, past__barriers=[barrier])))
    above_all = {"above": ["1", "1"], "below": ["0", "0"], "theta": "2"}
    yield "past.barriers[1].theta", changed(above, past__barriers=[above_all], past__ratios__0__1="1.5")
    yield "past.barriers[1].theta", changed(above, past__barriers=[{**above_all, "above": ["0", "0"], "theta": "1"}])
    yield "past.barriers[1].turns", changed(above, past__barriers=[{**barrier, "turns": 1}])
    yield "past.barriers[1]", changed(above, past__barriers=[{**barrier, "theta": "0.89999"}])
    yield "past.barriers[1]", changed(above, past__barriers=[{**barrier, "below": ["0", "2.24"]}])
    yield "past.barriers[1]", changed(above, past__barriers=[{**barrier, "above": ["1", "1"]}])
    yield "past.barriers[1].above", changed(above, past__barriers=[{**barrier, "above": ["1"]}])
    # A vector that grows stops nothing, however often the sweep is below it.
    grows = {"above": ["0", "1"], "below": ["0", "0"], "theta": "9/10"}
    yield "past.barriers[2]", changed(above, past__barriers=[barrier, grows], past__ratios__1__0="1.01")


def _worst_case_without_bound():
    kept, apart, turns = (
        worst_case_divergent_certificate(m, parse_level(e)) for m, e in (NEVER[0], NEVER[4], NEVER[3])
    )
    assert (kept["sets"], kept["weights"]) == ([[2], [3]], ["1"])
    assert (apart["sets"], apart["next"]) == ([[1], [2], [3]], [1, 2, 3])
    assert (turns["sets"], turns["next"]) == ([[3], [4]], [2, 1])
    yield "weights", changed(kept, epsilon="log(1.2499999999)")
    yield "weights", changed(kept, weights=["0"])
    yield "weights", changed(kept, weights=["1", "1"])
    yield "weights", changed(kept, matrix__1=["0", "1", "0"], sets=[[2], [3]])
    yield "next", changed(kept, next=[1, 2])
    yield "sets", changed(kept, sets=[[2], [1]])
    yield "sets", changed(kept, sets=[[2], [3], [1]])
    yield "sets[2]", changed(kept, sets=[[2], [3, 1]])
    yield "sets", changed(kept, sets=[[2], []])
    yield "sets", changed(apart, sets=[[1], [1], [2]])
    yield "sets", changed(apart, sets=[[1], [], [2]])
    yield "sets", changed(apart, sets=[[1]])
    same = [["0", "1", "0"], ["0", "1", "0"], ["0", "0", "1"]]
    yield "next", changed(apart, matrix=same, sets=[[1], [2]], next=[2, 2])
    yield "next", changed(apart, next=[1, 2])
    yield "next[3]", changed(apart, next=[1, 2, 4])
    yield "sets[1]", changed(turns, next=[1, 2])
    both = {"weights": ["1", "1"], "sets": [[1, 2], [3]]}
    yield "weights", changed(kept, matrix=[["1", "0", "0"], ["0", "1/2", "1/2"], ["0", "0", "1"]], **both)
    halves = [["1", "0", "0"], ["0", "1/2", "1/2"], ["0", "0", "1"]]
    yield "sets[1]", changed(apart, matrix=halves, sets=[[1, 2], [3]], next=[1, 2])
    yield "epsilon", changed(apart, epsilon="0")
    yield "epsilon", changed(apart, epsilon="inf")
    yield "assumed", changed(apart, assumed=apart["assumed"][:1])


def _bounds_of_suprema():
    above = certified_supremum(bounded_certificate, MODERATE, "log(9/8)")
    assert above["bound"] == "log(9/4)"
    yield "bound", changed(above, bound="log(224/100)")
    yield "bound", changed(above, epsilon="log(1126/1000)")
    yield "bound", changed(above, bound="inf", level="inf")
    yield "bound", changed(above, bound="0")
    yield "level", changed(above, level="0.81")
    rational = certified_supremum(bounded_certificate, UNCORRELATED, "1/3")
    assert rational["bound"] == "1/3"
    yield "bound", changed(rational, matrix=MODERATE.texts())
    yield "bound", changed(rational, epsilon="0.334")
    # The rise in one step only, not in all that follow: L(ε) + ε, and the leakage of a time.
    yield "bound", changed(above, bound="log(9/8)", level="0.8")
    yield "bound", changed(above, bound="log(99/80)", level="0.8")
    below = certified_supremum(bounded_below_certificate, MODERATE, "log(9/8)")
    yield "bound", changed(below, bound="log(226/100)")
    yield "bound", changed(below, epsilon="log(1124/1000)")
    yield "bound", changed(below, bound="inf", level="5")
    yield "level", changed(below, level="0.82")
    yield "rows", changed(below, rows=[1])
    yield "subset", changed(below, subset=[2])
    nothing = certified_supremum(bounded_below_certificate, strongest(2), "0")
    moving = {"rows": [1, 2], "subset": [1]}
    yield "epsilon", changed(nothing, **moving, bound="log(2)", level="0.6")
    yield "epsilon", changed(nothing, **moving, epsilon="log(1)", bound="1e-300", level="1e-300")
    # Beyond a supremum that is infinite at a budget a little above.
    yield "bound", changed(certified_supremum(bounded_below_certificate, HALF, BELOW), bound="100", level="100")
    infinite = certified_supremum(divergent_certificate, MODERATE, "log(5/4)")
    yield "subset", changed(infinite, epsilon="log(1249/1000)")
    yield "subset", changed(certified_supremum(divergent_certificate, HALF, ABOVE), epsilon=BELOW)
    yield "subset", changed(infinite, subset=[1, 2])
    yield "subset", changed(infinite, rows=None, subset=[])
    yield "epsilon", changed(certified_supremum(divergent_certificate, strongest(2), "1e-12"), epsilon="0")


def _loose(steps, role, step):
    """Widen all the bounds of one recursion of two steps, the later of which is given."""
    late = {"loss": {"lower": "0", "upper": "log(3)"}, "bounds": {"lower": "0", "upper": "log(6)"}}
    early = {"bounds": {"lower": "log(3/2)", "upper": "log(3)"}}
    loose = copy.deepcopy(steps)
    loose[role][step].update(late, level={"lower": "0", "upper": "3"})
    loose[role][1 - step].update(early, level={"lower": "0", "upper": "3"})
    loose["tpl"] = [{"lower": "0", "upper": "9"} for _ in loose["tpl"]]
    return loose


def _missing_middle():
    """Leave out a piece; its neighbours meet where it should rule, and all the rest is in order."""
    function = loss_function_certificate(loss_function(PIECES))
    assert len(function["pieces"]) == 3
    first, _, last = function["pieces"]
    q, d, q_last, d_last = (Fraction(piece[key]) for piece in (first, last) for key in ("q", "d"))
    meeting = f"log({1 + (q_last + d - q - d_last) / (q * d_last - q_last * d)})"
    yield "pieces[2]", changed(function, pieces=[{**first, "to": meeting}, {**last, "from": meeting}])


def _by_one_unit():
    """Let the first piece rule to the end where the second exceeds it by 1, in units of the common denominators."""
    matrix = TransitionMatrix.of([["1/3", "1/6", "1/2"], *[["5/6", "0", "1/6"]] * 2])
    function = loss_function_certificate(loss_function(matrix))
    assert len(function["pieces"]) == 2
    return changed(function, pieces=[{**function["pieces"][0], "to": "inf"}])


def _without_length():
    """Put a set in that is optimal where two pieces meet, and nowhere else."""
    function = loss_function_certificate(loss_function(TIED))
    first, last = function["pieces"]
    assert (first["subset"], last["subset"]) == ([1, 2, 3], [1])
    meeting = first["to"]
    between = {"q": "1/2", "d": "1/6", "from": meeting, "to": meeting, "rows": first["rows"], "subset": [1, 2]}
    yield "pieces[2].to", changed(function, pieces=[first, between, last])
