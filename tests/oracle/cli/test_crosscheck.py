import json
import shlex
import subprocess
import sys
from fractions import Fraction

import pytest

from tploracle.cli.crosscheck_instances import instances, smallest_failure
from tploracle.reference import ZERO, Level, TransitionMatrix, parse_level
from tploracle.reference.paper.algorithm_1 import algorithm_1
from tploracle.solvers.linear_programs.methods import METHODS, exact_method

from ...commands import run

MATRIX = [["4/5", "1/5", "0"], ["1/10", "1/5", "7/10"], ["1/3", "1/3", "1/3"]]


def crosscheck(*args, status=0):
    result = run("crosscheck", *args, status=status)
    return result.stdout, result.stderr


@pytest.fixture
def matrix_file(tmp_path):
    path = tmp_path / "matrix.json"
    path.write_text(json.dumps(MATRIX))
    return path


def wrong_above(threshold):
    """A method that is right but where e^L exceeds the threshold, where it says 0."""

    def loss(matrix, alpha):
        right = algorithm_1(matrix, alpha, ZERO)
        return ZERO if right > Level.of_ratio(threshold) else right

    return exact_method("faulty", loss)


def test_all_methods_on_one_matrix(matrix_file):
    out, err = crosscheck(matrix_file, "--alpha", "log(3/2)", "--alpha", "0.1", "--json")
    assert err == ""
    first, second = (json.loads(line) for line in out.splitlines())
    assert (first["alpha"], first["agree"]) == ("log(3/2)", True)
    assert [answer["method"] for answer in first["methods"]] == list(METHODS)
    for answer in first["methods"]:
        assert answer["level"]["exact"] == "log(27/20)"
        assert answer["standing"] in ("exact", "certified")
        assert float(answer["seconds"]) > 0
    cbc = next(answer for answer in first["methods"] if answer["method"] == "cbc-literal")
    assert float(cbc["float"]) == pytest.approx(1.35)
    assert float(cbc["distance_digits"]) > 6
    skipped = [answer for answer in second["methods"] if answer["status"] == "skipped"]
    assert {answer["method"] for answer in skipped} == {"enumeration", "z3"}
    assert all("rational" in answer["note"] for answer in skipped)


def test_the_table(matrix_file):
    out, _ = crosscheck(matrix_file, "--alpha", "log(3/2)", "--methods", "algorithm-1,cbc-compact", "--digits", "6")
    lines = out.splitlines()
    assert lines[0] == "L(α) at α = log(3/2)"
    assert lines[1].split() == ["method", "loss", "standing", "float", "digits", "seconds", "note"]
    assert lines[3].split()[:6] == ["algorithm-1", "0.30010[4,5]", "=", "log(27/20)", "exact", "exact"]
    assert lines[4].split()[:5] == ["cbc-compact", "0.30010[4,5]", "=", "log(27/20)", "certified"]


def test_csv_has_all_levels(matrix_file):
    out, _ = crosscheck(matrix_file, "--alpha", "1", "--alpha", "2", "--methods", "algorithm-1,z3", "--csv")
    assert len(out.splitlines()) == 5
    assert out.startswith("question,method,loss_exact,loss_lower,loss_upper,")


def test_a_solver_that_is_not_installed_is_skipped_by_name(matrix_file, monkeypatch, tmp_path):
    # The worker starts with this process's import path: a package of that name that fails to import comes first.
    (tmp_path / "pulp.py").write_text("raise ModuleNotFoundError(\"No module named 'pulp'\", name='pulp')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    out, _ = crosscheck(matrix_file, "--alpha", "1", "--methods", "algorithm-1,cbc-compact,highs-compact", "--json")
    answers = {answer["method"]: answer for answer in json.loads(out)["methods"]}
    assert answers["cbc-compact"]["status"] == "skipped"
    assert answers["cbc-compact"]["note"] == "the package pulp is not installed"
    assert answers["highs-compact"]["standing"] == "certified"


def test_a_wrong_method_is_found_and_the_matrix_shrunk(matrix_file, monkeypatch):
    monkeypatch.setitem(METHODS, "faulty", wrong_above(Fraction(6, 5)))
    methods = "algorithm-1,hull,faulty"
    out, err = crosscheck(matrix_file, "--alpha", "log(3/2)", "--methods", methods, "--json", status=1)
    value, report = (json.loads(line) for line in out.splitlines())
    assert not value["agree"]
    failing = report["failing"]
    assert failing["differ"] == ["algorithm-1", "faulty"]
    matrix = TransitionMatrix.of(failing["matrix"])
    assert matrix.n == 2
    assert max(entry.denominator for row in matrix.rows for entry in row) <= 10
    assert algorithm_1(matrix, parse_level(failing["alpha"]), ZERO) > Level.of_ratio(Fraction(6, 5))
    assert failing["command"] in err
    # The command, taken apart as a shell does, leads to the same instance again.
    words = shlex.split(failing["command"])
    assert words[:2] == ["printf", "%s"]
    assert json.loads(words[2]) == failing["matrix"]
    again = matrix_file.with_name("again.json")
    again.write_text(words[2])
    rest = words[words.index("crosscheck") + 1 :]
    assert rest[0] == "-"
    crosscheck(again, *rest[1:], status=1)


def test_a_disagreement_in_the_table(matrix_file, monkeypatch):
    monkeypatch.setitem(METHODS, "faulty", wrong_above(Fraction(1)))
    out, err = crosscheck(matrix_file, "--alpha", "log(3/2)", "--methods", "algorithm-1,faulty", status=1)
    assert "DISAGREEMENT on [[" in out
    assert err.startswith("disagreement of algorithm-1 and faulty; again: printf %s '[[")
    assert err.count("\n") == 1


def test_without_hypothesis_the_instance_is_not_shrunk(matrix_file, monkeypatch):
    monkeypatch.setattr("tploracle.contract.extras.find_spec", lambda name: None)
    monkeypatch.setitem(METHODS, "faulty", wrong_above(Fraction(6, 5)))
    out, err = crosscheck(matrix_file, "--alpha", "log(3/2)", "--methods", "algorithm-1,faulty", "--json", status=1)
    assert json.loads(out.splitlines()[1])["failing"]["matrix"] == MATRIX
    assert "Hypothesis is not installed" in err
    _, err = crosscheck("--random", 5, status=2)
    assert err == "InvalidRequest: --random needs hypothesis: pip install 'tploracle[strategies]'\n"


def test_a_method_that_breaks_down_is_exit_status_1(matrix_file, monkeypatch):
    def loss(matrix, alpha):
        raise ZeroDivisionError("by zero")

    monkeypatch.setitem(METHODS, "faulty", exact_method("faulty", loss))
    out, _ = crosscheck(matrix_file, "--alpha", "1", "--methods", "algorithm-1,faulty", "--json", status=1)
    value, report = (json.loads(line) for line in out.splitlines())
    assert value["methods"][1]["status"] == "broken"
    assert value["methods"][1]["note"] == "ZeroDivisionError: by zero"
    assert report["failing"]["differ"] == ["faulty"]
    assert len(report["failing"]["matrix"]) <= 2


@pytest.mark.slow
def test_a_random_corpus_agrees():
    out, err = crosscheck("--random", 6, "--seed", 3, "--json")
    assert err == ""
    value = json.loads(out)
    assert (value["instances"], value["agree"], value["seed"]) == (6, True, 3)
    rows = {row["method"]: row for row in value["methods"]}
    assert list(rows) == list(METHODS)
    assert rows["algorithm-1"]["certified"] == 6
    for row in rows.values():
        assert sum(row[key] for key in ("certified", "not certified", "skipped", "no answer")) == 6


def test_the_seed_decides_the_corpus():
    def drawn(seed, count=15):
        seen = []
        assert smallest_failure(instances(), lambda instance: bool(seen.append(instance)), count, seed) is None
        return [(instance.matrix.rows, instance.alpha.full_text()) for instance in seen]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert len(drawn(1)) == 15
    # Hypothesis draws numbers from the package's own source as well, so that any change of it moves the draws.
    assert {len(rows) for rows, _ in drawn(1, 100)} >= {2, 3, 4}


def test_no_example_database_is_written(empty_folder):
    found = smallest_failure(instances(), lambda instance: instance.matrix.n > 1, 20, 0)
    assert found is not None
    assert found.matrix.n == 2
    assert not (empty_folder / ".hypothesis" / "examples").exists()


def test_no_extra_is_imported_before_it_is_used():
    code = (
        "import sys, tploracle.cli.crosscheck_command;"
        "print([name for name in ('numpy', 'pulp', 'highspy', 'z3', 'hypothesis') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
