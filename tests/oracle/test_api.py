"""The public Python API: exact, quick, and imported only once it is asked for."""

import ast
import importlib
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, signature
from pathlib import Path
from types import FunctionType

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tploracle
from tploracle import reference
from tploracle.reference import ZERO, Level, TransitionMatrix, parse_level, smooth, strongest
from tploracle.reference.stepwise import Stepwise
from tploracle.solvers.loss import dinkelbach, envelope

from ..matrices import CYCLE, DIVERGES, SKEWED
from ..strategies import matrices

ROOT = Path(__file__).resolve().parents[2]


@given(st.integers(2, 3).flatmap(lambda n: st.tuples(matrices(n, n), matrices(n, n))))
def test_the_adversary_is_the_one_of_the_reference(known):
    backward, forward = known
    for one in ((None, None), (backward, None), (None, forward), (backward, forward), (forward, forward)):
        assert tploracle.adversary(backward=one[0], forward=one[1], one_sided=True) == reference.Adversary.knowing(*one)
    assert tploracle.adversary(backward=backward, one_sided=True).forward is None
    assert tploracle.adversary(forward=forward, one_sided=True).backward is None


def test_the_exact_worst_case_is_that_of_the_reference():
    matrix = DIVERGES
    epsilons = [parse_level("log(3/2)")] * 4
    found, expected = (
        tploracle.worst_case_leakage(["log(3/2)"] * 4, backward=matrix, forward=matrix),
        reference.worst_case_leakage(epsilons, matrix, matrix),
    )
    for kind in ("bpl", "fpl", "tpl"):
        assert [level.ratio for level in getattr(found, kind)] == [level.ratio for level in getattr(expected, kind)]
    assert list(found.to_columns()["tpl_exact"]) == [level.exact_text for level in expected.tpl]
    supremum = tploracle.worst_case_supremum("log(3/2)", backward=matrix, one_sided=True)
    assert supremum.enclosure(20) == reference.worst_case_supremum(epsilons[0], matrix).enclosure(20)
    budget = tploracle.worst_case_budget(1, backward=matrix, horizon=4, one_sided=True)
    greatest = reference.greatest_worst_case_budget(parse_level("1"), matrix, horizon=4, digits=9)
    assert float(greatest) <= float(budget) < float(greatest) + 2e-9
    with pytest.raises(tploracle.InvalidNumber, match="is not exact"):
        tploracle.worst_case_budget(0.1, backward=matrix)


def test_the_fast_methods_are_taken(monkeypatch):
    matrix = smooth(strongest(30), parse_level("log(2)").ratio / 100)
    taken = []
    for module, name in ((envelope, "fast_loss_function"), (dinkelbach, "fast_optimum")):
        honest = getattr(module, name)

        def noted(*given, honest=honest, name=name):
            taken.append(name)
            return honest(*given)

        monkeypatch.setattr(module, name, noted)
    tploracle.loss_function(matrix)
    tploracle.loss(matrix, parse_level("0.1"))
    tploracle.adversary(backward=matrix, forward=TransitionMatrix(matrix.rows))
    assert taken == ["fast_loss_function", "fast_optimum", "fast_loss_function"]


def of_the_reference(name):
    return getattr(reference, name) if name in reference.__all__ else None


def public_functions():
    return [name for name in tploracle.__all__ if isinstance(of_the_reference(name), FunctionType)]


def test_every_public_name_is_there():
    assert {*tploracle.__all__, "__version__"} <= {*dir(tploracle)}
    assert "TYPE_CHECKING" not in dir(tploracle)
    for name in {*tploracle.__all__} - {*public_functions(), "Accountant"}:
        found, literal = getattr(tploracle, name), of_the_reference(name)
        assert literal is None or found is literal
    assert issubclass(tploracle.Accountant, reference.Accountant)
    for package in (tploracle, reference):
        with pytest.raises(AttributeError, match="has no attribute 'algorithm_9'"):
            _ = package.algorithm_9
    with pytest.raises(ImportError):
        exec("from tploracle import nothing_of_the_kind")


@pytest.mark.parametrize("name", public_functions())
def test_a_function_takes_plain_numbers_for_all_its_levels(name):
    """Where a level is asked for, a float is refused as a level is, and not in whatever way the function would."""
    parameters = signature(getattr(reference, name)).parameters
    levels = [key for key, parameter in parameters.items() if "Level" in parameter.annotation]
    for key in levels:
        several = "[" in parameters[key].annotation
        given = {other: None for other, parameter in parameters.items() if parameter.default is Parameter.empty}
        given |= {other: [] if "[" in parameters[other].annotation else "0" for other in levels if other in given}
        with pytest.raises(tploracle.InvalidNumber, match=r"0\.1 is not exact"):
            getattr(tploracle, name)(**given | {key: [0.1] if several else 0.1})
    own = tploracle.api.__dict__.get(name)
    assert levels or own or name == "count_transitions" or getattr(tploracle, name) is getattr(reference, name)


PLAIN = [0, 1, Fraction(1, 2), Decimal("0.5"), "1/2", "log(3/2)"]


@pytest.mark.parametrize("plain", PLAIN, ids=repr)
def test_plain_numbers_are_levels(plain):
    level, known = tploracle.level(plain), tploracle.adversary(backward=DIVERGES)
    assert tploracle.loss(DIVERGES, plain) == reference.algorithm_1(DIVERGES, level, ZERO)
    assert tploracle.paper_bound_leakage([plain] * 2, known).tpl == reference.leakage([level] * 2, known).tpl
    assert (
        tploracle.paper_bound_supremum(known.backward, plain).level == reference.supremum(known.backward, level).level
    )
    if level > 0:
        assert tploracle.control(known.backward, plain, 3) == reference.control(known.backward, level, parse_level("3"))
        assert tploracle.worst_case_budget(plain, backward=DIVERGES, horizon=1) == level
        assert tploracle.mean_noise([plain], 2).upper >= 2 / float(level) * (1 - 1e-9)


def test_matrices_as_people_have_them():
    rows = [[0.75, 0.25], [0.5, 0.5]]
    known = tploracle.adversary(backward=TransitionMatrix.of([["3/4", "1/4"], ["1/2", "1/2"]]))
    for given_as in (rows, np.array(rows), pd.DataFrame(rows), [["3/4", "1/4"], ["1/2", "1/2"]]):
        assert tploracle.adversary(backward=given_as) == known
        assert tploracle.adversary(forward=given_as).forward == known.backward
    for one in (known.backward.matrix, rows, None):
        with pytest.raises(tploracle.InvalidRequest, match="needs an adversary: give adversary"):
            tploracle.paper_bound_leakage(["0.1"], one)


def test_results_say_what_they_rest_on():
    known = tploracle.adversary(backward=SKEWED, forward=reference.reverse(SKEWED, reference.stationary(SKEWED)))
    basis = tploracle.paper_bound_leakage(["0.1"], known).basis
    assert (
        basis
        == tploracle.worst_case_leakage(["0.1"], backward=known.backward.matrix, forward=known.forward.matrix).basis
    )
    assert (basis.adversary, basis.users) == ("knows P^B and P^F, each as given", "one")
    assert basis.chain == "both describe one stationary chain"
    several = tploracle.population_leakage(["0.1"], {"a": known, "b": tploracle.adversary()}).basis
    assert several.users == "2 users"
    own = tploracle.paper_bound_leakage(["0.1", "0.2"], known)
    windows = (tploracle.composition(own, ["0.1", "0.2"], 1, 2), tploracle.guarantee(own, ["0.1", "0.2"], 1))
    budgets = (tploracle.budgets(1, known), tploracle.common_budgets(1, {"a": known})[0])
    exact = (
        tploracle.worst_case_supremum("0.1", backward=SKEWED, one_sided=True),
        tploracle.worst_case_budget(1, backward=SKEWED, one_sided=True),
    )
    one = (tploracle.paper_bound_supremum(known.backward, "0.1"), tploracle.leakage_at(known.backward, "0.1", 3))
    spent = (tploracle.control(known.backward, "0.1", 1), tploracle.largest_budget(known.backward, 1))
    for found, adversary in (
        *((each, "knows P^B and P^F, each as given") for each in (*windows, *budgets)),
        *((each, "knows P^B alone") for each in exact),
        *((each, "knows the one correlation that is given") for each in (*one, *spent)),
        (tploracle.control(None, 0, 1), "knows no correlation"),
    ):
        assert found.basis.adversary == adversary
        copied = pickle.loads(pickle.dumps(found))
        assert (type(copied), repr(copied), copied.basis) == (type(found), repr(found), found.basis)
    assert float(spent[0]) == reference.control(known.backward, Level.of(Fraction(1, 10)), Level.of(1)).double_below()
    assert type(exact[0] + exact[1]) is Level
    assert {*budgets[0].to_columns()} > {"alpha", "first", "middle", "last"}


def test_matrices_show_themselves_and_turn_into_arrays():
    table = TransitionMatrix.of([["2/3", "1/3"], [0, 1]])
    assert (np.asarray(table) == [[2 / 3, 1 / 3], [0, 1]]).all()
    assert np.array(table, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="copy"):
        np.array(table, copy=False)
    assert table._repr_html_().count("<td>") == 4
    assert "<td>2/3</td><td>1/3</td>" in table._repr_html_()


FOLDERS = ("certificates", "proofs_checks", "reference", "solvers")
OF_READERS = ("--follow-imports=silent", "--allow-untyped-defs", "--allow-untyped-calls", "--ignore-missing-imports")
"""The package's own types are `make types`'; readers need not annotate their functions, nor others their packages."""

EXAMPLES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.slow
def test_examples_of_all_pages_are_typed(tmp_path):
    """Each page's sessions in Python, one after the other, as a module; the package laid out as it is installed."""
    package = tmp_path / "tploracle"
    package.mkdir()
    for path in (*(ROOT / "oracle").iterdir(), *(ROOT / name for name in FOLDERS)):
        (package / path.name).symlink_to(path)
    blocks = re.compile(r"^```(?:python|pycon|py)\n(.*?)^```", re.MULTILINE | re.DOTALL)
    for page in EXAMPLES:
        lines = [line for block in blocks.findall(page.read_text(encoding="utf-8")) for line in block.splitlines()]
        code = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
        if code:
            (tmp_path / f"page_{page.stem.replace('-', '_')}.py").write_text("\n".join(code) + "\n", encoding="utf-8")
    assert len([*tmp_path.glob("*.py")]) > 1
    (tmp_path / "wrong.py").write_text("import tploracle\n\ntploracle.levels([0.1])\n")
    words = [sys.executable, "-m", "mypy", "--strict", *OF_READERS, "--config-file", str(ROOT / "pyproject.toml")]
    modules = map(str, sorted(tmp_path.glob("*.py")))
    told = subprocess.run([*words, *modules], capture_output=True, text=True, check=False, cwd=tmp_path)
    errors = [line for line in told.stdout.splitlines() if ": error: " in line]
    assert [line.partition(":")[0] for line in errors] == ["wrong.py"], told.stdout


def test_a_type_checker_sees_the_names_of_the_reference_where_they_are_imported_from():
    checked = next(node for node in ast.parse(Path(reference.__file__).read_text()).body if isinstance(node, ast.If))
    for imported in checked.body:
        for alias in imported.names:
            home = importlib.import_module(f"tploracle.reference.{imported.module}")
            assert getattr(reference, alias.name) is getattr(home, alias.name)
    assert {alias.name for imported in checked.body for alias in imported.names} == {*dir(reference)}


@pytest.mark.parametrize(
    ("asked", "brought"),
    [
        ("import tploracle", []),
        ("import tploracle; dir(tploracle)", []),
        ("from tploracle import reference; dir(reference)", ["tploracle.reference"]),
    ],
)
def test_importing_the_package_imports_nothing_else(asked, brought):
    program = f"import sys; before = {{*sys.modules}}; {asked}; print(*sorted({{*sys.modules}} - before))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    ours = [name for name in loaded if name.partition(".")[0] in ("tploracle", "numpy", "flint")]
    assert ours == ["tploracle", *brought]


def test_the_profile_of_a_time_has_the_releases_of_its_own_sides():
    """Different budgets and matrices of their own for each step would show any that is taken for another."""
    budgets, asked = ["log(3/2)", "log(2)", ("log(3/2)", "1/100"), "log(5/4)"], parse_level("log(11/10)")
    own = [
        reference.ApproximateBudget(parse_level(e), Fraction(d))
        for e, d in (("log(3/2)", 0), ("log(2)", 0), ("log(3/2)", "1/100"), ("log(5/4)", 0))
    ]
    steps, pairs = [DIVERGES, CYCLE, DIVERGES], [(j, k) for j in range(3) for k in range(3) if j != k]
    rows = [step.rows for step in steps]
    for known, outward, along in (
        ({"backward": Stepwise(tuple(steps))}, [own[2], own[1], own[0]], [rows[1], rows[0]]),
        ({"forward": Stepwise(tuple(steps))}, own[2:], rows[2:]),
    ):
        found = tploracle.profile(budgets, **known, time=3).delta(asked)
        expected = reference.WorstProfile(outward, along, pairs).delta(asked)
        assert (found.lower, found.upper) == (expected.lower, expected.upper)
    found = tploracle.profile(budgets, backward=Stepwise(tuple(steps)), forward=Stepwise(tuple(steps)), time=3).delta(
        asked
    )
    sides = [own[1], own[0]], [own[3]]
    expected = reference.TwoSidedProfile(own[2], sides, ([rows[1], rows[0]], [rows[2]]), pairs).delta(asked)
    assert found.upper == expected.upper
    assert found.lower <= found.upper


def test_the_profile_is_that_of_the_reference():
    """Of P^B the last value given all releases up to it, of P^F the first: the nearest release first."""
    budgets = ["log(3/2)", ("log(3/2)", "1/100"), "0"]
    steps, pairs = [DIVERGES.rows] * 2, [(j, k) for j in range(3) for k in range(3) if j != k]
    outward = [
        reference.ApproximateBudget(parse_level("log(3/2)")),
        reference.ApproximateBudget(parse_level("log(3/2)"), Fraction(1, 100)),
        reference.ApproximateBudget(ZERO),
    ]
    for known, own in (({"forward": DIVERGES}, outward), ({"backward": DIVERGES}, outward[::-1])):
        found, expected = tploracle.profile(budgets, **known), reference.WorstProfile(own, steps, pairs)
        asked = parse_level("log(11/10)")
        assert found.delta(asked).upper == expected.delta(asked).upper
        assert found.alpha(Fraction(1, 50)).upper == expected.alpha(Fraction(1, 50)).upper
        assert "causal" in found.basis.mechanisms
    for known in ({}, {"backward": SKEWED, "forward": SKEWED}):
        with pytest.raises(reference.InvalidRequest, match="alone for the last value"):
            tploracle.profile(budgets, **known)
    with pytest.raises(reference.InvalidRequest, match="no release"):
        tploracle.profile([], backward=SKEWED)
    with pytest.raises(reference.InvalidRequest, match="not one of the times"):
        tploracle.profile(budgets, backward=SKEWED, time=4)
    with pytest.raises(reference.InvalidNumber):
        tploracle.profile([("0.1", "log(3/2)")], backward=SKEWED)
    with pytest.raises(reference.InvalidNumber):
        tploracle.GaussianBudget(0.5)


def questions():
    """Return public functions and methods, each with arguments that it answers, which are few and small."""
    rows = [["1/2", "1/2"], ["1/4", "3/4"]]
    matrix, visits = tploracle.transition_matrix(rows), [("x", 1, "a"), ("x", 2, "b"), ("x", 3, "a")]
    loss, known = tploracle.loss_function(matrix), tploracle.adversary(backward=matrix, forward=matrix)
    own = tploracle.paper_bound_leakage(["0.1"] * 2, known)
    counts = tploracle.count_transitions([["a", "b", "a", "a", "b"]])
    stream, sides = tploracle.Stream(matrix), {"backward": matrix, "forward": matrix}
    account = tploracle.Accountant({"ann": known})
    account.spend("0.1")
    solved, told = tploracle.budgets(1, known), tploracle.profile(["0.1"], backward=matrix)
    asked = {
        "adversary": {**sides, "one_sided": False},
        "budgets": {"alpha": "1", "adversary": known},
        "common_budgets": {"alpha": "1", "adversaries": {"ann": known}},
        "composition": {"own": own, "epsilons": ["0.1"] * 2, "start": 1, "length": 2},
        "control": {"loss": loss, "previous": "0.1", "cap": "1"},
        "count_transitions": {"sequences": [["a", "b", "a"]], "states": ["a", "b"]},
        "count_visits": {"visits": visits, "columns": tploracle.LogColumns("u", "t", "s"), "step": None},
        "drawn_counts": {"counts": counts, "prior": Fraction(1), "draws": 1, "seed": 0},
        "first_failure": {"own": own, "alpha": "1"},
        "group_privacy": {"alpha": "1", "horizon": 2},
        "guarantee": {"own": own, "epsilons": ["0.1"] * 2, "length": 1},
        "laplace_scale": {"epsilon": "1", "sensitivity": "1", "digits": 5},
        "largest_budget": {"loss": loss, "cap": "1"},
        "leakage_at": {"loss": loss, "epsilon": "0.1", "time": 2},
        "loss": {"matrix": matrix, "alpha": "1"},
        "mean_noise": {"epsilons": ["0.1"], "sensitivity": "1", "digits": 5},
        "paper_bound_leakage": {"epsilons": ["0.1"], "adversary": known},
        "paper_bound_supremum": {"loss": loss, "epsilon": "0.1"},
        "parse_level": {"text": "1"},
        "parse_number": {"text": "1"},
        "population_leakage": {"epsilons": ["0.1"], "adversaries": {"ann": known}},
        "profile": {"releases": ["0.1"], "backward": matrix, "time": 1},
        "profile_budget": {
            "alpha": "1",
            "delta": "1e-5",
            "backward": matrix,
            "horizon": 1,
            "one_sided": True,
            "digits": 1,
        },
        "reverse": {"forward": matrix, "initial": ["1/2", "1/2"]},
        "smooth": {"matrix": matrix, "s": "1"},
        "steps_within": {"loss": loss, "epsilon": "0.1", "delta": "0.1"},
        "strongest": {"n": 2},
        "transition_matrix": {"table": rows, "normalise": False, "force_normalise": False, "float64": False},
        "worst_case_budget": {"alpha": "1", "horizon": 1, "one_sided": True, "forward": matrix},
        "worst_case_leakage": {"epsilons": ["0.1"], "one_sided": True, "forward": matrix},
        "worst_case_supremum": {"epsilon": "0.1", "one_sided": True, "forward": matrix},
        "Accountant": {"adversaries": {"ann": known}, "cap": "1", "spent": (), "step": None},
        "Adversary": {"backward": loss, "forward": loss},
        "ConcentratedBudget": {"rho": "1"},
        "GaussianBudget": {"sigma": "1", "sensitivity": "1"},
        "LogColumns": {"user": "u", "time": "t", "state": "s"},
        "Stream": {"forward": matrix, "one_sided": False, "independent": False, "float64": False},
        "TransitionCounts": {"states": ("a",), "transitions": ((1,),), "first": (1,), "absorbing": ()},
        "TransitionMatrix": {"rows": matrix.rows},
    }
    yield from ((name, getattr(tploracle, name), given) for name, given in asked.items())
    yield "ApproximateBudget", reference.ApproximateBudget, {"epsilon": ZERO, "delta": "0"}
    yield "Budgets.quantified", solved.quantified, {"horizon": 2}
    yield "Budgets.upper_bound", solved.upper_bound, {"horizon": 2}
    yield "Level.enclosure", parse_level("log(3)").enclosure, {"digits": 5}
    yield "Accountant.tpl", account.tpl, {"time": 1}
    yield "Leakage.to_frame", own.to_frame, {"backend": "pandas"}
    yield "StreamProfile.delta", told.delta, {"alpha": parse_level("0.1")}
    yield "StreamProfile.alpha", told.alpha, {"delta": Fraction(1, 100)}
    yield "Stream.leakage", stream.leakage, {"epsilons": "0.1", "steps": 1, "knowing": {1: "1"}, "prior": None}
    yield "Stream.budget", stream.budget, {"alpha": "1", "steps": 1, "knowing": None}
    yield "Stream.profile", stream.profile, {"releases": ["0.1"], "time": 1}
    yield "Stream.attack", stream.attack, {"epsilons": "0.1", "steps": 1, "time": 1}


ODD = {
    *(None, "", "x", "-1", "1/0", "no", -1, 0, 10**30, b"1", 0.1, float("nan"), float("inf"), Decimal("NaN"), 1 + 2j),
    *(True, Fraction(-1, 3), np.float64(0.5), (), ((),), ("0.1", None), frozenset({1}), object(), int, range(3)),
}


@pytest.mark.parametrize(("called", "given"), [pytest.param(*asked, id=name) for name, *asked in questions()])
@pytest.mark.filterwarnings("ignore::tploracle.reference.errors.TableNote")
def test_whatever_is_given_in_place_of_an_argument_is_answered_or_refused_by_name(called, given):
    """What no count and no flag is, such as 2.5, "3", True or "no", is refused where one is meant."""
    called(**given)
    for name, usual in given.items():
        for odd in ODD:
            is_count, is_flag = type(usual) is int, type(usual) is bool
            try:
                found = called(**{**given, name: odd})
                for _ in found if isinstance(found, Iterator) else ():
                    pass
            except tploracle.OracleError:
                continue
            assert not is_flag or odd is True, odd
            assert not is_count or odd is None or (odd in (usual, 10**30) and not isinstance(odd, bool)), odd


def test_a_window_is_of_the_releases_that_leakage_is_of():
    own = tploracle.paper_bound_leakage(["0.1", "0.2", "0.3"], tploracle.adversary(forward=DIVERGES))
    assert tploracle.guarantee(own, ["0.1", Fraction(1, 5), "3/10"], 3).independent == parse_level("0.6")
    for others in (["0.1", "0.2"], ["0.1", "0.2", "0.3", "0.4"], ["0.3", "0.2", "0.1"]):
        with pytest.raises(tploracle.InvalidRequest, match="not the budgets of the 3 releases"):
            tploracle.composition(own, others, 1, 2)
        with pytest.raises(tploracle.InvalidRequest, match="not the budgets of the 3 releases"):
            tploracle.guarantee(own, others, 2)
    for horizon in (0, -1):
        with pytest.raises(tploracle.InvalidRequest, match="horizon is a whole number from 1"):
            tploracle.budgets(1, tploracle.adversary(forward=DIVERGES)).quantified(horizon)
