"""How functions are compiled, and where the code of the kernel is kept between runs.

The kernel alone has a signature, and is compiled and kept whole; the functions that it calls are compiled into it.
numba notices a change of the kernel's own file alone, so the code is kept in a folder named by a digest of all files of
this package. A folder that cannot be written, or code in it that cannot be read, costs the time of compiling.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
from llvmlite import ir

if "numba" not in sys.modules:
    # Without yaml numba does not obey the .numba_config.yaml of the current folder, but warns.
    yaml = sys.modules.get("yaml")
    sys.modules["yaml"] = None  # type: ignore[assignment]
    with warnings.catch_warnings(action="ignore"):
        import numba
    del sys.modules["yaml"]
    if yaml is not None:
        sys.modules["yaml"] = yaml
    numba.core.config._config_fname = os.devnull

import numba
from numba.extending import intrinsic

_Function = TypeVar("_Function", bound=Callable[..., Any])

_njit: Any = numba.njit
_config: Any = numba.config

_STRICT = {"error_model": "numpy", "nogil": True, "fastmath": False}
"""Every operation is rounded as it is written: nothing is contracted, reassociated or left out."""


def strict(function: _Function) -> _Function:
    """Compile a function into those that call it, each operation as it is written."""
    return cast(_Function, _njit(**_STRICT)(function))


def contracted(function: _Function) -> _Function:
    """Compile a function whose sums may be taken in any order, and its products and sums fused."""
    return cast(_Function, _njit(**{**_STRICT, "fastmath": {"reassoc", "nsz", "contract"}})(function))


def _fused(_context: Any, _a: Any, _b: Any, _c: Any) -> Any:
    double = numba.types.float64

    def generated(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        kind = ir.DoubleType()
        own = builder.module.declare_intrinsic("llvm.fma", [kind], ir.FunctionType(kind, [kind] * 3))
        return builder.call(own, values)

    return double(double, double, double), generated


fma = cast(Callable[[float, float, float], float], intrinsic(_fused))
"""a·b + c, rounded once."""


def kept_in() -> Path | None:
    """Return the folder of the code: below $XDG_CACHE_HOME or ~/.cache, by a digest of the sources, or None."""
    told = sha256(f"{numba.__version__} {llvmlite.__version__}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        told.update(source.read_bytes())
    base: str | Path = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        base = Path(base).expanduser()
    except RuntimeError:
        return None
    return base / "tploracle" / f"kernel-{told.hexdigest()[:16]}"


def compile_kernel(function: _Function, signature: str | list[str]) -> _Function:
    """Return the kernel, compiled: from the folder of the code where it is there, else compiled and kept there."""
    folder = kept_in()
    if folder is not None and _is_own(folder):
        try:
            return _compiled(function, signature, folder)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with the code that is kept, it can be done without
            warnings.warn(f"{folder}: {error}: the kernel is compiled anew, and not kept", stacklevel=2)
    return _compiled(function, signature, None)


def _compiled(function: _Function, signature: str | list[str], folder: Path | None) -> _Function:
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder or "")  # read when the function is decorated
    try:
        return cast(_Function, _njit(signature, cache=folder is not None, **_STRICT)(function))
    finally:
        _config.CACHE_DIR = before


def _is_own(folder: Path) -> bool:
    """Whether the folder can be written, by its owner alone, who is this user, and whether all that is in it is his.

    What is kept is executed when it is read.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if hasattr(os, "geteuid"):
            found = [each.lstat() for each in (folder, *folder.iterdir())]
            if any(each.st_uid != os.geteuid() for each in found) or found[0].st_mode & 0o022 or folder.is_symlink():
                return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
