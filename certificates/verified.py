"""The verified checker of certificates: the program that Rocq proved sound, run on a text.

`make proofs` builds it from proofs_checks/rocq: `Checker.check` with its theorem `Checker.check_sound`, as OCaml.
docs/certificates.md says what is trusted of each of the two checkers.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ..system.children import ChildSession
from ..system.launching import ending, own_environment
from .checker import MOST_WORK, NotDecided, Rejected

PROGRAM = Path(__file__).parents[1] / "build" / "verified" / "verified_checker"
"""Where `make proofs` puts it."""

VARIABLE = "TPLORACLE_VERIFIED_CHECKER"
"""The environment variable that names the program where it is elsewhere."""

_SECONDS_OF_WORK = 2e-9

_MOST_MEMORY = 4 << 30
"""Bytes that the program may have, of which OCaml reserves some that it does not use."""


class Unavailable(Exception):
    """The verified checker is not built here: where it would be, and what to do."""


def program() -> Path:
    """Return the path of the program. Raises: Unavailable."""
    path = Path(os.environ.get(VARIABLE) or PROGRAM)
    if not os.access(path, os.X_OK):
        raise Unavailable(f"there is no verified checker at {path}: run make proofs, or name the program in {VARIABLE}")
    return path


def check_verified(text: str, most_work: int = MOST_WORK) -> tuple[str, str]:
    """Return the kind of a certificate that holds, and in words the claim that was understood and is proved.

    Args: text, of the document; most_work, in units of 2 ns as in the other checker, here of time by the clock.
    Raises: Rejected with the first step that fails; NotDecided with the limit that is reached; Unavailable.
    """
    content, seconds = text.encode("utf-8", "surrogatepass"), max(1.0, most_work * _SECONDS_OF_WORK)
    command = [str(program().absolute()), "--seconds", f"{seconds:.3f}", "-"]
    try:
        started = ChildSession(
            command, subprocess.DEVNULL, environment=own_environment(), folder="/", memory=_MOST_MEMORY
        )
    except OSError as error:
        raise Unavailable(f"the verified checker {command[0]} could not start: {error.strerror}") from None
    with started.process as process:
        try:
            printed, _ = process.communicate(content, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise NotDecided(f"document: more than {seconds:.0f} seconds (--work)") from None
        finally:
            started.end()
    verdict, _, claim = printed.decode("utf-8", "replace").removeprefix("-: ").partition("\n  ")
    outcome, _, detail = verdict.strip().partition(", ")
    if (process.returncode, outcome) == (0, "accepted"):
        return detail, claim.rstrip("\n")
    if (process.returncode, outcome) == (1, "rejected"):
        raise Rejected(detail)
    _, how = ending(process.returncode)
    raise NotDecided(detail if outcome == "not decided" else f"document: the verified checker {how}")
