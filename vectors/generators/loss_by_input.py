"""`loss` at every kind of level, and for matrices of every kind: rows, entries, orders and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import inf

from tploracle.reference import Level
from tploracle.wire.numerals import hex_text
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, Raw, draft
from .facts import LEAST_NORMAL, NEAR, disjoint, left_to_right, one_against_zero, pairs
from .input_parts import NAMED, Drawing, Rows, Texts, cascade, level_of, matrix, rows_of, unit_row
from .read_query import loss_of

_doubles, _exact = partial(draft, "loss"), partial(draft, "loss", numbers=RATIONAL)


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _at_levels()
    yield from _supports()
    yield from _near_rows()
    yield from _tiny_entries()
    yield from _sums()
    yield from _orders()
    yield from _sizes()


GREATEST_DOUBLE = Fraction(2) ** 1024 - Fraction(2) ** 970

_LEVELS: tuple[tuple[str, str, float, str], ...] = (
    ("zero", "α = 0", 0.0, "ZeroLevel"),
    ("subnormal", "α = 2^−1074, the least positive double", 2.0**-1074, "SubnormalLevel TinyLevel"),
    ("1e-12", "α the double nearest to 10^−12", 1e-12, "TinyLevel"),
    ("half", "α = 1/2", 0.5, ""),
    ("40", "α = 40", 40.0, "LargeLevel"),
    ("710", "α = 710", 710.0, "OverflowingLevel"),
    ("million", "α = 10^6", 1e6, "OverflowingLevel"),
    ("inf", "α = ∞", inf, "InfiniteLevel"),
)

_MATRICES: tuple[tuple[str, str, Texts, str, str], ...] = (
    ("one-state", "One state", NAMED["ONE_STATE"], "eq:lfp_sol_b", "SingleState"),
    ("equal-rows", "Equal rows", NAMED["EQUAL"], "thm:algo_extreme1", "EqualRows"),
    ("identity", "The identity of two states", NAMED["IDENTITY"], "thm:algo_extreme2", "Permutation DisjointSupports"),
    ("symmetric", "Two states that tend to stay", NAMED["DYADIC_SYMMETRIC"], "thm:lfp", ""),
    ("moderate", "Two states, one transition impossible", NAMED["DYADIC_MODERATE"], "thm:lfp", "ZeroDenominator"),
    ("dense", "Four states, four pieces of L", NAMED["DENSE"], "col:L_func", "ZeroDenominator"),
    ("bounded", "Four states, L bounded", NAMED["BOUNDED"], "col:L_func", ""),
)


def _at_levels() -> Iterator[Draft]:
    """Yield the cases."""
    for level_name, at, value, level_flags in _LEVELS:
        for matrix_name, what, rows, cites, row_flags in _MATRICES:
            if matrix_name == "one-state" and level_name in ("subnormal", "half", "40", "million"):
                continue
            yield _doubles(
                f"{matrix_name}-at-{level_name}: {what}, {at}.",
                {"matrix": rows, "alpha": value},
                f"{level_flags} {row_flags} {cites}",
                edges=_edges(matrix_name, rows, value),
            )
    yield from _exact_levels()


def _edges(name: str, rows: Texts, value: float) -> dict[str, bool]:
    """Return what is special about the level, and about the loss of the matrix."""
    loss, alpha = loss_of(parts.matrix(rows)), level_of(value)
    edges: dict[str, bool] = {}
    if name in ("one-state", "equal-rows"):
        edges["no two rows differ, so L is 0"] = loss(alpha).is_zero
    if name == "identity":
        edges["the rows have disjoint supports, so L(α) = α"] = loss(alpha) == alpha
    if name in ("symmetric", "moderate", "dense", "bounded") and value:
        edges["0 < L(α) < α, but for α = ∞ and an impossible transition"] = not loss(alpha).is_zero and (
            loss(alpha) < alpha or (alpha.is_infinite and loss.pieces[-1].d == 0)
        )
    if value == 2.0**-1074:
        edges["half of the level is no double any more"] = not _is_double(Fraction(value) / 2)
    if value == 1e-12:
        edges["e^α, rounded to a double, less 1 is off by more than one part in 10^5"] = _cancels(alpha)
    if value == 40:
        edges["beside e^α/4 a 1 makes no difference to a double"] = _absorbs(alpha)
    if value in (710, 1e6):
        edges["e^α is above the greatest double"] = alpha > Level.of_ratio(GREATEST_DOUBLE)
    return edges


def _is_double(value: Fraction) -> bool:
    try:
        hex_text(value)
    except ValueError:
        return False
    return True


def _cancels(alpha: Level) -> bool:
    low, high = alpha.excess_bounds()
    return abs(Fraction(float(1 + low)) - 1 - low) > high / 10**5 and float(1 + low) == float(1 + high)


def _absorbs(alpha: Level) -> bool:
    low, _ = alpha.excess_bounds()
    return float(low / 4 + 1) == float(low / 4)


def _exact_levels() -> Iterator[Draft]:
    """Yield levels in the exact notation: logarithms of ratios, decimals, surds, integers."""
    texts: tuple[tuple[str, str, str, str], ...] = (
        ("ratio-11-10", "log(11/10)", "A level given by its ratio 11/10", "LogLevel"),
        ("ratio-2", "log(2)", "A level given by its ratio 2", "LogLevel"),
        ("ratio-1", "log(1)", "The level log 1, which is 0", "LogLevel ZeroLevel"),
        ("ratio-huge", f"log({10**400})", "A level whose ratio is beyond all doubles", "LogLevel OverflowingLevel"),
        (
            "ratio-near-1",
            f"log({10**30 + 1}/{10**30})",
            "A level whose ratio is 1 to thirty digits",
            "LogLevel TinyLevel",
        ),
        ("surd", "log((7+sqrt(33))/8)", "A level whose ratio has a square root", "LogLevel SurdLevel"),
        ("decimal", "0.1", "A level that is exactly 1/10, no double", "ExactDecimal"),
        ("exponent", "1e-12", "A level with an exponent", "TinyLevel"),
        ("fraction", "3/7", "A level that is a fraction", ""),
        ("integer", "2", "A level that is an integer", ""),
        ("710", "710", "The first integer level whose ratio exceeds all doubles", "OverflowingLevel"),
        ("inf", "inf", "The infinite level", "InfiniteLevel"),
    )
    for name, text, what, flags in texts:
        yield _exact(
            f"exact-{name}: {what}, for rows with the decimals 0.8 and 0.2.",
            {"matrix": NAMED["PAPER_MODERATE"], "alpha": text},
            f"{flags} {'' if 'ExactDecimal' in flags else 'ExactDecimal'} eq:lfp_sol_b contract:numbers",
            digits=30 if name in ("ratio-2", "surd") else 17,
        )


def _supports() -> Iterator[Draft]:
    disjoint_rows = matrix(NAMED["DISJOINT"])
    first, second = disjoint_rows.rows[:2]
    for name, alpha in (("1", 1), ("40", 40), ("710", 710), ("inf", inf)):
        level = level_of(alpha)
        yield _doubles(
            f"disjoint-without-a-one-at-{name}: Rows (1/2, 1/2, 0, 0) and (0, 0, 1/2, 1/2) tell two values apart "
            f"for certain, at α = {name}.",
            {"matrix": NAMED["DISJOINT"], "alpha": alpha},
            "DisjointSupports NoOneAgainstZero E3 thm:algo_extreme2",
            edges={
                "rows 1 and 2 have disjoint supports": disjoint(first, second),
                "no column has a 1 against a 0": not any(one_against_zero(q, d) for q, d in pairs(disjoint_rows)),
                "L(α) = α": loss_of(disjoint_rows)(level) == level,
            },
        )
    yield _exact(
        "disjoint-exact: The witness of erratum 3 in thirds, where e^α is 10.",
        {"matrix": ("1/3 2/3 0 0", "0 0 2/3 1/3", "1/4 1/4 1/4 1/4", "1/3 0 0 2/3"), "alpha": "log(10)"},
        "DisjointSupports NoOneAgainstZero LogLevel E3 thm:algo_extreme2",
    )
    yield _doubles(
        "disjoint-rows-far-apart: Of five rows only the last two have disjoint supports.",
        {
            "matrix": (
                "1/4 1/4 1/4 1/8 1/8",
                "1/8 1/8 1/4 1/4 1/4",
                "1/2 1/8 1/8 1/8 1/8",
                "3/4 0 1/4 0 0",
                "0 1/4 0 1/2 1/4",
            ),
            "alpha": 2,
        },
        "DisjointSupports NoOneAgainstZero LatePair E3 thm:algo_extreme2",
    )
    sharing = parts.of_two(f"{1 - NEAR} {NEAR} 0", f"0 {NEAR} {1 - NEAR}")
    yield _doubles(
        "all-but-disjoint: Two rows share one column, with 2^−40 in both: L is not the identity.",
        {"matrix": sharing, "alpha": 30},
        "TinyEntry ZeroDenominator thm:algo_extreme2",
        edges={"no two rows have disjoint supports": not any(disjoint(q, d) for q, d in pairs(matrix(sharing)))},
    )
    for name, alpha in (("1", 1), ("inf", inf)):
        yield _doubles(
            f"zero-column-at-{name}: No row leads to state 2, at α = {name}.",
            {"matrix": ("1/2 0 1/2", "1/4 0 3/4", "3/4 0 1/4"), "alpha": alpha},
            "ZeroColumn eq:cond1",
        )
    yield _doubles(
        "zero-column-with-zero-denominators: Beside a state that nobody enters some transitions are impossible.",
        {"matrix": ("1/2 0 1/2 0", "0 0 3/4 1/4", "1/4 0 1/4 1/2", "1/8 0 7/8 0"), "alpha": 3},
        "ZeroColumn ZeroDenominator DividesByZero E2 eq:cond1",
    )
    for name, level_given, numbers in (("doubles", 1, FLOAT64), ("exact", "log(2)", RATIONAL)):
        yield _doubles(
            f"identity-divides-by-zero-{name}: The strongest correlation: q_j/d_j is 1/0 in every pair.",
            {"matrix": NAMED["IDENTITY"], "alpha": level_given},
            "DividesByZero Permutation E2 algo:cal_bpl thm:algo_extreme2",
            numbers=numbers,
        )
    yield _doubles(
        "minus-zero: A probability of −0 is a probability of 0.",
        {"matrix": Raw([["0x1.8p-1", "0x1p-2"], ["-0x0p+0", "0x1p+0"]]), "alpha": 1},
        "MinusZero ZeroDenominator def:temporal_corr",
    )


def _near_rows() -> Iterator[Draft]:
    base = ("1/4 3/8 3/8",) * 3
    for name, moved in (("2-40", Fraction(1, 2**40)), ("2-52", Fraction(1, 2**52)), ("one-ulp", Fraction(1, 2**54))):
        rows = parts.near(base, moved)
        for at, alpha in (("1e-12", 1e-12), ("1", 1), ("40", 40), ("inf", inf)):
            yield _doubles(
                f"near-rows-{name}-at-{at}: Three rows that differ by {_named(moved)} in two columns, at α = {at}.",
                {"matrix": rows, "alpha": alpha},
                "NearlyEqualRows thm:algo_extreme1",
                edges={
                    "no two rows are equal": len(set(rows)) == 3,
                    "1 + L is 1, or next to it, in doubles": _next_to_one(rows, alpha),
                },
            )
    yield _exact(
        "near-rows-exact: Rows that differ by 10^−30.",
        {"matrix": parts.near(("1/3 1/3 1/3",) * 3, Fraction(1, 10**30)), "alpha": "log(2)"},
        "NearlyEqualRows LogLevel thm:algo_extreme1",
    )
    yield _doubles(
        "equal-pair-among-others: Rows 1 and 3 are equal, row 2 is not.",
        {"matrix": ("1/2 1/4 1/4", "1/8 1/2 3/8", "1/2 1/4 1/4"), "alpha": 2},
        "EqualRowPair TwoRowsOfMany thm:algo_extreme1",
    )
    yield _doubles(
        "one-row-of-five-differs: Four rows are equal and the last one is not.",
        {"matrix": (*("1/2 1/8 1/8 1/8 1/8",) * 4, "1/8 1/8 1/8 1/8 1/2"), "alpha": 1},
        "EqualRowPair TwoRowsOfMany eq:lfp_sol_b",
    )
    yield _doubles(
        "equal-rows-of-four: Four equal rows, one of their entries 0.",
        {"matrix": ("1/2 0 3/8 1/8",) * 4, "alpha": 5},
        "EqualRows ZeroColumn thm:algo_extreme1",
    )
    yield _exact(
        "equal-rows-exact: Equal rows in thirds and a transcendental ratio.",
        {"matrix": ("1/3 2/3",) * 2, "alpha": "1"},
        "EqualRows thm:algo_extreme1",
    )


def _named(value: Fraction) -> str:
    return f"2^−{value.denominator.bit_length() - 1}"


def _next_to_one(rows: Rows, alpha: float) -> bool:
    loss = loss_of(matrix(rows))(level_of(alpha))
    return not loss.is_zero and loss < Level.of(Fraction(1, 2**16))


ULP = Fraction(1, 2**53)


def _tiny_entries() -> Iterator[Draft]:
    for least in (40, 300, 1000):
        rows = parts.tiny_denominator(least)
        for at, alpha in (("1", 1), ("40", 40), ("710", 710), ("inf", inf)):
            if least == 40 and at == "1":
                continue
            finite = loss_of(matrix(rows)).pieces[-1].d == 0
            yield _doubles(
                f"tiny-entry-2-{least}-at-{at}: An entry of 2^−{least} against 1/2, in a row of doubles that sums to "
                f"exactly 1, at α = {at}.",
                {"matrix": rows, "alpha": alpha},
                "TinyEntry eq:cond1",
                edges={
                    "the rows sum to exactly 1": all(sum(row) == 1 for row in rows),
                    "another column of the row is 0, so that L has no bound, or there are two states": finite
                    or len(rows) == 2,
                },
                certify=least == 40,
            )
    tiniest = cascade(1074, 23)
    against_one = (unit_row(23, 0), *((tiniest,) * 22))
    for at, alpha in (("40", 40), ("inf", inf)):
        yield _doubles(
            f"least-double-at-{at}: An entry of 2^−1074 against a 1, at α = {at}.",
            {"matrix": against_one, "alpha": alpha},
            "SubnormalEntry eq:cond1",
            edges={
                "the entry is below the least normal double": 0 < tiniest[0] < LEAST_NORMAL,
                "the row sums to exactly 1": sum(tiniest) == 1,
            },
        )
    near = ("1/9007199254740992 9007199254740991/9007199254740992", "1/2 1/2")
    for at, alpha in (("1e-12", 1e-12), ("1", 1), ("40", 40), ("inf", inf)):
        yield _doubles(
            f"entry-next-to-one-at-{at}: Entries 2^−53 and 1 − 2^−53, at α = {at}.",
            {"matrix": near, "alpha": alpha},
            "EntryNextToOne TinyEntry eq:cond1",
            edges={"1 − 2^−53 is the greatest double below 1": rows_of(*near)[0][1] == 1 - ULP},
        )
    yield _doubles(
        "almost-identity: Two states left with probability 2^−53, at α = 1: L is all but the identity.",
        {"matrix": ((1 - ULP, ULP), (ULP, 1 - ULP)), "alpha": 1},
        "EntryNextToOne thm:algo_extreme2",
        edges={"L(1) < 1": loss_of(matrix(((1 - ULP, ULP), (ULP, 1 - ULP))))(Level.of(1)) < Level.of(1)},
    )
    yield _exact(
        "tiny-entries-exact: An entry of 10^−300 against 1/3.",
        {"matrix": (f"1e-300 {1 - Fraction(1, 10**300)}", "1/3 2/3"), "alpha": "40"},
        "TinyEntry LargeLevel eq:cond1",
    )


def _sums() -> Iterator[Draft]:
    whole, quarter = 1 - Fraction(1, 2**52), Fraction(1, 2**54)
    uneven = (whole, quarter, quarter, quarter, quarter)
    reversed_row = uneven[::-1]
    for name, rows in (
        (
            "large-first",
            (uneven, *((Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)),) * 4),
        ),
        (
            "in-every-row",
            (uneven, (quarter, whole, quarter, quarter, quarter), *((uneven[1:] + uneven[:1]),) * 2, uneven),
        ),
    ):
        yield _doubles(
            f"uneven-sum-{name}: A row of doubles that sums to exactly 1, though not when added from left to "
            f"right ({name}).",
            {"matrix": rows, "alpha": 1},
            "UnevenSum TinyEntry def:temporal_corr",
            edges={
                "from left to right the sum is 1 − 2^−52": Fraction(left_to_right(uneven)) == whole,
                "the other way round it is 1": left_to_right(reversed_row) == 1,
            },
        )
    tenth = Fraction(0.1)
    row = (*((tenth,) * 9), 1 - 9 * tenth)
    yield _doubles(
        "nine-doubles-next-to-a-tenth: Nine times the double nearest to 0.1, and what is left to 1.",
        {
            "matrix": (row, row[::-1], *((Fraction(1, 16),) * 6 + (Fraction(1, 8),) * 3 + (Fraction(1, 4),),) * 8),
            "alpha": 1,
        },
        "UnevenSum def:temporal_corr",
        edges={
            "what is left is a double": hex_text(row[9]) != "",
            "from left to right the nine are not 9/10 of anything": Fraction(left_to_right(row[:9])) != 9 * tenth,
        },
    )


def _orders() -> Iterator[Draft]:
    base = ("1/2 1/4 1/8 1/8", "1/8 1/8 1/2 1/4", "1/4 1/4 1/4 1/4", "1/8 1/4 1/8 1/2")
    expected = loss_of(matrix(base)).coefficients
    for number, rows_order, columns_order in (
        (1, (3, 2, 1, 0), (0, 1, 2, 3)),
        (2, (0, 1, 2, 3), (2, 0, 3, 1)),
        (3, (2, 0, 3, 1), (3, 1, 0, 2)),
    ):
        entries = rows_of(*base)
        reordered = tuple(tuple(entries[j][k] for k in columns_order) for j in rows_order)
        yield _doubles(
            f"reordered-{number}: The same states in another order, number {number}: L is the same.",
            {"matrix": reordered, "alpha": 2},
            "eq:lfp_sol_b",
            edges={
                "the rows and columns are those of one matrix in another order": reordered != entries,
                "L is the same function": loss_of(matrix(reordered)).coefficients == expected,
            },
        )
    what = "What follows is certain, and never the same state twice."
    for name, rows, title in (
        ("swap", NAMED["SWAP"], what),
        ("cycle", NAMED["CYCLE"], what),
        ("of-four", ("0 0 0 1", "1 0 0 0", "0 0 1 0", "0 1 0 0"), "A permutation that leaves one state where it is."),
    ):
        yield _doubles(
            f"permutation-{name}: {title}",
            {"matrix": rows, "alpha": 1},
            "Permutation DisjointSupports thm:algo_extreme2",
            edges={"L(α) = α": loss_of(matrix(rows)).is_identity},
        )
    for name, rows in (
        ("last-first", ("3/8 3/8 1/4", "1/4 3/8 3/8", "3/4 1/8 1/8")),
        ("middle", ("1/4 1/4 1/4 1/4", "5/8 1/8 1/8 1/8", "1/8 1/8 1/8 5/8", "1/4 1/4 1/4 1/4")),
    ):
        yield _doubles(
            f"late-pair-{name}: The pair of rows that decides is not the first, nor in that order.",
            {"matrix": rows, "alpha": 1},
            "LatePair eq:lfp_sol_b",
        )
    yield _doubles(
        "one-direction: Of two rows only one order of q and d attains the loss.",
        {"matrix": ("1 0", "3/4 1/4"), "alpha": 3},
        "LatePair ZeroDenominator eq:lfp_sol_b",
        edges={
            "row 1 over row 2 never gives more than log(4/3)": max(
                q / d for q, d in zip(*rows_of("1 0", "3/4 1/4"), strict=True) if d
            )
            == Fraction(4, 3)
        },
    )


def _sizes() -> Iterator[Draft]:
    drawing = Drawing(7)
    for n in (5, 10, 20):
        rows = drawing.rows(n, 20)
        yield _doubles(
            f"dense-{n}: A matrix of {n} states without zeros, in multiples of 2^−20.",
            {"matrix": rows, "alpha": 1},
            "eq:lfp_sol_b",
            edges={"every entry is positive": all(entry > 0 for row in rows for entry in row)},
        )
    fifty = drawing.rows(50, 30)
    for at, alpha in (("1", 1), ("40", 40), ("1e-12", 1e-12)):
        yield _doubles(
            f"fifty-states-at-{at}: Fifty states without zeros, in multiples of 2^−30, at α = {at}.",
            {"matrix": fifty, "alpha": alpha},
            "ManyStates eq:lfp_sol_b",
            full=at != "1",
        )
    for at, alpha in (("1", 1), ("inf", inf)):
        yield _doubles(
            f"fifty-sparse-states-at-{at}: Fifty states, up to six of them reached from each, at α = {at}.",
            {"matrix": parts.sparse(50, 20, 11, 5), "alpha": alpha},
            "ManyStates Sparse eq:lfp_sol_b",
            full=at != "1",
        )
    yield _doubles(
        "sixty-five-sparse-states-at-1: Sixty-five states, up to five or six of them reached from each, at α = 1.",
        {"matrix": parts.sparse(65, 20, 13, 5), "alpha": 1},
        "ManyStates BeyondFiftyStates Sparse eq:lfp_sol_b",
    )
    for n in (6, 12, 50):
        flags = "Banded DisjointSupports" if n < 8 else "Banded Sparse DisjointSupports"
        yield _doubles(
            f"walk-of-{n}: A walk on {n} places: one stays or moves to a neighbour.",
            {"matrix": parts.banded(n, 10, 5), "alpha": 1},
            f"{flags} thm:algo_extreme2",
            full=n == 50,
        )
    yield _doubles(
        "sparse-six: Six states, one or two of them reached from each, the first from all.",
        {"matrix": parts.sparse(6, 10, 3, 1), "alpha": 2},
        "Sparse ZeroDenominator eq:cond1",
    )
    yield _exact(
        "fifty-states-of-the-paper: The strongest correlation of fifty states, smoothed with s = 0.005.",
        {"matrix": parts.smoothed_fifty(), "alpha": "1"},
        "ManyStates eq:laplace_smoothing fig:ex_tpl",
        edges={
            "(1 + s)/(1 + 50s) = 201/250": (1 + Fraction(1, 200)) / (1 + 50 * Fraction(1, 200)) == Fraction(201, 250)
        },
    )
