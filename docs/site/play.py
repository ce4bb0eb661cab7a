"""The page to play with: one HTML file that holds the JavaScript implementation, and asks no network for anything."""

import json
import re
from pathlib import Path

from tploracle.data.doubt import CODE, MARKERS

HERE = Path(__file__).resolve().parent / "play"
ENGINE = Path(__file__).resolve().parents[2] / "examples" / "implementations" / "javascript"
MODULES = ("numbers", "chain", "pieces", "loss", "integers", "sweep", "side")
MODULES += ("worst", "forever", "budget", "operations")

_IMPORT = re.compile(r'import (\{[^}]*\}) from "\./(\w+)\.mjs";')
_EXPORT = re.compile(r"^export (?:const|function|class) (\[[^\]]*\]|\w+)", re.MULTILINE)


def bundled() -> str:
    """Return the modules as one classic script, each in a function: a file opened from disk has no modules."""
    parts = []
    for name in MODULES:
        text = (ENGINE / f"{name}.mjs").read_text(encoding="utf-8")
        exported = ", ".join(found.strip("[]") for found in _EXPORT.findall(text))
        body = re.sub(r"^export ", "", _IMPORT.sub(r"const \1 = \2;", text), flags=re.MULTILINE)
        parts.append(f"const {name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();")
    return "\n".join(parts)


def page() -> str:
    """Return the page, with its style, its script and the implementation inside."""
    style, script, worker = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js", "worker.js"))
    parts = {"STYLE": style, "SCRIPT": script, "WORKER": f"{bundled()}\n{worker}"}
    template = (HERE / "page.html").read_text(encoding="utf-8")
    doubts = {"MISSING": json.dumps(sorted(MARKERS), ensure_ascii=True).replace("<", "\\u003c"), "CODE": CODE.pattern}
    parts["SCRIPT"] = re.sub(r"@(MISSING|CODE)@", lambda match: doubts[match[1]], script)
    return re.sub(r"@(STYLE|SCRIPT|WORKER)@", lambda match: parts[match[1]], template)
