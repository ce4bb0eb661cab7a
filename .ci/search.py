"""Search a built site in a browser (`search.py FOLDER`); exit 1 if a question's page is not among the first three."""

import os
import sys
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from formulas import BROWSER

PAGES = {
    "what ε may I use for ever": "docs/howto/budget",
    "which budget": "docs/howto/budget",
    "allocate": "docs/howto/budget",
    "gaussian": "docs/profile",
    "tree counter": "docs/howto/tree-counter",
    "GDPR user level": "docs/interpretation",
    "odds": "docs/interpretation",
}
"""What people look for, and the page that answers it."""

DONE = "() => /Search finished|did not match/.test(document.querySelector('#search-results').innerText)"
FIRST = "all => all.slice(0, 3).map(one => one.getAttribute('href').split('.html')[0])"


def faults(site: Path) -> list[str]:
    """Return the questions that lead to other pages, with these."""
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page()
        for question, wanted in PAGES.items():
            page.goto(f"{(site / 'search.html').resolve().as_uri()}?q={quote(question)}")
            page.wait_for_function(DONE)
            first = page.eval_on_selector_all("#search-results li a", FIRST)
            found += [] if wanted in first else [f"{question}: {', '.join(first)}; not {wanted}"]
        browser.close()
    return found


def main() -> int:
    """Search, print what leads elsewhere, and return the exit status."""
    if BROWSER is None and "TPLORACLE_BROWSER" not in os.environ:
        print("search: not tried, as there is no browser: make browser installs Debian's chromium")
        return 0
    found = faults(Path(sys.argv[1]))
    print(*found, f"search: {len(found)} bad", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
