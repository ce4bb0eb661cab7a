"""The paper, item by item, exact and literal: the specification against which everything else is tested.

Cao, Yoshikawa, Xiao, Xiong: Quantifying Differential Privacy in Continuous Data Release under Temporal
Correlations, TKDE 2018, arXiv:1711.11436. Indices count from 0, times from 1; levels are in nats.
Nothing is imported before it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .correlations import TransitionMatrix as TransitionMatrix
    from .correlations import check_initial as check_initial
    from .correlations import divided_by_row_sums as divided_by_row_sums
    from .correlations import exact_row as exact_row
    from .correlations import exact_rows as exact_rows
    from .correlations import reverse as reverse
    from .correlations import smooth as smooth
    from .correlations import stationary as stationary
    from .correlations import strongest as strongest
    from .decimals import Enclosure as Enclosure
    from .errors import InfeasibleBudget as InfeasibleBudget
    from .errors import InvalidLevel as InvalidLevel
    from .errors import InvalidNumber as InvalidNumber
    from .errors import InvalidRequest as InvalidRequest
    from .errors import NegativeProbability as NegativeProbability
    from .errors import NotSquare as NotSquare
    from .errors import NotStochastic as NotStochastic
    from .errors import NotUnique as NotUnique
    from .errors import OracleError as OracleError
    from .errors import Undecided as Undecided
    from .errors import UnreachableState as UnreachableState
    from .estimation import TransitionCounts as TransitionCounts
    from .estimation import count_transitions as count_transitions
    from .levels import INFINITE as INFINITE
    from .levels import ZERO as ZERO
    from .levels import Budget as Budget
    from .levels import Level as Level
    from .notation import parse_level as parse_level
    from .numbers import parse_number as parse_number
    from .paper.accountant import Accountant as Accountant
    from .paper.algorithm_1 import algorithm_1 as algorithm_1
    from .paper.algorithms_2_3 import PairFunction as PairFunction
    from .paper.algorithms_2_3 import algorithm_2 as algorithm_2
    from .paper.algorithms_2_3 import algorithm_3 as algorithm_3
    from .paper.algorithms_4_5 import SubFunction as SubFunction
    from .paper.algorithms_4_5 import algorithm_4 as algorithm_4
    from .paper.algorithms_4_5 import algorithm_5 as algorithm_5
    from .paper.allocation import Budgets as Budgets
    from .paper.allocation import algorithm_7 as algorithm_7
    from .paper.allocation import algorithm_8 as algorithm_8
    from .paper.allocation import budgets as budgets
    from .paper.allocation import common_budgets as common_budgets
    from .paper.allocation import verify_attained as verify_attained
    from .paper.composition import Guarantee as Guarantee
    from .paper.composition import composition as composition
    from .paper.composition import first_failure as first_failure
    from .paper.composition import guarantee as guarantee
    from .paper.composition import independent as independent
    from .paper.horizons import greatest_schedule as greatest_schedule
    from .paper.leakage import Adversary as Adversary
    from .paper.leakage import Leakage as Leakage
    from .paper.leakage import Maximum as Maximum
    from .paper.leakage import PopulationLeakage as PopulationLeakage
    from .paper.leakage import backward_leakage as backward_leakage
    from .paper.leakage import forward_leakage as forward_leakage
    from .paper.leakage import leakage as leakage
    from .paper.leakage import maximum as maximum
    from .paper.leakage import population_leakage as population_leakage
    from .paper.leakage import temporal_leakage as temporal_leakage
    from .paper.lfp import Subset as Subset
    from .paper.literal import LiteralLossFunction as LiteralLossFunction
    from .paper.literal import literal_loss_function as literal_loss_function
    from .paper.loss import LossFunction as LossFunction
    from .paper.loss import Piece as Piece
    from .paper.loss import loss_function as loss_function
    from .paper.supremum import Supremum as Supremum
    from .paper.supremum import algorithm_6 as algorithm_6
    from .paper.supremum import control as control
    from .paper.supremum import largest_budget as largest_budget
    from .paper.supremum import leakage_at as leakage_at
    from .paper.supremum import steps_within as steps_within
    from .paper.supremum import supremum as supremum
    from .paper.utility import COUNT_SENSITIVITY as COUNT_SENSITIVITY
    from .paper.utility import group_privacy as group_privacy
    from .paper.utility import laplace_scale as laplace_scale
    from .paper.utility import mean_noise as mean_noise
    from .surds import Surd as Surd
    from .worst_case.boundedness import Boundedness as Boundedness
    from .worst_case.boundedness import boundedness as boundedness
    from .worst_case.budgets import greatest_worst_case_budget as greatest_worst_case_budget
    from .worst_case.leakage import worst_case_leakage as worst_case_leakage
    from .worst_case.leakage import worst_case_supremum as worst_case_supremum
    from .worst_case.profile_answers import Profile as Profile
    from .worst_case.profile_answers import WorstAlpha as WorstAlpha
    from .worst_case.profile_answers import WorstDelta as WorstDelta
    from .worst_case.profile_budgets import ApproximateBudget as ApproximateBudget
    from .worst_case.profile_budgets import ConcentratedBudget as ConcentratedBudget
    from .worst_case.profile_budgets import GaussianBudget as GaussianBudget
    from .worst_case.profile_budgets import PrivacyBudget as PrivacyBudget
    from .worst_case.windows import worst_case_composition as worst_case_composition
    from .worst_case.worst_profile import TwoSidedProfile as TwoSidedProfile
    from .worst_case.worst_profile import WorstProfile as WorstProfile

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

_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = list(_MODULES)

if not TYPE_CHECKING:  # a type checker would take any name for an attribute

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name], __name__), name)

    def __dir__() -> list[str]:
        return sorted(__all__)
