"""`tploracle conform`: test an implementation against the oracle."""

from __future__ import annotations

import shlex
from functools import cache
from typing import TYPE_CHECKING

import click

from ..conformance.model import DEFAULT_TIMEOUT, DEFAULT_ULPS, LEAST_START_TIMEOUT, TIERS, Case, Run
from ..contract.extras import need
from ..contract.limits import check_digits
from ..data.files import named, read_text
from ..output.progress import patience
from ..output.writing import check_writable, write_text
from ..reference import InvalidRequest
from ..system.children import adopting
from ..system.signals import held, status_of
from ..wire.protocol import NUMBERS, RATIONAL
from ..wire.requests import DEFAULT_DIGITS
from ..wire.strict_json import as_integer, as_object, as_string, check_keys, decode
from .declared import Command, argument, option
from .options import html_option
from .shell import do_all

if TYPE_CHECKING:
    from ..conformance.ask.implementation import ProcessImplementation
    from ..conformance.ask.runner import Plan
    from ..conformance.report.summary import Summary


class ConformCommand(Command):
    """Test an implementation against the oracle: ask about everything that it declares, and judge each answer.

    COMMAND starts a program in any language that answers JSON lines (docs/wire.md); write it after --. An answer below
    the truth, by however little, is unsafe and listed first. Exit status: 0 all conform, 1 some do not, 2 bad usage or
    nothing to judge, 3 undecided.
    """

    command: tuple[str, ...] = argument(nargs=-1, type=click.UNPROCESSED)
    target: str | None = option(
        "--python", metavar="MODULE:OBJECT", help="Test a Python object instead; FILE.py:OBJECT works too."
    )
    tier: str = option(type=click.Choice(TIERS), default="standard", show_default=True, help="How thorough the run is.")
    chosen: tuple[str, ...] = option("-k", metavar="TEXT", help="Ask only cases with TEXT in id, operation or a flag.")
    stop: bool = option("-x", help="Stop at the first failure.")
    questions: int | None = option(
        type=click.IntRange(1), metavar="N", help="Ask N questions of each operation instead of the tier's number."
    )
    seed: int = option(default=0, show_default=True, help="Seed of the random cases and of the search.")
    timeout: float = option(
        "--time-limit",
        type=click.FloatRange(0, min_open=True),
        default=DEFAULT_TIMEOUT,
        show_default=True,
        metavar="SECONDS",
        help="Processor time, or sleep, allowed for one answer; starting is allowed at least "
        f"{LEAST_START_TIMEOUT:g} s.",
    )
    ulps: int = option(
        type=click.IntRange(0),
        default=DEFAULT_ULPS,
        show_default=True,
        help="Greatest distance from the truth, on the safe side, that still conforms.",
    )
    xfails: str | None = option(metavar="FILE", help="File of known failures: PATTERN REASON on each line.")
    no_search: bool = option(help="Skip the search for counterexamples.")
    lenient: bool = option(help="Ask only valid input: for implementations that validate input elsewhere, or not yet.")
    request: str | None = option(
        metavar="JSON|FILE|-", help="Send this one request, and nothing else; - reads it from standard input."
    )
    as_json: bool = option("--json", help="Write the whole report as JSON.")
    junit: str | None = option(metavar="FILE", help="Also write a report in JUnit's XML.")
    html: str | None = html_option

    refused = ("give either a COMMAND after --, or --python: MODULE:OBJECT",)

    def _run(self) -> None:
        from ..conformance.ask.implementation import ProcessImplementation
        from ..conformance.ask.runner import Plan, Xfails, read_xfails
        from ..wire.adapter import adapter_command

        for file in (self.junit, self.html):
            if file is not None:
                check_writable(file, "report")
        plan = Plan(
            self.tier,
            self.seed,
            self.chosen,
            self.stop,
            not self.no_search,
            read_xfails(self.xfails) if self.xfails else Xfails(),
            self.lenient,
            self.questions,
        )
        if self.request is None and plan.searches:
            need("the search", "strategies", "hypothesis", otherwise="skip it with --no-search")
        started = adapter_command(self.target) if self.target else list(self.command)
        named = ["--python", self.target] if self.target else ["--", *self.command]
        run = Run(shlex.join(named), self.tier, self.seed, self.ulps, timeout=self.timeout)
        interruption = None
        try:
            with (
                adopting(),
                ProcessImplementation(
                    started, self.timeout, notice=lambda text: click.echo(text, err=True)
                ) as implementation,
            ):
                if self.request is not None:
                    _put(implementation, plan, run, self.request)
                else:
                    _run_cases(implementation, plan, run)
        except KeyboardInterrupt as error:
            interruption = error
            run.notes.append("interrupted: what had been judged by then")
        status = _report(run, self.as_json, self.junit, self.html)
        raise click.exceptions.Exit(status_of(interruption) if interruption else status)


def _run_cases(implementation: ProcessImplementation, plan: Plan, run: Run) -> None:
    from ..conformance.ask.run import run_cases

    with patience("conformance") as progress:
        run_cases(implementation, plan, run, progress)


def _put(implementation: ProcessImplementation, plan: Plan, run: Run, request: str) -> None:
    """Put the one request that a report gives to reproduce a failure: as it stands, or in a file or standard input."""
    from ..conformance.ask.runner import Runner
    from ..conformance.judge.judge import Judge

    run.declaration = implementation.start()
    run.complete = True
    if not request.lstrip().startswith("{"):
        with named(request):
            request = read_text(request)
    given = as_object(decode(request), "--request")
    check_keys(given, ("op", "input"), ("seq", "want", "numbers"), "--request")
    numbers = as_string(given.get("numbers", RATIONAL), "numbers")
    if numbers not in NUMBERS:
        raise InvalidRequest(f"numbers is one of {', '.join(NUMBERS)}, not {numbers!r}")
    want = as_object(given.get("want", {}), "want")
    check_keys(want, (), ("digits",), "want")
    digits = check_digits(as_integer(want.get("digits", DEFAULT_DIGITS), "digits"))
    op, sent = as_string(given["op"], "op"), as_object(given["input"], "input")
    case = Case("request", op, numbers, sent, digits=digits, source="request")
    run.results.append(Runner(implementation, plan, run, Judge(run.ulps)).put(case))


def _report(run: Run, as_json: bool, junit: str | None, html: str | None) -> int:
    """Write the reports, the page last: it takes longest. What a signal raises meanwhile waits for the others.

    Returns: the exit status.
    """
    from ..conformance.report.document import print_run, run_page
    from ..conformance.report.formats import run_json, run_junit
    from ..conformance.report.summary import summary_of

    @cache
    def summary() -> Summary:
        return summary_of(run)

    def write_junit() -> None:
        if junit:
            write_text(junit, run_junit(run, summary()), "report")

    def show() -> None:
        if as_json:
            click.echo(run_json(run, summary()), nl=False)
        else:
            print_run(run, summary())

    def write_quickly() -> None:
        with held():
            do_all(write_junit, show)

    def write_page() -> None:
        if html:
            with patience("page"):
                write_text(html, run_page(run, summary()), "page")

    do_all(write_quickly, write_page)
    return summary().status
