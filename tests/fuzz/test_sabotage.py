"""Each defence of docs/security.md against what stands around a file, taken out of a copy: a test it names notices."""

import os
import shutil
import subprocess
import sys

import pytest

from ..explore import ROOT
from ..processes import PATIENT

PACKAGES = ("reference", "solvers", "certificates", "proofs_checks", "vectors", "examples")

SABOTAGES = [
    ("oracle/data/ledger_sides.py", "if last == _NAMES_ANOTHER:", "if not last:", "no_file_is_deleted_that"),
    ("oracle/data/ledger_sides.py", 'in ("-wal", "-shm"):', "in ():", "what_no_ledger_has_beside_it"),
    ("oracle/data/ledger_sides.py", "not S_ISREG(its.st_mode)", "not its.st_mode", "what_no_ledger_has_beside_it"),
    ("oracle/data/ledger_sides.py", "its.st_uid not in (0,", "its.st_uid in (-1,", "a_journal_of_who_may_not_write"),
    ("oracle/data/ledger_sides.py", "if has_journal:", "if not content:", "an_unfinished_transaction_is_rolled_back"),
    ("oracle/data/ledger_file.py", '"synchronous = EXTRA",', '"journal_mode = MEMORY",', "a_full_disk_at_any_byte"),
    ("oracle/data/files.py", "(is_below or self.allow_paths)", "(is_below or True)", "a_file_names_files_of_its_own"),
    ("oracle/data/files.py", "if not is_file:", "if value is None:", "a_file_names_files_of_its_own"),
    ("oracle/data/files.py", "raise TimeoutError(", "str(", "a_pipe_into_which_nobody_writes"),
    ("oracle/system/launching.py", '"-P", "-c"', '"-c"', "no_file_of_the_current_folder_is_executed_by_a_child"),
    (
        "oracle/system/launching.py",
        "return {**kept,",
        "return {**os.environ,",
        "has_an_environment_a_folder_and_a_path",
    ),
    (
        "oracle/system/bounded.py",
        'folder="/" if is_confined',
        'folder="." if is_confined',
        "an_environment_a_folder_and",
    ),
    ("oracle/system/bounded.py", "close_descriptors(kept)", "pass", "has_no_descriptor_of_another"),
    ("oracle/system/bounded.py", "confine(folder)", "pass", "a_process_that_parses_only_reads"),
    ("oracle/system/bounded.py", "os._exit(NO_MEMORY)", "os._exit(1)", "endings_are_told_apart"),
    (
        "oracle/wire/adapter.py",
        "path.append(str(",
        "path.insert(0, str(",
        "the_adapter_executes_what_it_is_asked_for_alone",
    ),
    ("oracle/wire/strict_json.py", "char if char.isprintable() and", "char if char and", "names_are_escaped_in_every"),
    ("oracle/output/plots.py", "mpl.rcdefaults()", "pass", "no_file_of_parameters_is_obeyed"),
    ("oracle/cli/shell.py", "sys.flags.optimize > 1", "sys.flags.optimize > 2", "texts_that_were_left_out"),
    ("solvers/batch/compiled/compiling.py", "any(each.st_uid", "not any(each.st_uid", "code_that_is_kept_is_read"),
    ("solvers/batch/compiled/compiling.py", 'sys.modules["yaml"] = None', "pass", "no_settings_of_the_compiler"),
]
"""A file, what stands in it, what instead, and the tests that then fail."""

FILES = ("oracle/data/test_ledger_sides.py", "oracle/cli/test_surroundings.py", "oracle/system/test_bounded.py")
FILES += ("oracle/test_names.py",)


@pytest.mark.slow
@pytest.mark.parametrize(("file", "before", "instead", "tests"), SABOTAGES)
def test_a_defence_that_is_taken_away_is_noticed(tmp_path, file, before, instead, tests):
    package = tmp_path / "tploracle"
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "oracle", package, ignore=skipped)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, package / name, ignore=skipped)
    changed = tmp_path / "tploracle" / file.removeprefix("oracle/")
    text = changed.read_text(encoding="utf-8")
    assert text.count(before) == 1
    changed.write_text(text.replace(before, instead), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-k", tests, *(f"tests/{each}" for each in FILES)]
        + ["-p", "no:cacheprovider"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 1, done.stdout
    assert " failed" in done.stdout
