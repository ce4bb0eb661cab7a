"""The notebook, executed cell by cell as a kernel would: what each cell ends with is worked out and can be shown.

In this process: its cells are plain Python, and a kernel would add thirty packages, a process and sockets to each run.
"""

import ast
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

import tploracle

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


def test_every_cell_is_executed_and_shows_what_is_stored(shown):
    stored = [cell["outputs"] for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    parts = [{part["output_type"]: part["data"] for part in outputs if "data" in part} for outputs in stored]
    texts = ["".join(part.get("execute_result", {}).get("text/plain", "")) for part in parts]
    assert texts == ["" if value is None else repr(value) for value in shown]
    assert sum("image/png" in part.get("display_data", {}) for part in parts) == 1


def test_what_it_shows_is_what_the_tutorial_says(shown):
    page = (COMMUTERS.parents[1] / "docs" / "tutorial.md").read_text(encoding="utf-8")
    table, rounding, (exact, factor), (bound, _) = shown[1], shown[2], shown[3], shown[4]
    assert int(table.to_numpy().sum()) == 1400
    assert 0 < rounding < 1e-4
    told = (f"at most {exact} nats", f"a factor of at most {factor}", f"The paper's bound is {float(bound):.5f}")
    assert [text for text in told if text not in page] == []
    assert shown[6]["count"] == 20
    assert 1.646 < shown[6]["max"] <= 1.647
    assert 0.1 < float(shown[-1]) < 1


def test_it_is_a_notebook_of_public_names():
    notebook = json.loads(NOTEBOOK.read_text())
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]) == (4, "python3")
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    imported = re.findall(r"^(?:from|import) tploracle(\S*) ?(?:import )?(.*)$", "\n".join(cells("code")), re.MULTILINE)
    assert {module for module, _ in imported} == {""}
    assert {name for _, names in imported for name in names.split(", ")} <= {*tploracle.__all__}


def test_a_cell_that_fails_is_noticed():
    with pytest.raises(ZeroDivisionError):
        executed(["x = 1", "x / 0"])
