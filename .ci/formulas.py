"""Look at the formulas of a built site in a browser (`formulas.py FOLDER`); exit 1 if any is not set as it should be.

Each has a size, indices stand lower than their symbols and powers higher, none is left as it was typed, and no page is
wider than a phone because of them.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

LOOK = r"""() => {
  const bad = [];
  for (const formula of document.querySelectorAll('math')) {
    const { width, height } = formula.getBoundingClientRect();
    if (!(width > 1 && height > 4)) bad.push('has no size: ' + formula.textContent);
  }
  for (const scripted of document.querySelectorAll('msub, msup')) {
    const [symbol, script] = [...scripted.children].map((part) => part.getBoundingClientRect());
    const lower = script.top + script.bottom - symbol.top - symbol.bottom;
    const isRight = scripted.localName === "msub" ? lower > 0 : lower < 0;
    if (!isRight) bad.push(`its ${scripted.localName} is on one line: ` + scripted.textContent);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (parentElement.closest('code, pre, math, script, style, .sig')) continue;
    const found = data.match(/[α-ωΑ-Ω∑]_[\w{]|\$[^$]+\$|\w[_^]\{|\\[a-z]+\b/u);
    if (found) bad.push(`is left as it was typed, ${found[0]}: ` + data.trim());
  }
  if (document.documentElement.scrollWidth > innerWidth) bad.push('makes the page wider than a phone');
  return bad;
}"""


def faults(site: Path) -> list[str]:
    """Return what is wrong with the formulas of all pages, each with its page."""
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 400, "height": 900})
        for path in sorted(site.rglob("*.html")):
            page.goto(path.resolve().as_uri())
            found += [f"{path.relative_to(site)}: a formula {fault}" for fault in page.evaluate(LOOK)]
        browser.close()
    return found


def main() -> int:
    """Look, print what is wrong, and return the exit status."""
    if BROWSER is None and "TPLORACLE_BROWSER" not in os.environ:
        print("formulas: not looked at, as there is no browser: make browser installs Debian's chromium")
        return 0
    found = faults(Path(sys.argv[1]))
    print(*found, f"formulas: {len(found)} bad", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
