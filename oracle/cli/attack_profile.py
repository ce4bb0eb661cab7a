"""`attack --profile`: the set of outputs that attains δ at an α, in words, and its mechanism run on streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from ..data.adversaries import pairs_at_delta, state_names
from ..data.files import Files
from ..models.chain import KnownPair
from ..models.neighbours import Neighbours
from ..models.profile_attack import Drawn, ProfileAttack, drawn, profile_attack
from ..models.simulation import CONFIDENCE, OFTEN_ENOUGH
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Output, Sheet
from ..reference import InvalidRequest
from ..reference.decimals import fraction_to_text, outward
from ..reference.stepwise import matrices_in
from ..reference.worst_case.two_sided_profile import PAST
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .beyond_pure import Noise, basis_at_delta, bits_for, delta_value
from .options import Correlations, Releases

CHANCE_DIGITS = 6

RULE = (
    "One answer, “yes” or “no”. Begin with the probability in the first row; then, in this order, move it as near to",
    "the number of the value at each time as [v, φ(v)] allows, φ being that of the release. Answer “yes” with what it",
    "has become, or, where the value in question is the first of the two, with φ of that. Numbers are rounded down.",
)


@dataclass(frozen=True, slots=True)
class ProfileAttacked:
    """What was asked, as it was written. streams, seed: to draw, if any."""

    alpha: str
    correlations: Correlations
    releases: Releases
    noise: Noise
    neighbours: Neighbours
    time: int | None
    streams: int | None
    seed: int

    def write(self, files: Files, output: Output) -> None:
        """Find the test, draw it if asked, and write both."""
        alpha = Reader().level(self.alpha, "--profile")
        budgets = self.noise.budgets(self.releases, files, self.neighbours)
        known = pairs_at_delta(self.correlations.known(files))
        if len(known) > 1:
            raise InvalidRequest("an attack is on one person: give --backward, --forward or both, one matrix for each")
        (pair,) = known.values()
        if pair == (None, None):
            raise InvalidRequest("without a correlation no other time tells anything: give --backward or --forward")
        time = self._time(len(budgets), pair)
        n = next(matrix.n for own in pair for matrix in matrices_in(own))
        names = state_names(files, [*self.correlations.backward, *self.correlations.forward], n)
        with patience("attack") as progress:
            found = profile_attack(budgets, alpha, time, pair, bits_for(output.digits))
            draws = None if self.streams is None else drawn(found, alpha, self.streams, self.seed, progress)
        value, sheets = described(found, names, output)
        if draws is not None:
            own, sheet = described_draws(found, draws, names)
            value |= own
            sheets.append(sheet)
        more, less = (names[own] for own in found.test.pair)
        p, q = (shown(chance) for chance in found.chances)
        text = (
            f"“Yes” has probability {p} where the value at time {time} is {more}, and {q} where it is {less}:\n"
            f"δ = {shown(found.delta.lower)} at α = {self.alpha}, of at most {shown(found.delta.upper, up=True)} "
            "in any such stream (exact worst case)."
        )
        basis = basis_at_delta(self.correlations, files, known, self.neighbours)
        output.conclude(Conclusion(text, basis), [{"time": time, "alpha": self.alpha, **value}], *sheets)

    def _time(self, releases: int, pair: KnownPair) -> int:
        """Return the time in question. Raises: InvalidRequest."""
        if self.time is None:
            if None not in pair:
                raise InvalidRequest("--profile needs --at where both correlations are known")
            return releases if pair[1] is None else 1
        if not 1 <= self.time <= releases:
            raise InvalidRequest(f"--at: {self.time} is not one of the times 1 to {releases}")
        return self.time


def described(attack: ProfileAttack, names: Sequence[str], output: Output) -> tuple[Object, list[Sheet]]:
    """Return the test and what it attains, for reading and for programs."""
    test = attack.test
    steps = reversed(list(zip(attack.times(), test.sides.order, test.peaks, strict=True)))
    moves: list[Object] = []
    rows: list[list[Cell]] = [["begin", "with", shown(test.start)]]
    for (side, peaks), group in groupby(steps, lambda step: step[1:]):
        times = [time for time, _, _ in group]
        numbers = [shown(x) for x in peaks]
        places = [[own] for own in numbers] if side == PAST else [numbers]
        moves.append({"from": times[0], "to": times[-1], "places": places})
        when = str(times[0]) if times[0] == times[-1] else f"{times[0]} to {times[-1]}"
        rows += [
            [when, ", ".join(names[a] for a, own in enumerate(peaks) if own == x), shown(x)]
            for x in sorted({*peaks}, reverse=True)
        ]
    more, less = ({"value": own + 1, "name": names[own]} for own in test.pair)
    value: Object = {
        "more_likely": more,
        "less_likely": less,
        "test": {"start": shown(test.start), "moves": moves},
        "worst_case": {
            "delta": delta_value(attack.delta, output),
            "yes": [shown(chance) for chance in attack.chances],
            "attained": shown(attack.delta.lower),
        },
    }
    title = f"A set of outputs that reveals the most about the value at time {attack.time}"
    return value, [Sheet(title, ("times", "value", "number"), rows, RULE)]


def shown(chance: Fraction, up: bool = False) -> str:
    """Return a probability, or a difference of two, in few digits, rounded down, or up."""
    if chance < 0:
        return f"-{shown(-chance, not up)}"
    found = outward(chance, chance, CHANCE_DIGITS)
    return decimal_text(found.upper if up else found.lower)


def described_draws(attack: ProfileAttack, found: Drawn, names: Sequence[str]) -> tuple[Object, Sheet]:
    """Return the counts beside the probabilities, and intervals that contain these at the confidence."""
    rows: list[list[Cell]] = []
    chances: list[Object] = []
    for own, yes, (low, high), exactly in zip(attack.test.pair, found.yes, found.chances, attack.chances, strict=True):
        ends = shown(low), shown(high, up=True)
        chances.append({"yes": yes, "lower": ends[0], "upper": ends[1]})
        rows.append([f"“yes” given {names[own]} at time {attack.time}", f"{yes:,}", *ends, shown(exactly)])
    ends = shown(found.delta[0]), shown(found.delta[1], up=True)
    rows.append(["p − e^α·q", "", *ends, shown(attack.delta.lower)])
    value: Object = {
        "streams": found.streams,
        "seed": found.seed,
        "confidence": fraction_to_text(CONFIDENCE),
        "chances": chances,
        "delta": {"lower": ends[0], "upper": ends[1]},
    }
    columns = ("", f"of {found.streams:,}", "at least", "at most", "exactly")
    notes = [
        "Given the value, earlier ones are drawn by P^B and later ones by P^F. Intervals of Clopper and Pearson:",
        f"with a probability of {float(CONFIDENCE):.0%} all three contain what is exact.",
    ]
    likely = max(attack.chances)
    if likely * found.streams < OFTEN_ENOUGH:
        notes.append(f"Too rare for so few streams: about {float(OFTEN_ENOUGH / likely):.1g} are needed.")
    return {"simulation": value}, Sheet(f"Drawn with the seed {found.seed}", columns, rows, tuple(notes))
