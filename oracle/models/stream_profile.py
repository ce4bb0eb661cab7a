"""The exact worst case with a richer budget: with which (α, δ) a value is protected by (ε, δ) or Gaussian releases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations

from ..checked import alphas_at_delta, fast_worst_case_leakage, profile_supremum, prove_profile, tpl_at_delta
from ..reference import (
    ApproximateBudget,
    InvalidRequest,
    Level,
    PrivacyBudget,
    Profile,
    TransitionMatrix,
    TwoSidedProfile,
    WorstAlpha,
    WorstDelta,
    WorstProfile,
)
from ..reference.errors import Unchecked, check_is
from ..reference.levels import INFINITE
from ..reference.numbers import exact
from ..reference.stepwise import KnownCorrelation, matrices_in, matrices_over
from ..reference.worst_case.profile_answers import USUAL_BITS
from ..reference.worst_case.profile_budgets import are_equal
from ..solvers.worst_case.long_profiles import LongProfile
from ..solvers.worst_case.profile_bounds import RankedBothSides, RankedPairs
from ..solvers.worst_case.profile_for_ever import AlphaForEver
from ..unchecked import unchecked
from .basis import Basis
from .chain import KnownPair, chain_of

PRIVATE_STREAMS = (
    "any stream in which changing the value at time s alone keeps φ_s; "
    "BPL: for causal streams, whose releases read no later values; "
    "FPL: for streams whose releases read no value before the time in question; TPL: for all streams"
)

ENCLOSED_FROM = 200
"""Releases of one side from which on its profile is enclosed in doubles: integers take the square of their number."""

SIDES = {"bpl": (True, False), "fpl": (False, True), "tpl": (True, True)}
"""Whether what releases tell is by the correlation backward, and forward: BPL, FPL, and TPL."""

PASS_BITS = 120
"""At a greater precision, of 19 digits or more, levels at a δ are computed in integers, each time by itself."""

LEAST_OF_ONE = Fraction(1, 10**280)
"""Of a lesser δ all levels are computed in integers: doubles tell too little of it."""

LEAST_OF_BOTH = Fraction(1, 10**9)
"""Of a lesser δ TPL is enclosed in integers, each time by itself: the passes over both sides lose more."""

NOT_THE_PAPERS = "the paper's bound is for pure ε and δ = 0: see leakage"
"""Why the paper's bound has no answer."""

PROFILES = "δ at a level, and a level at a δ, of both sides of one time are enclosed by the solvers alone"
"""Why they are not checked from above."""


@dataclass(frozen=True, slots=True)
class ProvedProfile:
    """A profile at a time whose upper ends, of one side of it, have passed the check from above. Raises: Refuted.

    stream: the budgets, P^B and P^F; reasons: why some answers so far are not checked.
    """

    found: Profile
    stream: tuple[Sequence[PrivacyBudget], KnownCorrelation | None, KnownCorrelation | None]
    time: int
    reasons: dict[str, None] = field(default_factory=dict, compare=False)

    def delta(self, alpha: Level) -> WorstDelta:
        """Return δ(α), as `Profile.delta`."""
        own = self.found.delta(alpha)
        self._prove(alpha, own.upper)
        return own

    def most(self, alpha: Level) -> Fraction:
        """Return an *upper* bound of δ(α), as `Profile.most`."""
        bound = self.found.most(alpha)
        self._prove(alpha, bound)
        return bound

    def alpha(self, delta: Fraction) -> WorstAlpha:
        """Return α(δ), as `Profile.alpha`."""
        own = self.found.alpha(delta)
        self._prove(own.upper, delta)
        return own

    def _prove(self, alpha: Level, delta: Fraction) -> None:
        prove_profile(*self.stream, {self.time: (alpha, delta)}, otherwise=PROFILES)
        self.reasons.update(dict.fromkeys(unchecked()))


@dataclass(frozen=True, slots=True)
class StreamProfile:
    """What a stream reveals about its value at a time, to an adversary who knows the past or the future."""

    worst: ProvedProfile
    known: Basis

    @property
    def basis(self) -> Basis:
        """What the answers so far rest on."""
        return replace(self.known, unchecked=tuple(self.worst.reasons))

    def delta(self, alpha: Level) -> WorstDelta:
        """Return the greatest Pr(out | l^t = j) − e^α Pr(out | l^t = k) over sets of outputs and pairs of values.

        Args:
            alpha: a finite level, in nats.

        Returns: δ, exact or enclosed, as `tploracle.reference.Profile.delta`.
        """
        check_is(Level, alpha, "alpha")
        return self.worst.delta(alpha)

    def alpha(self, delta: Fraction) -> WorstAlpha:
        """Return the least α with which the value is (α, delta)-protected.

        Args:
            delta: a probability.

        Returns: the level, exact or enclosed, as `tploracle.reference.Profile.alpha`; ∞ where there is none.
        """
        return self.worst.alpha(exact(delta))


def stream_profile(
    budgets: Sequence[PrivacyBudget],
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    time: int | None = None,
) -> StreamProfile:
    """Return the profile of BPL for P^B, of FPL for P^F, or of TPL for both, at a time.

    Args:
        budgets: of each release, in order of time.
        backward: P^B, one matrix or those of the steps: what the releases up to the time tell of it.
        forward: P^F, likewise: what those from it on tell of it.
        time: which value is asked about, from 1; without it the last one for P^B alone, the first one for P^F alone.

    Raises: InvalidRequest without a correlation, for both without a time, without a release, for another time, and as
    `Profile`.
    """
    if not budgets:
        raise InvalidRequest("there is no release: give at least one budget")
    if time is None:
        if (backward is None) == (forward is None):
            raise InvalidRequest(
                "give P^B alone for the last value, P^F alone for the first value, or both and the time of the value"
            )
        time = len(budgets) if forward is None else 1
    worst = profile_at(budgets, time, backward, forward)
    known = [(backward, forward)]
    return StreamProfile(worst, Basis.of(known, chain_of(known), "", mechanisms=PRIVATE_STREAMS))


def profile_at(
    budgets: Sequence[PrivacyBudget],
    time: int,
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    bits: int = USUAL_BITS,
) -> ProvedProfile:
    """Return the profile at a time for one who knows these correlations; of neither it is that of the one release.

    Args: as `stream_profile`; bits, the working precision where there is no exact answer. Raises: InvalidRequest.
    """
    return ProvedProfile(_profile_at(budgets, time, backward, forward, bits), (budgets, backward, forward), time)


def _profile_at(
    budgets: Sequence[PrivacyBudget],
    time: int,
    backward: KnownCorrelation | None,
    forward: KnownCorrelation | None,
    bits: int,
) -> Profile:
    if not 1 <= time <= len(budgets):
        raise InvalidRequest(f"{time} is not one of the times 1 to {len(budgets)}")
    steps = len(budgets) - 1
    before = () if backward is None else matrices_over(backward, steps, "backward")[: time - 1][::-1]
    after = () if forward is None else matrices_over(forward, steps, "forward")[time - 1 :]
    past, future = ([matrix.rows for matrix in side] for side in (before, after))
    own = budgets[: time - 1][::-1][: len(past)], budgets[time:][: len(future)]
    sizes = {matrix.n for matrix in (*matrices_in(backward), *matrices_in(forward))} or {2}
    if len(sizes) > 1:
        raise InvalidRequest(f"the matrices of one person must have the same number of values, not {sorted(sizes)}")
    pairs = list(permutations(range(*sizes), 2))
    if past and future:
        return TwoSidedProfile(budgets[time - 1], own, (past, future), pairs, ranking=RankedBothSides(), bits=bits)
    seen, side = [budgets[time - 1], *own[0], *own[1]], past or future
    if len(side) >= ENCLOSED_FROM and are_equal(seen):
        return LongProfile(seen[0], side, pairs, bits)
    return WorstProfile(seen, side, pairs, RankedPairs(), bits)


def profiles_of(
    kind: str, budgets: Sequence[PrivacyBudget], time: int, known: Collection[KnownPair], bits: int = USUAL_BITS
) -> list[ProvedProfile]:
    """Return the profiles of BPL, FPL or TPL at a time, one for each kind of adversary.

    Args: kind, of `SIDES`; known, what the adversaries know; the others as `profile_at`. Raises: as it.
    """
    found = _profiles_of(kind, budgets, time, known, bits)
    return [ProvedProfile(own, (budgets, *pair), time) for pair, own in found]


def _profiles_of(
    kind: str, budgets: Sequence[PrivacyBudget], time: int, known: Collection[KnownPair], bits: int
) -> list[tuple[KnownPair, Profile]]:
    if {matrix.n for pair in known for own in pair for matrix in matrices_in(own)} == {1}:
        alone = next(pair for pair in known if pair != (None, None))
        return [(alone, WorstProfile([budgets[time - 1]], [], []))]  # one value is never told from another
    return [(pair, _profile_at(budgets, time, *pair, bits)) for pair in seen_by(kind, known)]


def seen_by(kind: str, known: Collection[KnownPair]) -> tuple[KnownPair, ...]:
    """Return what of their knowledge counts for BPL, FPL or TPL; where it is the same for two, so is the answer.

    Args: as `profiles_of`.
    """
    past, future = SIDES[kind]
    return tuple(dict.fromkeys((pair[0] if past else None, pair[1] if future else None) for pair in known))


def greatest_delta(profiles: Collection[ProvedProfile], alpha: Level) -> WorstDelta:
    """Return the greatest δ at an α of several profiles."""
    found = [own.delta(alpha) for own in profiles]
    return WorstDelta(max(own.lower for own in found), max(own.upper for own in found))


def greatest_alpha(profiles: Collection[Profile | ProvedProfile], delta: Fraction) -> WorstAlpha:
    """Return the greatest α at a δ of several profiles."""
    found = [own.alpha(delta) for own in profiles]
    return WorstAlpha(max(own.lower for own in found), max(own.upper for own in found))


@dataclass(frozen=True, slots=True)
class ProfileSupremum:
    """The least α at a δ over an infinite horizon, and what it rests on."""

    alpha: AlphaForEver
    basis: Basis


def supremum_at_delta(budget: PrivacyBudget, known: Collection[KnownPair], delta: Fraction) -> AlphaForEver:
    """Return the least α with which every value is (α, delta)-protected, over all horizons and times.

    Args: budget, of every release, under replacement; known, what the adversaries know; delta, a probability.
    Returns: the greatest of all adversaries. Raises: Refuted; Undecided.
    """
    found = [profile_supremum(budget, backward, forward, delta) for backward, forward in {*known}]
    worst = max(found, key=lambda own: own.upper)
    return replace(worst, lower=max(own.lower for own in found))


def leakage_at_delta(
    budgets: Sequence[PrivacyBudget],
    known: Collection[KnownPair],
    delta: Fraction,
    times: Sequence[int],
    *,
    bits: int = USUAL_BITS,
    kinds: Sequence[str] = tuple(SIDES),
    most: Level = INFINITE,
    advance: Callable[[int, int], None] = lambda _done, _total: None,
) -> dict[str, list[WorstAlpha]]:
    """Return BPL, FPL and TPL at a δ: the least α with which the value at each time is (α, delta)-protected.

    Args: budgets, of each release; known, what the adversaries know; delta, a probability; times, from 1; bits, as
    `profile_at`; kinds, of `SIDES`, those that are asked for; most, a level: where one is shown to exceed it, no closer
    upper end is sought than ∞; advance, told the answers done, and all. Returns: for each kind a level per time, the
    greatest of all adversaries; for pure ε and δ = 0 the exact worst case. Raises: as `profile_at`.
    """
    pure = [own.epsilon for own in budgets if isinstance(own, ApproximateBudget) and not own.delta]
    if not delta and len(pure) == len(budgets):
        exact = [fast_worst_case_leakage(pure, backward, forward) for backward, forward in known]
        greatest = {kind: [max(getattr(own, kind)[time - 1] for own in exact) for time in times] for kind in kinds}
        return {kind: [WorstAlpha(level, level) for level in levels] for kind, levels in greatest.items()}
    found: dict[str, list[WorstAlpha]] = {}
    passes = _Passes(budgets, delta, times)
    is_steady = are_equal(budgets) and all(isinstance(own, TransitionMatrix | None) for pair in known for own in pair)
    for place, kind in enumerate(kinds):
        seen = seen_by(kind, known)
        same = next((own for own in found if seen_by(own, known) == seen), None)
        if same is not None:
            found[kind] = list(found[same])
            continue
        quick = [None if bits > PASS_BITS else passes.of(pair) for pair in seen]
        levels: dict[int, WorstAlpha] = {}
        for number in sorted(range(len(times)), key=times.__getitem__, reverse=kind == "fpl"):
            own = [each[number] for each in quick if each is not None]
            level = WorstAlpha(max(each.lower for each in own), max(each.upper for each in own)) if own else None
            if level is None or len(own) < len(quick) or (level.upper.is_infinite and level.lower <= most):
                # TPL is at least BPL and FPL, and of these none falls with more releases that are the same
                less = [each[number] for each in found.values()] if kind == "tpl" else [*levels.values()] * is_steady
                if any(each.lower.is_infinite for each in less):
                    level = WorstAlpha(INFINITE, INFINITE)
                else:
                    alone = _profiles_of(kind, budgets, times[number], known, bits)
                    level = greatest_alpha([profile for _, profile in alone], delta)
            levels[number] = level
            advance(place * len(times) + len(levels), len(kinds) * len(times))
        found[kind] = [levels[number] for number in range(len(times))]
        for (backward, forward), each in zip(seen, quick, strict=True):
            claims = {time: (own.upper, delta) for time, own in zip(times, found[kind], strict=True)}
            proved = {time: own.upper for time, own in zip(times if each else (), each or (), strict=True)}
            prove_profile(budgets, backward, forward, claims, proved)
    return found


@dataclass(frozen=True)
class _Passes:
    """The least α at each time for each adversary, by the passes in doubles; what one side has is worked out once."""

    budgets: Sequence[PrivacyBudget]
    delta: Fraction
    times: Sequence[int]
    _known: dict[KnownPair, list[WorstAlpha] | None] = field(default_factory=dict, init=False)

    def of(self, pair: KnownPair) -> list[WorstAlpha] | None:
        """Return it for one adversary; None where the passes have no answer."""
        if pair not in self._known:
            try:
                self._known[pair] = self._worked_out(*pair)
            except (InvalidRequest, Unchecked):
                self._known[pair] = None  # φ has too many kinks for points in doubles, or too small numbers
        return self._known[pair]

    def _worked_out(
        self, backward: KnownCorrelation | None, forward: KnownCorrelation | None
    ) -> list[WorstAlpha] | None:
        budgets, delta, times, last = self.budgets, self.delta, self.times, len(self.budgets) - 1
        approximate = [own for own in budgets if isinstance(own, ApproximateBudget)]
        own_delta = max((own.delta for own in approximate), default=Fraction(0))
        sizes = {matrix.n for own in (backward, forward) for matrix in matrices_in(own)}
        is_between = max(own_delta, LEAST_OF_ONE) < delta < 1
        if not is_between or any(own.epsilon.is_infinite for own in approximate) or sizes == {1}:
            return None
        if not are_equal(budgets) and len(approximate) < len(budgets):
            return None  # different φ of noise commute, and integers have the better lower ends
        before = [] if backward is None else [own.rows for own in matrices_over(backward, last, "backward")]
        after = [] if forward is None else [own.rows for own in matrices_over(forward, last, "forward")]
        if forward is None:
            return alphas_at_delta(budgets, before, delta, times)
        if backward is None:
            return alphas_at_delta(budgets[::-1], after[::-1], delta, [last + 2 - time for time in times])
        if delta <= LEAST_OF_BOTH or len(sizes) > 1:
            return None
        past, future = self.of((backward, None)), self.of((None, forward))
        if past is None or future is None:
            return None
        return tpl_at_delta(budgets, (before, after), delta, times, (past, future))
