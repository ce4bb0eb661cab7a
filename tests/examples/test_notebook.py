"""The notebook, executed cell by cell as a kernel would: what each cell ends with is worked out and can be shown.

In this process: its cells are plain Python, and a kernel would add thirty packages, a process and sockets to each run.
"""

import ast
import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMMUTERS = Path(__file__).resolve().parents[2] / "examples" / "commuters"
NOTEBOOK = COMMUTERS / "analysis.ipynb"


def cells(kind):
    return ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == kind]


def executed(sources):
    """Execute the cells in one namespace. Returns: what each of them shows, None where it ends with no expression."""
    namespace, shown = {"__name__": "__main__"}, []
    for number, source in enumerate(sources, 1):
        body = ast.parse(source, f"cell {number}").body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), f"cell {number}", "exec"), namespace)
        shown.append(last and eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace))
        repr(shown[-1])
        getattr(shown[-1], "_repr_html_", lambda: None)()
    return shown


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    import matplotlib as mpl

    mpl.use("agg")
    folder = tmp_path_factory.mktemp("notebook")
    shutil.copy(COMMUTERS / "visits.csv", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        results = executed(cells("code"))
    mpl.pyplot.close("all")
    del sys.modules["matplotlib.pyplot"]  # tests of the commands hold that none of them imports it
    return results


def test_every_cell_is_executed_and_shows_what_the_tutorial_says(shown):
    table, rounding, (bound, factor), (exact, _) = shown[1], shown[2], shown[3], shown[4]
    assert int(table.to_numpy().sum()) == 1400
    assert 0 < rounding < 1e-4
    assert 1.582 < bound < 1.583
    assert factor == math.exp(bound)
    assert exact < bound
    draws = shown[6]
    assert draws["count"] == 20
    assert 1.615 < draws["max"] <= 1.616001
    assert 0.03 < float(shown[-1].lower) < 0.1


def test_it_is_a_notebook_without_outputs():
    notebook = json.loads(NOTEBOOK.read_text())
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]) == (4, "python3")
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in notebook["cells"]:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)
    assert len(cells("code")) > 6 < len(cells("markdown"))


def test_a_cell_that_fails_is_noticed():
    with pytest.raises(ZeroDivisionError):
        executed(["x = 1", "x / 0"])
    done = subprocess.run([sys.executable, "-c", "\n".join(cells("code")[:1])], cwd=COMMUTERS, check=False)
    assert done.returncode == 0
