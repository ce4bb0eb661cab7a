"""The paper's figures on bounds and budgets, and a click stream's, as exact tables and as pictures.

Writes into build/figures/, each as CSV (enclosures of 17 digits) and PNG:

    budgets       fig:ex_budgets: Algorithms 7 and 8 for α = 1
    supremum      fig:example_sup: four cases of Theorem 11, two with a supremum and two without
    utility-time  fig:ex_utility in kind: mean noise under 2-DP_T over T = 5…50, smoothed by s = 0.001
    utility-s     the same for T = 10 over s
    clicks        the 17-state click stream: TPL under the constant budget that keeps it below 1 for ever
"""

import sys
from fractions import Fraction
from pathlib import Path

from tploracle.allocate_command import noise_value, noises
from tploracle.files import Files
from tploracle.losses import loss_function_of
from tploracle.pictures import leakage_picture, noise_picture
from tploracle.promises import verified, verified_for_ever
from tploracle.reference import (
    COUNT_SENSITIVITY,
    Adversary,
    TransitionMatrix,
    algorithm_8,
    backward_leakage,
    budgets,
    leakage,
    parse_level,
    smooth,
    strongest,
    supremum,
)
from tploracle.rendering import Sheet, csv_text
from tploracle.values import KINDS, level_value

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "build" / "figures"
DIGITS = 17

BACKWARD = TransitionMatrix.of([["0.8", "0.2"], ["0.2", "0.8"]])
FORWARD = TransitionMatrix.of([["0.8", "0.2"], ["0.1", "0.9"]])
CASES = (("1", "0", "0.23"), ("0.8", "0", "0.23"), ("0.8", "0.1", "0.23"), ("0.8", "0", "0.15"))
STATES = 50
"""The paper does not say how many states its Figure has."""


def write(name, columns, rows):
    """Write a table as CSV."""
    (FOLDER / f"{name}.csv").write_text(csv_text(Sheet(name, tuple(columns), rows)), encoding="utf-8")


def picture(name):
    """Return the path of a picture."""
    return str(FOLDER / f"{name}.png")


def figure_budgets(horizon=30):
    """Budgets and the leakage that they make: the constant ones of Algorithm 7, and those of Algorithm 8."""
    alpha, adversary = parse_level("1"), Adversary.knowing(BACKWARD, FORWARD)
    schedules = {
        "Algorithm 7": budgets(alpha, adversary).upper_bound(horizon),
        "Algorithm 8": algorithm_8(alpha, adversary, horizon),
    }
    panels, rows = {}, []
    for name, schedule in schedules.items():
        verified(schedule, [adversary], alpha, attained=name == "Algorithm 8")
        found = leakage(schedule, adversary)
        panels[name] = {"budget": schedule, "BPL": found.bpl, "FPL": found.fpl, "TPL": found.tpl}
        for time, levels in enumerate(zip(*panels[name].values(), strict=True), 1):
            rows.append([name, time, *(level_value(level, DIGITS) for level in levels)])
    write("budgets", ("algorithm", "time", "budget", *KINDS), rows)
    leakage_picture(picture("budgets"), panels)


def figure_supremum(horizon=100):
    """Leakage with one budget at every time, for one point (q, d): rows (q, 1 − q) and (d, 1 − d)."""
    panels, rows = {}, []
    for case in CASES:
        q, d = (Fraction(number) for number in case[:2])
        epsilon = parse_level(case[2])
        loss = loss_function_of(TransitionMatrix(((q, 1 - q), (d, 1 - d))))
        limit = supremum(loss, epsilon).level
        levels = backward_leakage([epsilon] * horizon, loss)
        curves = {"leakage": levels}
        if not limit.is_infinite:
            curves["supremum"] = (limit,) * horizon
        panels[f"q = {case[0]}, d = {case[1]}, ε = {case[2]}"] = curves
        ends = level_value(limit, DIGITS)
        rows += [[*case, time, level_value(levels[time - 1], DIGITS), ends] for time in (1, 10, horizon)]
    write("supremum", ("q", "d", "epsilon", "time", "leakage", "supremum"), rows)
    leakage_picture(picture("supremum"), panels, one_scale=False)


def figure_utility():
    """Mean noise of a count per place under 2-DP_T, over T and over the smoothing s of the strongest correlation."""
    alpha = parse_level("2")
    horizons, smoothings = list(range(5, 51, 5)), ["0.001", "0.01", "0.1", "1"]

    def noise(s, times):
        matrix = smooth(strongest(STATES), Fraction(s))
        loss = loss_function_of(matrix)
        return noises(alpha, times, COUNT_SENSITIVITY, {"adversary": Adversary(loss, loss)}, DIGITS)

    over_time = noise("0.001", horizons)
    rows = [[T, *(noise_value(column[k]) for column in over_time.values())] for k, T in enumerate(horizons)]
    write("utility-time", ("releases", *over_time), rows)
    noise_picture(picture("utility-time"), f"2-DP_T, s = 0.001, {STATES} states", horizons, over_time)
    over_s = {s: noise(s, [10]) for s in smoothings}
    write(
        "utility-s",
        ("s", *over_time),
        [[s, *(noise_value(c[0]) for c in found.values())] for s, found in over_s.items()],
    )
    columns = {name: [found[name][0] for found in over_s.values()] for name in over_time}
    numbers = [float(s) for s in smoothings]
    noise_picture(picture("utility-s"), f"2-DP_T, T = 10, {STATES} states", numbers, columns, "smoothing s")


def figure_clicks(horizon=50):
    """The constant budget that keeps TPL of the click stream under 1 for ever, and the leakage that it makes."""
    counts = str(HERE / "msnbc" / "counts.json")
    files = Files()
    adversary = Adversary(*(loss_function_of(files.matrix(counts, role)) for role in ("backward", "forward")))
    alpha = parse_level("1")
    epsilon = budgets(alpha, adversary).middle
    (suprema,) = verified_for_ever(epsilon, [adversary], alpha)
    found = leakage([epsilon] * horizon, adversary)
    rows = [["budget", level_value(epsilon, DIGITS)]]
    rows += [
        [f"supremum of {kind.upper()}", level_value(level, DIGITS)] for kind, level in zip(KINDS, suprema, strict=True)
    ]
    rows += [[f"TPL at {time}", level_value(found.tpl[time - 1], DIGITS)] for time in (1, 10, horizon // 2, horizon)]
    write("clicks", ("what", "level"), rows)
    about = epsilon.enclosure(6).lower
    curves = {kind.upper(): getattr(found, kind) for kind in KINDS}
    leakage_picture(picture("clicks"), {f"Click stream, constant budget {about}": {**curves, "α": (alpha,) * horizon}})


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for figure in (figure_budgets, figure_supremum, figure_utility, figure_clicks):
        figure()
    for path in sorted(FOLDER.iterdir()):
        print(path.relative_to(HERE.parent))
    sys.exit(0)
