"""The paper, item by item, exact and literal: the specification against which everything else is tested.

Cao, Yoshikawa, Xiao, Xiong: Quantifying Differential Privacy in Continuous Data Release under Temporal
Correlations, TKDE 2018, arXiv:1711.11436. Indices count from 0, times from 1; levels are in nats.
"""

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
from .notation import parse_level, parse_number
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
from .worst_case.budgets import greatest_tight_budget
from .worst_case.leakage import tight_leakage, tight_supremum
from .worst_case.profile_answers import Profile, WorstAlpha, WorstDelta
from .worst_case.profile_budgets import ApproximateBudget, ConcentratedBudget, GaussianBudget, PrivacyBudget
from .worst_case.windows import tight_composition
from .worst_case.worst_profile import TwoSidedProfile, WorstProfile

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
    "greatest_tight_budget",
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
    "tight_composition",
    "tight_leakage",
    "tight_supremum",
    "verify_attained",
]
