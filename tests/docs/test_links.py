"""The link checker: what is wrong with a link is found, and nothing else is."""

import pytest

import links

OTHER = """# The other page

## L on \\[a\\_1, a\\_m]: `code` and [a link](README.md)

## Twice

## Twice

```
# not a heading, [not a link](nowhere.md)
```
"""

RIGHT = (
    "docs/other.md",
    "docs/other.md#the-other-page",
    "docs/other.md#l-on-a_1-a_m-code-and-a-link",
    "docs/other.md#twice-1",
    "docs/",
    "#top",
    "https://example.org/x?y#z",
    "mailto:a@example.org",
)

WRONG = (
    "docs/nowhere.md",
    "docs/other.md#nowhere",
    "docs/other.md#twice-2",
    "docs/other.md#not-a-heading-not-a-linknowheremd",
    "#nowhere",
    "docs/#the-other-page",
    "../outside.md",
    "http://example.org",
    "https://",
    "ftp://example.org/x",
    "mailto:nobody",
)


def repository(folder, *targets):
    (folder / "repo" / "docs").mkdir(parents=True)
    (folder / "outside.md").write_text("# Outside\n")
    page = "\n".join(["# Top", *(f"See [a text\nof [two] lines]({target})." for target in targets)])
    (folder / "repo" / "README.md").write_text(page, encoding="utf-8")
    (folder / "repo" / "docs" / "other.md").write_text(OTHER.replace("README", "../README"), encoding="utf-8")
    return folder / "repo"


def test_right_links_are_silent(tmp_path):
    assert list(links.faults_in_repository(repository(tmp_path, *RIGHT))) == []


@pytest.mark.parametrize("target", WRONG)
def test_each_wrong_link_is_named(tmp_path, target):
    (fault,) = links.faults_in_repository(repository(tmp_path, *RIGHT, target))
    assert fault.startswith(f"README.md: {target}")


def test_escaped_brackets_and_code_are_no_links(tmp_path):
    text = "\\[q_S](E) and `[x](y)`\n"
    root = repository(tmp_path)
    (root / "README.md").write_text(text)
    assert list(links.faults_in_repository(root)) == []


def site(folder, head="", body="", style=""):
    text = f'<html><head><link rel="stylesheet" href="style.css?v=1">{head}</head><body id="top">{body}</body></html>'
    (folder / "index.html").write_text(text, encoding="utf-8")
    (folder / "style.css").write_text(style, encoding="utf-8")
    return folder


def test_a_right_site_is_silent(tmp_path):
    body = '<a href="#top">x</a><a href="index.html#top">x</a><a href="https://example.org/">x</a>'
    picture = '<img src="data:image/png;base64,AA==">'
    assert list(links.faults_in_site(site(tmp_path, body=body + picture, style="a { background: url(data:x) }"))) == []


@pytest.mark.parametrize(
    "part",
    [
        {"head": '<script src="https://cdn.example.org/x.js"></script>'},
        {"head": '<script src="//cdn.example.org/x.js"></script>'},
        {"head": '<link rel="preconnect" href="https://fonts.example.org">'},
        {"body": '<img src="https://example.org/x.png">'},
        {"body": '<p style="background: url(https://example.org/x.png)"></p>'},
        {"style": '@font-face { src: url("https://fonts.example.org/x.woff2") }'},
        {"style": "@import 'https://fonts.example.org/x.css';"},
        {"body": '<a href="nowhere.html">x</a>'},
        {"body": '<a href="index.html#nowhere">x</a>'},
        {"body": '<img src="nowhere.png">'},
        {"body": '<a href="http://example.org">x</a>'},
    ],
)
def test_each_fault_of_a_site_is_named(tmp_path, part):
    assert list(links.faults_in_site(site(tmp_path, **part)))


def test_a_site_without_pages_is_a_fault(tmp_path):
    assert list(links.faults_in_site(tmp_path))
