"""Adversaries: which matrices a user's file has, for which roles they stand, and the loss functions of them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from ..contract.errors import placed
from ..contract.limits import MOST_ADVERSARIES, MOST_STATES, check_count
from ..contract.losses import loss_function_of
from ..models.chain import KnownPair
from ..reference import Adversary, LossFunction, TransitionMatrix
from ..reference.paper.leakage import Losses, check_sizes, each_loss
from ..reference.paper.loss import Progress
from ..reference.paper.own_steps import StepwiseAdversary
from ..reference.stepwise import KnownCorrelation, Stepwise, matrices_in
from ..wire.strict_json import Object
from .files import ROLES, STDIN, Files, named
from .matrices import AS_COUNTS

Known = Mapping[str, TransitionMatrix]
"""The matrices that an adversary knows, by role."""

Own = TypeVar("Own", bound=KnownCorrelation)
"""What an adversary knows of one role: one matrix for all steps, or else one for each."""

BOTH = "both"
"""The role of a file that is a user's backward and forward matrix at once."""


@dataclass(slots=True)
class UserMatrices(Generic[Own]):
    """Users by name, each with the matrices known of them by role; names of states; rows divided by their sums."""

    users: dict[str, Mapping[str, Own]] = field(default_factory=dict)
    states: dict[TransitionMatrix, tuple[str, ...]] = field(default_factory=dict)
    normalised: dict[str, list[int]] = field(default_factory=dict)


def adversaries_of(
    matrices: Mapping[str, Mapping[str, KnownCorrelation]], literal: bool = False, progress: Progress | None = None
) -> dict[str, Adversary]:
    """Build the adversaries; equal matrices share one loss function.

    Raises: InvalidRequest for too large a matrix, and naming who has matrices of different sizes.
    """
    for name, known in matrices.items():
        _check_sizes(name, known)
    losses: dict[TransitionMatrix, LossFunction] = {}
    for known in matrices.values():
        for matrix in (matrix for own in known.values() for matrix in matrices_in(own)):
            if matrix not in losses:
                losses[matrix] = loss_function_of(matrix, literal, progress)

    def knowing(known: Mapping[str, KnownCorrelation]) -> Adversary:
        found: list[Losses] = []
        for role in ROLES:
            own = known.get(role)
            if isinstance(own, Stepwise):
                found.append(Stepwise(tuple(losses[matrix] for matrix in own.each), own.repeats))
            else:
                found.append(None if own is None else losses[own])
        backward, forward = found
        if isinstance(backward, Stepwise) or isinstance(forward, Stepwise):
            return StepwiseAdversary(backward, forward)
        return Adversary(backward, forward)

    return {name: knowing(known) for name, known in matrices.items()}


def pairs_at_delta(known: Mapping[str, Mapping[str, KnownCorrelation]]) -> dict[str, KnownPair]:
    """Return what each adversary knows, by name, for answers at a δ.

    Raises: InvalidRequest for too large a matrix or too many adversaries, and naming who has matrices of different
    sizes.
    """
    for name, own in known.items():
        check_count(_check_sizes(name, own), MOST_STATES, "states")
    check_count(len(known), MOST_ADVERSARIES, "adversaries")
    backward, forward = ROLES
    return {name: (own.get(backward), own.get(forward)) for name, own in known.items()}


def _check_sizes(name: str, known: Mapping[str, KnownCorrelation]) -> int:
    """Return the number of states, 0 where no correlation is known. Raises: InvalidRequest for two of them."""
    first, second = (next(iter(matrices_in(known.get(role))), None) for role in ROLES)
    with placed(name):
        check_sizes(first, second)
    return max((matrix.n for matrix in (first, second) if matrix is not None), default=0)


def losses_of(adversaries: Mapping[str, Adversary]) -> list[LossFunction]:
    """Return the distinct loss functions of the adversaries."""
    found: dict[int, LossFunction] = {}
    for adversary in adversaries.values():
        for loss in adversary.losses:
            found |= {id(own): own for own in each_loss(loss)}
    return list(found.values())


def user_matrices(
    files: Files,
    paths: Sequence[str],
    role: str | None,
    read: Callable[[str, str], Own],
    of_counts: Sequence[str] = ROLES,
) -> UserMatrices[Own]:
    """Read each file as one user's.

    Args: role, what every file stands for: "backward", "forward" or BOTH. None: the roles `of_counts` where a file has
    counts, both where it has both matrices, the one that it names where it names one, and backward for a bare matrix.
    read, from these files, one role: `files.matrix`, or `files.correlation`.
    Returns: the users, named by their files, with the folders where that is needed. Raises: as `Files.matrix`.
    """
    check_count(len(paths), MOST_ADVERSARIES, "users")
    found = UserMatrices[Own]()
    files_alone = ["standard input" if path == STDIN else Path(path).name or path for path in paths]
    for number, (path, alone) in enumerate(zip(paths, files_alone, strict=True), 1):
        name = alone if files_alone.count(alone) == 1 else path if paths.count(path) == 1 else f"{path} ({number})"
        content = _object(files, path)
        is_counted = files.entries == AS_COUNTS or "counts" in content
        roles = ROLES if is_counted else _roles(content)
        wanted = ROLES if role == BOTH else (role,) if role else of_counts if is_counted else roles or ROLES[:1]
        matrices: dict[str, Own] = {}
        for each in wanted:
            if matrices and not roles:
                matrices[each] = next(iter(matrices.values()))
                continue
            files.normalised.pop(path, None)
            matrices[each] = read(path, each)
            if rows := files.normalised.get(path):
                found.normalised[f"{name}, {each}" if roles else name] = rows
            names = files.states.get(path, ())
            found.states |= {matrix: names for matrix in matrices_in(matrices[each]) if len(names) == matrix.n}
        found.users[name] = matrices
    return found


def state_names(files: Files, paths: Sequence[str], n: int) -> tuple[str, ...]:
    """Return the names of n states, from the first of these files that was read and has them; else their numbers."""
    found = next((names for path in paths if len(names := files.states.get(path, ())) == n), ())
    return found or tuple(str(number) for number in range(1, n + 1))


def _object(files: Files, path: str) -> Object:
    """Return a file's JSON object; empty where it is something else."""
    with named(path):
        value = files.json(path)
    return value if isinstance(value, dict) else {}


def _roles(content: Object) -> tuple[str, ...]:
    """Return the roles that a file of matrices speaks of; none for a bare matrix."""
    return () if "matrix" in content else tuple(role for role in ROLES if role in content)
