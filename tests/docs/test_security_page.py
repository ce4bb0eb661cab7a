"""Each sentence that docs/security.md promises in a table has tests, by name, and its limits are the program's."""

import ast
import re
from collections import Counter

import pytest

from tploracle.contract.limits import LONGEST_FILE, MOST_GROWTH, MOST_SECONDS
from tploracle.data import archives, files, ledger_file, parquet, sparse_files
from tploracle.system import bounded
from tploracle.wire.guard import Guard

from ..explore import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
WRITTEN = Counter(
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
)


def rows(section):
    """Return the cells of a section's table, by row."""
    lines = [
        line for line in PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0].splitlines() if line[:1] == "|"
    ]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("section", ["Guarantees", "Files", "What stands around a file"])
def test_every_sentence_of_a_guarantee_names_its_tests(section):
    assert rows(section)
    for *_, guarantee, tests in rows(section):
        sentences = re.split(r"(?<=\.) (?=[A-Z])", guarantee.replace("`", ""))
        named = tests.split("; ")
        assert len(named) == len(sentences), guarantee
        assert all(re.fullmatch(r"—|`test_\w+`(, `test_\w+`)*", each) for each in named)


def test_the_tests_that_are_named_are_written_and_once():
    assert {name: WRITTEN[name] for name in re.findall(r"`(test_\w+)`", PAGE) if WRITTEN[name] != 1} == {}


def test_the_limits_are_those_of_the_program():
    guard = Guard()
    assert (guard.seconds, guard.memory) == (MOST_SECONDS, MOST_GROWTH) == (60, 2 << 30)
    assert (parquet.MOST_SECONDS, ledger_file.MOST_SECONDS, files.MOST_SILENCE, bounded.START_LIMIT) == (
        60,
        60,
        60,
        120,
    )
    assert (parquet.BATCH_ROWS, archives.MOST_DIRECTORY, ledger_file.MOST_HEAP_BYTES) == (65_536, 1 << 20, 1 << 30)
    sparse = sparse_files.MOST_SPARSE_BYTES, sparse_files.MOST_SPARSE_ENTRIES
    assert (LONGEST_FILE, *sparse) == (32 << 20, 256 << 20, 10**7)
    for told in (
        "within a minute and 2 GiB", "60 seconds of processor time per 65,536 rows", "at most a mebibyte",
        "at most 32 MiB; for `sparse` the limit is 256 MiB and ten million entries", "a gibibyte of memory",
        "limited to 120 seconds of processor time", "for a minute, at first or later, that is an error",
    ):  # fmt: skip
        assert told in PAGE


def test_the_lines_that_are_trusted_are_counted():
    told = re.findall(r"The check\w* \w+ \w+ has (\d+)(?: lines)?: ([^.]*(?:\.py[^.]*)*)\.(?=\s[A-Z]|\n)", PAGE)
    assert len(told) == 2
    for lines, names in told:
        counted = [
            len((ROOT / "certificates" / name).read_text().splitlines()) for name in re.findall(r"`(\w+\.py)`", names)
        ]
        assert sum(counted) == int(lines), sum(counted)


DOORS = "checked", "checked_loss"

BESIDE_THE_DOORS = {
    "most_telling": "proposes a value, whose leakage is computed",
    "prepare_compiled": "compiles",
    "has_compiled": "says whether something is compiled",
    "attained_odds": "bounds from below",
    "known_for_ever": "says what is known without a search",
    "worst_time": "proposes a time, at which TPL and its bound are proved",
    "greatest_scale": "proposes a schedule, which is verified",
    "least_noise": "proposes a schedule, which is verified",
    "shaped": "proposes a schedule, which is verified",
    "least_noise_weights": "proposes a shape, whose multiple is proved",
    "every_step_is_possible": "reads matrices",
    "fast_worst_case_composition": "adds up levels that are proved, or asks the reference",
    "admitted": "reads counts",
    "enclose": "is computed again for a sample of users",
}
"""The functions of the solvers that are called beside the doors, and why what they return need not be proved there."""


def test_no_number_of_a_solver_leaves_beside_the_doors():
    """Mistakes of implementations aside, which are wrong on purpose."""
    found = set()
    for path in (ROOT / "oracle").rglob("*.py"):
        if path.stem not in DOORS and path.parent.name != "mistakes":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                module = getattr(node, "module", None) or ""
                if module.startswith("solvers.") and "linear_programs" not in module:
                    found |= {alias.name for alias in node.names if alias.name.islower()}
    assert found == {*BESIDE_THE_DOORS}
