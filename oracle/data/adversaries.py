"""Who the adversaries are: one, a set of candidate correlations, or several users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from ..contract.limits import MOST_ADVERSARIES, check_count
from ..contract.losses import loss_function_of
from ..output.progress import patience
from ..reference import Adversary, InvalidRequest, LossFunction, TransitionMatrix
from .files import Files

Known = Mapping[str, TransitionMatrix]
"""The matrices that an adversary knows, by role."""


def candidates(
    files: Files, backward: Sequence[str], forward: Sequence[str], users: str | None
) -> dict[str, dict[str, TransitionMatrix]]:
    """Return the adversaries' matrices by name.

    Without users each file is a candidate for its role. As many backward as forward files are pairs, in order;
    otherwise every backward file is combined with every forward one. No file at all is one adversary who knows nothing.
    Raises: InvalidRequest, and the errors of the files.
    """
    if users is not None:
        if backward or forward:
            raise InvalidRequest("--users excludes --backward and --forward")
        known = files.users(users)
        if not known:
            raise InvalidRequest(f"{users}: there is no user")
        return known
    if len(backward) == len(forward):
        pairs = list(zip(backward, forward, strict=True))
    else:
        check_count((len(backward) or 1) * (len(forward) or 1), MOST_ADVERSARIES, "candidates")
        pairs = list(product(backward or [""], forward or [""]))
    matrices = {
        (role, path): files.matrix(path, role)
        for role, paths in (("backward", backward), ("forward", forward))
        for path in paths
    }
    named: dict[str, dict[str, TransitionMatrix]] = {}
    for pair in pairs or [("", "")]:
        named[" + ".join(path for path in pair if path) or "no correlation"] = {
            role: matrices[role, path] for role, path in zip(("backward", "forward"), pair, strict=True) if path
        }
    return named


def adversaries_of(matrices: Mapping[str, Known], literal: bool = False) -> dict[str, Adversary]:
    """Build the adversaries; equal matrices share one loss function. Raises: InvalidRequest for too large a matrix."""
    losses: dict[TransitionMatrix, LossFunction] = {}
    with patience("loss functions") as progress:
        for known in matrices.values():
            for matrix in known.values():
                if matrix not in losses:
                    losses[matrix] = loss_function_of(matrix, literal, progress)
    return {
        name: Adversary(*(losses[known[role]] if role in known else None for role in ("backward", "forward")))
        for name, known in matrices.items()
    }


def losses_of(adversaries: Mapping[str, Adversary]) -> list[LossFunction]:
    """Return the distinct loss functions of the adversaries."""
    found: dict[int, LossFunction] = {}
    for adversary in adversaries.values():
        for loss in (adversary.backward, adversary.forward):
            if loss is not None:
                found[id(loss)] = loss
    return list(found.values())
