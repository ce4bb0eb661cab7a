"""The paper, item by item, exact and literal: the specification that everything else is held to.

Cao, Yoshikawa, Xiao, Xiong: Quantifying Differential Privacy in Continuous Data Release under Temporal
Correlations, TKDE 2018, arXiv:1711.11436. Indices count from 0, times from 1; levels are in nats.
"""

from .accountant import Accountant
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
from .leakage import (
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
from .levels import INFINITE, ZERO, Level
from .lfp import Subset
from .loss import LossFunction, Piece, loss_function
from .notation import parse_level, parse_number
from .polynomial import algorithm_1
from .precomputation import PairFunction, algorithm_2, algorithm_3
from .sublinear import SubFunction, algorithm_4, algorithm_5
from .surds import Surd

__all__ = [
    "INFINITE",
    "ZERO",
    "Accountant",
    "Adversary",
    "Enclosure",
    "InvalidLevel",
    "InvalidNumber",
    "InvalidRequest",
    "Leakage",
    "Level",
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
    "SubFunction",
    "Subset",
    "Surd",
    "TransitionCounts",
    "TransitionMatrix",
    "Undecided",
    "UnreachableState",
    "algorithm_1",
    "algorithm_2",
    "algorithm_3",
    "algorithm_4",
    "algorithm_5",
    "backward_leakage",
    "check_initial",
    "count_transitions",
    "divided_by_row_sums",
    "exact_row",
    "exact_rows",
    "forward_leakage",
    "leakage",
    "loss_function",
    "maximum",
    "parse_level",
    "parse_number",
    "population_leakage",
    "reverse",
    "smooth",
    "stationary",
    "strongest",
    "temporal_leakage",
]
