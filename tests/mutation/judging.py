"""Judging mutants by tests: which tests reach each, in which order they are tried, and what is kept between runs.

The tests are collected once. A mutant within a function replaces the function's code in a forked child; for one that
the import of its module runs, the child collects the tests anew.
"""

from __future__ import annotations

import ast
import gc
import json
import marshal
import mmap
import os
import runpy
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType

import pytest
import pytest.__main__
from hypothesis import HealthCheck, Phase, settings

from ..children import Report, forked, together
from ..profiles import EXAMPLES
from .operators import Module, Mutant

ROOT = Path(__file__).resolve().parent.parent.parent

SECONDS, PATIENCE = 2.0, 5
"""A test may use SECONDS of processor time, and PATIENCE times what it used without a mutant."""

START = 10.0
"""Seconds of processor time for collecting tests in a child."""

SOON = 4.0
"""Seconds of tests that an explained mutant is tried with."""

RECENT = 6
"""Number of tests, those that killed the mutants just before, that are tried first."""

KILLED, TIMED_OUT, SURVIVED = "killed", "timed out", "survived"


SITE = Path(__file__).parent / "site"
"""The folder of the module that Python imports first in the programs that a child starts."""


def change(codes: Mapping[Path, CodeType], kept: Path, **more: str) -> None:
    """Let modules be imported with other code, here and in programs started from here; in a child.

    Args: codes, by the path of the module; kept, the file that hands them on; more, variables of the environment.
    """
    kept.write_bytes(marshal.dumps({str(path): code for path, code in codes.items()}))
    os.environ |= {"TPLORACLE_CHANGED": str(kept), **more}
    os.environ["PYTHONPATH"] = os.pathsep.join([str(SITE), *filter(None, [os.environ.get("PYTHONPATH")])])
    runpy.run_path(str(SITE / "sitecustomize.py"))


def digest(*texts: str) -> str:
    """Return a short digest of texts."""
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


def code_of(path: Path) -> str:
    """Return a text of a module's code that docstrings, comments and layout do not change."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [part for part in node.body
                         if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]  # fmt: skip
    return ast.dump(tree)


class Records:
    """Lines of JSON in the files of several workers, so that an interrupted run continues."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._name = folder, name

    def read(self) -> Iterator[dict[str, object]]:
        """Yield what all workers have written, but for a line that an interruption cut short."""
        for path in sorted(self._folder.glob(f"{self._name}-*.jsonl"), key=lambda path: path.stat().st_mtime_ns):
            yield from (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.endswith("}"))

    def write(self, worker: int, record: Mapping[str, object]) -> None:
        """Add a line."""
        with (self._folder / f"{self._name}-{worker}.jsonl").open("a", encoding="utf-8") as file:
            file.write("\n" * bool(file.tell()) + json.dumps(record))


@dataclass(frozen=True)
class Test:
    """A test: its file, seconds of processor time, whether it is slow, and the lines of the sources that it runs."""

    name: str
    file: str
    seconds: float
    slow: bool
    lines: frozenset[int] = field(repr=False)

    def __str__(self) -> str:
        return f"{Path(self.file).name}::{self.name}"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, and the test that decided it."""

    kind: str
    test: Test | None = None


@dataclass(eq=False)  # pytest keeps it in sets
class Plugin:
    """Hands the collected tests to a function instead of running them, and notes failures."""

    use: Callable[[list[pytest.Item], Plugin], None]
    failed: bool = False

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
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
        if session.testsfailed:
            raise SystemExit("the tests cannot be collected")
        session.config.pluginmanager.unregister(name="terminalreporter")
        self.use(session.items, self)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Note a failure before it is described, which may take long."""
        expected = item.get_closest_marker("xfail") is not None
        if call.excinfo is not None and not expected and not call.excinfo.errisinstance(pytest.skip.Exception):
            self.failed = True
        report = yield
        self.failed = self.failed or report.failed
        return report

    def passes(self, item: pytest.Item, limit: float = 0) -> bool:
        """Run a test with its fixtures, within a limit of processor time; return whether it passes."""
        self.failed = False
        signal.setitimer(signal.ITIMER_PROF, limit)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        return not self.failed


def collected(paths: Iterable[str], use: Callable[[list[pytest.Item], Plugin], None]) -> int:
    """Collect tests and hand them over; return pytest's exit status."""
    sys.modules["__main__"] = pytest.__main__  # what spawned processes import first, as under `python -m pytest`
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-o", "timeout=0", "-o", "addopts=", "--capture=sys"]
    options += ["-qq", "--no-header", "--no-summary", "--tb=short", "--assert=plain", "--import-mode=importlib"]
    options += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), *paths]
    return int(pytest.main(options, plugins=[Plugin(use)]))


# Which lines a test runs


class _Noting(ast.NodeTransformer):
    """Puts before each statement of a function a note of its line, in memory that all processes share."""

    def __init__(self, first: int) -> None:
        self._first, self._depth = first, 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        is_function = isinstance(node, ast.FunctionDef)
        self._depth += is_function
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            if self._depth and isinstance(block := getattr(node, name, None), list):
                setattr(node, name, [part for each in block for part in self._noted(each)])
        self._depth -= is_function
        return node

    def _noted(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return [node]
        note = ast.parse(f"__ran__[{self._first + node.lineno}] = 1").body[0]
        for part in ast.walk(note):
            ast.copy_location(part, node)
        return [note, node]


class Suite:
    """The tests of some files, with the lines of the sources that each runs; traces are kept while no text changes."""

    def __init__(self, sources: Mapping[str, Module], tests: Path, build: Path, scratch: Path, jobs: int) -> None:
        self.sources, self._build, self.scratch = sources, build, scratch
        self.first: dict[str, int] = {}
        """The number of the line before the first one of each module, as lines of all sources are counted."""
        size = 0
        for name, module in sources.items():
            self.first[name], size = size, size + len(module.path.read_text("utf-8").splitlines()) + 1
        self.code = digest(*(code_of(module.path) for module in sources.values()))
        self.files = {str(path.resolve()): path.read_text("utf-8")
                      for path in ([tests] if tests.is_file() else sorted(tests.rglob("test_*.py")))}  # fmt: skip
        folder = tests.parent if tests.is_file() else tests
        helpers = {path for path in (*folder.rglob("*.py"), *folder.parent.glob("*.py")) if "test_" not in path.name}
        self.helpers = digest(*(path.read_text("utf-8") for path in sorted(helpers)))
        self.tests, self.failing = self._traced(size, jobs)

    def _traced(self, size: int, jobs: int) -> tuple[list[Test], list[str]]:
        """Run the tests of new and changed files without a mutant; return all, and the names of those that fail."""
        kept = Records(self._build, f"traces-{digest(self.code, self.helpers)}")
        known = {record["key"]: record for record in kept.read()}
        keys = {path: digest(path, text) for path, text in self.files.items()}
        missing = [path for path, key in keys.items() if key not in known]
        codes = {}
        for name, module in self.sources.items():
            tree = ast.fix_missing_locations(_Noting(self.first[name]).visit(ast.parse(module.path.read_text("utf-8"))))
            codes[module.path] = compile(tree, str(module.path), "exec", dont_inherit=True)

        def part(number: int) -> None:
            for path in missing[number::jobs]:
                memory = self.scratch / f"ran-{number}"
                memory.write_bytes(bytes(size + 1))

                def work(report: Report, path: str = path, memory: Path = memory) -> None:
                    ran = mmap.mmap(os.open(memory, os.O_RDWR), 0)

                    def use(items: list[pytest.Item], plugin: Plugin) -> None:
                        report([n for n, byte in enumerate(ran[:]) if byte])
                        for item in items:
                            ran[:] = bytes(len(ran))
                            before = sum(os.times()[:4])
                            passes = plugin.passes(item)
                            lines = [n for n, byte in enumerate(ran[:]) if byte] if passes else None
                            slow = item.get_closest_marker("slow") is not None
                            report([item.nodeid.partition("::")[2], sum(os.times()[:4]) - before, slow, lines])
                        report(None)

                    change(codes, self.scratch / f"changed-{number}", TPLORACLE_RAN=str(memory))
                    collected([path], use)

                said, _ = forked(work)
                if said[-1:] != [None]:
                    raise SystemExit(f"{path}: the tests cannot be collected, or their process has ended")
                kept.write(number, {"key": keys[path], "imports": said[0], "tests": said[1:-1]})
                print(f"{Path(path).name}: {len(said) - 2} tests", flush=True)

        together(jobs, part)
        known = {record["key"]: record for record in kept.read()}
        tests, failing = [], []
        self.in_imports: set[int] = set()
        for path, key in keys.items():
            self.in_imports.update(known[key]["imports"])  # type: ignore[call-overload]
            for name, seconds, slow, lines in known[key]["tests"]:  # type: ignore[attr-defined]
                if lines is None:
                    failing.append(f"{Path(path).name}::{name}")
                else:
                    tests.append(Test(name, path, seconds, slow, frozenset(lines)))
        return tests, failing

    def reaching(self, mutant: Mutant) -> list[Test]:
        """Return the tests that run the mutant, or a constant that it changes; the soonest to tell first."""
        lines = {self.first[mutant.module] + line for line in mutant.lines}
        naming = None
        if mutant.function is None or lines & self.in_imports:  # tests may see what the import has made of it
            lines |= self._uses(mutant)
            naming = mutant.constant or mutant.module.rpartition("/")[2]
        tests = [test for test in self.tests if test.lines & lines or (naming and naming in self.files[test.file])]
        own = f"test_{mutant.module.rpartition('/')[2]}"
        return sorted(tests, key=lambda test: test.seconds * (1 if Path(test.file).stem.startswith(own) else 3))

    def _uses(self, mutant: Mutant) -> set[int]:
        """Return the lines that read a constant; all lines of the module where there are none."""
        found = {
            self.first[name] + node.lineno
            for name, module in self.sources.items()
            for node in ast.walk(module.tree)
            if mutant.constant is not None and isinstance(node, ast.Name) and node.id == mutant.constant
        }
        first = self.first[mutant.module]
        return found or set(range(first, first + 100_000))


# Mutants


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of the functions of a module and of its classes, not of functions within functions."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            if not constant.co_flags & 0x1:  # CO_OPTIMIZED: a function, not the body of a class
                yield from _codes(constant)


class Judge:
    """Tries mutants with tests in forked children: with items collected here, or else with what the child collects."""

    def __init__(self, suite: Suite, items: list[pytest.Item] | None = None, plugin: Plugin | None = None) -> None:
        self._suite, self._plugin = suite, plugin
        self._items = None if items is None else _by_name(items)
        files = {str(module.path) for module in suite.sources.values()}
        self._alive: dict[tuple[str, str, int], list[FunctionType]] = {}
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and (code := thing.__code__).co_filename in files:
                key = code.co_filename, code.co_qualname, code.co_firstlineno
                self._alive.setdefault(key, []).append(thing)
        gc.freeze()

    def verdict(self, mutant: Mutant, tests: Sequence[Test]) -> Verdict | None:
        """Run tests until one fails with the mutant in place; None where imported code cannot be exchanged."""
        module = self._suite.sources[mutant.module]
        code = module.compiled(mutant)
        put = None if self._items is None else self._exchange(mutant, module, code)
        if self._items is not None and put is None:
            return None

        def judge(report: Report, items: Mapping[tuple[str, str], pytest.Item], plugin: Plugin) -> None:
            for number, test in enumerate(tests):
                report(number)
                if not plugin.passes(items[test.file, test.name], SECONDS + PATIENCE * test.seconds):
                    report(KILLED)
                    return
            report(SURVIVED)

        def work(report: Report) -> None:
            change({module.path: code}, self._suite.scratch / f"changed-{os.getpid()}")
            if put is not None and self._items is not None and self._plugin is not None:
                put()
                judge(report, self._items, self._plugin)
                return
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            files = sorted({test.file for test in tests})
            collected(files, lambda items, plugin: judge(report, _by_name(items), plugin))

        said, out_of_time = forked(work, START + 2 * sum(test.seconds for test in tests))
        if said[-1:] == [SURVIVED]:
            return Verdict(SURVIVED)
        last = next((number for number in reversed(said) if isinstance(number, int)), 0)
        return Verdict(TIMED_OUT if out_of_time else KILLED, tests[last] if tests else None)

    def _exchange(self, mutant: Mutant, module: Module, whole: CodeType) -> Callable[[], None] | None:
        """Return what replaces the code of a mutant's function where it is alive, and no import has run it."""
        first = self._suite.first[mutant.module]
        if mutant.function is None or any(first + line in self._suite.in_imports for line in mutant.lines):
            return None
        for code in _codes(whole):
            live = self._alive.get((str(module.path), code.co_qualname, code.co_firstlineno), [])
            if code.co_qualname == mutant.function and mutant.lines.start in _lines(code) and live:
                if any(function.__code__.co_freevars != code.co_freevars for function in live):
                    return None

                def put(code: CodeType = code, live: list[FunctionType] = live) -> None:
                    for function in live:
                        function.__code__ = code

                return put
        return None


def _by_name(items: Iterable[pytest.Item]) -> dict[tuple[str, str], pytest.Item]:
    return {(str(item.path.resolve()), item.nodeid.partition("::")[2]): item for item in items}


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of the functions of a module and of its classes, not of functions within functions."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            if not constant.co_flags & 0x1:  # CO_OPTIMIZED: a function, not the body of a class
                yield from _codes(constant)


def _lines(code: CodeType) -> set[int]:
    """Return the lines of a function, with those of the functions in it."""
    found = {line for *_, line in code.co_lines() if line is not None}
    return found.union(*(_lines(part) for part in code.co_consts if isinstance(part, CodeType)))


def within(seconds: float, tests: Sequence[Test]) -> list[Test]:
    """Return the first tests, as long as they take no more processor time together; at least one."""
    spent = accumulate(test.seconds for test in tests)
    return [test for number, (test, all_) in enumerate(zip(tests, spent, strict=True)) if not number or all_ <= seconds]
