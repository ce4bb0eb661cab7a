"""Ports of the paper that others have published, on the contract's wire: none of their code is here.

    tploracle conform --lenient -- python ports.py TPL_converted FOLDER thm
    tploracle conform --lenient -- python ports.py QDP_CEDP FOLDER

FOLDER is a checkout of github.com/Arnord/TPL_converted (L by thm, precomp or func) or m4jidRafiei/QDP_CEDP.
docs/implementations.md has what was found. What they import for other work than this is replaced by empty modules.
"""

import importlib
import sys
import types
from itertools import accumulate

import numpy as np
import pandas as pd

from tploracle.adapter import serve_object

UNUSED = {
    "TPL_converted": ("gurobipy", "cplex", "colorama"),
    "QDP_CEDP": ("pm4py", *(f"pm4py.{name}" for name in (
        "objects.log.importer.xes", "algo.discovery.transition_system", "visualization.transition_system"))),
}  # fmt: skip
"""What the ports import for linear programs, colours, event logs and pictures."""


class Unused(types.ModuleType):
    """A module that has every name."""

    __path__ = ()

    def __getattr__(self, name):
        """Return something that may be called, with anything."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_options: None


class Converted:
    """TPL_converted: L by one of its three functions, and the supremum."""

    operations = ("loss", "leakage", "supremum")

    def __init__(self, way):
        """Take what computes L: thm, precomp or func."""
        importlib.import_module("tools")  # first: others import it, and it them
        names = ("calcPLbyThm", "calcPLbyPreComp", "calcPLbyFunc", "genLFunc", "preCompQDMatrix", "findSup")
        self.way, self.of = way, {name: getattr(importlib.import_module(name), name) for name in names}

    def loss(self, matrix, alpha):
        """Return L(α)."""
        if len(matrix) < 2:
            return 0.0
        if self.way == "thm":
            return float(self.of["calcPLbyThm"](matrix, alpha)[0])
        steps, qs, ds, *_ = self.of["preCompQDMatrix"](matrix)
        if self.way == "precomp":
            return float(self.of["calcPLbyPreComp"](alpha, steps, qs, ds)[0])
        return float(self.of["calcPLbyFunc"](alpha, *self.of["genLFunc"](0, alpha, steps, qs, ds))[0])

    def supremum(self, matrix, epsilon):
        """Return the supremum, by all transition points."""
        if len(matrix) < 2:
            return epsilon
        _, qs, ds, chosen = self.of["preCompQDMatrix"](matrix)
        return float(self.of["findSup"](matrix, epsilon, qs, ds, chosen)[0])

    def leakage(self, epsilons, backward=None, forward=None):
        """Return BPL, FPL and TPL."""
        bpl, fpl = self._chained(epsilons, backward), self._chained(epsilons[::-1], forward)[::-1]
        return {"bpl": bpl, "fpl": fpl, "tpl": [b + f - e for b, f, e in zip(bpl, fpl, epsilons, strict=True)]}

    def _chained(self, epsilons, matrix):
        if matrix is None:
            return list(epsilons)
        return list(accumulate(epsilons, lambda before, epsilon: self.loss(matrix, before) + epsilon))


class EventLogs(Converted):
    """QDP_CEDP: L of a matrix without zeros in mind, by Algorithm 1."""

    operations = ("loss", "leakage")

    def __init__(self):
        """Take the class that has it."""
        self.port = importlib.import_module("pm_cedp_qdp.qdp").QDP()

    def loss(self, matrix, alpha):
        """Return the leakage with a budget of 0."""
        return float(self.port.commulative_leakage_calc_matrix(None, pd.DataFrame(matrix), 0.0, alpha))


def main(port, folder, way=""):
    """Put a port on the wire."""
    sys.path.insert(0, folder)
    sys.modules.update({name: Unused(name) for name in UNUSED[port]})
    np.seterr(all="ignore")
    served = EventLogs() if port == "QDP_CEDP" else Converted(way)
    served.name = " ".join((port, way)).strip()
    served.domain = {"states": 20, "releases": 50, "level": "30"}
    serve_object(served)


if __name__ == "__main__":
    main(*sys.argv[1:])
