"""A pytest session that collects the tests once and then runs some of them in forked children, one per mutant.

A mutant inside a function is put in place by exchanging the function's code object in the child. A mutant that the
import of its module runs is put in place before anything is imported; that child collects the tests for itself.
"""

from __future__ import annotations

import gc
import json
import marshal
import os
import resource
import runpy
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryFile
from types import CodeType, FunctionType
from typing import NoReturn

import psutil
import pytest
import pytest.__main__
from hypothesis import HealthCheck, Phase, settings

from ..profiles import EXAMPLES
from .operators import Module, Mutant

SECONDS = 2.0
PATIENCE = 5
"""A test may use this much processor time, and this many times what it used when it was traced."""

START = 10.0
PATIENCE_IN_ALL = 2
"""The tests of one mutant together may use this much, and this many times what they used when they were traced."""

IDLE = 30.0
"""Seconds without any processor time, its own or its programs', after which a child has run out of time."""

MEMORY = 4 << 30
"""Bytes of address space that a child may ask for."""

SITE = Path(__file__).parent / "site"
"""What the programs that a test starts import before all else."""

OUT_OF_TIME = (signal.SIGPROF, signal.SIGXCPU)

KILLED, TIMED_OUT, SURVIVED = "killed", "timed out", "survived"


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant, and the test that decided it."""

    verdict: str
    test: str | None = None


@dataclass(eq=False)  # pytest keeps it in sets
class Plugin:
    """Hands the collected tests to a function instead of running them."""

    use: Callable[[list[pytest.Item], Plugin], None]
    config: pytest.Config | None = None
    failed: bool = False

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Load the profile in which Hypothesis always does the same, once the tests' own conftest has loaded its."""
        settings.register_profile(
            "mutation",
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )
        settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Use the tests."""
        self.config = session.config
        if session.testsfailed:
            raise session.Interrupted("the tests cannot be collected")
        self.use(session.items, self)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Note a failure before it is described, which may take long."""
        expected = item.get_closest_marker("xfail") is not None
        if call.excinfo is not None and not expected and not call.excinfo.errisinstance(pytest.skip.Exception):
            self.failed = True
        report = yield
        if report.failed:
            self.failed = True
        return report


def collected(root: Path, tests: Sequence[str], use: Callable[[list[pytest.Item], Plugin], None]) -> int:
    """Collect the tests and hand them over; return pytest's exit status."""
    plugin = Plugin(use)
    sys.modules["__main__"] = pytest.__main__  # what spawned processes import first, as under `python -m pytest`
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-o", "timeout=0", "-o", "addopts=", "--capture=sys"]
    options += ["-qq", "--no-header", "--no-summary", "--tb=short", "--assert=plain", "--import-mode=importlib"]
    options += ["-c", str(root / "pyproject.toml"), "--rootdir", str(root), *tests]
    return int(pytest.main(options, plugins=[plugin]))


# Mutants


Alive = dict[tuple[str, str, int], list[FunctionType]]
"""The functions alive, by file, qualified name and first line."""


def functions(files: Sequence[str]) -> Alive:
    """Return the functions alive whose code is from these files, by file, qualified name and first line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename in files:
            code = thing.__code__
            found.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(thing)
    return found


def exchanged(module: Module, mutant: Mutant, alive: Alive) -> Callable[[], None]:
    """Return what puts a mutant inside a function in place. Raises: LookupError where no code can be exchanged."""
    return exchange(module, mutant, module.compiled(mutant), alive)


def exchange(module: Module, mutant: Mutant, whole: CodeType, alive: Alive) -> Callable[[], None]:
    """Return what puts a function of changed code in place. Raises: LookupError where no code can be exchanged."""
    for code in _codes(whole):
        if code.co_qualname == mutant.function and set(mutant.lines) & set(_lines(code)):
            live = alive.get((str(module.path), code.co_qualname, code.co_firstlineno), [])
            if any(function.__code__.co_freevars != code.co_freevars for function in live):
                break

            def put(code: CodeType = code, live: list[FunctionType] = live) -> None:
                for function in live:
                    function.__code__ = code

            return put
    raise LookupError(f"no function of {mutant.id}")


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of functions of the module and of its classes, not of functions within functions."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            if not constant.co_flags & 0x1:  # CO_OPTIMIZED: a function, not the body of a class
                yield from _codes(constant)


def _lines(code: CodeType) -> Iterator[int]:
    yield from (line for *_, line in code.co_lines() if line is not None)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)


def judge(
    items: Sequence[pytest.Item], limits: Sequence[float], plugin: Plugin, report: Callable[[object], None]
) -> None:
    """Run the tests until one fails, each within its limit of processor time; in a child.

    Reports the number of each test that is begun, and at the end the verdict.
    """
    silence(plugin)
    for number, (item, limit) in enumerate(zip(items, limits, strict=True)):
        report(number)
        signal.setitimer(signal.ITIMER_PROF, limit)
        run(item)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if plugin.failed:
            report(KILLED)
            return
    report(SURVIVED)


def change(codes: Mapping[Path, CodeType], kept: Path, ran: Path | None = None) -> None:
    """Let modules be imported with other code, here and in the programs that tests start; in a child."""
    kept.write_bytes(marshal.dumps({str(path): code for path, code in codes.items()}))
    os.environ |= {"TPLORACLE_CHANGED": str(kept)} | ({} if ran is None else {"TPLORACLE_RAN": str(ran)})
    os.environ["PYTHONPATH"] = os.pathsep.join([str(SITE), *filter(None, [os.environ.get("PYTHONPATH")])])
    runpy.run_path(str(SITE / "sitecustomize.py"))


def run(item: pytest.Item) -> None:
    """Run one test with its fixtures."""
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def silence(plugin: Plugin) -> None:
    """Let pytest print nothing."""
    assert plugin.config is not None
    reporter = plugin.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        plugin.config.pluginmanager.unregister(reporter)


# Children


def forked(work: Callable[[Callable[[object], None]], None], limit: float | None) -> tuple[list[object], int]:
    """Do work in a child; return what it reported and the signal that ended it, 0 for none.

    Args: work, given what sends a report; limit, the seconds of processor time for it, None for a child without limits.
    """
    with TemporaryFile() as told:  # a pipe would be held open by whatever a test leaves running
        child = os.fork()
        if child == 0:
            _child(work, limit, told.fileno())
        status = os.waitpid(child, 0)[1] if limit is None else _watched(child)
        told.seek(0)
        said = [json.loads(line) for line in told]
    if limit is not None:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # the programs that a test had started
    return said, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _watched(child: int) -> int:
    """Wait for a child, unless it waits for something itself; return its status."""
    used, since = -1.0, time.monotonic()
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        time.sleep(0.02)
        if time.monotonic() - since > IDLE:
            before, used, since = used, _used(child), time.monotonic()
            if before >= 0 and abs(used - before) < 0.1:
                os.kill(child, signal.SIGXCPU)
                return os.waitpid(child, 0)[1]
    return ended[1]


def _used(process: int) -> float:
    """Return the seconds of processor time that a process, its programs and theirs have used."""
    seconds = 0.0
    with suppress(psutil.NoSuchProcess):
        for one in (psutil.Process(process), *psutil.Process(process).children(recursive=True)):
            seconds += sum(one.cpu_times()[:4])
    return seconds


def _child(work: Callable[[Callable[[object], None]], None], limit: float | None, told: int) -> NoReturn:
    status = 1
    try:
        if limit is not None:
            os.setpgid(0, 0)
            for number in OUT_OF_TIME:
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CPU, (ceil(limit), ceil(limit) + 10))
            memory = MEMORY + int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        work(lambda said: os.write(told, json.dumps(said).encode() + b"\n"))
        status = 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(status)


def outcome(work: Callable[[Callable[[object], None]], None], tests: Sequence[str], limit: float) -> Outcome:
    """Do the work of `judge` on these tests in a child and return the verdict; a child that crashes was killed."""
    said, ended_by = forked(work, limit)
    if said and said[-1] == SURVIVED:
        return Outcome(SURVIVED)
    number = next((one for one in reversed(said) if isinstance(one, int)), None)
    test = None if number is None else tests[number]
    return Outcome(TIMED_OUT if ended_by in OUT_OF_TIME else KILLED, test)


def together(jobs: int, part: Callable[[int], None]) -> None:
    """Do the parts of some work in processes. Raises: SystemExit where one fails."""
    children = []
    for number in range(jobs):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                part(number)
                status = 0
            except BaseException:
                traceback.print_exc()
                raise
            finally:
                sys.stdout.flush()
                os._exit(status)
        children.append(child)
    ended = [os.waitpid(child, 0)[1] for child in children]
    if any(ended):
        sys.exit(2)
