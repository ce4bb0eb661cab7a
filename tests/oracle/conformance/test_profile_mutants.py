"""Implementations of `leakage_profile` with a mistake each are caught, by vectors and by seeded cases alike."""

from fractions import Fraction
from math import exp, log

import pytest

from tploracle import level
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.ask.seeded import seeded_of_each
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Verdict
from tploracle.reference import InvalidRequest
from tploracle.solvers.worst_case.leakage_profile import leakage_profile
from tploracle.wire.protocol import FLOAT64
from vectors.generators.flags_of_profile import FROM_ABOVE, KINKS_LOST, ONCE, ONE_SIDED, delta_by

from .mistakes import exact_level, exactly

OP = "leakage_profile"


def probability(chance):
    if not 0 <= chance <= 1:
        raise InvalidRequest(f"{chance} is no probability")
    return Fraction(chance)


class Profiled:
    """Right by the package itself, in doubles rounded up, but for what a mistake makes of moderate inputs."""

    operations = (OP,)

    def __init__(self, way=""):
        self.way = way

    def leakage_profile(self, *, epsilon, horizon, delta, delta_per_release=0.0, backward=None, forward=None):
        chances = {"delta": probability(delta), "delta_per_release": probability(delta_per_release)}
        known = {"backward": exactly(backward), "forward": exactly(forward)}
        right = leakage_profile(level(exact_level(epsilon)), horizon, **chances, **known)
        value = {kind: [float(each) for each in getattr(right, kind)] for kind in ("bpl", "fpl")}
        is_moderate = self.way and 1e-2 < epsilon < 5 and horizon <= 4
        for kind, rows in (("bpl", backward), ("fpl", forward)):
            if is_moderate and rows is not None and 1 < len(rows) <= 3:
                levels = value[kind] if kind == "bpl" else value[kind][::-1]
                own = (rows, exp(epsilon), delta_per_release)
                levels = [self.worse(right, own, count, delta) for count, right in enumerate(levels, 1)]
                value[kind] = levels if kind == "bpl" else levels[::-1]
        return value

    def worse(self, right, own, count, delta):
        """Return log of the e^α at which δ is as asked, by halving, where it is another level than the right one."""
        low, high = 1.0, exp(min(right, 20) + 3)
        if self.delta(own, count, low) <= delta or self.delta(own, count, high) > delta:
            return right
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(own, count, middle) > delta else (low, middle)
        return log(high) if abs(log(high) - right) > 1e-6 * right else right

    def delta(self, own, count, odds):
        return delta_by(*own, count, odds=odds, way=self.way)


def verdicts(way, cases):
    mine, judge = ObjectImplementation(Profiled(way)), Judge()
    mine.start()
    return {case.id: judge.judge(case, mine.ask(case.request(1))) for case in cases}


VECTORS = [case for case in load_vectors() if case.op == OP and case.numbers == FLOAT64]
SEEDED = [
    case
    for case in seeded_of_each(5, {OP: 120}, (FLOAT64,))
    if len(case.input.get("backward", ())) in (2, 3) and 2 <= case.input["horizon"] <= 4
][:12]


def test_what_is_right_conforms():
    for found in verdicts("", [*VECTORS, *SEEDED[:3]]).values():
        assert not found.verdict.fails, found


MISTAKES = {
    ONE_SIDED: ("MirrorForgotten", Verdict.WRONG),
    FROM_ABOVE: ("ClampFromAbove", Verdict.WRONG),
    KINKS_LOST: ("KinkLost", Verdict.UNSAFE),
    ONCE: ("DeltaOnce", Verdict.UNSAFE),
}


@pytest.mark.parametrize("way", MISTAKES)
def test_each_mistake_is_caught_by_the_vectors_with_its_flag(way):
    flag, verdict = MISTAKES[way]
    found = verdicts(way, [case for case in VECTORS if flag in case.flags])
    assert found
    assert {one.verdict for one in found.values()} == {verdict}


@pytest.mark.slow
@pytest.mark.parametrize("way", MISTAKES)
def test_each_mistake_is_caught_by_seeded_cases(way):
    assert MISTAKES[way][1] in {found.verdict for found in verdicts(way, SEEDED).values()}
