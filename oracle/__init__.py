"""tploracle: the correctness oracle for temporal privacy leakage.

The names below are the public Python API: exact, and by the quickest exact method for the size. `tploracle.reference`
has the paper item by item. Nothing is imported before it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING
from warnings import warn

if TYPE_CHECKING:
    from .api import StreamAccountant
    from .api import adversary as adversary
    from .api import budgets as budgets
    from .api import common_budgets as common_budgets
    from .api import composition as composition
    from .api import control as control
    from .api import first_failure as first_failure
    from .api import group_privacy as group_privacy
    from .api import guarantee as guarantee
    from .api import laplace_scale as laplace_scale
    from .api import largest_budget as largest_budget
    from .api import leakage_at as leakage_at
    from .api import level as level
    from .api import loss as loss
    from .api import loss_function as loss_function
    from .api import mean_noise as mean_noise
    from .api import paper_bound_leakage as paper_bound_leakage
    from .api import paper_bound_supremum as paper_bound_supremum
    from .api import population_leakage as population_leakage
    from .api import profile as profile
    from .api import profile_budget as profile_budget
    from .api import profile_supremum as profile_supremum
    from .api import reverse as reverse
    from .api import smooth as smooth
    from .api import stationary as stationary
    from .api import steps_within as steps_within
    from .api import worst_case_budget as worst_case_budget
    from .api import worst_case_leakage as worst_case_leakage
    from .api import worst_case_supremum as worst_case_supremum
    from .data.frames import transition_counts as transition_counts
    from .data.frames import transition_matrix as transition_matrix
    from .data.logs import LogColumns as LogColumns
    from .data.posterior import drawn_counts as drawn_counts
    from .data.sequences import count_transitions as count_transitions
    from .data.visit_counts import count_visits as count_visits
    from .models.library_budgets import from_dp_accounting as from_dp_accounting
    from .models.library_budgets import from_opendp as from_opendp
    from .reference import INFINITE as INFINITE
    from .reference import ZERO as ZERO
    from .reference import Adversary as Adversary
    from .reference import Budget as Budget
    from .reference import Budgets as Budgets
    from .reference import ConcentratedBudget as ConcentratedBudget
    from .reference import Enclosure as Enclosure
    from .reference import GaussianBudget as GaussianBudget
    from .reference import Guarantee as Guarantee
    from .reference import InfeasibleBudget as InfeasibleBudget
    from .reference import InvalidLevel as InvalidLevel
    from .reference import InvalidNumber as InvalidNumber
    from .reference import InvalidRequest as InvalidRequest
    from .reference import Leakage as Leakage
    from .reference import Level as Level
    from .reference import LossFunction as LossFunction
    from .reference import Maximum as Maximum
    from .reference import NegativeProbability as NegativeProbability
    from .reference import NotSquare as NotSquare
    from .reference import NotStochastic as NotStochastic
    from .reference import NotUnique as NotUnique
    from .reference import OracleError as OracleError
    from .reference import Piece as Piece
    from .reference import PopulationLeakage as PopulationLeakage
    from .reference import Supremum as Supremum
    from .reference import TransitionCounts as TransitionCounts
    from .reference import TransitionMatrix as TransitionMatrix
    from .reference import Undecided as Undecided
    from .reference import UnreachableState as UnreachableState
    from .reference import parse_level as parse_level
    from .reference import parse_number as parse_number
    from .reference import strongest as strongest
    from .stream import PrivacyAccountant as PrivacyAccountant
    from .stream import Stream as Stream
    from .stream_laws import LawStream as LawStream

    Accountant = StreamAccountant

__version__ = "0.1.0"

_HOMES = {
    ".api": (
        "Accountant adversary budgets common_budgets composition control first_failure group_privacy "
        "guarantee laplace_scale largest_budget leakage_at level loss loss_function mean_noise "
        "paper_bound_leakage paper_bound_supremum population_leakage profile profile_budget profile_supremum "
        "reverse smooth stationary steps_within worst_case_budget worst_case_leakage worst_case_supremum"
    ),
    ".data.frames": "transition_counts transition_matrix",
    ".data.logs": "LogColumns",
    ".data.posterior": "drawn_counts",
    ".data.sequences": "count_transitions",
    ".data.visit_counts": "count_visits",
    ".models.library_budgets": "from_dp_accounting from_opendp",
    ".reference": (
        "Adversary Budget Budgets ConcentratedBudget Enclosure GaussianBudget Guarantee INFINITE "
        "InfeasibleBudget InvalidLevel InvalidNumber InvalidRequest Leakage Level LossFunction Maximum "
        "NegativeProbability NotSquare NotStochastic NotUnique OracleError Piece PopulationLeakage Supremum "
        "TransitionCounts TransitionMatrix Undecided UnreachableState ZERO parse_level parse_number strongest"
    ),
    ".stream": "PrivacyAccountant Stream",
    ".stream_laws": "LawStream",
}
"""The names of each module."""

_RENAMED = {"Accountant": "StreamAccountant"}

_FORMER = {"leakage": "paper_bound_leakage", "supremum": "paper_bound_supremum"}
"""Former names, which on the command line are those of both models' answers."""

_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = list(_MODULES)

if not TYPE_CHECKING:  # a type checker would take any name for an attribute

    def __getattr__(name: str) -> object:
        if name in _FORMER:
            warn(
                f"tploracle.{name} is the paper's bound alone, {_FORMER[name]}; Stream answers by both models",
                DeprecationWarning,
                stacklevel=2,
            )
            name = _FORMER[name]
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name], __name__), _RENAMED.get(name, name))

    def __dir__() -> list[str]:
        return sorted({*__all__, "__version__"})
