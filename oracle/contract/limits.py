"""What is too large to answer: every bound in one place, checked before the work begins.

The bounds keep the worst admitted request below 2 GiB of memory. They are estimates from above of what the exact
arithmetic may need, so that a request is refused by name instead of ending the process.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from math import lcm
from time import thread_time
from typing import TYPE_CHECKING

from ..reference import InvalidRequest
from ..system.processor_time import no_answer_within

if TYPE_CHECKING:
    from ..reference import Level, LossFunction, TransitionMatrix

LONGEST_INPUT = 16 << 20
"""Bytes of one line on the wire, or of one line of a sequence file."""

LONGEST_FILE = 32 << 20
"""Bytes of a matrix file, and decimal digits of its numbers: a thousand states take 25 MB from `numpy.savetxt`."""

MOST_DIGITS = 100_000
"""Significant digits of an enclosure."""

MOST_STATES = 1_000
"""States of a matrix."""

MOST_LITERAL_STATES = 50
"""States of a matrix whose loss function is built by the literal method, which takes about n^4 steps."""

MOST_RELEASES = 10_000
"""Releases whose leakage is asked for at once."""

MOST_PROFILED_RELEASES, MOST_PROFILED = 40, 400
"""Releases of a profile at each time of a stream, and their number times that of the states."""

LARGEST_PROFILED = 1_000
"""The greatest finite ε of their budgets, in nats."""

MOST_ADDED = 1_000_000
"""Budgets that are added up for the windows of a stream."""

MOST_VISITS = 5_000_000
"""Visits of a log."""

MOST_ADVERSARIES = 1_000
"""Users, or candidate matrices, whose leakage is asked for at once."""

MOST_WRITTEN_DIGITS = 20_000_000
"""Decimal digits of all the numbers of one request, written out: "1e-100" has a hundred."""

MOST_ENCLOSING = 4 * 10**11
"""What it may take to enclose the levels of an answer, in 100 picoseconds."""

MOST_MEMORY = 1 << 30
"""Bytes that one stage of an answer may need by the estimates below."""

MOST_GROWTH = 2 << 30
"""Bytes by which the process that answers requests may grow."""

VERTICES, VERTICES_PER_STATE = 10_000, 16
"""How many vertices a hull of points is taken to have at most. Dense random doubles have about half a one per state."""

_EXPONENT = re.compile(r"[eE][+-]?([0-9]+)")


MOST_SECONDS = 60.0
"""Seconds of processor time that one request may take, unless another number is set."""


def too_large(what: str) -> InvalidRequest:
    """Return the error for a request that is too large to answer."""
    return InvalidRequest(f"too large: {what}")


def not_enough_memory() -> InvalidRequest:
    """Return the error for a request that there is not enough memory for."""
    return too_large("there is not enough memory to answer")


def check_posix(what: str) -> None:
    """Raise InvalidRequest where the system is not POSIX, for what needs its locks, or processes of our own."""
    if not hasattr(os, "killpg"):
        raise InvalidRequest(f"{what} needs a POSIX system, such as Linux, macOS, or WSL on Windows")


def took_too_long(why: str) -> InvalidRequest:
    """Return the error for a request that is not answered in time."""
    return InvalidRequest(f"took too long: {why}")


class Deadline:
    """Ends work that is not done in time; a `Progress`, to be called at the heads of loops.

    Raises: InvalidRequest, when it is called and its thread has computed for `seconds` since it was made.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = thread_time() + seconds

    def __call__(self, _done: int = 0, _total: int = 0) -> None:
        """Raise InvalidRequest if the time is over."""
        if thread_time() > self._end:
            raise took_too_long(no_answer_within(self._seconds))


_NUMERIC = re.compile(r"\s*[-+]?[0-9]+([.,][0-9]+)?\s*")


def bounded_states(sequences: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yield sequences of states. Raises: InvalidRequest at the one that has one state too many."""
    seen: set[str] = set()
    for sequence in sequences:
        seen.update(sequence)
        check_states(seen)
        yield sequence


def check_states(names: Collection[str]) -> None:
    """Raise InvalidRequest for too many states; of numbers it says that measurements are put into bins first."""
    if len(names) > MOST_STATES:
        raise too_large(f"more than {MOST_STATES} states{about_bins(names)}")


def about_bins(names: Collection[str]) -> str:
    """Return what to do with measurements that are taken for states, where most names are numbers."""
    numbers = sum(bool(_NUMERIC.fullmatch(name)) for name in names)
    return "; most of them are numbers: put measurements into bins, as in 0-9, 10-19" * (2 * numbers > len(names))


def check_count(count: int, most: int, what: str) -> None:
    """Raise InvalidRequest if there are more than `most`."""
    if count > most:
        raise too_large(f"{count} {what}, at most {most} are admitted")


def check_answer(levels: int, digits: int) -> None:
    """Raise InvalidRequest if `levels` levels with `digits` digits take too long to enclose.

    One takes about 100 + 2.5·digits + digits²/10,000 microseconds.
    """
    if levels * (1_000_000 + 25_000 * digits + digits * digits) > MOST_ENCLOSING:
        raise too_large(f"{levels} levels with {digits} digits")


def check_digits(digits: int) -> int:
    """Return the number of digits. Raises: InvalidRequest unless it is in 1..MOST_DIGITS."""
    if digits < 1:
        raise InvalidRequest(f"digits is at least 1, not {digits}")
    check_count(digits, MOST_DIGITS, "digits")
    return digits


def check_written(texts: Iterable[str], most: int = MOST_WRITTEN_DIGITS) -> None:
    """Raise InvalidRequest if the numbers in these texts have more digits than `most` when written out."""
    written = 0
    for text in texts:
        written += written_digits(text)
        check_count(written, most, "digits written out")


def written_digits(text: str) -> int:
    """Return at least how many digits the numbers of a text have, written out.

    >>> written_digits("1e-100")
    106
    """
    return len(text) + sum(_power(digits) for digits in _EXPONENT.findall(text))


def _power(digits: str) -> int:
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) < 9 else MOST_WRITTEN_DIGITS


def check_loss_function(matrix: TransitionMatrix, literal: bool = False) -> None:
    """Raise InvalidRequest if the loss function is too large to build, by the literal method or by the quickest."""
    from ..reference.paper.loss import point_bytes, points_at_once  # brings flint, which a help text does not need

    check_count(matrix.n, MOST_LITERAL_STATES if literal else MOST_STATES, "states")
    common = _common_bits(matrix)
    most_points = points_at_once(matrix.n, common) + VERTICES + VERTICES_PER_STATE * matrix.n
    _check_memory(most_points * point_bytes(matrix.n, common), f"the loss function of {matrix.n} states")
    if literal:
        _check_memory(matrix.n**3 // 2 * (common + 600), f"Algorithm 2 on {matrix.n} states")


def _common_bits(matrix: TransitionMatrix) -> int:
    common = 1
    for row in matrix.rows:
        common = lcm(common, *(entry.denominator for entry in row))
        _check_memory(common.bit_length() // 8 * matrix.n, "the common denominator of the matrix")
    return common.bit_length()


def check_leakage(epsilons: Sequence[Level], losses: Sequence[LossFunction], digits: int, adversaries: int = 1) -> None:
    """Raise InvalidRequest if the leakage of these releases is too large to compute or to write down.

    Args: losses, all the loss functions that are used; adversaries, how many suffer distinct leakage.
    """
    from ..reference.surds import bits

    steps = len(epsilons)
    check_count(steps, MOST_RELEASES, "releases")
    check_count(adversaries, MOST_ADVERSARIES, "adversaries")
    check_answer(3 * steps, digits)
    what = f"the leakage of {steps} releases with {digits} digits"
    _check_memory(adversaries * steps * (3000 + 30 * digits), what)
    rationals = [epsilon.rational for epsilon in epsilons if epsilon.rational is not None]
    ratios = [bits(epsilon.ratio) for epsilon in epsilons if epsilon.rational is None and epsilon.ratio is not None]
    if rationals:
        common = 1
        for value in rationals:
            common = lcm(common, value.denominator)
            _check_memory(3 * adversaries * steps * common.bit_length(), "the exact sums of the budgets")
        largest = max(value.numerator.bit_length() for value in rationals)
        _check_memory(3 * adversaries * steps * (common.bit_length() + largest), "the exact sums of the budgets")
    if ratios:
        if any(loss.is_identity for loss in losses):
            _check_memory(16 * adversaries * steps * steps, what)
        coefficients = max((bits(piece.q) + bits(piece.d) for loss in losses for piece in loss.pieces), default=0)
        exact = max(ratios) + (coefficients if not any(rationals) else 0)
        _check_memory(exact * steps * steps // 16, f"the exact ratios of {steps} releases")


def check_worst_case(releases: int, states: int) -> None:
    """Raise InvalidRequest if the worst-case leakage of these releases needs too much memory: bounds for all pairs."""
    check_count(states, MOST_STATES, "states")
    _check_memory(
        64 * (releases + 1) * states * states, f"the worst-case leakage of {releases} releases, {states} states"
    )


def check_profile(epsilon: Level, releases: int, states: int) -> None:
    """Raise InvalidRequest if the profile at each time takes too long: fractions have the digits of all releases."""
    from ..reference import Level

    check_count(releases, MOST_PROFILED_RELEASES, "releases")
    check_count(releases * states, MOST_PROFILED, "states times releases")
    if not epsilon.is_infinite and epsilon > Level.of(LARGEST_PROFILED):
        raise too_large(f"a finite ε above {LARGEST_PROFILED}")


def check_schedule(horizon: int, digits: int, adversaries: int = 1) -> None:
    """Raise InvalidRequest if a schedule of budgets is too long to verify and to write down."""
    check_count(horizon, MOST_RELEASES, "releases")
    check_count(adversaries, MOST_ADVERSARIES, "adversaries")
    check_answer(horizon, digits)
    what = f"the schedule of {horizon} releases with {digits} digits"
    _check_memory(adversaries * horizon * (3000 + 30 * digits), what)


def check_windows(releases: int, lengths: Iterable[int], adversaries: int = 1) -> None:
    """Raise InvalidRequest if the windows of these lengths hold too many releases to add up."""
    added = sum((releases - length + 1) * length for length in lengths if length <= releases)
    check_count(adversaries * added, MOST_ADDED, "releases in all the windows")


def check_smoothing(matrix_size: int, s: Fraction, entries: Iterable[Fraction] = ()) -> None:
    """Raise InvalidRequest if a smoothed matrix of this size is too large to write down."""
    from ..reference.surds import bits

    check_count(matrix_size, MOST_STATES, "states")
    longest = max((bits(entry) for entry in entries), default=2)
    _check_memory(matrix_size**2 * (400 + 2 * (longest + bits(s))), f"the smoothed matrix of {matrix_size} states")


def check_reversal(forward: TransitionMatrix, initial: Sequence[Fraction]) -> None:
    """Raise InvalidRequest if the reversed matrix is too large: each entry may have the bits of a whole column."""
    from ..reference.surds import bits

    n = forward.n
    check_count(n, MOST_STATES, "states")
    total = sum(bits(entry) for row in forward.rows for entry in row) + n * sum(bits(entry) for entry in initial)
    _check_memory(n * total + 400 * n * n, f"the reversed matrix of {n} states")


def check_smoothed_counts(states: int, smoothing: Fraction) -> None:
    """Raise InvalidRequest if the estimated matrices of `states` states are too large to write down."""
    from ..reference.surds import bits

    check_count(states, MOST_STATES, "states")
    _check_memory(states**2 * (700 + 4 * bits(smoothing)), f"the estimated matrices of {states} states")


def _check_memory(estimate: int, what: str) -> None:
    if estimate > MOST_MEMORY:
        raise too_large(f"{what} may need {estimate >> 20} MiB, the limit is {MOST_MEMORY >> 20} MiB")
