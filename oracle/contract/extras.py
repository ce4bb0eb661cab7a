"""Optional packages: whether they are there, and what to do where they are not."""

from __future__ import annotations

from importlib.util import find_spec

from ..reference import InvalidRequest


def installed(package: str) -> bool:
    """Return whether an optional package is there. It is looked for, not imported."""
    return find_spec(package) is not None


def need(what: str, extra: str, *packages: str, otherwise: str = "") -> None:
    """Raise InvalidRequest unless all the packages that `what` needs are there.

    Args: extra, which installs them; otherwise, an option that does without.
    """
    for package in packages:
        if not installed(package):
            instead = f", or {otherwise}" if otherwise else ""
            raise InvalidRequest(f"{what} needs {package}: pip install 'tploracle[{extra}]'{instead}")
