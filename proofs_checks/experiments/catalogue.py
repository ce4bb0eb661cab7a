"""The experiments and their parameters; the small ones are for tests."""

from .allocation import draw_budgets, draw_utility, measure_budgets, measure_utility
from .correctness import draw_check, measure_check
from .leakage_over_time import draw_degrees, draw_sup, draw_tpl, measure_degrees, measure_sup, measure_tpl
from .loss_pieces import draw_pieces, measure_pieces
from .runner import Experiment
from .runtime import (
    draw_level,
    draw_n,
    draw_precomputation,
    draw_time,
    measure_level,
    measure_n,
    measure_precomputation,
    measure_time,
)

THREE_STATES = [["0.1", "0.2", "0.7"], ["0.3", "0.3", "0.4"], ["0.5", "0.3", "0.2"]]
MODERATE = [["0.8", "0.2"], ["0", "1"]]
CASES = {
    "a": [[["1", "0"], ["0", "1"]], "0.23"],
    "b": [MODERATE, "0.23"],
    "c": [MODERATE, "0.15"],
    "d": [[["0.8", "0.2"], ["0.1", "0.9"]], "0.23"],
    "e": [[["0", "1"], ["0.5", "0.5"]], "0.7"],
}
"""The four cases of Figure 5, and one that the paper does not have: its supremum is infinite, the leakage bounded."""

TPL = {"epsilon": "0.1", "horizons": [10, 11]}
BUDGETS = {
    "backward": [["0.8", "0.2"], ["0.2", "0.8"]],
    "forward": [["0.8", "0.2"], ["0.1", "0.9"]],
    "levels": ["1", "log(3)"],
    "horizon": 10,
}

EXPERIMENTS = (
    Experiment("fig_tpl", "fig:tpl", "BPL, FPL and TPL over time", measure_tpl, draw_tpl, TPL, TPL),
    Experiment(
        "fig_example_L_func",
        "fig:example_L_func",
        "L above the functions of all pairs",
        measure_pieces,
        draw_pieces,
        {"rows": THREE_STATES, "highest": 5, "points": 200},
        {"rows": THREE_STATES, "highest": 5, "points": 10},
    ),
    Experiment(
        "fig_example_sup",
        "fig:example_sup",
        "BPL and its supremum in the four cases, and in one more",
        measure_sup,
        draw_sup,
        {"cases": CASES, "steps": 100},
        {"cases": CASES, "steps": 60},
    ),
    Experiment(
        "fig_ex_tpl",
        "fig:ex_tpl",
        "BPL under different degrees of correlation",
        measure_degrees,
        draw_degrees,
        {
            "sizes": [50, 200],
            "degrees": ["0.005", "0.01", "0.05", "0.1", "0.5", "1"],
            "steps": {"1": 40, "0.1": 300},
            "smaller": ["0.001", "0.0005", "0.0001", "0.000025"],
        },
        {"sizes": [10, 20], "degrees": ["0.005", "0.1", "1"], "steps": {"1": 20, "0.1": 60}, "smaller": ["0.0005"]},
    ),
    Experiment(
        "fig_ex_budgets", "fig:ex_budgets", "budgets for 1-DP_T", measure_budgets, draw_budgets, BUDGETS, BUDGETS
    ),
    Experiment(
        "fig_ex_utility",
        "fig:ex_utility",
        "noise of 2-DP_T mechanisms",
        measure_utility,
        draw_utility,
        {
            "alpha": "2",
            "n": 50,
            "degree": "0.001",
            "horizons": [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500],
            "degrees": ["0.001", "0.01", "0.1", "1", "10"],
            "horizon": 10,
        },
        {"alpha": "2", "n": 10, "degree": "0.001", "horizons": [1, 2, 10], "degrees": ["0.01", "1"], "horizon": 4},
    ),
    Experiment(
        "fig_ex_runtime_d",
        "fig:ex_runtime (d)",
        "runtime against α",
        measure_level,
        draw_level,
        {
            "n": 30,
            "runs": 3,
            "levels": ["0.1", "0.5", "1", "2", "3", "5", "7", "10", "15", "20", "25", "30"],
            "sampled": 3,
        },
        {"n": 5, "runs": 1, "levels": ["0.1", "5"], "sampled": 1},
    ),
    Experiment(
        "fig_ex_runtime_a",
        "fig:ex_runtime (a)",
        "runtime against n",
        measure_n,
        draw_n,
        {
            "alpha": "0.1",
            "runs": {"10": 30, "20": 10, "30": 5, "50": 3, "100": 3, "200": 1},
            "exact_up_to": 50,
            "literal_up_to": 50,
            "compact_up_to": 200,
            "sampled": 5,
        },
        {
            "alpha": "0.1",
            "runs": {"4": 2, "6": 1},
            "exact_up_to": 6,
            "literal_up_to": 4,
            "compact_up_to": 6,
            "sampled": 1,
        },
    ),
    Experiment(
        "fig_ex_runtime_b",
        "fig:ex_runtime (b)",
        "runtime of the precomputations",
        measure_precomputation,
        draw_precomputation,
        {
            "highest": ["1", "10", "100"],
            "runs": {"10": 5, "20": 3, "40": 1, "100": 1},
            "exact_up_to": 40,
            "start": "0.01",
        },
        {"highest": ["1", "10"], "runs": {"4": 1, "6": 1}, "exact_up_to": 6, "start": "0.01"},
    ),
    Experiment(
        "fig_ex_runtime_c",
        "fig:ex_runtime (c)",
        "runtime against T",
        measure_time,
        draw_time,
        {
            "epsilon": "0.1",
            "exact_states": 30,
            "double_states": 100,
            "horizons": [2, 3, 5, 10, 30, 100, 300, 1000],
            "steps_1": 20,
            "steps_3": 100,
        },
        {
            "epsilon": "0.1",
            "exact_states": 4,
            "double_states": 5,
            "horizons": [2, 100, 200],
            "steps_1": 4,
            "steps_3": 4,
        },
    ),
    Experiment(
        "check_30",
        "Section 6.1",
        "random matrices against CBC",
        measure_check,
        draw_check,
        {"n": 30, "matrices": 100, "levels": ["0.1", "1"], "sampled": 5, "workers": 2},
        {"n": 4, "matrices": 2, "levels": ["0.1", "1"], "sampled": 1, "workers": 1},
    ),
)
