"""What is compiled by numba (the extra `fast`): the numbers of a population of counts, and sweeps over one matrix.

Nothing here is imported unless it is asked for: `kernel` through `solvers.batch.enclosures`, `one_matrix` through
`solvers.loss.sweeps`.
"""

from functools import cache
from importlib.util import find_spec


@cache
def has_compiled() -> bool:
    """Whether the extra `fast` is installed."""
    return find_spec("numba") is not None
