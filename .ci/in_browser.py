"""Look at all pages of a built site in a browser, and search it (`in_browser.py FOLDER`); exit 1 if anything is bad.

Each formula has a size, none cuts a number, indices stand lower than their symbols and powers higher, none is left as
it was typed, and no page is wider than a phone because of them. axe finds at most minor faults on any page. The page
that answers a question is among the first three found.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, ViewportSize, sync_playwright

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
  for (const part of document.querySelectorAll('math, em, strong, sub, sup, a:not(.headerlink), code')) {
    if (part.closest('pre, .sig, .toc-tree, .sidebar-tree, .viewcode-block')) continue;
    const own = part.textContent;
    const before = part.previousSibling?.nodeType === 3 ? part.previousSibling.data : '';
    const after = part.nextSibling?.nodeType === 3 ? part.nextSibling.data : '';
    const cut = (/\d$/.test(own) && /^(\d|[.,]\d)/.test(after)) || (/^\d/.test(own) && /(\d|\d[.,])$/.test(before));
    if (cut) bad.push('cuts a number: ' + before.slice(-9) + own + after.slice(0, 9));
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

AXE = """(hasColours) => axe.run({ rules: { "color-contrast": { enabled: hasColours } },
  resultTypes: ["violations"], preload: false }).then(({ violations }) =>
  violations.filter(({ impact }) => impact !== 'minor').map(({ id, impact, nodes }) =>
  `${id}, ${impact}, ${nodes.length} times, as ${nodes[0].html.slice(0, 120)}`))"""

QUESTIONS = {
    "what ε may I use for ever": "docs/howto/budget",
    "which budget": "docs/howto/budget",
    "allocate": "docs/howto/budget",
    "gaussian": "docs/profile",
    "tree counter": "docs/howto/tree-counter",
    "GDPR user level": "docs/interpretation",
    "odds": "docs/interpretation",
    "cite": "docs/cite",
    "jupyter": "docs/python",
    "Undecided": "docs/errors",
    "absorbing": "docs/interpretation",
    "Gaussian": "docs/profile",
    "pandas": "docs/python",
    "totals": "commands",
}
"""What people look for, and the page that answers it."""

PHONE: ViewportSize = {"width": 400, "height": 900}

FINISHED = "() => /Search finished|did not match/.test(document.querySelector('#search-results').innerText)"
FIRST = "all => all.slice(0, 3).map(one => one.getAttribute('href').split('.html')[0])"


def formulas(page: Page, site: Path) -> Iterator[str]:
    """Yield what is wrong with the formulas of all pages, each with its page."""
    for path in sorted(site.rglob("*.html")):
        page.goto(path.resolve().as_uri())
        yield from (f"{path.relative_to(site)}: a formula {fault}" for fault in page.evaluate(LOOK))


def accessible(page: Page, site: Path) -> Iterator[str]:
    """Yield what axe finds on all pages, each with its page, as a phone and as a desk shows them.

    A phone shows them in the colours of a desk, but for the menu, which is that of the first page. Listings of source
    are made alike: the last one stands for all.
    """
    script = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    listings = sorted((site / "_modules").rglob("*.html"))
    for path in sorted({*site.rglob("*.html")} - {*listings[:-1]}):
        page.goto(path.resolve().as_uri())
        page.evaluate(script)
        for width in (1280, PHONE["width"]):
            page.set_viewport_size(PHONE | {"width": width})
            has_colours = width != PHONE["width"] or path == site / "index.html"
            yield from (f"{path.relative_to(site)}, {width} wide: {fault}" for fault in page.evaluate(AXE, has_colours))


def search(page: Page, site: Path) -> Iterator[str]:
    """Yield the questions that lead to other pages, with these."""
    for question, wanted in QUESTIONS.items():
        page.goto(f"{(site / 'search.html').resolve().as_uri()}?q={quote(question)}")
        page.wait_for_function(FINISHED)
        first = page.eval_on_selector_all("#search-results li a", FIRST)
        if wanted not in first:
            yield f"{question}: {', '.join(first)}; not {wanted}"


def main() -> int:
    """Look and search, print what is wrong, and return the exit status."""
    if BROWSER is None and "TPLORACLE_BROWSER" not in os.environ:
        print("formulas and search: not tried, as there is no browser: make browser installs Debian's chromium")
        return 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page, site = browser.new_page(viewport=PHONE), Path(sys.argv[1])
        found = [*formulas(page, site), *accessible(page, site), *search(page, site)]
        browser.close()
    print(*found, f"formulas and search: {len(found)} bad", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
