"""The contract's operations, an entry each: what is true of an operation stands here, and everything else reads it.

The wire, the Python adapter, the judge, the seeded cases, the strategies, the vectors, the JSON Schemas and the tables
of docs/wire.md go by the kinds of the keys and of the fields. An operation is added by an entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from ..reference import (
    ZERO,
    Adversary,
    InvalidRequest,
    Leakage,
    Level,
    LossFunction,
    Subset,
    Supremum,
    TransitionCounts,
    TransitionMatrix,
    composition,
    control,
    count_transitions,
    leakage,
    reverse,
    smooth,
    strongest,
    supremum,
)
from ..reference.paper.leakage import Losses, each_loss
from ..reference.paper.own_steps import StepwiseAdversary
from ..reference.stepwise import KnownCorrelation
from .allocation import ALLOCATION_METHODS, AllocationTarget, allocated
from .entry import DOWN, UP, WHOLE, Computed, InputKey, InputKind, Operation, Side, ValueField, ValueKind
from .limits import (
    MOST_STATES,
    bounded_states,
    check_count,
    check_leakage,
    check_reversal,
    check_schedule,
    check_smoothed_counts,
    check_smoothing,
)
from .worst_case_operations import (
    profile_admit,
    profile_levels,
    profile_limits,
    worst_case_allocation,
    worst_case_allocation_admit,
    worst_case_limits,
    worst_case_supremum_value,
)

_MATRIX = InputKey("matrix", InputKind.LOSS, "the backward or the forward correlation")
_BACKWARD = InputKey(
    "backward", InputKind.LOSS, "transition probabilities from each state to the one before it", required=False
)
_FORWARD = InputKey(
    "forward", InputKind.LOSS, "transition probabilities from each state to the one after it", required=False
)
_KNOWN = tuple(replace(key, kind=InputKind.MATRIX) for key in (_BACKWARD, _FORWARD))
_LOSSES_OF_STEPS = tuple(replace(key, stepwise=True) for key in (_BACKWARD, _FORWARD))
_KNOWN_OF_STEPS = tuple(replace(key, stepwise=True) for key in _KNOWN)
_ALPHA = InputKey("alpha", InputKind.LEVEL, "the level at which L is evaluated", symbol="α", toward_safety=UP)
_EPSILON = InputKey("epsilon", InputKind.LEVEL, "the budget of every release", symbol="ε", toward_safety=UP)
_EPSILONS = InputKey(
    "epsilons", InputKind.LEVELS, "the budgets of the releases, in order of time", symbol="ε", toward_safety=UP
)

_TO_KEEP = replace(_ALPHA, sentence="the level that TPL must not exceed", toward_safety=DOWN)
_HORIZON = InputKey("horizon", InputKind.COUNT, "the number of releases", required=False)

_WITNESS = (ValueField("rows", ValueKind.ROWS, addition=True), ValueField("subset", ValueKind.COLUMNS, addition=True))

PIECE = (
    ValueField("q", ValueKind.NUMBER),
    ValueField("d", ValueKind.NUMBER),
    ValueField("from", ValueKind.EXACT_LEVEL),
    ValueField("to", ValueKind.EXACT_LEVEL),
    *_WITNESS,
)
"""The fields of a piece of a loss function."""

_STREAM = tuple(ValueField(name, ValueKind.LEVELS) for name in ("bpl", "fpl", "tpl"))
_LEVEL = ValueField(WHOLE, ValueKind.LEVEL)


def attained_loss(witness: Subset | None, alpha: Level) -> Computed:
    """Return the value of `loss`: L(alpha), and the set that attains it, None for the empty one."""
    return {WHOLE: witness.value(alpha) if witness else ZERO, "rows": witness, "subset": witness}


def attained_supremum(found: Supremum) -> Computed:
    """Return the value of `supremum`: the level, the coefficients that rule at it, and their witness."""
    return {WHOLE: found.level, "q": found.q, "d": found.d, "rows": found.witness, "subset": found.witness}


def leakage_over_time(found: Leakage) -> Computed:
    """Return the value of `leakage`."""
    return {"bpl": found.bpl, "fpl": found.fpl, "tpl": found.tpl}


def estimated_from(counts: TransitionCounts, smoothing: Fraction) -> Computed:
    """Return the value of `estimate`, from counts. Raises: InvalidRequest for too many states; UnreachableState."""
    check_smoothed_counts(len(counts.states), smoothing)
    return {
        "states": counts.states,
        "forward": counts.forward(smoothing),
        "backward": counts.backward(smoothing),
        "initial": counts.initial(),
    }


def _loss(matrix: LossFunction, alpha: Level) -> Computed:
    return attained_loss(matrix.piece_at(alpha).witness, alpha)


def _loss_function(matrix: LossFunction) -> Computed:
    return {"pieces": matrix.pieces}


def _stream_limits(
    digits: int,
    epsilons: Sequence[Level],
    backward: Losses = None,
    forward: Losses = None,
    **_window: int,
) -> None:
    check_leakage(epsilons, [*each_loss(backward), *each_loss(forward)], digits)


def _leakage(epsilons: Sequence[Level], backward: Losses = None, forward: Losses = None) -> Computed:
    return leakage_over_time(leakage(epsilons, StepwiseAdversary(backward, forward)))


def _worst_case_leakage(
    epsilons: Sequence[Level], backward: KnownCorrelation | None = None, forward: KnownCorrelation | None = None
) -> Computed:
    from ..checked import fast_worst_case_leakage  # brings numpy, which only some operations need

    return leakage_over_time(fast_worst_case_leakage(epsilons, backward, forward))


def _supremum(matrix: LossFunction, epsilon: Level) -> Computed:
    return attained_supremum(supremum(matrix, epsilon))


def _supremum_limits(digits: int, matrix: LossFunction, epsilon: Level) -> None:
    check_leakage([epsilon], [matrix], digits)


def _composition(
    epsilons: Sequence[Level],
    start: int,
    length: int,
    backward: Losses = None,
    forward: Losses = None,
) -> Computed:
    return {WHOLE: composition(leakage(epsilons, StepwiseAdversary(backward, forward)), epsilons, start, length)}


def _allocate(
    alpha: Level,
    method: str,
    horizon: int | None = None,
    backward: LossFunction | None = None,
    forward: LossFunction | None = None,
) -> Computed:
    return {"epsilons": allocated(AllocationTarget(alpha, method, horizon), Adversary(backward, forward))}


def _allocate_admit(alpha: Level, method: str, horizon: int | None = None) -> None:
    AllocationTarget(alpha, method, horizon)


def _allocate_limits(digits: int, horizon: int = 1, **_others: object) -> None:
    check_schedule(horizon, digits)


def _control(matrix: LossFunction, previous: Level, cap: Level) -> Computed:
    return {WHOLE: control(matrix, previous, cap)}


def _smooth(s: Fraction, n: int | None = None, matrix: TransitionMatrix | None = None) -> Computed:
    if matrix is None:
        assert n is not None, "the input has one of the two"
        matrix = strongest(n)
    return {"matrix": smooth(matrix, s)}


def _smooth_admit(s: Fraction, n: int = 1) -> None:
    if n < 1:
        raise InvalidRequest(f"n is at least 1, not {n}")
    check_count(n, MOST_STATES, "states")
    check_smoothing(n, s)


def _smooth_limits(_digits: int, s: Fraction, matrix: TransitionMatrix | None = None, **_size: int) -> None:
    if matrix is not None:
        check_smoothing(matrix.n, s, (entry for row in matrix.rows for entry in row))


def _reverse(forward: TransitionMatrix, initial: Sequence[Fraction]) -> Computed:
    return {"backward": reverse(forward, tuple(initial))}


def _reverse_limits(_digits: int, forward: TransitionMatrix, initial: Sequence[Fraction]) -> None:
    check_reversal(forward, initial)


def _estimate(sequences: list[list[str]], smoothing: Fraction) -> Computed:
    return estimated_from(count_transitions(bounded_states(sequences)), smoothing)


OPERATIONS: dict[str, Operation] = {
    "loss": Operation(
        "The temporal privacy loss L(α) at one level α.",
        keys=(_MATRIX, _ALPHA),
        returns=(_LEVEL, *_WITNESS),
        compute=_loss,
        side=Side.ABOVE,
    ),
    "loss_function": Operation(
        "The temporal privacy loss function L: its pieces in increasing order of α, each once, from α = 0 to α = ∞.",
        keys=(_MATRIX,),
        returns=(ValueField("pieces", ValueKind.PIECES),),
        compute=_loss_function,
        side=Side.ABOVE,
    ),
    "leakage": Operation(
        "Backward, forward and temporal privacy leakage (BPL, FPL, TPL) at each time, by the paper's bound.",
        keys=(*_LOSSES_OF_STEPS, _EPSILONS),
        returns=_STREAM,
        compute=_leakage,
        side=Side.ABOVE,
        limits=_stream_limits,
    ),
    "supremum": Operation(
        "The supremum over time of BPL (for a backward matrix) or FPL (for a forward one), by the paper's bound, with "
        "the same budget at every time.",
        keys=(_MATRIX, _EPSILON),
        returns=(
            _LEVEL,
            ValueField("q", ValueKind.NUMBER, addition=True),
            ValueField("d", ValueKind.NUMBER, addition=True),
            *_WITNESS,
        ),
        compute=_supremum,
        side=Side.ABOVE,
        limits=_supremum_limits,
    ),
    "composition": Operation(
        "The leakage of the releases in one window, taken together, by the paper's bound.",
        keys=(
            *_LOSSES_OF_STEPS,
            _EPSILONS,
            InputKey("start", InputKind.COUNT, "the first release of the window"),
            InputKey("length", InputKind.COUNT, "the number of releases in the window"),
        ),
        returns=(_LEVEL,),
        compute=_composition,
        side=Side.ABOVE,
        limits=_stream_limits,
    ),
    "allocate": Operation(
        "Budgets that keep TPL within a level at all times, by the paper's bound.",
        keys=(
            _BACKWARD,
            _FORWARD,
            _TO_KEEP,
            InputKey("method", InputKind.TEXT, "Algorithm 7 or Algorithm 8", choices=ALLOCATION_METHODS),
            _HORIZON,
        ),
        returns=(ValueField("epsilons", ValueKind.LEVELS),),
        compute=_allocate,
        side=Side.BELOW,
        own_errors=("InfeasibleBudget",),
        admit=_allocate_admit,
        limits=_allocate_limits,
    ),
    "control": Operation(
        "The budget of the next release that makes BPL equal to a cap, by the paper's bound.",
        keys=(
            _MATRIX,
            InputKey(
                "previous",
                InputKind.LEVEL,
                "BPL before the release; 0 if it is the first",
                symbol="α",
                toward_safety=UP,
            ),
            InputKey("cap", InputKind.LEVEL, "BPL after the release", symbol="α", toward_safety=DOWN),
        ),
        returns=(_LEVEL,),
        compute=_control,
        side=Side.BELOW,
        own_errors=("InfeasibleBudget",),
    ),
    "smooth": Operation(
        "A correlation made more uniform by Laplacian smoothing.",
        keys=(
            InputKey("n", InputKind.COUNT, "the size of the identity matrix to smooth", required=False),
            replace(_MATRIX, kind=InputKind.MATRIX, sentence="the correlation to smooth", required=False),
            InputKey("s", InputKind.NUMBER, "the amount added to each entry"),
        ),
        returns=(ValueField("matrix", ValueKind.MATRIX),),
        compute=_smooth,
        one_of=("n", "matrix"),
        admit=_smooth_admit,
        limits=_smooth_limits,
    ),
    "reverse": Operation(
        "The backward correlation, computed from the forward one by Bayes' rule.",
        keys=(
            replace(
                _FORWARD,
                kind=InputKind.MATRIX,
                sentence="transition probabilities from each state to the one after it",
                required=True,
            ),
            InputKey("initial", InputKind.DISTRIBUTION, "the distribution of the earlier state"),
        ),
        returns=(ValueField("backward", ValueKind.MATRIX),),
        compute=_reverse,
        own_errors=("UnreachableState",),
        limits=_reverse_limits,
    ),
    "estimate": Operation(
        "Both correlations and the initial distribution, estimated from counts of transitions.",
        keys=(
            InputKey("sequences", InputKind.SEQUENCES, "the sequences of states that are counted"),
            InputKey(
                "smoothing",
                InputKind.NUMBER,
                "the amount added to each count",
                required=False,
                default=Fraction(0),
                addition=True,
            ),
        ),
        returns=(
            ValueField("states", ValueKind.NAMES, addition=True),
            ValueField("forward", ValueKind.MATRIX),
            ValueField("backward", ValueKind.MATRIX),
            ValueField("initial", ValueKind.DISTRIBUTION),
        ),
        compute=_estimate,
        own_errors=("UnreachableState",),
    ),
    "worst_case_leakage": Operation(
        "BPL, FPL and TPL at each time in the exact worst case: the greatest over all mechanisms with these budgets, "
        "which some mechanism attains.",
        keys=(*_KNOWN_OF_STEPS, _EPSILONS),
        returns=_STREAM,
        compute=_worst_case_leakage,
        side=Side.ABOVE,
        limits=worst_case_limits,
    ),
    "worst_case_supremum": Operation(
        "The supremum over all horizons and times of TPL (with one correlation: of BPL or FPL) in the exact worst "
        "case, with the same budget at every time.",
        keys=(*_KNOWN, _EPSILON),
        returns=(_LEVEL,),
        compute=worst_case_supremum_value,
        side=Side.ABOVE,
        limits=worst_case_limits,
    ),
    "worst_case_allocate": Operation(
        "The greatest constant budget that keeps TPL within a level at all times in the exact worst case.",
        keys=(*_KNOWN, _TO_KEEP, _HORIZON),
        returns=(ValueField("epsilons", ValueKind.LEVELS),),
        compute=worst_case_allocation,
        side=Side.BELOW,
        own_errors=("InfeasibleBudget",),
        admit=worst_case_allocation_admit,
        limits=worst_case_limits,
    ),
    "leakage_profile": Operation(
        "For each time, the least α such that the value at that time is (α, δ)-protected in every stream of such "
        "releases; some stream attains it.",
        keys=(
            *_KNOWN,
            _EPSILON,
            replace(_HORIZON, required=True),
            InputKey("delta", InputKind.NUMBER, "the δ for which α is given, from 0 to 1"),
            InputKey(
                "delta_per_release", InputKind.NUMBER, "the δ of each release, from 0 to 1; 0 if absent", required=False
            ),
        ),
        returns=tuple(ValueField(name, ValueKind.LEVELS) for name in ("bpl", "fpl")),
        compute=profile_levels,
        side=Side.ABOVE,
        admit=profile_admit,
        limits=profile_limits,
    ),
}
"""The operations that exist so far, by the contract's names."""


def names_of(holds: Callable[[InputKind], bool]) -> tuple[str, ...]:
    """Return the names of the keys of such a kind, over all operations in order; a name has one kind in all of them."""
    return tuple(dict.fromkeys(key.name for one in OPERATIONS.values() for key in one.keys if holds(key.kind)))


def matrix_keys() -> tuple[str, ...]:
    """Return the names of all keys under which a matrix is written."""
    return names_of(lambda kind: kind.is_matrix)


def may_differ(op: str) -> bool:
    """Whether an operation takes a correlation with a matrix for each step."""
    return op in OPERATIONS and any(key.stepwise for key in OPERATIONS[op].keys)


def keys_of(kind: InputKind) -> tuple[str, ...]:
    """Return the names of all keys of this kind."""
    return names_of(lambda other: other is kind)
