"""Implementations that the session must catch, and a truthful one that it must not blame.

They take the oracle's own answer and spoil it, so that nothing is wrong with them but what their docstring says.
"""

import json
import math
from fractions import Fraction
from functools import cache

from tploracle.conformance.model import Reply, Verdict
from tploracle.contract.entry import Side
from tploracle.contract.errors import UnknownOperation
from tploracle.contract.operations import OPERATIONS
from tploracle.proofs_checks.in_doubles import Endless
from tploracle.proofs_checks.transcriptions import Looping, NoIndex
from tploracle.reference import OracleError
from tploracle.wire.numerals import Reader
from tploracle.wire.protocol import FLOAT64, RATIONAL, Declaration
from tploracle.wire.requests import Session, answer_request
from tploracle.wire.strict_json import decode, mapped

BUDGETS = tuple(op for op, operation in OPERATIONS.items() if operation.side is Side.BELOW)


class Fake:
    """The oracle itself, in this process: the implementation that all the others spoil."""

    operations = tuple(OPERATIONS)
    numbers = (FLOAT64, RATIONAL)
    restarts = 0

    def start(self):
        return Declaration(type(self).__name__, "1", self.operations, self.numbers)

    def ask(self, request):
        seq = request["seq"]
        try:
            answer = {"seq": seq, "value": self.value(decode(json.dumps(request)))}
        except OracleError as error:
            answer = {"seq": seq, "error": {"name": error.name, "message": str(error)}}
        except (Looping, Endless, TimeoutError) as error:
            return Reply(None, Verdict.TIMED_OUT, str(error))
        except (ArithmeticError, NoIndex, TypeError, ValueError) as error:
            answer = {"seq": seq, "error": {"name": "InternalError", "message": str(error)}}
        return Reply(decode(json.dumps(answer)))

    def processor_time(self):
        return None

    def close(self):
        pass

    def value(self, request):
        method = getattr(self, request["op"], None)
        if method is None or request["op"] not in OPERATIONS:
            return self.truth(request)
        return method(request)

    def truth(self, request):
        asked = json.dumps({**request, "seq": 0}, default=lambda numeral: float(numeral.text))
        return json.loads(_truth(asked))


def only(fake, *operations, numbers=(RATIONAL,)):
    """Return an implementation that has these operations alone, with these numbers."""
    made = fake()
    made.operations, made.numbers = operations, numbers
    return made


_SESSION = Session()


@cache
def _truth(text):
    """Return the oracle's answer, with enough digits to distinguish every level from every double that differs."""
    request = decode(text)
    answer_request(_SESSION, request)
    for digits in (40, 1500):
        value = answer_request(_SESSION, {**request, "want": {"digits": digits}})
        if all(
            double_at_least({**level, "lower": level["upper"]}) == double_at_least({**level, "upper": level["lower"]})
            for level in levels_of(value)
        ):
            break
    return json.dumps(value)


def read(request):
    """Return a reader of the request's numbers, and its input."""
    return Reader(request.get("numbers", RATIONAL)), request["input"]


def is_level(value):
    return isinstance(value, dict) and "lower" in value


def levels_of(value):
    """Yield every level in a value."""
    if is_level(value):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from levels_of(part)


def changed(value, change):
    """Return a value with every level in it changed."""
    return mapped(value, lambda part: change(part) if is_level(part) else part, "lower")


def double_at_least(level):
    """Return the least double that is at least a level."""
    value = _rational(level, "upper")
    if value == math.inf:
        return math.inf
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


def double_at_most(level):
    """Return the greatest double that is at most a level."""
    value, above = _rational(level, "lower"), double_at_least({**level, "upper": level["lower"]})
    return above if above == value else math.nextafter(above, 0)


def _rational(level, end):
    """Return a level where it is rational, else an end of its enclosure."""
    if level["lower"] == "inf":
        return math.inf
    return Fraction(level["exact"] if level["exact"] and "log" not in level["exact"] else level[end])


def point(number):
    """Return an answer of one double."""
    return "inf" if number == math.inf else number.hex()


class Directed(Fake):
    """Rounds every level of the truth to a double on the safe side, and every probability to the nearest: conforms."""

    def value(self, request):
        value = self.truth(request)
        if request["op"] in BUDGETS:
            return changed(value, lambda level: point(double_at_most(level)))
        if request["op"] in ("smooth", "reverse", "estimate"):
            return {
                key: value[key] if key == "states" else _rounded(value[key])
                for key in value
                if key != "normalised_rows"
            }
        return changed(value, lambda level: point(double_at_least(level)))


def _rounded(entries):
    return [_rounded(entry) for entry in entries] if isinstance(entries, list) else float(Fraction(entries)).hex()


class OneUlpBelow(Fake):
    """Rounds every level to the nearest double on the unsafe side: less than one unit in the last place off."""

    def value(self, request):
        value = self.truth(request)
        return changed(value, _one_ulp_above if request["op"] in BUDGETS else _one_ulp_below)


def _one_ulp_below(level):
    above = double_at_least(level)
    return point(math.nextafter(above, 0)) if above else level


def _one_ulp_above(level):
    return point(math.nextafter(double_at_most(level), math.inf))


class LiesAboutOperations(Fake):
    """Declares operations that it does not have, one of the contract's and one of its own."""

    operations = ("loss", "supremum", "privacy")

    def supremum(self, request):
        raise UnknownOperation("there is no operation 'supremum'")


class SkipsEverything(Fake):
    """Declares everything and answers nothing."""

    def ask(self, request):
        return Reply({"seq": request["seq"], "skipped": "later"})


class IgnoresErrors(Fake):
    """Has an answer where the contract has an error."""

    def value(self, request):
        try:
            return self.truth(request)
        except OracleError:
            return {"exact": "1", "lower": "1", "upper": "1"}


class AlwaysWrong(IgnoresErrors):
    """Answers 1 whatever is asked, invalid questions included."""

    def value(self, request):
        return mapped(super().value(request), lambda _: "1")


class Halves(Fake):
    """Writes complex numbers and NaN where it should write a level."""

    def loss(self, request):
        return {"exact": None, "lower": "nan", "upper": "nan"}

    def supremum(self, request):
        return "(1.5+2j)"

    def control(self, request):
        return 0.5
