"""Say which names mean two things: public classes, modules and constants of the package that share one.

    python .ci/one_name.py

A constant that is written the same in both places means the same, and a module goes by its folders: `paper.leakage` and
`worst_case.leakage` are two names, `worst_case.windows` of `reference` and of `solvers` two ways to one thing. Exit
status 1 if `KNOWN` lacks such a name, or has one that means one thing.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FOLDERS = ("reference", "solvers", "certificates", "proofs_checks", "oracle", "vectors/generators")

ALONE = (
    *(f"certificates/{name}.py" for name in ("checker", "rows", "trade_off", "reading", "above", "above_loss")),
    "proofs_checks/experiments/",
)
"""What stands by itself: the certificate checker and the check from above share nothing with the rest, and the
experiments are not installed."""

KNOWN = {"CLAIMS"}  # in every file of claims its own
"""Names that mean two things all the same."""


def places(root: Path) -> dict[str, dict[str, set[str]]]:
    """Return, for each public name, its meanings, and the files of each."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path, below in sorted((path, root / folder) for folder in FOLDERS for path in (root / folder).rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if file.startswith(ALONE):
            continue
        if path.stem not in ("__init__", "__main__"):
            name = ".".join(path.relative_to(below).with_suffix("").parts)
            found[name][name if "." in name else file].add(file)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name][f"{file}:{node.lineno}"].add(file)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    for name, value in named(target, node.value):
                        found[name][ast.unparse(value)].add(file)
    return found


def named(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    """Return the names that an assignment gives, each with its value."""
    if isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
        return [pair for pairs in map(named, target.elts, values) for pair in pairs]
    return [(target.id, value)] if isinstance(target, ast.Name) else []


def shared(root: Path) -> dict[str, list[str]]:
    """Return the public names with more than one meaning, and the files that give them one."""
    return {
        name: sorted(set().union(*meanings.values()))
        for name, meanings in sorted(places(root).items())
        if len(meanings) > 1 and not name.startswith("_")
    }


def faults(found: dict[str, list[str]]) -> list[str]:
    """Return, a line each, the names that mean two things, and those of `KNOWN` that mean one."""
    return [
        *(f"{name}: {', '.join(files)}" for name, files in found.items() if name not in KNOWN),
        *(f"{name}: one thing by now, take it off KNOWN" for name in sorted(KNOWN - {*found})),
    ]


def main() -> None:
    """Print the names that mean two things, and those of `KNOWN` that no longer do."""
    found = faults(shared(ROOT))
    print("\n".join(found), end="\n" * bool(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
