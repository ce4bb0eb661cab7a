"""The starters in other languages, run where the language is there, conform leniently in their declared domains."""

import shutil
import subprocess

import pytest

from tploracle.conformance.ask.implementation import ProcessImplementation
from tploracle.conformance.ask.run import run_cases
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.model import DEFAULT_ULPS, Run
from tploracle.conformance.report.summary import CONFORMS, summary_of
from tploracle.wire.protocol import DECIMAL64, FLOAT64

from ..processes import PATIENT
from .questions import FOLDER

MOST_LINES = 60
"""Lines of a starter besides its mathematics, comments and blanks aside."""

BUILD = {"c": ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", "{program}", "{source}", "-lm"]}
BUILD["rs"] = ["rustc", "-O", "-o", "{program}", "{source}"]
RUN = {"m": ["octave-cli", "--no-init-file", "--quiet", "{source}"], "R": ["Rscript", "{source}"]}
NUMBERS = {"c": FLOAT64, "rs": DECIMAL64, "m": DECIMAL64, "R": FLOAT64}


def source_of(language):
    return FOLDER / f"leakage.{language}"


def command_of(language, folder):
    """Return the command that runs a starter, built first. Skips the test where the language is not installed."""
    words = {**BUILD, **RUN}[language]
    if shutil.which(words[0]) is None or subprocess.call([words[0], "--version"]):
        pytest.skip(f"{words[0]} is not installed, or not for this user")
    if language == "R":
        tried = subprocess.run(["Rscript", "-e", "library(jsonlite)"], check=False, capture_output=True)
        if tried.returncode:
            pytest.skip("jsonlite is not installed")
    program = folder / "leakage"
    filled = [word.format(program=program, source=source_of(language)) for word in words]
    if language in RUN:
        return filled
    subprocess.run(filled, check=True)
    return [str(program)]


@pytest.mark.parametrize("language", ["c", *(pytest.param(name, marks=pytest.mark.slow) for name in ("rs", "m", "R"))])
def test_it_conforms_leniently_in_its_domain(language, tmp_path):
    plan = Plan("smoke", lenient=True)
    run = Run(language, plan.tier, plan.seed, DEFAULT_ULPS)
    with ProcessImplementation(command_of(language, tmp_path), PATIENT, PATIENT) as implementation:
        run_cases(implementation, plan, run)
    assert summary_of(run).status == CONFORMS, [(r.case.id, r.judgement) for r in run.results if r.fails][:5]
    assert run.declaration.operations == ("loss", "leakage")
    assert run.declaration.numbers == (NUMBERS[language],)
    assert run.declaration.name == source_of(language).name
    assert len(run.results) > 50
    assert run.invalid > 5


def code_in(lines):
    """Yield the lines that are neither blank nor comments."""
    inside = False
    for line in map(str.strip, lines):
        comment = inside or line.startswith(("//", "/*", "# ", "%")) or line == "#"
        inside = ("/*" in line or inside) and "*/" not in line
        if line and not comment:
            yield line


@pytest.mark.parametrize("language", NUMBERS)
def test_all_but_the_mathematics_is_short(language):
    lines = source_of(language).read_text(encoding="utf-8").splitlines()
    titles = [line.strip(" /*#%") for line in lines]
    start, stop = titles.index("The mathematics"), titles.index("The wire")
    assert 20 < len(list(code_in([*lines[:start], *lines[stop:]]))) < MOST_LINES
