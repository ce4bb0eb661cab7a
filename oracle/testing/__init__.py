"""The conformance suite as tests of your own: a class to inherit from in a test module of pytest.

    from tploracle.testing import ConformanceSuite

    class TestMine(ConformanceSuite):
        implementation = Mine()                    # an object with methods, as `tploracle.adapter` takes it
        # or: command = ["node", "mine.mjs"]       # a program on the wire
        operations = ("loss", "supremum")
        xfails = {"loss-overflow-*": "exp is taken before the logarithm, issue 12"}

Each vector of the tier is a test, `test_conforms[loss-disjoint-supports-2x2]`; its id never changes. For each operation
there are a test of seeded cases, `test_seeded[loss]`, one of cases across sizes, `test_sizes[loss]`, and a search for
counterexamples, `test_search[loss]`, which Hypothesis shrinks: what `tploracle conform` asks, tier by tier.
`test_declaration` holds the implementation to `operations`.

The options --tploracle-tier, --tploracle-seed and --tploracle-command of the plugin, which comes with the package,
stand before what a suite says. Without the plugin (-p no:tploracle) the suites run all the same.
"""

from __future__ import annotations

from collections import Counter

try:
    import pytest
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("tploracle.testing needs pytest: pip install 'tploracle[testing]'") from error

from ..conformance.model import Case, Result, Verdict
from ..testing_plugin import PROPERTY
from .bench import Bench, Setup, SuiteSettings
from .messages import every_message, message, worst_message

__all__ = ["ConformanceSuite"]

_BENCH = pytest.StashKey[Bench]()


class _NotCollected:
    """Keeps pytest from collecting the suite itself, and says nothing of the classes that inherit from it."""

    def __get__(self, _instance: object, owner: type) -> bool:
        if owner.__dict__.get("is_conformance_suite") is True:
            return False
        raise AttributeError("__test__")


class ConformanceSuite(SuiteSettings):
    """Tests that hold an implementation to the oracle. Inherit, and set `implementation` or `command`.

    implementation: an object as `tploracle.adapter` takes it, asked in this process; command: a program on the wire and
    its arguments; exactly one of the two. tier: how much is asked, one of TIERS; ulps: how far from the truth on the
    safe side an answer may be; timeout: seconds for an answer of a program; seed: of the seeded cases and the search;
    seeded: how many seeded cases, over all operations; examples: how many inputs the search draws for each operation
    and way of writing numbers; None for as many as the tier has. operations and numbers: what the implementation is to
    declare, in any order; None takes what it declares, and then what it does not declare is skipped, in one test for
    each operation. xfails: known failures, from a pattern (with * and ?) of ids to the reason. An id is a vector's, or
    "loss-seeded", "loss-sizes" and "loss-search" for an operation's others. An expected failure that passes is a
    failure, and a pattern without a test fails `test_declaration`.
    """

    is_conformance_suite = True
    __test__ = _NotCollected()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test of each vector, and of each operation."""
        setup = Setup.of(type(self), metafunc.config)
        if "tploracle_case" in metafunc.fixturenames:
            vectors, missing = setup.vectors()
            params = [pytest.param(case, id=case.id, marks=setup.marks(case.id)) for case in vectors]
            params += [pytest.param(None, id=op, marks=pytest.mark.skip(reason=why)) for op, why in missing.items()]
            metafunc.parametrize("tploracle_case", params)
        if "tploracle_op" in metafunc.fixturenames:
            kind = metafunc.function.__name__.removeprefix("test_")
            params = [pytest.param(op, id=op, marks=setup.marks(f"{op}-{kind}")) for op in setup.asked()]
            metafunc.parametrize("tploracle_op", params)

    def test_declaration(self, request: pytest.FixtureRequest) -> None:
        """The implementation declares what the suite says, all of it in the contract; the xfails have tests."""
        bench = _bench(request)
        complaints = [*bench.declaration_complaints(), *bench.setup.stale_xfails()]
        if complaints:
            pytest.fail("\n".join(complaints), pytrace=False)

    def test_conforms(self, tploracle_case: Case, request: pytest.FixtureRequest) -> None:
        """The answer to a vector conforms."""
        bench = _bench(request)
        result = bench.put(tploracle_case)
        if result is None:
            pytest.skip(f"not declared: {tploracle_case.op} with {tploracle_case.numbers} numbers")
        verdict = result.judgement.verdict
        _report(request, Counter([verdict]))
        if verdict.fails:
            pytest.fail(message(result, bench.setup.run), pytrace=False)
        if not result.is_judged:
            pytest.skip(f"{verdict.value}: {result.judgement.detail}")

    def test_seeded(self, tploracle_op: str, request: pytest.FixtureRequest) -> None:
        """The answers to all seeded cases of an operation conform."""
        bench = _bench(request)
        _conclude(request, bench, bench.put_seeded(tploracle_op))

    def test_sizes(self, tploracle_op: str, request: pytest.FixtureRequest) -> None:
        """The answers to all cases of an operation across sizes conform."""
        bench = _bench(request)
        _conclude(request, bench, bench.put_sizes(tploracle_op))

    def test_search(self, tploracle_op: str, request: pytest.FixtureRequest) -> None:
        """Hypothesis finds no input of an operation whose answer does not conform."""
        pytest.importorskip("hypothesis")
        bench = _bench(request)
        if not bench.setup.examples:
            pytest.skip(f"no search in the {bench.setup.tier} tier")
        judged, found = bench.search(tploracle_op)
        _report(request, Counter(result.judgement.verdict for result in found))
        if failing := [result for result in found if result.judgement.verdict.fails]:
            pytest.fail(every_message(failing, bench.setup.run), pytrace=False)
        if found:
            pytest.skip(f"{found[0].judgement.verdict.value}: {found[0].judgement.detail}")
        if not judged:
            pytest.skip(f"no answer of {tploracle_op} to judge")


def _bench(request: pytest.FixtureRequest) -> Bench:
    """Return what the tests of one class share; it is closed when pytest is done with the class."""
    node = request.node.getparent(pytest.Class)
    stash: pytest.Stash = node.stash
    if _BENCH not in stash:
        bench = stash[_BENCH] = Bench(Setup.of(node.obj, request.config))

        def close() -> None:
            del stash[_BENCH]
            bench.close()

        node.addfinalizer(close)
    return stash[_BENCH]


def _conclude(request: pytest.FixtureRequest, bench: Bench, results: list[Result]) -> None:
    """Report many answers, and fail where one of them does."""
    _report(request, Counter(result.judgement.verdict for result in results))
    if failing := [result for result in results if result.judgement.verdict.fails]:
        pytest.fail(worst_message(failing, len(results), bench.setup.run), pytrace=False)
    if not any(result.is_judged for result in results):
        pytest.skip(f"no answer to judge among {len(results)} cases")


def _report(request: pytest.FixtureRequest, verdicts: Counter[Verdict]) -> None:
    """Leave the verdicts with the test's report, for the plugin and for JUnit's XML."""
    request.node.user_properties.extend((PROPERTY + verdict.value, number) for verdict, number in verdicts.items())
