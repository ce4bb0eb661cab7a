"""The pages of reports in a real browser: no violation that axe-core finds, and nothing broken on a narrow screen."""

import os
import shutil
from importlib.resources import files

import pytest

from ...commands import line, run
from ...profiles import some

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
REQUIRED = "TPLORACLE_BROWSER" in os.environ
SIZES = {"telephone": (390, 844), "desk": (1280, 900)}

pytestmark = pytest.mark.skipif(
    BROWSER is None and not REQUIRED, reason="no browser is here: make browser installs Debian's chromium"
)

SPLIT_WORDS = r"""() => {
  // A word of letters alone is split where its first and its last letter stand on different lines.
  const found = [], range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    if (node.parentElement.closest('svg, pre, code, style') || !node.parentElement.offsetParent) continue;
    for (const word of node.textContent.matchAll(/\p{L}{3,}/gu)) {
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
      if (tops.size > 1) found.push(word[0]);
    }
  }
  return found;
}"""

WRONG = """
class Wrong:
    def loss(self, matrix, alpha):
        return alpha / 2

    def smooth(self, s, n=None, matrix=None):
        raise RuntimeError("an error with <markup> & more")
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """An audit of two users, and a conformance run with unsafe answers."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "m.csv").write_text("4/5,1/5\n1/10,9/10\n")
    (folder / "z.csv").write_text("4/5,1/5,0\n0,9/10,1/10\n1/3,1/3,1/3\n")
    (folder / "wrong.py").write_text(WRONG)
    asked = {
        "audit": ["audit", folder / "m.csv", folder / "z.csv", "--role", "both"],
        "conform": [*line("conform --tier smoke -k loss-seeded -k smooth --python"), f"{folder}/wrong.py:Wrong"],
    }
    for name, args in asked.items():
        run(*args, "--html", folder / f"{name}.html", status=int(name == "conform"))
    return {name: folder / f"{name}.html" for name in asked}


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    assert BROWSER, "a browser is required here: make browser installs one"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.mark.parametrize("size", some(SIZES, 2))
@pytest.mark.parametrize("name", ["audit", "conform"])
def test_a_page(browser, pages, name, size):
    width, height = SIZES[size]
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(pages[name].as_uri())
    page.evaluate("[...document.querySelectorAll('details')].slice(0, 5).forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SPLIT_WORDS) == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len({*ids})
    page.add_script_tag(content=(files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run().then(found => found.violations)")
    told = [(each["id"], each["help"], [node["html"][:200] for node in each["nodes"][:3]]) for each in violations]
    assert told == []
    page.close()


def test_what_was_answered_shows_without_scrolling_on_a_wide_screen(browser, pages):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(pages["conform"].as_uri())
    page.evaluate("[...document.querySelectorAll('details')].forEach(each => each.open = true)")
    tables = "[...document.querySelectorAll('.scroll')]"
    assert page.evaluate(f"{tables}.length") > 5
    assert page.evaluate(f"{tables}.filter(each => each.scrollWidth > each.clientWidth).length") == 0
    page.close()
