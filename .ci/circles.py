"""Check that no two modules import each other, not even in several steps, inside functions or for their types alone.

Run where the built package is on the path: `make imports` does.
"""

import sys
from graphlib import CycleError, TopologicalSorter

import grimp

KNOWN = ("tploracle.solvers.batch.compiled.one_matrix", "tploracle.solvers.loss.sweeps")
"""An import of the second by the first that is yet to go."""


def main() -> int:
    """Print the first circle, if there is one. Returns: the exit status."""
    graph = grimp.build_graph("tploracle", exclude_type_checking_imports=False)
    # A package's module is imported before any of its parts, which may therefore import nothing from it.
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    imports[KNOWN[0]] = imports.get(KNOWN[0], set()) - {KNOWN[1]}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        print(f"a circle of imports: {' ← '.join(error.args[1])}", file=sys.stderr)
        return 1
    print(f"no circle of imports among {len(imports)} modules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
