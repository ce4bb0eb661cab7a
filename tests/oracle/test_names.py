"""The same names of users, states, files and programs, through every output that there is."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from functools import partial
from html.parser import HTMLParser

import pytest
from matplotlib.text import Text

from tploracle.conformance.report.document import print_run, run_page
from tploracle.conformance.report.formats import run_json, run_junit
from tploracle.output import plots
from tploracle.output.documents import Code, Folded, Listing, ListItem, Section, Sentence, print_blocks
from tploracle.output.html_pages import code, heading, page, paragraph, picture, table, written
from tploracle.output.sheets import Output, Sheet, csv_text, matrix_csv, matrix_sheet, print_table, print_words
from tploracle.reference import Level
from tploracle.wire.protocol import RATIONAL, Declaration
from tploracle.wire.strict_json import printable

from ..commands import run
from .conformance import made_runs

UNSEEN = (
    *map(chr, (*range(1, 32), 0, 127, 0x85, 0x9B, 0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x17B4, 0x180E, 0x200B, 0x200D)),
    *map(chr, (0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0x2800, 0x3000, 0x3164, 0xFE0F)),
    *map(chr, (0xFEFF, 0xFFA0, 0xFFFE, 0xE000, 0xE0041, 0xE0100, 0x10FFFF)),
)  # fmt: skip
"""Characters that no output has as they are."""

FORMULAS = ("=1+1", "+1+1", "-1+1", "@A1", "=cmd|' /C calc'!A0", "\uff1d1+1", "=\u202e1")
"""Names that a spreadsheet would work out."""

SEEN = (
    "é", "日本", "a'b", "<b>", "<script>alert(1)</script>", "</title><img src=x onerror=alert(1)>", '"><svg/onload=x>',
    "&lt;b&gt;", "&#x202e;", "]]>", "<!--", "$x_1$", "\\frac{", "a,b", "🙂", "[bold]", "{{ 7*7 }}", "%s%n", "\\x1b[31m",
)  # fmt: skip
"""Names that are seen, and stay as they are."""

NAMES = tuple(f"a{char}b" for char in UNSEEN) + FORMULAS + SEEN


def is_clean(text):
    """Whether a text has none of the characters but line ends between its lines."""
    return not any(char in text.replace("\n", "") for char in UNSEEN)


class Page(HTMLParser):
    """The texts and the tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.found, self.tags, self.attributes = "", [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        self.found += data


def of_states(names):
    return [["1" if one is other else "0" for other in names] for one in names]


def on_the_terminal(capsys, _):
    print_table(matrix_sheet("m", of_states("ab"), ("a\nb", "c")))
    assert capsys.readouterr().out.count("a\\nb") == 2
    print_table(matrix_sheet("m", of_states(NAMES), NAMES))
    for name in NAMES:
        print_table(Sheet(name, (name.replace("\n", " "), "x"), [[name, "1"]], (name,)))
        print_words(name)
        listed = Listing(name, (ListItem(name, (ListItem(name),)),))
        blocks = Sentence(name), listed, Section(name, (Code(name),)), Folded("x", "bad", name, name, ())
        print_blocks(blocks, Output())
    told = capsys.readouterr()
    assert all(printable(name) in told.out for name in NAMES)
    return told.out + told.err


def in_notes(capsys, _):
    for name in NAMES:
        Output(normalised={name: [1]}, deviations={name: name}).write([], Sheet("", ("a",), [["1"]]))
    told = capsys.readouterr()
    assert all(printable(name) in told.err for name in NAMES)
    return told.out + told.err


def in_csv(_capsys, _):
    text = csv_text(matrix_csv(of_states(NAMES), NAMES)) + csv_text(Sheet("", ("name",), [[name] for name in NAMES]))
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not any(cell.startswith(("=", "+", "-", "@", "\uff1d")) for cell in cells)
    assert {f"'{printable(name)}" for name in FORMULAS} | {printable(name) for name in SEEN} <= set(cells)
    return text


def in_a_page(_capsys, _):
    blocks = [heading(name) + paragraph(name, "bad") + code(name) for name in NAMES]
    folded = [Folded(name, "bad", name, name, (Sheet("", ("name",), [[name]]),)) for name in NAMES]
    text = page("x", *blocks, table(NAMES, [NAMES, NAMES], ["bad", "warn"]), *written(folded, Output()))
    told = Page(text)
    assert {*told.tags}.isdisjoint({"script", "img", "svg", "b"})
    assert not {name for name in told.attributes if name.startswith("on")}
    assert all(printable(name) in told.found for name in NAMES)
    return "".join(page(name) for name in NAMES) + text


def in_svg(_capsys, _):
    found = []
    for start in range(0, len(NAMES), 8):
        curves = {name: [Level.of(1), Level.of(2)] for name in NAMES[start : start + 8]}
        panels = {NAMES[start]: curves}
        drawn = picture(partial(plots.leakage_figure, panels), NAMES[start])
        assert {*Page(drawn).tags}.isdisjoint({"script", "img", "b"})
        found.append(drawn)
    return "".join(found)


def in_png(_capsys, folder):
    """What is drawn, as matplotlib has it when it writes the file."""
    found = []
    kept = plots.cleaned
    for start in range(0, len(NAMES), 16):
        inside = {name: [True, False] for name in NAMES[start : start + 16]}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(plots, "cleaned", lambda figure: found.append(kept(figure)) or figure)
            plots.attack_picture(str(folder / "a.png"), NAMES[start], inside, [0.1, 0.2], {})
        assert (folder / "a.png").read_bytes().startswith(b"\x89PNG")
    return "".join(text.get_text() for figure in found for text in figure.findobj(Text))


def runs():
    for name in NAMES:
        more = {"flags": (name,), "title": name, "cites": (name,), "matrix": [[name, "1"]]}
        said = Declaration(name, name, ("loss", name), (RATIONAL,))
        made = made_runs.run(made_runs.unsafe(name, **more), declaration=said, notes=[name])
        made.command = f"-- {name}"
        yield name, made


def in_junit(_capsys, _):
    found = []
    for name, made in runs():
        text = run_junit(made)
        assert ET.fromstring(text).find(".//testcase").get("name") == printable(name)
        found.append(text)
    return "".join(found)


def in_the_page_of_a_run(_capsys, _):
    found = []
    for name, made in [*runs()][::9]:
        text = run_page(made)
        assert printable(name) in Page(text).found
        assert {"script", "img", "b"}.isdisjoint(Page(text).tags)
        found.append(text)
    return "".join(found)


def of_a_run_on_the_terminal(capsys, _):
    for _name, made in runs():
        print_run(made)
    return capsys.readouterr().out


def in_json(_capsys, folder):
    path = folder / "m.json"
    path.write_text(json.dumps({"states": NAMES, "matrix": of_states(NAMES)}))
    text = run("smooth", path, "--s", "1/3", "--json").stdout
    assert json.loads(text)["states"] == list(NAMES)
    assert text.isascii()
    return text + "".join(json.dumps(run_json(made)) for _, made in runs())


def in_commands(_capsys, folder):
    matrix, users = folder / "m.json", folder / "u.json"
    matrix.write_text(json.dumps({"states": NAMES, "matrix": of_states(NAMES)}))
    users.write_text(json.dumps({name: {"backward": [["4/5", "1/5"], ["0", "1"]]} for name in NAMES}))
    stream = "leakage", "--one-sided", "--epsilon", "0.1", "--steps", "2", "--users", users
    asked = [[*stream], [*stream, "--csv"], ["smooth", matrix, "--s", "1/3"], ["smooth", matrix, "--s", "1/3", "--csv"]]
    return "".join(run(*words).output for words in asked)


def in_errors(_capsys, folder):
    told = []
    for name in NAMES:
        (folder / "u.json").write_text(json.dumps({name: {"backward": [["4/5", "1"], ["0", "1"]]}}))
        asked = "leakage", "--one-sided", "--epsilon", "0.1", "--steps", "2"
        told.append(run(*asked, "--users", folder / "u.json", status=2).stderr)
        if "\0" not in name:
            told.append(run(*asked, "--backward", f"{folder}/{name.replace('/', '')}.csv", status=2).stderr)
        assert all(len(each.splitlines()) == 1 for each in told[-2:])
    return "".join(told)


OUTPUTS = (
    on_the_terminal, in_notes, in_csv, in_a_page, in_svg, in_png, in_junit, in_the_page_of_a_run,
    of_a_run_on_the_terminal, in_json, in_commands, in_errors,
)  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.__name__)
def test_names_are_escaped_in_every_output(capsys, tmp_path, output):
    assert len(NAMES) >= 60
    assert is_clean(output(capsys, tmp_path))


def test_names_are_written_by_one_writer():
    assert all(printable(name) == name for name in SEEN)
    assert len({printable(name) for name in NAMES}) == len(NAMES)
    assert is_clean("".join(map(printable, NAMES)))
    assert printable("a\nb") == "a\\nb"
    assert printable("\u0338x") == "\\u0338x"
    assert "\u0338" in printable("x\u0338")
