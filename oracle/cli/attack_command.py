"""`tploracle attack`: the worst mechanisms in words, and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby
from math import isqrt, log2

import click

from ..certificates.worst_case import check_finite, worst_case_upper_certificate
from ..contract.limits import check_answer, check_count, check_leakage, check_worst_case
from ..data.adversaries import losses_of, state_names
from ..data.files import Files
from ..models.attacks import Attack, worst_attack
from ..models.chain import correlations_of
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Output, Sheet, bracketed, level_cell, odds
from ..reference import Adversary, Enclosure, InvalidRequest, Level, leakage, parse_level
from ..reference.decimals import fraction_to_text, outward
from ..reference.definitions import leakage_by_definition
from ..reference.stepwise import matrices_in
from ..reference.worst_case.joint import tree_counter
from ..reference.worst_case.mechanisms import (
    Mechanism,
    geometric_histogram,
    laplace_histogram,
    randomized_response,
    response_about,
    subset_mechanism,
)
from ..wire.strict_json import Object
from .attack_profile import ProfileAttacked
from .beyond_pure import Noise, noise_options
from .declared import option
from .options import (
    Correlations,
    ReadingCommand,
    Releases,
    correlation_options,
    neighbours_options,
    output_options,
    plot_option,
    reading_options,
    release_options,
)

MOST_STREAMS = 10**15
"""Streams that are drawn: their numbers are integers of 64 bits."""

MOST_SEQUENCES = 20_000
"""Sequences of outputs that are looked at for the leakage of a mechanism by its definition."""

MOST_COUNTED, MOST_COUNTED_VALUES = 4, 40
"""Releases of a tree counter, and values of a chain, for which all its outputs are looked at."""

_SHOWN_DIGITS = 6
"""Digits of what is drawn, which is not exact."""

RESPONSE = "Randomized response: the true answer with probability e^ε/(1 + e^ε), the other one otherwise."


class AttackCommand(ReadingCommand):
    """Show a mechanism that leaks the most with these budgets: yes/no questions, one at each time, all answered “yes”.

    It is the worst mechanism for the value at one time; with one correlation its TPL is its BPL or FPL. Its leakage is
    computed from the definition; a certificate proves that no mechanism leaks more. The paper's bound is printed beside
    it. Values are printed by name if the matrix file has names.

    With --profile: a set of outputs that attains δ at this α, for releases of ε, (ε, δ), Gaussian noise or ρ-zCDP. It
    is shown as one answer, “yes” or “no”, whose probability the value at each time changes.
    """

    correlations: Correlations = correlation_options(several=False)
    releases: Releases = release_options()
    neighbours: Neighbours = neighbours_options()
    time: int | None = option("--at", metavar="T", help="Time of the value.  [default: the worst; --profile: an end]")
    streams: int | None = option("--simulate", metavar="N", help="Draw N streams given each of the two values.")
    seed: int = option(type=click.IntRange(0), default=1, show_default=True, help="With --simulate: seed of the draws.")
    mechanisms: bool = option(help="Compute what other mechanisms leak, from the definition; for few releases.")
    alpha: str | None = option(
        "--profile", metavar="LEVEL", help="Show instead a set of outputs that attains δ at this α."
    )
    noise: Noise = noise_options("With --profile: ")
    plot: str | None = plot_option
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    refused = (
        "--profile excludes --mechanisms and --plot",
        "--delta-per-release, --sigma, --sensitivity and --rho need --profile",
    )

    def _run(self) -> None:
        if self.streams is not None and self.streams < 1:
            raise InvalidRequest(f"--simulate is at least 1, not {self.streams}")
        if self.alpha is not None:
            ProfileAttacked(
                self.alpha,
                self.correlations,
                self.releases,
                self.noise,
                self.neighbours,
                self.time,
                self.streams,
                self.seed,
            ).write(self.files, self.output)
            return
        digits = self.output.digits
        budgets = self.neighbours.read(self.releases.budgets(self.files))
        if self.streams is not None:
            check_count(self.streams, MOST_STREAMS, "streams")
        time = self.time
        if time is not None and not 1 <= time <= len(budgets):
            raise InvalidRequest(f"--at: {time} is not one of the times 1 to {len(budgets)}")
        adversaries = _only(self.correlations, self.files)
        (adversary,) = adversaries.values()
        check_leakage(budgets, losses_of(adversaries), digits)
        backward, forward = correlations_of(adversary)
        n = max((matrix.n for own in (backward, forward) for matrix in matrices_in(own)), default=0)
        check_worst_case(len(budgets), n)
        check_answer(4, digits)
        check_finite(budgets)
        with patience("attack"):
            if time is None:
                from ..checked import greatest_worst_case_tpl  # brings numpy

                time = greatest_worst_case_tpl(budgets, backward, forward).time
            found = worst_attack(budgets, time, backward, forward, digits)
            most = worst_case_upper_certificate(budgets, time, backward, forward, digits)["level"]
            bound = leakage(budgets, adversary).tpl[time - 1]
            names = state_names(self.files, [*self.correlations.backward, *self.correlations.forward], n)
            value, sheets, conclusion = _described(found, names, str(most), bound, self.output)
            if self.streams is not None:
                value["simulation"], drawn = _drawn(found, names, self.streams, self.seed)
                sheets.append(drawn)
            if self.mechanisms:
                value["mechanisms"], compared = _compared(found, self.output.precision)
                sheets.append(compared)
        if self.plot:
            from ..models.simulation import odds_over_time
            from ..output.plots import attack_picture

            levels = {"exact worst case": found.level, "paper's bound": bound}
            inside = [[value in own for own in found.sets] for value in range(n)]
            title = f"{names[found.pair[0]]} against {names[found.pair[1]]} at time {time}"
            attack_picture(self.plot, title, dict(zip(names, inside, strict=True)), odds_over_time(found), levels)
        basis = self.neighbours.basis(self.correlations.basis(self.files, adversaries, {}))
        self.output.conclude(Conclusion(conclusion, basis), [value], *sheets)


def _only(correlations: Correlations, files: Files) -> dict[str, Adversary]:
    adversaries = correlations.adversaries(files)
    if len(adversaries) > 1 or correlations.users is not None:
        raise InvalidRequest("an attack is on one person: give --backward, --forward or both, one matrix for each")
    if any(adversary.losses == (None, None) for adversary in adversaries.values()):
        raise InvalidRequest(
            "without a correlation, no other release reveals anything about a value: give --backward, --forward or both"
        )
    return adversaries


# In words


def _described(
    attack: Attack, names: Sequence[str], most: str, bound: Level, output: Output
) -> tuple[Object, list[Sheet], str]:
    """Return the questions, what “yes” to them attains, the bounds, and what it means."""
    (more, less), time = attack.pair, attack.time
    questions = _questions(attack)
    attained, paper, factor = output.level(attack.level), output.level(bound), _factor(attack.level, output.digits)
    value: Object = {
        "time": time,
        "more_likely": {"value": more + 1, "name": names[more]},
        "less_likely": {"value": less + 1, "name": names[less]},
        "questions": [
            {
                "from": first,
                "to": last,
                "epsilon": epsilon,
                "set": [value + 1 for value in asked],
                "names": [names[value] for value in asked],
            }
            for first, last, epsilon, asked in questions
        ],
        "worst_case": {"tpl": attained, "factor": factor, "no_mechanism_above": most},
        "paper_bound": {"tpl": paper},
    }
    rows: list[list[Cell]] = [
        [str(first) if first == last else f"{first} to {last}", epsilon, _asked([names[value] for value in asked])]
        for first, last, epsilon, asked in questions
    ]
    told = "" if len(attack.epsilons) == 1 else " to each"
    sheet = Sheet(
        f"The worst mechanism for the value at time {time}", ("times", "ε", "is the value in"), rows, (RESPONSE,)
    )
    levels: list[list[Cell]] = [
        ["exact worst case: attained by this mechanism", attained],
        ["certified: no mechanism leaks more than", output.level(parse_level(most))],
        ["paper's bound", paper],
    ]
    conclusion = (
        f"If the answer{told} is “yes”, an adversary's odds of {names[more]} against {names[less]} at time {time} "
        f"change {odds(attack.level)}: a TPL of {output.words(attack.level)}, as much as any mechanism."
    )
    return value, [sheet, Sheet(f"TPL at time {time}", ("", "level"), levels, (output.numerals,))], conclusion


def _questions(attack: Attack) -> list[tuple[int, int, str, list[int]]]:
    """Return the questions: from when to when, with which budget, and the set; equal ones together."""
    texts = [epsilon.full_text() for epsilon in attack.epsilons]
    found = []
    for (asked, epsilon), group in groupby(range(len(texts)), lambda place: (sorted(attack.sets[place]), texts[place])):
        times = list(group)
        found.append((times[0] + 1, times[-1] + 1, epsilon, asked))
    return found


def _asked(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}" if names else "nothing is asked"


def _factor(level: Level, digits: int) -> Object:
    """Return e^level: by how much odds have moved."""
    if isinstance(level.ratio, Fraction):
        exact = None if level.exact_text is None else fraction_to_text(level.ratio)
        return {"exact": exact, **_ends(outward(level.ratio, level.ratio, digits))}
    lower, upper = level.excess_bounds(4 * digits + 64)
    return {"exact": None, **_ends(outward(1 + lower, 1 + upper, digits))}


def _ends(found: Enclosure) -> Object:
    return {"lower": str(found.lower), "upper": str(found.upper)}


# Drawn


def _drawn(attack: Attack, names: Sequence[str], streams: int, seed: int) -> tuple[Object, Sheet]:
    """Return how often the answers were “yes” every time, and the interval for the odds."""
    from ..models.simulation import CONFIDENCE, OFTEN_ENOUGH, simulate

    found = simulate(attack, streams, seed)
    interval = outward(found.lower, found.upper or found.lower, _SHOWN_DIGITS)
    ends: Object = {**_ends(interval), **({} if found.upper is not None else {"upper": "inf"})}
    estimate = None if found.factor is None else f"{float(found.factor):.{_SHOWN_DIGITS}g}"
    truth = _factor(attack.level, _SHOWN_DIGITS)
    value: Object = {
        "streams": streams,
        "seed": seed,
        "answers": "whole" if found.whole else "without their common factors",
        "yes": list(found.yes),
        "factor": estimate,
        "confidence": fraction_to_text(CONFIDENCE),
        **ends,
    }
    rows: list[list[Cell]] = [
        ["“yes” every time, streams of each", f"{streams:,}"],
        [f"given {names[attack.pair[0]]} at time {attack.time}", f"{found.yes[0]:,}"],
        [f"given {names[attack.pair[1]]} at time {attack.time}", f"{found.yes[1]:,}"],
        ["the odds have moved by a factor", estimate or "not seen"],
        [f"at {float(CONFIDENCE):.0%} confidence between", f"{ends['lower']} and {ends['upper']}"],
        ["exactly", bracketed(str(truth["lower"]), str(truth["upper"]))],
    ]
    notes = ["Given the value, earlier ones are drawn by P^B and later ones by P^F; interval by Clopper and Pearson."]
    if not found.whole:
        notes.append(
            "“Yes” every time is too rare to be drawn as it is: each answer is drawn without its factor e^ε/(1 + e^ε), "
            "which is the same given either value."
        )
    if min(found.yes) < OFTEN_ENOUGH:
        notes.append(f"Too rare for so few streams: about {found.wanted:.1g} are needed.")
    return value, Sheet(f"Drawn with the seed {seed}", ("", "found"), rows, tuple(notes))


# Other mechanisms

CountOutputs = Callable[[int], int]
MakeMechanism = Callable[[frozenset[int], Fraction, int], Mechanism]


def _root(ratio: Fraction) -> Fraction:
    root = Fraction(isqrt(ratio.numerator), isqrt(ratio.denominator))
    if root * root != ratio:
        raise InvalidRequest("e^(ε/2) is not rational; it is for log(121/100)")
    return root


MECHANISMS: dict[str, tuple[CountOutputs, MakeMechanism]] = {
    "randomized response about these sets": (lambda _n: 2, lambda own, ratio, n: response_about(n, own, ratio)),
    "a random set, and randomized response about it": (
        lambda n: 2 ** (n + 1) - 4,
        lambda _own, ratio, n: subset_mechanism(n, ratio),
    ),
    "histogram with noise Lap(2/ε) on each count": (
        lambda n: 3**n,
        lambda _own, ratio, n: laplace_histogram(n, _root(ratio)),
    ),
    "histogram with geometric noise, e^(−ε/2)": (
        lambda n: 2**n,
        lambda _own, ratio, n: geometric_histogram(n, _root(ratio)),
    ),
    "randomized response among all values": (lambda n: n, lambda _own, ratio, n: randomized_response(n, ratio)),
}
"""Mechanisms that people run: how many outputs they have over n values, and one for a set, e^ε and n."""


TREE = "tree counter of the time's own set, noise shared between releases"
"""A binary tree's counter, whose discrete Laplace noise is ε-private at event level."""

_IRRATIONAL, _TOO_MANY = "e^ε is not rational; it is for log(11/10)", "too many sequences of outputs to look at"


def _compared(attack: Attack, digits: int) -> tuple[list[Object], Sheet]:
    """Return what mechanisms that people run leak at this time by the definition, all their outputs looked at."""
    values: list[Object] = []
    rows: list[list[Cell]] = []
    kinds: dict[str, Callable[[], Level]] = {
        name: partial(_by_definition, attack, outputs, build) for name, (outputs, build) in MECHANISMS.items()
    }
    for name, work_out in (kinds | {TREE: partial(_of_counter, attack)}).items():
        try:
            level = work_out()
        except InvalidRequest as error:
            values.append({"mechanism": name, "level": None, "why": str(error)})
            rows.append([name, str(error), ""])
            continue
        shown = level_cell(level, digits)
        attained = level.exact_text is not None and level.ratio == attack.level.ratio
        values.append({"mechanism": name, "level": shown, "attains": attained})
        rows.append([name, shown, "yes" if attained else "no"])
    title = f"What mechanisms leak at time {attack.time}, by the definition"
    return values, Sheet(title, ("mechanism", "TPL", "the worst"), rows, ("All sequences of outputs are looked at.",))


def _of_counter(attack: Attack) -> Level:
    """Return the leakage of a counter whose releases share noise. Raises: InvalidRequest as `_by_definition`."""
    ratios = {epsilon.ratio for epsilon in attack.epsilons}
    ratio = ratios.pop()
    if ratios:
        raise InvalidRequest("the budgets differ; at event level a counter has one")
    if attack.backward is None or attack.forward is None:
        raise InvalidRequest("its releases share noise, so that both correlations are needed")
    if not isinstance(ratio, Fraction):
        raise InvalidRequest(_IRRATIONAL)
    releases, n = len(attack.epsilons), attack.n
    if releases > MOST_COUNTED or n > MOST_COUNTED_VALUES:
        raise InvalidRequest(_TOO_MANY)
    counted = [int(value in attack.sets[attack.time - 1]) for value in range(n)]
    return tree_counter(releases, ratio).leakage(attack.time, attack.backward, attack.forward, seen=counted)


def _by_definition(attack: Attack, outputs: CountOutputs, build: MakeMechanism) -> Level:
    """Return the leakage of one kind of mechanism. Raises: InvalidRequest if it cannot be computed here."""
    farthest = max(attack.time - 1, len(attack.epsilons) - attack.time)
    if (farthest + 1) * log2(outputs(attack.n)) > log2(MOST_SEQUENCES):
        raise InvalidRequest(_TOO_MANY)
    built = []
    for own, epsilon in zip(attack.sets, attack.epsilons, strict=True):
        if not isinstance(epsilon.ratio, Fraction):
            raise InvalidRequest(_IRRATIONAL)
        built.append(build(own, epsilon.ratio, attack.n))
    return leakage_by_definition(built, attack.time, attack.backward, attack.forward)
