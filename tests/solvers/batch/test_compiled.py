"""The compiled kernel: arithmetic within its proven bounds, and the same doubles as by exact methods."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from flint import arb, ctx

from tploracle.population.question import PopulationQuestion
from tploracle.population.user_rows import ExactUser, column_names
from tploracle.reference import TransitionMatrix, loss_function, parse_level
from tploracle.solvers.batch import compiled
from tploracle.solvers.batch.enclosures import AskedOfUsers, admitted, enclose
from tploracle.solvers.floats import FloatView
from tploracle.solvers.loss import candidates, sweeps
from tploracle.solvers.loss.dinkelbach import fast_optimum
from tploracle.solvers.loss.envelope import fast_loss_function

pytest.importorskip("numba", reason="the extra fast is not installed")
compiles = pytest.mark.slow


def of(x):
    return Fraction(x[0]) + Fraction(x[1])


@compiles
def test_operations_within_their_bound():
    from tploracle.solvers.batch.compiled import fused

    random = Random(1)
    for _ in range(3000):
        x = random.uniform(1, 2) * 2.0 ** random.randint(-60, 60)
        y = random.choice((-x * (1 + random.randint(-9, 9) * 2.0**-52), random.uniform(1, 2), 1 + 2.0**-52))
        a, b = ((high, np.spacing(high) * random.choice((-0.5, 0.5, random.uniform(-0.5, 0.5)))) for high in (x, y))
        for found, truth in (
            (fused.add(*a, *b), of(a) + of(b)),
            (fused.add_double(*a, y), of(a) + Fraction(y)),
            (fused.multiply(*a, *b), of(a) * of(b)),
            (fused.times(*a, y), of(a) * Fraction(y)),
            (fused.divide(*a, *b), of(a) / of(b)),
        ):
            assert abs(of(found) - truth) <= abs(truth) * Fraction(fused.FUSED_ROUNDING)
        assert of(fused.two_product(x, y)) == Fraction(x) * Fraction(y)


@compiles
def test_exponentials_within_their_bound():
    from tploracle.solvers.batch.compiled import rounding

    random, before, ctx.prec = Random(2), ctx.prec, 400
    edges = [1 / 64, np.nextafter(1 / 64, 0), 0.3465735902799726, 0.34657359027997270, 1.0397207708399179, 499.0]
    try:
        for level in edges + [random.random() * 10.0 ** random.randint(-15, 2) for _ in range(2000)]:
            high, low = rounding.expm1(level)
            truth = arb(level).expm1()
            assert abs(arb(high) + arb(low) - truth) <= truth * arb(rounding.EXPM1_ERROR)
            moved = high * (1 + random.uniform(-1e-10, 1e-10))
            lower, upper = rounding.neighbours_of_level(moved, low, 2.0**-95)
            if level < 1e-12:
                continue  # the level of moved is all but a double
            own = (arb(moved) + arb(low)).log1p()
            assert arb(lower) <= own <= arb(upper)
            assert upper == np.nextafter(lower, np.inf)
            assert np.isnan(rounding.neighbours_of_level(high, low, 2.0**-85)[0])  # the level is a double
    finally:
        ctx.prec = before


def exact_matrix(weights):
    """Return the matrix that weights stand for."""
    rows = [[Fraction(weight) for weight in row] for row in weights.tolist()]
    return TransitionMatrix(tuple(tuple(weight / sum(row) for weight in row) for row in rows))


def drawn(kind, random, n):
    """Return one matrix as weights, shape (1, n, n)."""
    most = {"counts": 30, "large counts": 300_000, "greatest counts": 2**26 // n - 1}.get(kind, 30)
    rows = [[random.randint(0, most) for _ in range(n)] for _ in range(n)]
    if kind == "sparse":
        rows = [[random.choice((0, 0, 0, 1, 2)) for _ in range(n)] for _ in range(n)]
    if kind == "meeting":  # all rows meet in the first column, which keeps L below the identity
        rows = [[1 + random.randint(0, 3), *(random.choice((0, 0, 1, 4)) for _ in range(n - 1))] for _ in range(n)]
    if kind == "equal":
        rows = [rows[0]] * n
    if kind == "turned counts":  # pairs of rows whose points doubles hardly distinguish
        base = [random.randint(1, 10**5) for _ in range(n)]
        rows = [[max(1, own + random.randint(-3, 3)) for own in base[k:] + base[:k]] for k in range(n)]
    return np.array([[own if any(own) else [1, *own[1:]] for own in rows]])


KINDS = ("sparse", "counts", "large counts", "meeting", "equal", "turned counts", "greatest counts")
QUESTIONS = [
    (("0.5", "0.1", "0", "2", "0.5", "1e-9", "log(3)"), "0.5", "1"),  # sums and budgets that are doubles
    (("0.1",) * 10, "0.1", "0.3"),
    (("0.5",), "3", "4"),
    (("0.5", "0", "0"), "0.01", "2"),
]


def asked_of(epsilons, epsilon, alpha):
    return AskedOfUsers.of([parse_level(text) for text in epsilons], parse_level(epsilon), parse_level(alpha))


def by_exact_methods(question, backward, forward):
    known = {"backward": exact_matrix(backward), "forward": exact_matrix(forward)}
    row = ExactUser.of(question, known).row()
    return np.array([row[name] for name in column_names(question)])


@compiles
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_doubles_as_by_exact_methods(kind):
    random = Random(kind)
    decided = 0
    for question in QUESTIONS:
        for n in (2, 3, 6):
            backward = drawn(kind, random, n)
            forward = backward.transpose(0, 2, 1) if backward.sum(axis=1).all() else backward
            assert admitted(backward)[0]
            found = enclose(asked_of(*question), backward, forward)[0]
            exact = by_exact_methods(PopulationQuestion(*question), backward[0], forward[0])
            np.testing.assert_array_equal(found, np.where(np.isnan(found), np.nan, exact))
            decided += not np.isnan(found).any()
    assert decided >= 11


@compiles
def test_a_greatest_ratio_that_several_pairs_have_is_decided():
    """Small counts have it often; the point that is found first for it may rule nowhere."""
    counts = np.array([[10 * Random(5 * i).randint(0, 3) + 1 for i in range(25 * 400)]]).reshape(-1, 5, 5)
    question = (("0.1",) * 5, "0.1", "1")
    found = enclose(asked_of(*question), counts, counts)
    assert not np.isnan(found).any()
    for own, row in zip(counts[:20], found, strict=False):
        np.testing.assert_array_equal(row, by_exact_methods(PopulationQuestion(*question), own, own))


@compiles
@pytest.mark.parametrize("epsilon", ["log(2)", "log(2-1e-30)", "log(2+1e-30)"])
def test_at_the_critical_budget_doubles_do_not_decide(epsilon):
    """q = 1/2 and d = 0: unbounded from e^ε = 2 on, and pairs of doubles do not distinguish the two sides."""
    counts = np.array([[[1, 1], [0, 1]]])

    def upper(text):
        return enclose(asked_of((), text, "1"), counts, counts)[0, 10]

    assert np.isnan(upper(epsilon))
    assert upper("log(2.001)") == np.inf
    assert upper("log(1.999)") < np.inf


@compiles
@pytest.mark.parametrize("epsilons", [("400", "400"), ("300", "300", "300"), ("0.1", "800", "0.1"), ("1e-90",) * 2])
def test_levels_beyond_the_range_are_not_decided(epsilons):
    """Also where only a later time is beyond it: what was reached before is not the worst then."""
    counts = np.array([[[1, 0], [0, 1]]])
    asked = AskedOfUsers.of([parse_level(text) for text in epsilons], None, None)
    assert np.isnan(enclose(asked, counts, counts)).all()


def test_who_is_for_exact_methods():
    assert admitted(np.array([[[1, 2**26 - 2], [1, 1]], [[1, 2**26 - 1], [1, 1]]])).tolist() == [True, False]
    assert not admitted(np.ones((1, 129, 129), dtype=np.int64)).any()


@compiles
@pytest.mark.parametrize("kind", KINDS)
def test_one_matrix_by_every_arithmetic(kind, monkeypatch):
    monkeypatch.setattr(compiled, "_done", [compiled.LOADING])  # so that it is compiled code that sweeps
    monkeypatch.setattr(candidates, "FEWEST_STATES", 2)
    random = Random(kind)
    for n in (2, 5, 17, 40):
        matrix = exact_matrix(drawn(kind, random, n)[0])
        loss, view = loss_function(matrix), FloatView.of(matrix)
        assert fast_loss_function(matrix).pieces == loss.pieces
        for text in ("1e-12", "log(11/10)", "2", "70", "600"):
            alpha = parse_level(text)
            assert fast_optimum(matrix, alpha).value(alpha) == loss(alpha)
            swept, by_arrays = (
                own(view, float(alpha.excess_bounds()[0]), None)
                for own in (sweeps._sweep_compiled, sweeps._sweep_by_arrays)
            )
            assert swept.height == pytest.approx(by_arrays.height, rel=1e-12)
            assert len(swept.pairs) <= 2 * len(by_arrays.pairs) + n


@compiles
def test_progress_is_told_by_compiled_code():
    told = []
    matrix = exact_matrix(drawn("counts", Random(1), 5)[0])
    sweeps._sweep_compiled(FloatView.of(matrix), 0.1, lambda done, total: told.append((done, total)))
    assert told == [(row, 5) for row in range(1, 6)]


def _doubled(x: float) -> float:
    return 2 * x


@compiles
@pytest.mark.parametrize("what", ["kept", "damaged", "unwritable"])
def test_code_is_kept_where_it_can_be(tmp_path, monkeypatch, what):
    from tploracle.solvers.batch.compiled import compiling

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if what == "unwritable":
        (tmp_path / "cache").write_text("a file")
    assert compiling.compile_kernel(_doubled, "float64(float64)")(2.0) == 4.0
    kept = list(tmp_path.rglob("*.nbi"))
    assert len(kept) == (what != "unwritable")
    if what == "damaged":
        for path in [*kept, *tmp_path.rglob("*.nbc")]:
            path.write_bytes(b"damaged")
        with pytest.warns(UserWarning, match="compiled anew"):
            assert compiling.compile_kernel(_doubled, "float64(float64)")(2.0) == 4.0


@pytest.mark.parametrize("is_writable", [True, False])
def test_a_folder_that_can_be_written_is_asked_for_code(tmp_path, monkeypatch, is_writable):
    from tploracle.solvers.batch.compiled import compiling

    (tmp_path / "a file").write_text("")
    cache = tmp_path / ("cache" if is_writable else "a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    asked = []
    monkeypatch.setattr(compiling, "_compiled", lambda function, _signature, folder: asked.append(folder) or function)
    assert compiling.compile_kernel(_doubled, "float64(float64)") is _doubled
    assert asked == [compiling.kept_in() if is_writable else None]
