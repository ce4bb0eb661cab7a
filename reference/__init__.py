"""The paper, item by item, exact and literal: the specification against which everything else is tested.

Cao, Yoshikawa, Xiao, Xiong: Quantifying Differential Privacy in Continuous Data Release under Temporal
Correlations, TKDE 2018, arXiv:1711.11436. Indices count from 0, times from 1; levels are in nats.
Nothing is imported before it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .correlations import (
        TransitionMatrix,
        check_initial,
        divided_by_row_sums,
        exact_row,
        exact_rows,
        reverse,
        smooth,
        stationary,
        strongest,
    )
    from .decimals import Enclosure
    from .errors import (
        InfeasibleBudget,
        InvalidLevel,
        InvalidNumber,
        InvalidRequest,
        NegativeProbability,
        NotSquare,
        NotStochastic,
        NotUnique,
        OracleError,
        Undecided,
        UnreachableState,
    )
    from .estimation import TransitionCounts, count_transitions
    from .levels import INFINITE, ZERO, Budget, Level
    from .notation import parse_level
    from .numbers import parse_number
    from .paper.accountant import Accountant
    from .paper.algorithm_1 import algorithm_1
    from .paper.algorithms_2_3 import PairFunction, algorithm_2, algorithm_3
    from .paper.algorithms_4_5 import SubFunction, algorithm_4, algorithm_5
    from .paper.allocation import Budgets, algorithm_7, algorithm_8, budgets, common_budgets, verify_attained
    from .paper.composition import Guarantee, composition, first_failure, guarantee, independent
    from .paper.horizons import greatest_schedule
    from .paper.leakage import (
        Adversary,
        Leakage,
        Maximum,
        PopulationLeakage,
        backward_leakage,
        forward_leakage,
        leakage,
        maximum,
        population_leakage,
        temporal_leakage,
    )
    from .paper.lfp import Subset
    from .paper.literal import LiteralLossFunction, literal_loss_function
    from .paper.loss import LossFunction, Piece, loss_function
    from .paper.supremum import Supremum, algorithm_6, control, largest_budget, leakage_at, steps_within, supremum
    from .paper.utility import COUNT_SENSITIVITY, group_privacy, laplace_scale, mean_noise
    from .surds import Surd
    from .worst_case.boundedness import Boundedness, boundedness
    from .worst_case.budgets import greatest_worst_case_budget
    from .worst_case.leakage import worst_case_leakage, worst_case_supremum
    from .worst_case.profile_answers import Profile, WorstAlpha, WorstDelta
    from .worst_case.profile_budgets import ApproximateBudget, ConcentratedBudget, GaussianBudget, PrivacyBudget
    from .worst_case.windows import worst_case_composition
    from .worst_case.worst_profile import TwoSidedProfile, WorstProfile

_HOMES = {
    ".correlations": (
        "TransitionMatrix check_initial divided_by_row_sums exact_row exact_rows reverse smooth stationary strongest"
    ),
    ".decimals": "Enclosure",
    ".errors": (
        "InfeasibleBudget InvalidLevel InvalidNumber InvalidRequest NegativeProbability NotSquare "
        "NotStochastic NotUnique OracleError Undecided UnreachableState"
    ),
    ".estimation": "TransitionCounts count_transitions",
    ".levels": "INFINITE ZERO Budget Level",
    ".notation": "parse_level",
    ".numbers": "parse_number",
    ".paper.accountant": "Accountant",
    ".paper.algorithm_1": "algorithm_1",
    ".paper.algorithms_2_3": "PairFunction algorithm_2 algorithm_3",
    ".paper.algorithms_4_5": "SubFunction algorithm_4 algorithm_5",
    ".paper.allocation": "Budgets algorithm_7 algorithm_8 budgets common_budgets verify_attained",
    ".paper.composition": "Guarantee composition first_failure guarantee independent",
    ".paper.horizons": "greatest_schedule",
    ".paper.leakage": (
        "Adversary Leakage Maximum PopulationLeakage backward_leakage forward_leakage leakage maximum "
        "population_leakage temporal_leakage"
    ),
    ".paper.lfp": "Subset",
    ".paper.literal": "LiteralLossFunction literal_loss_function",
    ".paper.loss": "LossFunction Piece loss_function",
    ".paper.supremum": "Supremum algorithm_6 control largest_budget leakage_at steps_within supremum",
    ".paper.utility": "COUNT_SENSITIVITY group_privacy laplace_scale mean_noise",
    ".surds": "Surd",
    ".worst_case.boundedness": "Boundedness boundedness",
    ".worst_case.budgets": "greatest_worst_case_budget",
    ".worst_case.leakage": "worst_case_leakage worst_case_supremum",
    ".worst_case.profile_answers": "Profile WorstAlpha WorstDelta",
    ".worst_case.profile_budgets": "ApproximateBudget ConcentratedBudget GaussianBudget PrivacyBudget",
    ".worst_case.windows": "worst_case_composition",
    ".worst_case.worst_profile": "TwoSidedProfile WorstProfile",
}
"""The names of each module."""

__all__ = [
    "COUNT_SENSITIVITY",
    "INFINITE",
    "ZERO",
    "Accountant",
    "Adversary",
    "ApproximateBudget",
    "Boundedness",
    "Budget",
    "Budgets",
    "ConcentratedBudget",
    "Enclosure",
    "GaussianBudget",
    "Guarantee",
    "InfeasibleBudget",
    "InvalidLevel",
    "InvalidNumber",
    "InvalidRequest",
    "Leakage",
    "Level",
    "LiteralLossFunction",
    "LossFunction",
    "Maximum",
    "NegativeProbability",
    "NotSquare",
    "NotStochastic",
    "NotUnique",
    "OracleError",
    "PairFunction",
    "Piece",
    "PopulationLeakage",
    "PrivacyBudget",
    "Profile",
    "SubFunction",
    "Subset",
    "Supremum",
    "Surd",
    "TransitionCounts",
    "TransitionMatrix",
    "TwoSidedProfile",
    "Undecided",
    "UnreachableState",
    "WorstAlpha",
    "WorstDelta",
    "WorstProfile",
    "algorithm_1",
    "algorithm_2",
    "algorithm_3",
    "algorithm_4",
    "algorithm_5",
    "algorithm_6",
    "algorithm_7",
    "algorithm_8",
    "backward_leakage",
    "boundedness",
    "budgets",
    "check_initial",
    "common_budgets",
    "composition",
    "control",
    "count_transitions",
    "divided_by_row_sums",
    "exact_row",
    "exact_rows",
    "first_failure",
    "forward_leakage",
    "greatest_schedule",
    "greatest_worst_case_budget",
    "group_privacy",
    "guarantee",
    "independent",
    "laplace_scale",
    "largest_budget",
    "leakage",
    "leakage_at",
    "literal_loss_function",
    "loss_function",
    "maximum",
    "mean_noise",
    "parse_level",
    "parse_number",
    "population_leakage",
    "reverse",
    "smooth",
    "stationary",
    "steps_within",
    "strongest",
    "supremum",
    "temporal_leakage",
    "verify_attained",
    "worst_case_composition",
    "worst_case_leakage",
    "worst_case_supremum",
]

_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}

if not TYPE_CHECKING:  # a type checker would take any name for an attribute

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name], __name__), name)

    def __dir__() -> list[str]:
        return sorted(__all__)
