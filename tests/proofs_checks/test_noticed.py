"""Faults of the code that `verify` must notice: each is put in place, and a piece of evidence must find otherwise.

`make mutants EVIDENCE=yes` makes small changes of all code; these are faults as people make them, one for each
definition, recursion and algorithm.
"""

import inspect
import textwrap

import pytest

from tploracle.proofs_checks import register, trial
from tploracle.proofs_checks.register import look
from tploracle.reference import correlations
from tploracle.reference.definitions import LiteralStream, leakage_by_definition
from tploracle.reference.paper import algorithms_4_5, allocation, composition, lfp, loss, supremum, utility
from tploracle.reference.paper.algorithm_1 import optimum
from tploracle.reference.paper.leakage import backward_leakage, population_leakage, temporal_leakage
from tploracle.reference.worst_case import sweep
from tploracle.reference.worst_case.leakage import Stretch, worst_case_leakage
from tploracle.reference.worst_case.mechanisms import Mechanism, greatest_ratio

PIECES = {piece.name: piece for piece in trial.all_evidence()}
PATHS, BUDGETS, SWEEP = (
    "leakage.definitions_over_paths", "leakage.recursions_with_their_budgets", "leakage.sweep_with_its_budgets",
)  # fmt: skip

FAULTS = (
    (Mechanism.privacy_leakage, "for r in self.outputs", "for r in self.outputs[1:]", PATHS),
    (greatest_ratio, "return INFINITE", "continue", PATHS),
    (LiteralStream.backward, "self.marginals[time - 2]", "self.initial", PATHS),
    (LiteralStream.tpl, "time, 1, len(self.mechanisms)", "time, time, len(self.mechanisms)", PATHS),
    (LiteralStream._past, "outputs[now - first]", "outputs[time - now]", PATHS),
    (leakage_by_definition, "mechanisms[time:][::-1]", "mechanisms[time:]", "leakage.definitions_one_matrix_each"),
    (correlations.reverse, "initial[j] * forward.rows[j][k]", "forward.rows[j][k]", "leakage.bayes"),
    (backward_leakage, "epsilons,", "epsilons[::-1],", BUDGETS),
    (temporal_leakage, "[*later, ZERO]", "[ZERO, *later]", BUDGETS),
    (composition.composition, "own.fpl[end - 1]", "own.tpl[end - 1]", BUDGETS),
    (population_leakage, "maximum(", "min(", "leakage.two_users"),
    (sweep.sweep, "sign(value) > 0", "sign(value) < 0", SWEEP),
    (Stretch.future, "self.epsilons[t + 1 :][::-1]", "self.epsilons[t + 1 :]", SWEEP),
    (worst_case_leakage, "permutations(releases.values(t), 2)", "[(0, 1)]", SWEEP),
    (lfp.satisfies_cond1, "> 0", ">= 0", "lfp.conditions_as_code"),
    (optimum, "update = kept != chosen", "update = False", "lfp.certified"),
    (algorithms_4_5._ends_at_or_after, "<= 0", ">= 0", BUDGETS),
    (loss._crossing, "second.q + first.d", "second.q - first.d", "supremum.pair_of_the_first_step"),
    (supremum.candidate, "<= 0", "< 0", "supremum.boundary_as_printed"),
    (supremum.supremum, "loss.pieces[:-1]", "loss.pieces[:1]", "supremum.figure_invariants"),
    (allocation.Budgets.quantified, "self.last", "self.first", "leakage.personal_budgets"),
    (allocation._solution, "other.q == other.d", "other.q <= 2 * other.d", "leakage.personal_budgets"),
    (utility.mean_noise, "sensitivity / len(epsilons)", "sensitivity", "leakage.noise_of_budgets"),
)


def parted(function, part):
    """Return the head of a function and its body, which has the part that is to be exchanged."""
    source = textwrap.dedent(inspect.getsource(function))
    while source.startswith("@"):
        source = source.partition("\n")[2]
    head, _, body = source.partition(":\n")
    assert part in body, f"{function.__qualname__} has no {part}"
    return head, body


def put_in_place(monkeypatch, function, part, instead):
    """Exchange the code of a function, wherever it has been imported to."""
    head, body = parted(function, part)
    space = dict(vars(inspect.getmodule(function)))
    exec(head + ":\n" + body.replace(part, instead), space)
    monkeypatch.setattr(function, "__code__", space[function.__name__].__code__)


@pytest.mark.parametrize(("function", "part", "instead", "name"), FAULTS)
def test_a_fault_is_noticed(monkeypatch, function, part, instead, name):
    monkeypatch.setattr(register, "PATIENCE", 5.0)
    sound = look(PIECES[name])
    assert sound.held
    put_in_place(monkeypatch, function, part, instead)
    outcome = look(PIECES[name])
    assert not outcome.held or outcome.bearings != sound.bearings
