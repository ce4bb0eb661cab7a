"""All methods for one number, side by side: L(α) of a matrix, and the optimum of one pair of rows.

An exact method calls code of this package. A linear-programming method solves one program per ordered pair of rows in a
worker process, reads off the active sets, and has an answer as far as these are certified. A method that is to be added
is one call: `add_method(exact_method("name", function))`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from time import perf_counter

from ...reference.correlations import TransitionMatrix
from ...reference.errors import InvalidRequest, Undecided
from ...reference.levels import ZERO, Level
from ...reference.paper.algorithm_1 import algorithm_1, optimum
from ...reference.paper.algorithms_2_3 import algorithm_2, algorithm_3
from ...reference.paper.lfp import Subset, greatest, subset
from ...reference.paper.literal import literal_loss_function
from ...reference.paper.loss import Progress, loss_function
from .charnes_cooper import compact, literal
from .enumeration import enumerated_loss, subsets
from .isolation import SolverWorker
from .lp_method import Build, lp_method
from .results import BROKEN, LEFT_UNDECIDED, Method, MethodResult, PairOfRows, Standing, distance_in_digits, truth

ENUMERATED_STATES = 8
GENERATED_STATES = 50
"""The most states for which enumeration is used, and for which Algorithm 4 generates L."""

METHODS: dict[str, Method] = {}
"""The methods by name, in the order in which they are shown."""


def add_method(method: Method) -> None:
    """Add a method to those side by side. Raises: ValueError for a name that is taken."""
    if method.name in METHODS:
        raise ValueError(f"there is a method {method.name!r} already")
    METHODS[method.name] = method


def solve_matrix(
    name: str, matrix: TransitionMatrix, alpha: Level, worker: SolverWorker, progress: Progress | None = None
) -> MethodResult:
    """Compute L(alpha) by one method. Never raises for what a method does. Raises: KeyError for an unknown name."""
    method = METHODS[name]
    return _timed(name, lambda: method.of_matrix(matrix, alpha, worker, progress))


def solve_pair(
    name: str, matrix: TransitionMatrix, pair: PairOfRows, alpha: Level, worker: SolverWorker
) -> MethodResult:
    """Compute by one method the optimum of the pair (q, d) of rows, counted from 0. As `solve_matrix`."""
    of_pair = METHODS[name].of_pair
    if of_pair is None:
        return MethodResult(name, "skipped", note="this method is for a whole matrix")
    return _timed(name, lambda: of_pair(matrix, pair, alpha, worker))


def side_by_side(
    matrix: TransitionMatrix,
    alpha: Level,
    names: Iterable[str],
    worker: SolverWorker,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[MethodResult, ...]:
    """Compute L(alpha) by these methods, one after the other.

    Args: progress, called with a method's name, the pairs done and all pairs.
    Returns: a result per method, with its distance from the first level that a method stands by.
    Raises: as `solve_matrix`.
    """
    answers = [
        solve_matrix(name, matrix, alpha, worker, partial(progress, name) if progress else None) for name in names
    ]
    known = truth(answers)
    if known is None:
        return tuple(answers)
    return tuple(replace(answer, digits=distance_in_digits(answer.value, known)) for answer in answers)


def _timed(name: str, take: Callable[[], MethodResult]) -> MethodResult:
    start = perf_counter()
    try:
        answer = take()
    except Undecided as error:
        answer = MethodResult(name, LEFT_UNDECIDED, note=str(error))
    except InvalidRequest as error:
        answer = MethodResult(name, "skipped", note=str(error))
    except ImportError as error:
        answer = MethodResult(name, "skipped", note=f"the package {error.name} is not installed")
    except Exception as error:  # noqa: BLE001 -- a method that breaks down is named, and the others go on
        answer = MethodResult(name, BROKEN, note=f"{type(error).__name__}: {error}")
    return replace(answer, seconds=perf_counter() - start)


# Exact methods


def exact_method(
    name: str,
    loss: Callable[[TransitionMatrix, Level], Level],
    pair: Callable[[TransitionMatrix, int, int, Level], Subset] | None = None,
) -> Method:
    """Make a method of exact functions.

    Args: loss, L(alpha) of a matrix; pair, the optimal set of rows q and d. Either raises InvalidRequest where it does
    not apply, ImportError where a package is missing.
    """

    def of_matrix(matrix: TransitionMatrix, alpha: Level, _: SolverWorker, __: Progress | None) -> MethodResult:
        return MethodResult(name, "answered", loss(matrix, alpha), Standing.EXACT)

    if pair is None:
        return Method(name, of_matrix)

    def of_pair(matrix: TransitionMatrix, rows: PairOfRows, alpha: Level, _: SolverWorker) -> MethodResult:
        return MethodResult(name, "answered", pair(matrix, *rows, alpha).value(alpha), Standing.EXACT)

    return Method(name, of_matrix, of_pair)


def _check_size(matrix: TransitionMatrix, most: int, what: str) -> None:
    if matrix.n > most:
        raise InvalidRequest(f"{what} is for at most {most} states, not {matrix.n}")


def _generated_loss(matrix: TransitionMatrix, alpha: Level) -> Level:
    _check_size(matrix, GENERATED_STATES, "Algorithm 4")
    return literal_loss_function(matrix)(alpha)


def _enumerated_loss(matrix: TransitionMatrix, alpha: Level) -> Level:
    _check_size(matrix, ENUMERATED_STATES, "enumeration")
    return enumerated_loss(matrix, alpha).level


def _enumerated_pair(matrix: TransitionMatrix, row_q: int, row_d: int, alpha: Level) -> Subset:
    _check_size(matrix, ENUMERATED_STATES, "enumeration")
    return greatest([subset(matrix, row_q, row_d, indices) for indices in subsets(matrix.n)], alpha)


def _precomputed_pair(matrix: TransitionMatrix, row_q: int, row_d: int, alpha: Level) -> Subset:
    functions = algorithm_2(matrix)
    return next(function for function in functions if (function.row_q, function.row_d) == (row_q, row_d)).at(alpha)


def _dinkelbach(matrix: TransitionMatrix, alpha: Level) -> Level:
    from ..loss.dinkelbach import fast_optimum

    return fast_optimum(matrix, alpha).value(alpha)


def _envelope(matrix: TransitionMatrix, alpha: Level) -> Level:
    from ..loss.envelope import fast_loss_function

    return fast_loss_function(matrix)(alpha)


def _add_own_methods() -> None:
    package = __package__
    assert package is not None
    add_method(exact_method("algorithm-1", lambda matrix, alpha: algorithm_1(matrix, alpha, ZERO), optimum))
    add_method(
        exact_method(
            "algorithm-3", lambda matrix, alpha: algorithm_3(algorithm_2(matrix), alpha, ZERO), _precomputed_pair
        )
    )
    add_method(exact_method("algorithm-5", _generated_loss))
    add_method(exact_method("hull", lambda matrix, alpha: loss_function(matrix)(alpha)))
    add_method(exact_method("enumeration", _enumerated_loss, _enumerated_pair))
    add_method(exact_method("dinkelbach", _dinkelbach))
    add_method(exact_method("envelope", _envelope))
    forms: dict[str, Build] = {"literal": literal, "compact": compact}
    for form, build in forms.items():
        add_method(lp_method(f"cbc-{form}", build, f"{package}.cbc:solve"))
    for form, build in forms.items():
        add_method(lp_method(f"highs-{form}", build, f"{package}.highs:solve"))
    add_method(lp_method("z3", compact, f"{package}.z3:solve", exact=True))


_add_own_methods()
