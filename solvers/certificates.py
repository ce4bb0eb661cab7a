"""Certificates: JSON documents from which anyone can check an exact answer without repeating how it was found.

Made of what the reference found, and untrusted: `proofs_checks.checker` shares no code with this module and decides.
What a document claims are the bounds in it. All levels are in the contract's notation; rows, columns and times count
from 1. Bounds are exact where they are rational levels or logarithms of short rational ratios; elsewhere they are the
logarithms of decimals, rounded outward with `GUARD` digits beyond those asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from ..reference.correlations import TransitionMatrix
from ..reference.decimals import decimal_exponent, fraction_to_text, int_to_text
from ..reference.errors import InvalidRequest, Undecided
from ..reference.leakage import Adversary, apply, leakage
from ..reference.levels import ZERO, Level
from ..reference.lfp import Subset
from ..reference.loss import LossFunction
from ..reference.polynomial import optimum
from ..reference.surds import Surd, bits

Document = dict[str, object]
"""A certificate, ready for `json.dumps`."""

VERSION = 1

MOST_DIGITS = 1_000
"""The most significant digits that a certificate's levels can be asked to have."""

GUARD = 16
"""Digits that intermediate bounds have beyond those asked for."""

SHORT, LONG = 512, 50_000
"""Bits up to which a rational ratio stays exact in a chain of steps, and where it is the answer itself."""

LAST_PRECISION = 1 << 22


@dataclass(frozen=True, slots=True)
class _Bound:
    """A level that bounds another: rational, the logarithm of a rational ratio, or infinite; and its text."""

    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class _Bounds:
    lower: _Bound
    upper: _Bound

    def texts(self) -> Document:
        return {"lower": self.lower.text, "upper": self.upper.text}


class _Unproved(Exception):
    """The bounds do not prove a claimed decimal: the level lies so close to it that they need more digits."""


def _with_enough_digits(make: Callable[[int], Document], digits: int) -> Document:
    """Return the document made with the fewest working digits, doubled from `digits`, whose bounds prove its claims."""
    while digits < MOST_DIGITS:
        try:
            return make(digits)
        except _Unproved:
            digits *= 2
    try:
        return make(MOST_DIGITS)
    except _Unproved:
        raise Undecided(f"a level is closer to a decimal than {MOST_DIGITS} digits can tell") from None


def lfp_optimum_certificate(
    matrix: TransitionMatrix, row_q: int, row_d: int, alpha: Level, digits: int = 17
) -> Document:
    """Certify the optimum of the program of two rows, Eq. [eq:lfp], with the LP of Charnes and Cooper and its dual.

    Args: matrix and the rows' indices from 0; alpha of any kind; digits of the value where it is not rational.
    Returns: a `lfp-optimum` certificate; primal and dual are null where the ratio of alpha is not rational.
    Raises: InvalidRequest, Undecided.
    """
    _check_digits(digits)
    chosen = optimum(matrix, row_q, row_d, alpha)
    q, d = matrix.rows[row_q], matrix.rows[row_d]
    ratio = alpha.ratio
    exact = ratio if isinstance(ratio, Fraction) else None
    return {
        "certificate": "lfp-optimum",
        "version": VERSION,
        "digits": digits,
        "q": [fraction_to_text(entry) for entry in q],
        "d": [fraction_to_text(entry) for entry in d],
        "alpha": alpha.full_text(),
        "subset": _columns(chosen),
        "value": _loss_at(chosen, alpha, digits).texts(),
        "primal": None if exact is None else _primal(d, chosen, exact),
        "dual": None if exact is None else _dual(q, d, chosen, exact),
    }


def _primal(d: Sequence[Fraction], chosen: Subset, ratio: Fraction) -> Document:
    x = [ratio if j in chosen.indices else Fraction(1) for j in range(len(d))]
    t = 1 / sum((d_j * x_j for d_j, x_j in zip(d, x, strict=True)), Fraction(0))
    return {"t": fraction_to_text(t), "y": [fraction_to_text(t * x_j) for x_j in x]}


def _dual(q: Sequence[Fraction], d: Sequence[Fraction], chosen: Subset, ratio: Fraction) -> Document:
    value = (chosen.q * (ratio - 1) + 1) / (chosen.d * (ratio - 1) + 1)
    reduced = [q_j - value * d_j for q_j, d_j in zip(q, d, strict=True)]
    return {
        "lambda": fraction_to_text(value),
        "u": [fraction_to_text(max(-c, Fraction(0))) for c in reduced],
        "w": [fraction_to_text(max(c, Fraction(0))) for c in reduced],
    }


def loss_certificate(
    matrix: TransitionMatrix, alpha: Level, witness: Subset | None, level: Level, digits: int = 17
) -> Document:
    """Certify one value of the loss function.

    Args: alpha of any kind; witness, rows and columns that are optimal at alpha, None for no loss; level, L(alpha) as
    whoever found the witness has it. Returns: a `loss` certificate of the decimals that enclose that level.
    Raises: InvalidRequest, Undecided.
    """
    _check_digits(digits)

    def make(working: int) -> Document:
        bounds = _loss_at(witness, alpha, working)
        return {
            "certificate": "loss",
            "version": VERSION,
            "digits": working,
            "matrix": matrix.texts(),
            "alpha": alpha.full_text(),
            **_witness(witness),
            "loss": bounds.texts(),
            "level": _claim(level, bounds.lower.level, bounds.upper.level, digits),
        }

    return _with_enough_digits(make, digits)


def loss_function_certificate(loss: LossFunction) -> Document:
    """Certify a whole loss function. Returns: a `loss-function` certificate, its pieces as the contract has them."""
    pieces = []
    for piece in loss.pieces:
        start, stop = piece.domain
        pieces.append(
            {
                "q": fraction_to_text(piece.q),
                "d": fraction_to_text(piece.d),
                "from": start.full_text(),
                "to": stop.full_text(),
                **_witness(piece.witness),
            }
        )
    return {"certificate": "loss-function", "version": VERSION, "matrix": loss.matrix.texts(), "pieces": pieces}


def leakage_certificate(epsilons: Sequence[Level], adversary: Adversary, digits: int = 17) -> Document:
    """Certify BPL, FPL and TPL at all times, as the recursions give them.

    Args: epsilons, PL_0(M^t) for t = 1..T; the adversary's loss functions, with their matrices.
    Returns: a `leakage` certificate of the decimals that enclose every level. Raises: InvalidRequest, Undecided.
    """
    _check_digits(digits)
    levels = leakage(epsilons, adversary)
    rising = list(zip(epsilons, levels.bpl, strict=True))
    falling = list(zip(epsilons, levels.fpl, strict=True))[::-1]

    def make(working: int) -> Document:
        bpl = _steps(adversary.backward, rising, digits, working)
        fpl = _steps(adversary.forward, falling, digits, working)[::-1]
        return {
            "certificate": "leakage",
            "version": VERSION,
            "digits": working,
            "backward": None if adversary.backward is None else adversary.backward.matrix.texts(),
            "forward": None if adversary.forward is None else adversary.forward.matrix.texts(),
            "epsilons": [epsilon.full_text() for epsilon in epsilons],
            "bpl": [step.document for step in bpl],
            "fpl": [step.document for step in fpl],
            "tpl": [
                _claim(level, b.at.lower.level + f.loss.lower.level, b.at.upper.level + f.loss.upper.level, digits)
                for level, b, f in zip(levels.tpl, bpl, fpl, strict=True)
            ],
        }

    return _with_enough_digits(make, digits + len(str(len(epsilons))))


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a recursion: its part of the certificate, and the bounds of its loss and of its leakage."""

    document: Document
    loss: _Bounds
    at: _Bounds


def _steps(loss: LossFunction | None, steps: Sequence[tuple[Level, Level]], digits: int, working: int) -> list[_Step]:
    """Return the steps of one recursion, from the time where it starts; each is given its budget and its leakage."""
    found = []
    before, at = ZERO, _exactly(ZERO)
    for epsilon, level in steps:
        lost = apply(loss, before)
        below = None if loss is None else loss.piece_at(at.lower.level).witness
        above = None if loss is None else loss.piece_at(at.upper.level).witness
        bounds = _exactly(lost) if _is_plain(lost) else _loss_between(below, at.lower, above, at.upper, working)
        at = _exactly(level) if _is_plain(level) else _sum_between(epsilon, bounds, working)
        claim = _claim(level, at.lower.level, at.upper.level, digits)
        document = {**_witness(below), "loss": bounds.texts(), "bounds": at.texts(), "level": claim}
        found.append(_Step(document, bounds, at))
        before = level
    return found


def _loss_between(below: Subset | None, lower: _Bound, above: Subset | None, upper: _Bound, digits: int) -> _Bounds:
    """Return bounds of the loss between two levels, from the sets that are optimal there."""
    assert below is not None
    assert above is not None
    least, _ = _ratio(below.value(lower.level), below, lower.level, digits)
    _, most = _ratio(above.value(upper.level), above, upper.level, digits)
    return _between(least, most, digits, SHORT)


def _sum_between(epsilon: Level, bounds: _Bounds, digits: int) -> _Bounds:
    (least, most), (lower, _), (_, upper) = (
        _ratio_of(level, digits) for level in (epsilon, bounds.lower.level, bounds.upper.level)
    )
    return _between(least * lower, most * upper, digits, SHORT)


def _loss_at(witness: Subset | None, alpha: Level, digits: int) -> _Bounds:
    """Return bounds of log g_S at alpha: exact if it is rational or has a rational ratio."""
    value = ZERO if witness is None else witness.value(alpha)
    if witness is None or _is_plain(value):
        return _exactly(value)
    return _between(*_ratio(value, witness, alpha, digits), digits, LONG)


def _ratio(value: Level, chosen: Subset, alpha: Level, digits: int) -> tuple[Fraction, Fraction]:
    """Return rationals around g_S at alpha; value is its logarithm."""
    if isinstance(value.ratio, Fraction):
        return value.ratio, value.ratio
    lower, upper = ((chosen.q * (a - 1) + 1) / (chosen.d * (a - 1) + 1) for a in _ratio_of(alpha, digits))
    return lower, upper


def _ratio_of(level: Level, digits: int) -> tuple[Fraction, Fraction]:
    """Return rationals around the ratio of a finite level, closer than the digits and the guard need."""
    ratio = level.ratio
    if isinstance(ratio, Fraction):
        return ratio, ratio
    wanted = 10 ** (digits + GUARD + 6)
    precision = wanted.bit_length() + 64
    while precision <= LAST_PRECISION:
        with ctx.workprec(precision):
            if isinstance(ratio, Surd):
                excess = _ball(ratio.a - 1) + _ball(ratio.b) * arb(ratio.radicand).sqrt()
            else:
                assert level.rational is not None
                excess = _ball(level.rational).expm1()
            lower, upper = _dyadic(excess.lower()), _dyadic(excess.upper())
        if lower > 0 and (upper - lower) * wanted <= lower:
            return 1 + lower, 1 + upper
        precision *= 2
    raise Undecided(f"{digits} digits are not certain at {LAST_PRECISION} bits")


def _between(lower: Fraction, upper: Fraction, digits: int, longest: int) -> _Bounds:
    """Return bounds for a text: two equal and short ratios as they are, others rounded outward."""
    if lower == upper and bits(lower) <= longest:
        return _exactly(Level.of_ratio(lower))
    return _Bounds(_rounded(lower, digits, up=False), _rounded(upper, digits, up=True))


def _rounded(ratio: Fraction, digits: int, up: bool) -> _Bound:
    """Round a ratio above 1 outward on the grid that gives its excess the digits and the guard, and one unit more.

    The unit covers what the checker's own enclosures of transcendental ratios are wider than those used here.
    """
    exponent = decimal_exponent(ratio - 1) - digits - GUARD + 1
    grid = Fraction(10) ** exponent
    units = ratio // grid + (2 if up else -1)
    text = int_to_text(units)
    text = f"{text}e{exponent}" if exponent >= 0 else f"{text[:exponent]}.{text[exponent:]}"
    return _Bound(Level.of_ratio(units * grid), f"log({text})")


def _exactly(level: Level) -> _Bounds:
    bound = _Bound(level, level.full_text())
    return _Bounds(bound, bound)


def _is_plain(level: Level) -> bool:
    """Whether the level is a rational number or infinite: then it is carried as it is, for no ratio could say it."""
    return level.is_infinite or level.rational is not None


def _ball(value: Fraction) -> arb:
    return arb(value.numerator) / arb(value.denominator)


def _dyadic(point: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in point.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def _witness(chosen: Subset | None) -> Document:
    if chosen is None:
        return {"rows": None, "subset": []}
    return {"rows": [chosen.row_q + 1, chosen.row_d + 1], "subset": _columns(chosen)}


def _columns(chosen: Subset) -> list[int]:
    return [index + 1 for index in chosen.indices]


def _claim(level: Level, lower: Level, upper: Level, digits: int) -> Document:
    """Return the decimals that enclose a level. Raises: _Unproved where the two bounds do not prove them."""
    enclosure = level.enclosure(digits)
    if enclosure.lower.is_infinite():
        return {"lower": "inf", "upper": "inf"}
    ends = (Level.of(Fraction(end)) for end in (enclosure.lower, enclosure.upper))
    if lower < next(ends) or upper > next(ends):
        raise _Unproved
    return {"lower": str(enclosure.lower), "upper": str(enclosure.upper)}


def _check_digits(digits: int) -> None:
    if not 1 <= digits <= MOST_DIGITS:
        raise InvalidRequest(f"a certificate has 1 to {MOST_DIGITS} digits, not {digits}")
