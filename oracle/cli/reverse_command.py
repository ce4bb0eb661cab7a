"""`tploracle reverse`: the backward correlation of a forward one."""

from __future__ import annotations

from ..contract.limits import check_reversal
from ..data.files import Files, named
from ..data.matrices import AS_COUNTS
from ..output.sheets import Output
from ..reference import reverse, stationary
from .declared import argument, option
from .options import ReadingCommand, output_options, reading_options


class ReverseCommand(ReadingCommand):
    """Derive the backward correlation from a forward one by Bayes' rule, keeping the state names."""

    matrix: str = argument()
    initial: str | None = option(metavar="FILE", help="Distribution of the earlier value: a row of CSV, or JSON.")
    from_stationary: bool = option("--stationary", help="Use the chain's stationary distribution instead.")
    files: Files = reading_options
    output: Output = output_options()

    refused = ("give either --initial or --stationary",)

    def _run(self) -> None:
        forward = self.files.matrix(self.matrix, "forward" if _is_for_roles(self.files, self.matrix) else None)
        if self.from_stationary or self.initial is None:
            distribution = stationary(forward)
        else:
            distribution = self.files.distribution(self.initial)
        check_reversal(forward, distribution)
        self.output.write_matrix("backward", reverse(forward, distribution), self.files.states.get(self.matrix, ()))


def _is_for_roles(files: Files, path: str) -> bool:
    with named(path):
        return files.entries == AS_COUNTS or isinstance(files.json(path), dict)
