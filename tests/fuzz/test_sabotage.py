"""Each defence of docs/security.md against what stands around a file, taken out of a copy: a test it names notices."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from ..explore import ROOT
from ..processes import PATIENT

PACKAGES = ("reference", "solvers", "certificates", "proofs_checks", "vectors", "examples")

SIDES, AROUND = "data/test_ledger_sides.py", "cli/test_surroundings.py"
BOUNDED, NAMES = "system/test_bounded.py", "test_names.py"

SABOTAGES = {
    "no_file_is_deleted_that": (SIDES, "oracle/data/ledger_sides.py", "if last == _NAMES_ANOTHER:", "if not last:"),
    "what_no_ledger_has_beside_it": (SIDES, "oracle/data/ledger_sides.py", 'in ("-wal", "-shm"):', "in ():"),
    "is_refused_by_its_name": (SIDES, "oracle/data/ledger_sides.py", '"O_NOFOLLOW"', '"O_FOLLOW"'),
    "beside_it_is_refused": (SIDES, "oracle/data/ledger_sides.py", "if not is_file:", "if not its:"),
    "a_journal_of_who_may_not_write": (
        SIDES, "oracle/data/ledger_sides.py", "its.st_uid not in (0,", "its.st_uid in (-1,",
    ),
    "an_unfinished_transaction_is": (SIDES, "oracle/data/ledger_sides.py", "if has_journal:", "if not content:"),
    "a_full_disk_at_any_byte": (
        SIDES, "oracle/data/ledger_file.py", "synchronous = EXTRA", "journal_mode = MEMORY",
    ),
    "a_full_disk_at_every_write": (
        SIDES, "oracle/data/ledger.py", "ledger.commit()",
        "with suppress(sqlite3.Error): ledger.commit()",
    ),
    "a_file_names_files_of_its_own": (
        AROUND, "oracle/data/files.py", "(is_below or self.allow_paths)", "(is_below or True)",
    ),
    "its_own_folder_alone": (AROUND, "oracle/data/files.py", "if not is_file:", "if value is None:"),
    "a_pipe_into_which_nobody_writes": (AROUND, "oracle/data/files.py", "raise TimeoutError(", "str("),
    "executed_by_the_pool_of_a_population": (
        AROUND, "oracle/system/launching.py", '"-P", "-c"', '"-c"', "sys.path[:] = {path!r}; ", "",
        '"PYTHONSAFEPATH": "1"', "",
    ),
    "an_environment_a_folder": (BOUNDED, "oracle/system/launching.py", "return {**kept,", "return {**os.environ,"),
    "a_path_that_are_chosen": (BOUNDED, "oracle/system/bounded.py", '="/" if is_confined', '="." if is_confined'),
    "no_descriptor_of_another": (BOUNDED, "oracle/system/bounded.py", "close_descriptors(kept)", "pass"),
    "a_process_that_parses_only_reads": (
        BOUNDED, "oracle/system/bounded.py", "            confine(folder)", "            pass",
    ),
    "endings_are_told_apart": (BOUNDED, "oracle/system/bounded.py", "os._exit(NO_MEMORY)", "os._exit(1)"),
    "the_adapter_executes_what": (AROUND, "oracle/wire/adapter.py", "path.append(str(", "path.insert(0, str("),
    "names_are_escaped_in_every": (
        NAMES, "oracle/wire/strict_json.py", "char if char.isprintable() and", "char if char and",
    ),
    "no_file_of_parameters": (AROUND, "oracle/output/plots.py", "mpl.rcdefaults()", "pass"),
    "its_page_is_drawn_without": (
        AROUND, "oracle/conformance/report/pictures.py", "@fixed()\ndef _error_figure", "def _error_figure",
        "@fixed()\ndef verdict_picture", "def verdict_picture",
    ),
    "is_not_kept_where_one_stands": (
        AROUND, "oracle/conformance/ask/search.py", "home_dir(os.devnull)", "home_dir(None)",
    ),
    "texts_that_were_left_out": (AROUND, "oracle/cli/shell.py", "sys.flags.optimize > 1", "sys.flags.optimize > 2"),
    "code_that_is_kept": (
        AROUND, "solvers/batch/compiled/compiling.py", "any(each.st_uid", "not any(each.st_uid",
    ),
    "no_settings_of_the_compiler": (
        AROUND, "solvers/batch/compiled/compiling.py", 'sys.modules["yaml"] = None', "pass",
    ),
}  # fmt: skip
"""The tests that fail without a defence, by their names; their file, its file, and what stands instead of what."""

SILENT = 200
"""Seconds after which a test that goes on says where it is, well before PATIENT of them."""


def test_each_defence_names_tests_that_are_written():
    for name, (file, *_) in SABOTAGES.items():
        assert re.search(rf"def test_\w*{name}", (ROOT / "tests" / "oracle" / file).read_text(encoding="utf-8")), name


@pytest.mark.exhaustive
@pytest.mark.parametrize("tests", SABOTAGES)
def test_a_defence_that_is_taken_away_is_noticed(tmp_path, tests):
    package = tmp_path / "tploracle"
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "oracle", package, ignore=skipped)
    for name in PACKAGES:
        shutil.copytree(ROOT / name, package / name, ignore=skipped)
    where, file, *changes = SABOTAGES[tests]
    changed = package / file.removeprefix("oracle/")
    text = changed.read_text(encoding="utf-8")
    for before, instead in zip(changes[::2], changes[1::2], strict=True):
        assert text.count(before) == 1
        text = text.replace(before, instead)
    changed.write_text(text, encoding="utf-8")
    words = ["-q", "-x", "-p", "no:cacheprovider", "-o", f"faulthandler_timeout={SILENT}", "-m", "", "-k", tests]
    words += ["--basetemp", str(tmp_path / "inner")]  # what other runs have left is not removed by this one
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words, f"tests/oracle/{where}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENT,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        )
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"it goes on: {late.stdout!r} {late.stderr!r}")
    assert done.returncode == 1, done.stdout + done.stderr
    assert " failed" in done.stdout
