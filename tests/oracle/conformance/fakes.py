"""Implementations that the session must catch, and a truthful one that it must not blame.

All but the last few take the oracle's own answer and spoil it, or work out the printed version of one item of the
paper in exact fractions, so that nothing is wrong with them but what their docstring says.
"""

import json
import math
from fractions import Fraction
from functools import cache
from itertools import permutations

from tploracle.conformance.model import Reply, Verdict
from tploracle.contract.entry import Side
from tploracle.contract.errors import UnknownOperation
from tploracle.contract.operations import OPERATIONS
from tploracle.proofs_checks.transcriptions import (
    Looping,
    NoIndex,
    Watch,
    algorithm_1,
    algorithm_2,
    algorithm_3,
    algorithm_4,
    algorithm_7,
    piece,
)
from tploracle.reference import INFINITE, ZERO, InfeasibleBudget, Level, OracleError
from tploracle.wire.numerals import Reader
from tploracle.wire.protocol import FLOAT64, RATIONAL, Declaration
from tploracle.wire.requests import Session, answer_request
from tploracle.wire.strict_json import decode
from tploracle.wire.values import level_value

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
        except (Looping, TimeoutError) as error:
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
    """Return the oracle's answer, with so many digits that every level is told from every double that it is not."""
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
    if is_level(value):
        return change(value)
    if isinstance(value, dict):
        return {key: changed(part, change) for key, part in value.items()}
    return [changed(part, change) for part in value] if isinstance(value, list) else value


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


class AlwaysWrong(Fake):
    """Answers 1 whatever is asked, invalid questions included."""

    def value(self, request):
        try:
            return _ones(self.truth(request))
        except OracleError:
            return {"exact": "1", "lower": "1", "upper": "1"}


def _ones(value):
    if isinstance(value, dict):
        return {key: _ones(part) for key, part in value.items()}
    return [_ones(part) for part in value] if isinstance(value, list) else "1"


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


class Halves(Fake):
    """Writes complex numbers and NaN where it should write a level."""

    def loss(self, request):
        return {"exact": None, "lower": "nan", "upper": "nan"}

    def supremum(self, request):
        return "(1.5+2j)"

    def control(self, request):
        return 0.5


# What follows is the paper as printed, an erratum at a time, in exact fractions. Where a question is not of the kind
# that the item is about (a level whose ratio is not rational, another operation) the truth is answered.


PRINTED = []
"""The paper's items as printed: implementations whose `erratum` is the number in `tploracle.proofs_checks.errata`."""


def printed(erratum, op):
    """Make an implementation of a function: what it returns for the right answer and the request is answered."""

    def made(function):
        def answered(self, request):
            return function(self.truth(request), request)

        shown = {"__doc__": function.__doc__, "numbers": (RATIONAL,), "erratum": erratum, op: answered}
        PRINTED.append(type(function.__name__, (Fake,), shown))
        return function

    return made


def refusing(erratum):
    """The same of what is raised for the refusal of a budget, or answered for it."""

    def made(function):
        class Refused(Fake):
            numbers = (RATIONAL,)

            def allocate(self, request):
                try:
                    return self.truth(request)
                except InfeasibleBudget as error:
                    return function(error, request)

        Refused.erratum = erratum
        PRINTED.append(Refused)
        return function

    return made


def ratio_asked(request, key="alpha"):
    """Return the matrix and the ratio e^level of a question that has one, else None."""
    reader, given = read(request)
    level = reader.level(given[key], key)
    ratio = None if level.is_infinite else level.ratio
    return (reader.matrix(given["matrix"], "matrix"), ratio) if isinstance(ratio, Fraction) else None


def exactly(ratio):
    """Return an answer: the level of a ratio; ∞ for an infinite one. A ratio below 1 has a negative level."""
    if ratio == math.inf:
        return level_value(INFINITE, 40)
    return level_value(Level.of_ratio(ratio), 40) if ratio >= 1 else {"exact": None, "lower": "-1", "upper": "-1"}


@printed("E2", "loss")
def algorithm_1_loops(truth, request):
    """Algorithm 1: the flag `update` is never set back."""
    asked = ratio_asked(request)
    return exactly(algorithm_1(*asked, Fraction(1), Watch())) if asked else truth


@refusing("E37")
def one_against_zero(error, request):
    """Theorem 7: takes L for the identity only where a 1 stands against a 0, and finds some budget otherwise."""
    reader, given = read(request)
    matrices = [reader.matrix(given[role], role) for role in ("backward", "forward") if role in given]
    pairs = [pair for matrix in matrices for pair in permutations(matrix.rows, 2)]
    if any(1 in row and other[row.index(1)] == 0 for row, other in pairs) or given.get("alpha") == "0":
        raise error
    return {"epsilons": ["1e-9"] * given.get("horizon", 1)}


def by_precomputation(mended_2, mended_3):
    """Algorithms 2 and 3 with these lines mended."""

    def loss(truth, request):
        asked = ratio_asked(request)
        if not asked:
            return truth
        matrix, ratio = asked
        arrays = algorithm_2(matrix, Watch(), mended=mended_2)
        return exactly(algorithm_3(ratio, arrays, Fraction(1), Watch(), mended=mended_3))

    return loss


# Algorithm 2, line 11: the transition points lack the "+ 1".
printed("E4", "loss")(by_precomputation((), (4, 5)))
# Algorithm 3, line 4: aArr without its last entry 0, so that no index is found below the last transition.
printed("E5", "loss")(by_precomputation((11,), (5,)))
# Algorithm 3, line 5: qArr over qArr.
printed("E6", "loss")(by_precomputation((11,), (4,)))


@printed("E7", "loss_function")
def calls_precomputation(truth, request):
    """Algorithm 4, lines 2 and 3: calls Algorithm 2 with a level, which takes none."""
    reader, given = read(request)
    matrix = reader.matrix(given["matrix"], "matrix")
    algorithm_4(matrix, Fraction(2), Fraction(1000), algorithm_2(matrix, Watch(), mended=(11,)), Watch())
    return truth


@printed("E8", "supremum")
def finite_at_the_boundary(truth, request):
    """Theorem 11, case 2: ε ≤ log(1/q), so that the boundary itself is taken for finite."""
    asked = ratio_asked(request, "epsilon")
    if asked:
        matrix, epsilon = asked
        for q, d in _points(matrix):
            if d == 0 and 0 < q < 1 and q * epsilon == 1:
                return exactly((1 - q) * epsilon / (1 - q * epsilon))
    return truth


def _points(matrix):
    """Return every (q, d) of a prefix of a pair of rows."""
    return [(q, d) for q_arr, d_arr, _ in algorithm_2(matrix, Watch()) for q, d in zip(q_arr, d_arr, strict=True)]


@printed("E9", "supremum")
def other_sign(truth, request):
    """Eq. (39): the linear term of the quadratic with the wrong sign."""
    asked, q, d = ratio_asked(request, "epsilon"), Fraction(truth["q"]), Fraction(truth["d"])
    if not asked or d in (0, q):
        return truth
    epsilon = asked[1]
    middle = q * epsilon + d - 1
    return point((-middle + math.sqrt(middle**2 + 4 * d * (1 - q) * epsilon)) / (2 * d) if middle else 1.0)


@printed("E10", "supremum")
def pair_of_the_first_step(truth, request):
    """Theorem 11: (q, d) is the pair that attains L at ε, not at the supremum."""
    asked = ratio_asked(request, "epsilon")
    if not asked:
        return truth
    matrix, epsilon = asked
    q, d = max(_points(matrix), key=lambda pair: piece(*pair, epsilon), default=(Fraction(0), Fraction(0)))
    if q == d:
        return exactly(epsilon)
    if d == 0:
        return exactly((1 - q) * epsilon / (1 - q * epsilon) if q * epsilon < 1 else math.inf)
    middle = d + q * epsilon - 1
    found = math.log((math.sqrt(4 * d * epsilon * (1 - q) + middle**2) + middle) / (2 * d))
    within_rounding = truth["lower"] != "inf" and abs(found - float(truth["lower"])) < 1e-9
    return truth if within_rounding else point(found)  # the pair was the right one


@printed("E12", "supremum")
def zero_for_equal_rows(truth, request):
    """Algorithm 6 starts from sup = 0, line 1, and Theorem 11 has no case for q = d: no two rows differ, it says 0."""
    return exactly(Fraction(1)) if truth["rows"] is None else truth


@printed("E14", "loss")
def ties_leave_one_by_one(truth, request):
    """Theorem 8 taken at its word, a strict order of the ratios: of columns that tie only the first is kept."""
    reader, given = read(request)
    alpha, matrix = reader.level(given["alpha"], "alpha"), reader.matrix(given["matrix"], "matrix")
    points = [point for pair in permutations(matrix.rows, 2) for point in _kept_points(*pair)]
    return level_value(max((alpha.linear_fractional(*point) for point in points), default=ZERO), 40)


def _kept_points(q_row, d_row):
    kept = {}
    for q, d in zip(q_row, d_row, strict=True):
        if q > d:
            kept.setdefault(q / d if d else math.inf, (q, d))
    q_sum = d_sum = Fraction(0)
    for key in sorted(kept, reverse=True):
        q_sum, d_sum = q_sum + kept[key][0], d_sum + kept[key][1]
        yield q_sum, d_sum


@printed("E27", "allocate")
def bisection_never_ends(truth, request):
    """Algorithms 7 and 8 end where two reals are equal."""
    reader, given = read(request)
    middle, level = truth["epsilons"][len(truth["epsilons"]) // 2], reader.level(given["alpha"], "alpha")
    if level.is_infinite or level.rational is None:
        raise TimeoutError("the bisection goes on")
    target = Fraction(middle["lower"]) / level.rational
    exact = middle["lower"] == middle["upper"]
    algorithm_7(lambda part: (part > target) - (part < target) or (0 if exact else -1), Watch(2_000))
    return truth


@refusing("E37")
def strongest_never_ends(error, request):
    """Algorithm 7 under the strongest correlation: no positive budget exists, and the bisection goes on."""
    raise TimeoutError("the bisection goes on") from error


def _quantified(request):
    """The horizon of a schedule for so many releases, else 0."""
    return request["input"]["horizon"] if request["input"]["method"] == "quantified" else 0


@printed("E29", "allocate")
def twice_at_once(truth, request):
    """Algorithm 8, line 12, for T = 1: ε_1 = a^B instead of α."""
    if _quantified(request) != 1:
        return truth
    two = Fake().truth({**request, "input": {**request["input"], "horizon": 2}})
    return {"epsilons": two["epsilons"][:1]}


@printed("E30", "allocate")
def middle_to_the_end(truth, request):
    """Section 5: the middle budget goes to [2, T], the last time included."""
    epsilons = truth["epsilons"]
    return {"epsilons": [*epsilons[:-1], epsilons[1]]} if _quantified(request) > 2 else truth


@printed("E34", "loss")
def neighbouring_piece(truth, request):
    """Algorithm 5: the index with α_k ≥ α and α_{k+1} < α among rising ends, which there is not."""
    asked = ratio_asked(request)
    whole = {**request, "op": "loss_function", "input": {"matrix": request["input"]["matrix"]}}
    if not asked or len(Fake().truth(whole)["pieces"]) == 1:
        return truth
    raise NoIndex(f"no k has a_k >= {asked[1]} > a_k+1")


@printed("E36", "tight_supremum")
def leakage_is_the_recursion(truth, request):
    """Theorem 11: what the recursion rises to is taken for what the leakage does, ∞ included."""
    given = request["input"]
    known = [given[role] for role in ("backward", "forward") if role in given]
    if len(known) != 1:
        return truth
    asked = {"matrix": known[0], "epsilon": given["epsilon"]}
    value = Fake().truth({**request, "op": "supremum", "input": asked})
    return {key: value[key] for key in ("exact", "lower", "upper")}
