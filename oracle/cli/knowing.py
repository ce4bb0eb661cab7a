"""`--knowing`: an adversary who knows some of this person's values, at named times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data.adversaries import state_names
from ..data.files import Files
from ..models.given_values import Knowing
from ..reference import Adversary, InvalidRequest
from ..reference.paper.leakage import matrices_of
from .declared import option
from .options import Correlations

knowing_option: Any = option(
    metavar="TIME=VALUE",
    help="Assume that the adversary knows this value, named or numbered, as in 5=home; repeatable.",
)


def knowing_of(
    texts: Sequence[str], adversaries: Mapping[str, Adversary], correlations: Correlations, files: Files
) -> Knowing | None:
    """Return what is known of this person, None for nothing. Raises: InvalidRequest."""
    if not texts:
        return None
    sizes = {matrix.n for adversary in adversaries.values() for matrix in matrices_of(adversary) if matrix is not None}
    if len(sizes) != 1:
        raise InvalidRequest("--knowing needs a chain: give matrices of one size")
    given = []
    for text in texts:
        time, mark, name = (part.strip() for part in text.partition("="))
        if not mark or not (time.isascii() and time.isdigit() and len(time) < 10 and int(time) > 0):
            raise InvalidRequest(f"--knowing: {text!r} is not TIME=VALUE with a time from 1, as in 5=home")
        given.append((int(time), name))
    return Knowing.of(given, state_names(files, [*correlations.backward, *correlations.forward], *sizes))
