"""Faults of the code that `verify` must notice: each is put in place, and the evidence of a claim must fail.

Beyond those that `make mutants` makes one by one of small parts, these are faults as people make them.
"""

import inspect
import textwrap

import pytest

from tploracle.certificates.checker import check
from tploracle.proofs_checks import trial
from tploracle.proofs_checks.claims.budgets_algorithms import _order_7
from tploracle.proofs_checks.register import look
from tploracle.reference.paper.allocation import Budgets, _ruling_piece
from tploracle.reference.paper.composition import composition, first_failure, guarantee, independent
from tploracle.reference.paper.leakage import apply, maximum
from tploracle.reference.paper.loss import LossFunction, _visible_hull
from tploracle.reference.paper.utility import laplace_scale, mean_noise
from tploracle.solvers.loss.bisection import bisected_algorithm_7

CLAIMS = {claim.id: claim for claim in trial.all_claims()}

FAULTS = {
    "allocation takes the first piece": (
        _ruling_piece, "bisect_left(own.pieces[:-1], True, key=reached)", "0", "algo:release2",
    ),
    "the hull's points sorted by q − d": (
        _visible_hull, "(point.d, -point.q)", "point.q - point.d", "col:L_func",
    ),
    "L(∞) is taken at a large level": (
        LossFunction.__call__, "piece = self.piece_at(alpha)",
        "alpha = Level.of(50) if alpha.is_infinite else alpha; piece = self.piece_at(alpha)", "col:L_func",
    ),
    "noise is not averaged": (mean_noise, "sensitivity / len(epsilons)", "sensitivity", "fig:ex_utility"),
    "a scale of ε": (laplace_scale, "mean_noise([epsilon], sensitivity, digits)",
        "epsilon.enclosure(digits)", "Theorem 1"),
    "a window of one release has both sides": (
        composition, "if length == 1", "if length == 0", "tb:composition",
    ),
    "independent releases leak the first budget": (
        independent, "total(epsilons[start - 1 : start - 1 + length])", "epsilons[start - 1]",
        "thm:sequential_composition",
    ),
    "the guarantee leaves the last window out": (
        guarantee, "len(epsilons) - length + 2", "max(2, len(epsilons) - length + 1)", "tb:composition",
    ),
    "a failure where the level is just met": (first_failure, "level > alpha", "level >= alpha", "def:DP"),
    "Algorithm 7 with the backward supremum twice": (
        _order_7, "sup_b + sup_f", "sup_b + sup_b", "algo:release1",
    ),
    "the reference's other method with the backward supremum twice": (
        bisected_algorithm_7, "sup_b + sup_f", "sup_b + sup_b", "algo:release1",
    ),
    "who does not know a correlation loses all the same": (
        apply, "ZERO if loss is None", "alpha if loss is None", "Section 3.2, P^B and FPL",
    ),
    "the least of a set of chains": (maximum, "if order > 0", "if order < 0", "Section 3.5, sets of matrices"),
    "a personal budget is another's": (
        Budgets.quantified, "self.last", "self.first", "Section 3.5, personal budgets",
    ),
    "a checker that accepts everything": (check, "examined(text, Spent(most_work), _KINDS)", "text[:1]",
        "eq:lfp_sol_b"),
}  # fmt: skip
"""For each fault: the function, a part of it, what stands in its place, and a claim that covers it."""


def put_in_place(monkeypatch, function, part, instead):
    """Exchange the code of a function, wherever it has been imported to."""
    source = textwrap.dedent(inspect.getsource(function))
    head, _, body = source.partition(":\n")
    assert part in body, f"{function.__qualname__} has no {part}"
    space = dict(vars(inspect.getmodule(function)))
    exec(head + ":\n" + body.replace(part, instead), space)
    monkeypatch.setattr(function, "__code__", space[function.__name__].__code__)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_noticed(monkeypatch, name):
    function, part, instead, claim = FAULTS[name]
    put_in_place(monkeypatch, function, part, instead)
    assert not all(look(piece).held for piece in CLAIMS[claim].evidence)
