r"""Data and an implementation to try the commands with, as they stand in the folder `examples/` of the repository.

>>> from tploracle.examples import read
>>> read("moderate").decode()
'0.8,0.2\n0,1\n'
"""

from importlib.resources import files

EXAMPLES = {
    "commuters": ("commuters/visits.csv", "A log of where 40 commuters were, hour by hour: user, time, zone."),
    "habits": ("commuters/habits.txt", "Sequences of states, a line each, that no chain of first order explains."),
    "msnbc": ("msnbc/counts.json", "Counts of transitions between the 17 page categories of MSNBC.com."),
    "none": ("paper/none.csv", "The paper's matrix without a temporal correlation, 2 × 2."),
    "moderate": ("paper/moderate.csv", "The paper's matrix of a moderate correlation, 2 × 2."),
    "strongest": ("paper/strongest.csv", "The paper's matrix of the strongest correlation, 2 × 2."),
    "ring": ("sparse/ring.npz", "A walk on a ring of 1,000 states, as scipy.sparse.save_npz writes it."),
    "usual-mistakes": ("implementations/usual_mistakes.py", "An implementation from the printed paper, in Python."),
}
"""The file of each example, below this folder, and what it holds."""


def read(name: str) -> bytes:
    """Return the bytes of an example. Raises: KeyError for a name that is not in `EXAMPLES`."""
    return files(__name__).joinpath(EXAMPLES[name][0]).read_bytes()
