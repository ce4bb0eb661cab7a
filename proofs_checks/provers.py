"""The outside provers: z3 decides statements over the reals, sympy normalises identities. Both are optional."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from types import ModuleType
from typing import Any

from .coverage import counted
from .register import EvidenceFailed, MissingProver

DECIDED = "statements decided by z3"

TIME_LIMIT = 60_000
"""Milliseconds that z3 may take for one statement."""


def _prover(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingProver(f"{name} is needed: pip install 'tploracle[proofs]' ({error})") from None


def z3_prover() -> ModuleType:
    """Return z3. Raises: MissingProver."""
    return _prover("z3")


def sympy_algebra() -> ModuleType:
    """Return sympy. Raises: MissingProver."""
    return _prover("sympy")


def prove(claim: Any, *assumptions: Any, what: str) -> bool:
    """Prove that a claim follows from assumptions, for all real values of their variables.

    z3 is asked for values that meet the assumptions and not the claim; only its answer `unsat` passes. The assumptions
    alone must be satisfiable, so that nothing is proved of nothing. Returns: True.
    Raises: EvidenceFailed with the values found.
    """
    z3 = z3_prover()
    answer, _ = _asked(z3, *assumptions)
    if answer != z3.sat:
        raise EvidenceFailed(f"{what}: the assumptions alone are {answer}")
    answer, solver = _asked(z3, *assumptions, z3.Not(claim))
    if answer == z3.sat:
        raise EvidenceFailed(f"{what}: not so for {solver.model()}")
    if answer != z3.unsat:
        raise EvidenceFailed(f"{what}: z3 answers {answer} ({solver.reason_unknown()})")
    counted(DECIDED)
    return True


def _asked(z3: ModuleType, *assumptions: Any) -> tuple[Any, Any]:
    solver = z3.Solver()
    solver.set("timeout", TIME_LIMIT)
    solver.add(*assumptions)
    return solver.check(), solver


def impossible(*assumptions: Any, what: str) -> bool:
    """Prove that no real values meet the assumptions. Returns: True. Raises: EvidenceFailed with the values found."""
    z3 = z3_prover()
    answer, _ = _asked(z3, *assumptions)
    if answer != z3.unsat:
        raise EvidenceFailed(f"{what}: z3 answers {answer}")
    counted(DECIDED)
    return True


def identity(left: Any, right: Any, what: str) -> bool:
    """Prove that two rational expressions are the same function. Returns: True. Raises: EvidenceFailed."""
    sympy = sympy_algebra()
    numerator, _ = sympy.fraction(sympy.together(left - right))
    difference = sympy.expand(numerator)
    if difference != 0:
        difference = sympy.simplify(difference)
    if difference != 0:
        raise EvidenceFailed(f"{what}: the two sides differ by a multiple of {difference}")
    counted("identities of rational functions")
    return True


def rational(value: Fraction) -> Any:
    """Return a rational as a sympy number."""
    return sympy_algebra().Rational(value.numerator, value.denominator)
