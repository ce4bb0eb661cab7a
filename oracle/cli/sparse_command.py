"""`tploracle sparse`: what a large sparse correlation leaks over time, without its n² entries."""

from __future__ import annotations

import click

from ..checked_loss import proved_sparse_leakage
from ..contract.limits import MOST_RELEASES, check_count
from ..data.files import ROLES, named
from ..data.matrices import AS_COUNTS, PROBABILITIES
from ..models import models
from ..models.basis import Basis
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Heading, Output, Sheet
from ..reference import InvalidRequest
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .declared import Command, argument, option
from .options import neighbours_options, output_options


class SparseCommand(Command):
    """Compute BPL of a large sparse backward correlation, or FPL of a forward one, enclosed by two doubles.

    For matrices as scipy.sparse.save_npz writes them, with up to 100,000 states, 1,000 entries per row and 10 million
    in all. If two rows have disjoint supports, they are named: L is then the identity, and by the paper's bound
    budgets add up.
    """

    matrix: str = argument(metavar="MATRIX.npz")
    epsilon: str = option(metavar="LEVEL", required=True, help="The budget of every release.")
    steps: int = option(type=click.IntRange(1), required=True, help="Number of releases.")
    entries: str = option(
        type=click.Choice((PROBABILITIES, AS_COUNTS)),
        default=PROBABILITIES,
        show_default=True,
        help="Kind of matrix entries.",
    )
    role: str = option(
        type=click.Choice(ROLES), default=ROLES[0], show_default=True, help="Which correlation the matrix is."
    )
    neighbours: Neighbours = neighbours_options()
    output: Output = output_options(has_levels=True)

    def _run(self) -> None:
        from ..data.sparse_files import sparse_rows  # brings numpy, which not all commands need

        (budget,) = self.neighbours.read([Reader().level(self.epsilon, "--epsilon")])
        if budget.is_zero or budget.is_infinite:
            raise InvalidRequest("--epsilon is above 0 and finite here")
        check_count(self.steps, MOST_RELEASES, "releases")
        with named(self.matrix), patience("loss function"):
            rows = sparse_rows(self.matrix, self.entries, self.role)
            levels, loss = proved_sparse_leakage(rows, budget, self.steps)
        identity = None if loss.identity is None else [row + 1 for row in loss.identity]
        kind = "bpl" if self.role == ROLES[0] else "fpl"
        if kind == "fpl":
            levels = levels[::-1]
        bounds: list[Object] = [{"exact": None, "lower": repr(lower), "upper": repr(upper)} for lower, upper in levels]
        if self.output.doubles:
            for bound, (_, upper) in zip(bounds, levels, strict=True):
                bound |= {"double": repr(upper), "hex": upper.hex()}
        value: Object = {
            "states": rows.n,
            "entries": len(rows.columns),
            "disjoint_rows": identity,
            "paper_bound": {kind: bounds},
        }
        (paper_bound,) = models("paper-bound")
        cells: list[list[Cell]] = [[time, level] for time, level in enumerate(bounds, 1)]
        note = "No two rows have disjoint supports."
        if identity is not None:
            note = (
                f"Rows {identity[0]} and {identity[1]} share no column: L is the identity, and by the paper's bound "
                "budgets add up."
            )
        title = f"{kind.upper()}, {rows.n:,} states, {len(rows.columns):,} entries"
        worst = max(upper for _, upper in levels)
        own = "P^B" if kind == "bpl" else "P^F"
        basis = Basis(f"knows {own} ({self.matrix}) alone", absent={"worst_case": "not worked out for sparse matrices"})
        most, other = (
            self.output.shown({"lower": str(worst), "upper": str(worst)}),
            "later" if kind == "bpl" else "earlier",
        )
        text = f"{kind.upper()} of {self.steps} releases of {self.epsilon} is at most {most} nats by the paper's bound"
        conclusion = Conclusion(
            f"{text}; TPL, to which {other} releases add, may be more. {note}", self.neighbours.basis(basis)
        )
        sheet = Sheet(title, ("time", Heading.of(paper_bound, kind.upper())), cells, (self.output.numerals,))
        self.output.conclude(conclusion, [value], sheet)
