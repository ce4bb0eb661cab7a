"""What evidence must have found for an erratum to stand, without looking at any."""

from tploracle.proofs_checks.compared import Compared
from tploracle.proofs_checks.register import Consequence, Nature


def fact_of(erratum):
    """A comparison that shows the nature and the consequence of an erratum."""
    role = "printed" if erratum.nature is Nature.STATEMENT else erratum.nature.value
    unsafe, safe = (erratum.consequence is one for one in (Consequence.UNSAFE, Consequence.SAFE))
    return Compared(role, below=unsafe, above=safe, other=not (unsafe or safe))


def told_of(holder):
    """The formulas of an erratum or a claim, as if all had been computed."""
    return frozenset((holder.id, formula) for formula in holder.formulas)
