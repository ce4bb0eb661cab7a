"""The notebook, executed cell by cell as for the site: what each cell ends with is worked out and can be shown."""

import json
import re
import sys
from pathlib import Path

import pytest

import notebook
import tploracle

pytestmark = pytest.mark.filterwarnings("ignore:visits are :tploracle.reference.errors.TableNote")

COMMUTERS = Path(__file__).resolve().parents[2] / "examples" / "commuters"
NOTEBOOK = COMMUTERS / "analysis.ipynb"


def cells(kind):
    return ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == kind]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        found = []
        patch.setattr(notebook, "executed", lambda *given, own=notebook.executed: found.extend(own(*given)) or found)
        text = notebook.page(COMMUTERS.parents[1], tmp_path_factory.mktemp("site"))
    del sys.modules["matplotlib.pyplot"]  # tests of the commands hold that none of them imports it
    return text, found


@pytest.fixture(scope="module")
def shown(page):
    return [cell.value for cell in page[1]]


def test_the_page_has_all_that_is_printed_shown_and_drawn(page):
    text, found = page
    assert [part for part in cells("code") if f"```python\n{part}\n```\n" not in text] == []
    assert [part for part in cells("markdown") if part not in text] == []
    told = [cell.printed + ("" if cell.value is None else repr(cell.value)) for cell in found]
    assert [part for part in told if part not in text] == []
    assert [len(cell.pictures) for cell in found if cell.pictures] == [text.count("![")] == [1]
    assert found[4].printed.startswith("Adversary: ")


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


def test_a_cell_that_fails_is_noticed(tmp_path):
    with pytest.raises(ZeroDivisionError):
        notebook.executed(["x = 1", "x / 0"], tmp_path)
