"""tploracle: the correctness oracle for temporal privacy leakage.

The names below are the public Python API: exact, and by the quickest exact method for the size. `tploracle.reference`
has the paper item by item. Nothing is imported before it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING
from warnings import warn

if TYPE_CHECKING:
    from .api import StreamAccountant as Accountant
    from .api import (
        adversary,
        budgets,
        common_budgets,
        composition,
        control,
        first_failure,
        group_privacy,
        guarantee,
        laplace_scale,
        largest_budget,
        leakage_at,
        level,
        loss,
        loss_function,
        mean_noise,
        paper_bound_leakage,
        paper_bound_supremum,
        population_leakage,
        profile,
        profile_budget,
        profile_supremum,
        reverse,
        smooth,
        stationary,
        steps_within,
        worst_case_budget,
        worst_case_leakage,
        worst_case_supremum,
    )
    from .data.frames import transition_counts, transition_matrix
    from .data.logs import LogColumns
    from .data.posterior import drawn_counts
    from .data.sequences import count_transitions
    from .data.visit_counts import count_visits
    from .models.library_budgets import from_dp_accounting, from_opendp
    from .reference import (
        INFINITE,
        ZERO,
        Adversary,
        Budget,
        Budgets,
        ConcentratedBudget,
        Enclosure,
        GaussianBudget,
        Guarantee,
        InfeasibleBudget,
        InvalidLevel,
        InvalidNumber,
        InvalidRequest,
        Leakage,
        Level,
        LossFunction,
        Maximum,
        NegativeProbability,
        NotSquare,
        NotStochastic,
        NotUnique,
        OracleError,
        Piece,
        PopulationLeakage,
        Supremum,
        TransitionCounts,
        TransitionMatrix,
        Undecided,
        UnreachableState,
        parse_level,
        parse_number,
        strongest,
    )
    from .stream import PrivacyAccountant, Stream
    from .stream_laws import LawStream

__version__ = "0.1.0"

_ELSEWHERE = {
    **dict.fromkeys(("transition_counts", "transition_matrix"), ".data.frames"),
    "LogColumns": ".data.logs",
    "count_visits": ".data.visit_counts",
    **dict.fromkeys(("from_dp_accounting", "from_opendp"), ".models.library_budgets"),
    **dict.fromkeys(("PrivacyAccountant", "Stream"), ".stream"),
    "LawStream": ".stream_laws",
    "drawn_counts": ".data.posterior",
    "Accountant": ".api",
    "count_transitions": ".data.sequences",
    **dict.fromkeys(("parse_level", "parse_number"), ".reference"),
    "strongest": ".reference",
}
"""The modules of names; all other functions are of `tploracle.api`, and all other types of `tploracle.reference`."""

_RENAMED = {"Accountant": "StreamAccountant"}

_FORMER = {"leakage": "paper_bound_leakage", "supremum": "paper_bound_supremum"}
"""Former names, which on the command line are those of both models' answers."""

__all__ = [
    "INFINITE",
    "ZERO",
    "Accountant",
    "Adversary",
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
    "LawStream",
    "Leakage",
    "Level",
    "LogColumns",
    "LossFunction",
    "Maximum",
    "NegativeProbability",
    "NotSquare",
    "NotStochastic",
    "NotUnique",
    "OracleError",
    "Piece",
    "PopulationLeakage",
    "PrivacyAccountant",
    "Stream",
    "Supremum",
    "TransitionCounts",
    "TransitionMatrix",
    "Undecided",
    "UnreachableState",
    "adversary",
    "budgets",
    "common_budgets",
    "composition",
    "control",
    "count_transitions",
    "count_visits",
    "drawn_counts",
    "first_failure",
    "from_dp_accounting",
    "from_opendp",
    "group_privacy",
    "guarantee",
    "laplace_scale",
    "largest_budget",
    "leakage_at",
    "level",
    "loss",
    "loss_function",
    "mean_noise",
    "paper_bound_leakage",
    "paper_bound_supremum",
    "parse_level",
    "parse_number",
    "population_leakage",
    "profile",
    "profile_budget",
    "profile_supremum",
    "reverse",
    "smooth",
    "stationary",
    "steps_within",
    "strongest",
    "transition_counts",
    "transition_matrix",
    "worst_case_budget",
    "worst_case_leakage",
    "worst_case_supremum",
]


if not TYPE_CHECKING:  # a type checker would take any name for an attribute

    def __getattr__(name: str) -> object:
        if name in _FORMER:
            warn(
                f"tploracle.{name} is the paper's bound alone, {_FORMER[name]}; Stream answers by both models",
                DeprecationWarning,
                stacklevel=2,
            )
            name = _FORMER[name]
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = _ELSEWHERE.get(name, ".api" if name.islower() else ".reference")
        return getattr(import_module(module, __name__), _RENAMED.get(name, name))

    def __dir__() -> list[str]:
        return sorted({*__all__, "__version__"})
