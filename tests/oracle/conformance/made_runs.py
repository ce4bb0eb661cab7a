"""Runs made by hand, for the tests of what is reported of them."""

from tploracle.conformance.model import Case, Finding, Judgement, ProcessorUse, Result, Run, Verdict
from tploracle.wire.protocol import FLOAT64, RATIONAL, Declaration

PLAIN = [["1/2", "1/2"], ["1/4", "3/4"]]
ZEROS = [["1/2", "1/2"], ["0", "1"]]

HOSTILE = "<script>alert(1)</script>&\"'\x1b[31m\x00\x07\u202e\ud800]]>\ufffe\r\n`$(id)`$\\frac{$"


def case(name, op="loss", matrix=PLAIN, alpha="1", source="vector", **more):
    given = more.pop("given", {"matrix": matrix, "alpha": alpha})
    return Case(name, op, more.pop("numbers", RATIONAL), given, source=source, **more)


def result(asked, verdict=Verdict.EXACT, ulps=None, expected_failure=None, **more):
    return Result(asked, Judgement(verdict, ulps, **more), 0.25, expected_failure)


def exact(name, **more):
    return result(case(name, **more))


def unsafe(name, ulps=-1, **more):
    failure = more.pop("failure", None)
    return result(case(name, **more), Verdict.UNSAFE, ulps, truth="0.2776[3,4]", given="0.2775", failure=failure)


def run(*results, **more):
    declaration = more.pop("declaration", Declaration("mine", "1.2", ("loss", "supremum"), (RATIONAL, FLOAT64)))
    return Run("-- ./mine --fast", "standard", 7, 4096, declaration, list(results), seconds=12.34, **more)


def finding(verdict=Verdict.UNSAFE, ulps=-5, met=3, **more):
    asked = case(f"loss-search-{verdict.value.replace(' ', '-')}", source="search", **more)
    return Finding(result(asked, verdict, ulps, truth="right", given="came"), met)


def mixed():
    """Return a run with a result of every sort."""
    return run(
        exact("loss-exact"),
        unsafe("loss-unsafe", flags=("DisjointSupports",), cites=("Theorem 7 [thm:algo_extreme2]",), title="Apart."),
        result(case("loss-wrong", alpha="50"), Verdict.WRONG, 9000, truth="1", given="2", detail="too far"),
        result(case("loss-error"), Verdict.ERROR_MISMATCH, truth="NotStochastic", given="0.5"),
        result(case("loss-crash"), Verdict.CRASHED, detail="exit status 139"),
        result(case("loss-slow"), Verdict.TIMED_OUT, detail="no answer in 10 s"),
        result(case("loss-later"), Verdict.UNANSWERED, detail="later"),
        result(case("loss-open"), Verdict.UNDECIDED, detail="4,000 digits agree"),
        result(case("loss-left-out"), Verdict.SKIPPED, detail="not supported"),
        result(case("loss-within"), Verdict.WITHIN, 12, truth="1", given="1.1"),
        result(case("loss-known"), Verdict.WRONG, 7777, "ticket 12"),
        result(case("loss-fixed"), Verdict.EXACT, None, "ticket 13"),
        result(case("supremum-within", "supremum", given={"matrix": ZEROS, "epsilon": "0.1"}), Verdict.WITHIN, 3),
        findings=[finding()],
        searched={"supremum": 20, "loss": 1000},
        notes=["a note"],
        restarts=2,
        processor=ProcessorUse(8.14, 3.06, 0.4149),
    )


def hostile():
    """Return a run whose every text from outside would do harm if it were shown as it is."""
    long = "<b>\x1b[2J" + "9" * 1_000_000
    return Run(
        "-- ./mine",
        "standard",
        0,
        4096,
        Declaration(HOSTILE, HOSTILE, (HOSTILE,), (HOSTILE,)),
        [
            result(
                case("loss-1", flags=(HOSTILE,), title=HOSTILE, cites=(HOSTILE,)),
                Verdict.UNSAFE,
                -(10**5000),
                None,
                place=HOSTILE,
                truth="1",
                given=long,
                detail=HOSTILE + long,
            ),
            result(case("loss-2", HOSTILE), Verdict.CRASHED, None, None, detail=long),
            result(case("loss-3"), Verdict.UNDECIDED, None, None, detail=long),
            result(case("loss-4"), Verdict.WRONG, None, HOSTILE + long, given=long),
            result(case("loss-5"), Verdict.WITHIN, 3, None, given=long),
        ],
        [Finding(result(case(HOSTILE, source="search", given={HOSTILE: long}), Verdict.WRONG, 10**400, given=long), 1)],
        {HOSTILE: 5},
        [HOSTILE, long],
    )
