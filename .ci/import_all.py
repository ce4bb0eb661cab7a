"""Import the named packages and every module under them; refuse one from outside this environment."""

import importlib
import importlib.util
import pkgutil
import sys
from pathlib import Path

COMPILED = "tploracle.solvers.batch.compiled."
"""What imports numba at once, and is imported only where it is there."""


def import_all(name: str) -> int:
    """Import the package `name` and all below it; return how many modules that were."""
    package = importlib.import_module(name)
    location = Path(package.__file__ or "").resolve()
    if not location.is_relative_to(Path(sys.prefix).resolve()):
        sys.exit(f"{name} comes from {location}, outside {sys.prefix}")
    has_numba = importlib.util.find_spec("numba") is not None
    below = [module.name for module in pkgutil.walk_packages(package.__path__, f"{name}.")]
    for module in below:
        if has_numba or not module.startswith(COMPILED):
            importlib.import_module(module)
    return 1 + len(below)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(f"{argument}: {import_all(argument)} modules imported")
