"""The notebook as a page of the site: its cells are executed, and what each prints, shows and draws stands below it.

In this process: its cells are plain Python, and a kernel would add thirty packages, a process and sockets to each run.
"""

import ast
import contextlib
import io
import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl

PLACE = "examples/commuters/analysis.ipynb"


class Shown(NamedTuple):
    """What a cell prints, the value of the expression that it ends with, and its pictures, as PNG."""

    printed: str
    value: object
    pictures: list[bytes]


def executed(sources: list[str], folder: Path) -> list[Shown]:
    """Execute cells in one namespace and in a folder, and return what each shows."""
    mpl.use("agg")
    from matplotlib import pyplot

    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    with contextlib.chdir(folder):
        for number, source in enumerate(sources, 1):
            body = ast.parse(source, f"cell {number}").body
            last = body.pop() if isinstance(body[-1], ast.Expr) else None
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(ast.Module(body, []), f"cell {number}", "exec"), namespace)
                value = last and eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)
            pictures = []
            for figure in map(pyplot.figure, pyplot.get_fignums()):
                figure.savefig(drawn := io.BytesIO())
                pictures.append(drawn.getvalue())
            pyplot.close("all")
            shown.append(Shown(printed.getvalue(), value, pictures))
    return shown


def page(root: Path, folder: Path) -> str:
    """Return the page, executed beside a copy of the notebook and its data; its pictures are written there as well."""
    beside = (folder / PLACE).parent
    beside.mkdir(parents=True, exist_ok=True)
    for name in ("analysis.ipynb", "visits.csv"):
        shutil.copyfile((root / PLACE).with_name(name), beside / name)
    cells = json.loads((root / PLACE).read_text(encoding="utf-8"))["cells"]
    sources = [("".join(cell["source"]), cell["cell_type"] == "code") for cell in cells]
    found = iter(executed([source for source, is_code in sources if is_code], beside))
    parts = []
    for number, (source, is_code) in enumerate(sources):
        if not is_code:
            parts.append(source)
            continue
        shown = next(found)
        parts.append(f"```python\n{source}\n```")
        text = shown.printed + (repr(shown.value) if shown.value is not None else "")
        parts += [f"```text\n{text.rstrip()}\n```"] if text else []
        for picture in shown.pictures:
            (beside / f"{number}.png").write_bytes(picture)
            parts.append(f"![What the cell above draws]({number}.png)")
    told = "[The notebook](analysis.ipynb) and [its data](visits.csv), executed when this site was built."
    return "\n\n".join([*parts[:1], told, *parts[1:], ""])
