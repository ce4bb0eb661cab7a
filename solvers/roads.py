"""All roads to one number, side by side: L(α) of a matrix, and the optimum of one pair of rows.

An exact road calls code of this package. A linear-programming road solves one program per ordered pair of rows in a
worker process, reads off the active sets, and has an answer as far as these are certified. A road that is to be added
is one call: `add_road(exact_road("name", function))`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from time import perf_counter

from ..reference.correlations import TransitionMatrix
from ..reference.errors import InvalidRequest, Undecided
from ..reference.levels import ZERO, Level
from ..reference.lfp import Subset, greatest, subset
from ..reference.loss import Progress, loss_function
from ..reference.polynomial import algorithm_1, optimum
from ..reference.precomputation import algorithm_2, algorithm_3
from .answers import BROKEN, UNDECIDED, Answer, Pair, Road, Standing, distance_in_digits, truth
from .charnes_cooper import compact, literal
from .enumeration import enumerated_loss, subsets
from .isolation import SolverWorker
from .lp_road import Build, lp_road

ENUMERATED_STATES = 8
"""The most states for which the road of enumeration is taken."""

ROADS: dict[str, Road] = {}
"""The roads by name, in the order in which they are shown."""


def add_road(road: Road) -> None:
    """Add a road to those side by side. Raises: ValueError for a name that is taken."""
    if road.name in ROADS:
        raise ValueError(f"there is a road {road.name!r} already")
    ROADS[road.name] = road


def solve_matrix(
    name: str, matrix: TransitionMatrix, alpha: Level, worker: SolverWorker, progress: Progress | None = None
) -> Answer:
    """Take one road to L(alpha). Never raises for what a road does. Raises: KeyError for an unknown name."""
    road = ROADS[name]
    return _timed(name, lambda: road.of_matrix(matrix, alpha, worker, progress))


def solve_pair(name: str, matrix: TransitionMatrix, pair: Pair, alpha: Level, worker: SolverWorker) -> Answer:
    """Take one road to the optimum of the pair (q, d) of rows, counted from 0. As `solve_matrix`."""
    of_pair = ROADS[name].of_pair
    if of_pair is None:
        return Answer(name, "skipped", note="this road is for a whole matrix")
    return _timed(name, lambda: of_pair(matrix, pair, alpha, worker))


def side_by_side(
    matrix: TransitionMatrix,
    alpha: Level,
    names: Iterable[str],
    worker: SolverWorker,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Answer, ...]:
    """Take these roads to L(alpha), one after the other.

    Args: progress, called with a road's name, the pairs done and all pairs.
    Returns: an answer per road, with its distance from the first level that a road stands by.
    Raises: as `solve_matrix`.
    """
    answers = [
        solve_matrix(name, matrix, alpha, worker, partial(progress, name) if progress else None) for name in names
    ]
    known = truth(answers)
    if known is None:
        return tuple(answers)
    return tuple(replace(answer, digits=distance_in_digits(answer.value, known)) for answer in answers)


def _timed(name: str, take: Callable[[], Answer]) -> Answer:
    start = perf_counter()
    try:
        answer = take()
    except Undecided as error:
        answer = Answer(name, UNDECIDED, note=str(error))
    except InvalidRequest as error:
        answer = Answer(name, "skipped", note=str(error))
    except ImportError as error:
        answer = Answer(name, "skipped", note=f"the package {error.name} is not installed")
    except Exception as error:  # noqa: BLE001 -- a road that breaks down is named, and the others go on
        answer = Answer(name, BROKEN, note=f"{type(error).__name__}: {error}")
    return replace(answer, seconds=perf_counter() - start)


# Exact roads


def exact_road(
    name: str,
    loss: Callable[[TransitionMatrix, Level], Level],
    pair: Callable[[TransitionMatrix, int, int, Level], Subset] | None = None,
) -> Road:
    """Make a road of exact functions.

    Args: loss, L(alpha) of a matrix; pair, the optimal set of rows q and d. Either raises InvalidRequest where it does
    not apply, ImportError where a package is missing.
    """

    def of_matrix(matrix: TransitionMatrix, alpha: Level, _: SolverWorker, __: Progress | None) -> Answer:
        return Answer(name, "answered", loss(matrix, alpha), Standing.EXACT)

    if pair is None:
        return Road(name, of_matrix)

    def of_pair(matrix: TransitionMatrix, rows: Pair, alpha: Level, _: SolverWorker) -> Answer:
        return Answer(name, "answered", pair(matrix, *rows, alpha).value(alpha), Standing.EXACT)

    return Road(name, of_matrix, of_pair)


def _check_enumerable(matrix: TransitionMatrix) -> None:
    if matrix.n > ENUMERATED_STATES:
        raise InvalidRequest(f"enumeration is taken for at most {ENUMERATED_STATES} states, not {matrix.n}")


def _enumerated_loss(matrix: TransitionMatrix, alpha: Level) -> Level:
    _check_enumerable(matrix)
    return enumerated_loss(matrix, alpha).level


def _enumerated_pair(matrix: TransitionMatrix, row_q: int, row_d: int, alpha: Level) -> Subset:
    _check_enumerable(matrix)
    return greatest([subset(matrix, row_q, row_d, indices) for indices in subsets(matrix.n)], alpha)


def _precomputed_pair(matrix: TransitionMatrix, row_q: int, row_d: int, alpha: Level) -> Subset:
    functions = algorithm_2(matrix)
    return next(function for function in functions if (function.row_q, function.row_d) == (row_q, row_d)).at(alpha)


def _dinkelbach(matrix: TransitionMatrix, alpha: Level) -> Level:
    from .dinkelbach import fast_optimum

    return fast_optimum(matrix, alpha).value(alpha)


def _envelope(matrix: TransitionMatrix, alpha: Level) -> Level:
    from .envelope import fast_loss_function

    return fast_loss_function(matrix)(alpha)


def _add_own_roads() -> None:
    package = __package__
    assert package is not None
    add_road(exact_road("algorithm-1", lambda matrix, alpha: algorithm_1(matrix, alpha, ZERO), optimum))
    add_road(
        exact_road(
            "algorithm-3", lambda matrix, alpha: algorithm_3(algorithm_2(matrix), alpha, ZERO), _precomputed_pair
        )
    )
    add_road(exact_road("loss-function", lambda matrix, alpha: loss_function(matrix)(alpha)))
    add_road(exact_road("enumeration", _enumerated_loss, _enumerated_pair))
    add_road(exact_road("dinkelbach", _dinkelbach))
    add_road(exact_road("envelope", _envelope))
    forms: dict[str, Build] = {"literal": literal, "compact": compact}
    for form, build in forms.items():
        add_road(lp_road(f"cbc-{form}", build, f"{package}.pulp_cbc:solve", "."))
    for form, build in forms.items():
        add_road(lp_road(f"highs-{form}", build, f"{package}.highs:solve"))
    add_road(lp_road("z3", compact, f"{package}.z3_exact:solve", exact=True))


_add_own_roads()
