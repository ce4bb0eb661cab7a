"""How every other process is started: its path, environment, folder and descriptors; and how it ended.

No process that is started here imports from where this one stands. One of ours has the path of this process, an
environment that is chosen, and no descriptor but those it is given; a program of others has the environment as it is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum

_PROGRAM = "import sys; sys.path[:] = {path!r}; from {module} import {name}; {name}()"

_KEPT = {
    "APPDATA", "COMSPEC", "CONDA_PREFIX", "HOME", "LANG", "LANGUAGE", "LOCALAPPDATA", "LOGNAME", "PATH", "PATHEXT",
    "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONHOME", "PYTHONUTF8", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR",
    "TZ", "USER", "USERPROFILE", "VIRTUAL_ENV", "WINDIR", "XDG_CACHE_HOME",
}  # fmt: skip
_KEPT_STARTS = ("DYLD_", "LC_", "LD_", "MKL_", "NUMBA_", "OMP_", "OPENBLAS_", "TPLORACLE_")

NO_MEMORY, REFUSED = 86, 87
"""Exit statuses of a process of ours whose memory ran out, and of one that was kept from what it may not do."""

_ENDED_FOR = {
    number: ending
    for names, ending in (
        (("SIGABRT", "SIGKILL"), "memory"),
        (("SIGXCPU",), "time"),
        (("SIGSYS", "SIGXFSZ"), "right"),
    )
    for name in names
    if (number := getattr(signal, name, None)) is not None
}


class Ending(Enum):
    """Why a process gave no answer."""

    CRASHED = "crashed"
    NOT_STARTED = "could not start"
    OUT_OF_MEMORY = "out of memory"
    OUT_OF_TIME = "out of time"
    REFUSED = "refused"


def how_it_ended(code: int) -> str:
    """Return the words for the return code of a process, as in "was ended by SIGSEGV"."""
    if code >= 0:
        return f"ended with exit status {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def ending(code: int | None) -> tuple[Ending, str]:
    """Return why a process of ours ended, and the words for it. Args: code, None where it has not ended.

    Libraries end a process by SIGABRT where memory runs out, the system by SIGKILL.
    """
    if code is None:
        return Ending.CRASHED, "stopped answering"
    if code == NO_MEMORY:
        return Ending.OUT_OF_MEMORY, "ran out of memory"
    if code == REFUSED:
        return Ending.REFUSED, "was refused what it may not do"
    match _ENDED_FOR.get(-code):
        case "memory":
            return Ending.OUT_OF_MEMORY, f"{how_it_ended(code)}, as where memory runs out"
        case "time":
            return Ending.OUT_OF_TIME, how_it_ended(code)
        case "right":
            return Ending.REFUSED, how_it_ended(code)
    return Ending.CRASHED, f"crashed: it {how_it_ended(code)}"


def own_environment() -> dict[str, str]:
    """Return the variables that a process of ours gets: none by which others say what it imports or executes."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_KEPT_STARTS)}
    return {**kept, "PYTHONSAFEPATH": "1"}


def own_command(module: str, name: str, *words: str) -> list[str]:
    """Return the command that calls a function of ours, by its module and name, with the path of this process.

    What editable installations add to the path is no folder, but a folder of that name could lie where this one stands.
    """
    entries = [entry for entry in sys.path if entry and not entry.endswith(".__path_hook__")]
    path = [os.path.abspath(entry) for entry in entries]  # noqa: PTH100 - links are not followed
    return [sys.executable, "-P", "-c", _PROGRAM.format(path=path, module=module, name=name), *words]


def launched(
    command: Sequence[str],
    stderr: int | None,
    *,
    environment: dict[str, str] | None = None,
    folder: str | None = None,
    descriptors: Sequence[int] = (),
    memory: int | None = None,
    is_spoken_to: bool = True,
) -> subprocess.Popen[bytes]:
    """Start a program as the leader of a session.

    Args: stderr, as `subprocess.Popen` takes it; environment, folder, those of this process where they are None;
    descriptors, the only ones it gets beside the standard ones; memory, the bytes that it may have, where the system
    can say and hold that; is_spoken_to, through pipes for its standard input and output, which are empty otherwise.
    Raises: OSError, ValueError where it cannot be started.
    """
    stream = subprocess.PIPE if is_spoken_to else subprocess.DEVNULL
    process: subprocess.Popen[bytes] = subprocess.Popen(
        list(command),
        stdin=stream,
        stdout=stream,
        stderr=stderr,
        cwd=folder,
        env=environment,
        pass_fds=descriptors,
        start_new_session=True,
    )
    if memory is not None:
        with suppress(ImportError, AttributeError, OSError, ValueError):
            import resource

            resource.prlimit(process.pid, resource.RLIMIT_AS, (memory, memory))
    return process
