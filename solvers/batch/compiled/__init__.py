"""What is compiled by numba (the extra `fast`): the numbers of a population of counts, and sweeps over one matrix.

Nothing here is imported unless it is asked for: `kernel` through `solvers.batch.enclosures`, `one_matrix` through
`solvers.loss.sweeps`. `compiling` compiles the first sums of the check from above too, `certificates.above_loss`.
"""

from functools import cache
from importlib.util import find_spec

LOADING = 1 << 30
"""Terms of sums that arrays take as much time for as loading what is compiled takes."""

_done = [0]


@cache
def has_compiled() -> bool:
    """Whether the extra `fast` is installed."""
    return find_spec("numba") is not None


def is_compiled_worth(terms: int) -> bool:
    """Whether what was summed so far, with the number of terms now, would have paid for loading what is compiled."""
    _done[0] += terms
    return _done[0] > LOADING and has_compiled()
