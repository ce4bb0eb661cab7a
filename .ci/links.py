"""Check the links of the repository's pages, or of a built site (`links.py FOLDER`); exit 1 if any is bad.

A link to a file must find it, a link to a place in it the heading or id. Links to other sites are checked for form
only, and a site must not fetch scripts, styles, fonts or pictures from elsewhere.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent

PAGES = ("*.md", "docs/**/*.md", "vectors/*.md")

FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|\\(.)")
IN_STYLE = re.compile(r"""(?:url\(|@import\s)\s*["']?([^"')\s]+)""")


def anchors_of_markdown(text: str) -> set[str]:
    """Return the anchors that the headings of a page have on the usual sites."""
    seen: Counter[str] = Counter()
    anchors = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = MARKUP.sub(lambda match: match[1] or match[2] or "", heading).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        anchors.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return anchors


def links_of_markdown(text: str) -> list[str]:
    """Return the targets of the links and pictures of a page, code apart."""
    return LINK.findall(CODE.sub("", FENCE.sub("", text)))


class Page(HTMLParser):
    """What a page of HTML has: its ids, the links that it offers, and what it fetches by itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        for name, value in attrs:
            if value is None:
                continue
            if name in {"id", "name"}:
                self.ids.add(value)
            elif name == "src" or (name == "href" and tag == "link"):
                self.fetched.append(value)
            elif name == "href":
                self.links.append(value)
            elif name == "style":
                self.fetched += IN_STYLE.findall(value)


def fault_of_form(link: str) -> str | None:
    """Return what is wrong with the form of a link to another site, None where nothing is."""
    parts = urlsplit(link)
    if parts.scheme == "mailto":
        return None if "@" in parts.path else "is no address"
    return None if parts.scheme == "https" and "." in parts.netloc else "is no https link"


def faults_in_repository(root: Path) -> Iterator[str]:
    """Yield what is wrong with the links of the pages of a repository."""
    for page in sorted(path for pattern in PAGES for path in root.glob(pattern)):
        name = page.relative_to(root)
        for link in links_of_markdown(page.read_text(encoding="utf-8")):
            path, _, anchor = unquote(link).partition("#")
            if urlsplit(link).scheme:
                fault = fault_of_form(link)
                if fault:
                    yield f"{name}: {link} {fault}"
                continue
            target = page.parent / path if path else page
            if not target.exists() or not target.resolve().is_relative_to(root.resolve()):
                yield f"{name}: {link}: there is no such file"
            elif anchor and (target.suffix != ".md" or anchor not in anchors_of_markdown(target.read_text("utf-8"))):
                yield f"{name}: {link}: there is no such heading"


def faults_in_site(root: Path) -> Iterator[str]:
    """Yield what is wrong with the links of a built site."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
    if not pages:
        yield f"{root}: there is no page"
    for path, page in pages.items():
        name = path.relative_to(root.resolve())
        for link in page.fetched:
            if urlsplit(link).scheme not in {"", "data"} or link.startswith("//"):
                yield f"{name}: {link} is fetched from elsewhere"
        for link in (*page.links, *page.fetched):
            if urlsplit(link).scheme:
                fault = None if link in page.fetched else fault_of_form(link)
                if fault:
                    yield f"{name}: {link} {fault}"
                continue
            file, _, anchor = link.partition("#")
            target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            if not target.is_file():
                yield f"{name}: {link}: there is no such file"
            elif anchor and target in pages and unquote(anchor) not in pages[target].ids:
                yield f"{name}: {link}: there is no such place"
    for path in sorted(root.rglob("*.css")):
        for link in IN_STYLE.findall(path.read_text(encoding="utf-8")):
            if urlsplit(link).scheme not in {"", "data"} or link.startswith("//"):
                yield f"{path.relative_to(root)}: {link} is fetched from elsewhere"


def main() -> int:
    """Check, print what is wrong, and return the exit status."""
    faults = list(faults_in_site(Path(sys.argv[1])) if sys.argv[1:] else faults_in_repository(ROOT))
    for fault in faults:
        print(fault)
    print(f"links: {len(faults)} bad")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
