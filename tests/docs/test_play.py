"""The page to play with, in a real browser: its numbers are the oracle's, and it is for everybody."""

import json
import os
import random
import re
import shutil
import sys
from importlib.resources import files
from itertools import pairwise
from math import inf
from pathlib import Path

import pytest

from tploracle import Stream, TransitionMatrix, adversary, paper_bound_leakage, worst_case_budget, worst_case_leakage
from tploracle.cli.main import main
from tploracle.models.chain import stationary_reversal

from ..commands import CliRunner, refused, run, values
from ..decisions.test_every_road import CHAINS, FORMS, numbers

ROOT = Path(__file__).resolve().parents[2]
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(
    BROWSER is None and "TPLORACLE_BROWSER" not in os.environ,
    reason="no browser is here: make browser installs Debian's chromium",
)

COUNTS = [[7, 2, 1], [3, 6, 1], [2, 3, 5]]
SETTLED = "() => document.body.dataset.done !== undefined"
MODELS = ("worst_case", "paper_bound")
ANSWERED = "() => Number(document.body.dataset.done) === number"


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT / "docs" / "site"))
    try:
        import play
    finally:
        sys.path.pop(0)
    path = tmp_path_factory.mktemp("play") / "index.html"
    path.write_text(play.page(), encoding="utf-8")
    assert BROWSER, "a browser is required here: make browser installs one"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])

        def at(width, height, scheme="light"):
            context = started.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True
            )
            page = context.new_page()
            asked = []
            page.on("request", lambda request: asked.append(request.url))
            page.goto(path.as_uri())
            page.wait_for_function(SETTLED)
            return page, asked

        yield at
        started.close()


def _fits(shown, truth, side):
    """Whether a shown number is the truth to six digits, on the safe side."""
    return 0 <= side * (float(shown) - truth) <= 1.1e-5 * truth


def _rows(counts):
    return TransitionMatrix.of([[f"{x}/{sum(row)}" for x in row] for row in counts])


def _drawn(page):
    """Return the levels of TPL, BPL and FPL in the exact worst case, read off the picture by the levels at its side."""
    paths = page.eval_on_selector_all(
        "#curves path[stroke='var(--exact)']", "all => all.map(one => one.getAttribute('d'))"
    )
    places = page.eval_on_selector_all(
        "#curves text[text-anchor=end]", "all => all.map(one => [Number(one.textContent), one.getAttribute('y') - 4])"
    )
    (low, bottom), (high, top) = places[0], places[-1]
    curves = [re.findall(r" ([\d.]+)(?=L|$)", path) for path in paths if "h" not in path]
    return [[low + (bottom - float(y)) / (bottom - top) * (high - low) for y in curve] for curve in curves]


def _is_the_oracles(page, counts, epsilon, alpha, steps):
    forward = _rows(counts)
    backward = stationary_reversal(forward)
    exact = worst_case_leakage([epsilon] * steps, backward=backward, forward=forward)
    bound = float(max(paper_bound_leakage([epsilon] * steps, adversary(backward=backward, forward=forward)).tpl))
    found = re.search(r"leak at most ([\d.]+) nats.*bound is ([\d.]+)\.", page.inner_text("#answer"))
    assert found
    peak = float(max(exact.tpl))
    assert _fits(found[1], peak, 1)
    assert _fits(found[2], bound, 1)
    most = 1.06 * max(peak, bound)
    for drawn, levels in zip(_drawn(page), (exact.tpl, exact.bpl, exact.fpl), strict=True):
        assert drawn == pytest.approx([float(level) for level in levels], abs=most / 2000)
    budget = float(worst_case_budget(alpha, backward=backward, forward=forward, horizon=steps))
    assert _fits(page.inner_text("#budgets tbody tr:first-child td"), budget, -1)


def test_its_numbers_are_the_oracles_and_nothing_is_fetched(opened):
    page, asked = opened(1280, 900)
    _is_the_oracles(page, COUNTS, "0.1", "1", 24)
    assert "at most 1.313" in page.inner_text("#answer")  # e^0.2725
    assert "for everybody: not tested" in page.inner_text("#who")
    for identity, value in (("steps", "9"), ("epsilon", "0.11"), ("alpha", "0.9")):  # from what was found before
        page.fill(f"#{identity}", value)
        page.wait_for_function(ANSWERED)
    _is_the_oracles(page, COUNTS, "0.11", "0.9", 9)
    assert [url for url in asked if not url.startswith(("file:", "blob:"))] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts",
    [
        [[1 + (7 * i * i + 3 * i * j + 5 * j) % 11 + 20 * (i == j) for j in range(7)] for i in range(7)],
        [[1 + 2 ** ((3 * i * i + 7 * i * j + 2 * j) % 11) for j in range(5)] for i in range(5)],
    ],
    ids=["seven", "of different pairs at different times"],
)
def test_many_states_are_the_oracles_too(opened, counts):
    page, _ = opened(1280, 900)
    page.fill("#data", "\n".join(",".join(map(str, row)) for row in counts))
    page.wait_for_function(ANSWERED)
    for identity, value in (("steps", "12"), ("epsilon", "0.3"), ("steps", "10"), ("alpha", "2")):
        page.fill(f"#{identity}", value)
        page.wait_for_function(ANSWERED)
    _is_the_oracles(page, counts, "0.3", "2", 10)


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_it_is_for_everybody(opened, width, scheme):
    page, _ = opened(width, 844, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.add_script_tag(content=(files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run().then(found => found.violations.map(each => each.id))")
    assert violations == []


@pytest.mark.slow
def test_by_keyboard_with_a_log_and_with_what_is_wrong(opened):
    page, _ = opened(1280, 900)
    page.focus("#stepsSlide")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.getElementById('answer').innerText.startsWith('23 releases')")
    page.fill("#data", "0.5,0.6\n0.5,0.5")
    assert "neither counts nor probabilities" in page.inner_text("#message")
    assert page.inner_text("#answer") == ""
    day = "2024-05-01 08"
    log = f"user,time,state\na,{day}:01,home\na,{day}:02,<b>work</b>\na,{day}:03,home\na,{day}:04,<b>work</b>"
    page.fill("#data", f"{log}\nb,{day}:01,home\nb,{day}:02,home")
    page.wait_for_function("() => document.getElementById('message').innerText.startsWith('2 states, from 4 counted')")
    page.fill("#data", json.dumps({"counts": [[1, 1], [1, 2]], "states": ["x", "y"], "first": [1, 0]}))
    page.wait_for_function("() => document.getElementById('sets').innerText.includes('between the values')")


def test_a_level_that_is_the_budget_itself_is_shown_as_typed(opened):
    page, _ = opened(1280, 900)
    for data, steps in ((None, "1"), ("0.5,0.5\n0.5,0.5", "7")):  # one release; nothing that carries over
        if data:
            page.fill("#data", data)
        page.fill("#steps", steps)
        for epsilon, alpha in (("0.1", "1"), ("0.7", "0.3")):
            page.fill("#epsilon", epsilon)
            page.fill("#alpha", alpha)
            page.wait_for_function(ANSWERED)
            said = page.inner_text("#answer")
            assert f"at most {epsilon} nats" in said
            assert f"bound is {epsilon}." in said
            cells = page.locator("#budgets tbody td").all_inner_texts()
            assert cells[: 4 if data else 2] == [alpha] * (4 if data else 2)
    assert f"rises to {epsilon}; by the paper's bound to {epsilon}." in said


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("epsilon", "0", "ε is 0: give a number from 0.001 to 5"),
        ("steps", "101", "T is 101: give a whole number from 1 to 100"),
        ("steps", "2.5", "T is 2.5: give a whole number from 1 to 100"),
        ("alpha", "", "α is no number: give a number from 0.01 to 20"),
    ],
)
def test_what_is_out_of_its_range_is_named(opened, field, value, said):
    page, _ = opened(1280, 900)
    page.fill(f"#{field}", value)
    assert page.inner_text("#message") == said
    assert page.inner_text("#answer") == ""


COUNTED = ROOT / "examples" / "msnbc" / "counts.json"
LOG = "user,time,state\na,1,x\na,2,y\na,3,x\na,4,z\na,5,x\nb,1,y\nb,2,y\nb,3,x"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (COUNTED.read_text(encoding="utf-8"), "counts.json"),
        ("7,2,1\n3,6,1\n2,3,5", "counts.csv"),
        ("0.7,0.3\n0.45,0.55", "matrix.csv"),
        ("home,work\n0.7,0.3\n0.45,0.55", "matrix.csv"),
        (",work,home\nhome,2,7\nwork,8,1", "counts.csv"),
        ("state\thome\twork\nhome\t7\t2\nwork\t1\t8", "counts.csv"),
        ("home;7;2\nwork;1;8", "counts.csv"),
        (LOG, "log.csv"),
    ],
    ids=["the README's", "counts", "probabilities", "a header", "an order", "a corner", "an index", "a log"],
)
def test_the_command_that_it_shows_has_its_answer(opened, empty_folder, text, name):
    page, _ = opened(1280, 900)
    page.fill("#data", text)
    page.fill("#steps", "50")
    page.wait_for_function(ANSWERED)
    (empty_folder / name).write_text(text, encoding="utf-8")
    *first, command = page.inner_text("#command").splitlines()
    for line in first:
        words, into = line.split(" > ")
        (empty_folder / into).write_text(run(*words.split()[1:]).stdout, encoding="utf-8")
    found = run(*command.split()[1:]).stdout
    levels = re.search(r"leak at most (\S+) nats.*bound is (\S+)\.\n", found)
    shown = re.search(r"leak at most (\S+) nats.*bound is (\S+)\.", page.inner_text("#answer"))
    assert [float(x) for x in shown.groups()] == pytest.approx([float(x) for x in levels.groups()], rel=2e-6)


REFUSED = {
    "a log that ends for good": ("user,time,state\na,1,x\na,2,y\na,3,x\na,4,z\nb,1,y\nb,2,x", "name it as never left"),
    "an end": ("well,ill,dead\n3,1,1\n2,2,1\n0,0,9", "dead is never left, and P"),
    "an end without an entry": ("3,1,1\n2,2,1\n0,0,0", "the entry of itself is positive"),
    "a missing name": ("x,NA\n3,1\n1,2", "is missing"),
    "an entry that is missing": ("7,2,1\n3,,6,1\n2,3,5", "one of 4 entries"),
    "a state that is left for good": ("3,1,1\n0,2,1\n0,4,1", "no reversal follows"),
    "two closed classes": ("3,0\n0,4", "1 is never left"),
    "totals": ("990,5,995\n4,980,984\n994,985,1979", "totals of the others"),
    "comments": ("# mine\n7,2\n3,6", "as comments do"),
    "a missing state": ("user,time,state\na,1,x\na,2,NA\na,3,x\nb,1,x\nb,2,y\nb,3,x", "is missing"),
    "a number for what is missing": (
        "user,time,state\na,1,x\na,2,-99\na,3,x\nb,1,x\nb,2,y\nb,3,x",
        "apart from the other",
    ),
    "a marker of a survey": ("home,.a\n3,1\n1,2", "is missing"),
    "counts without the first states": ('{"counts": [[7, 2], [3, 6]], "states": ["x", "y"]}', "lacks the key 'first'"),
    "two visits at once": ("user,time,state\na,1,x\na,1,y\na,3,x\nb,1,x\nb,2,y\nb,3,x", "two visits"),
}


COHORTS = {
    "one end": ("user,time,state\na,1,x\na,2,y\na,3,x\na,4,z\nb,1,y\nb,2,x\nc,1,x\nc,2,x\nc,3,z", "z", 7, "0.4"),
    "two ends": ("user,time,state\na,1,x\na,2,y\na,3,x\na,4,z\nb,1,y\nb,2,x\nc,1,x\nc,2,y\nc,3,w", "w, z", 5, "1"),
}


@pytest.mark.parametrize("cohort", COHORTS.values(), ids=COHORTS)
def test_persons_who_come_to_an_end_leak_what_the_command_says(opened, empty_folder, cohort):
    text, ends, steps, epsilon = cohort
    page, _ = opened(1280, 900)
    for field, value in (("data", text), ("ends", ends), ("epsilon", epsilon), ("steps", str(steps))):
        page.fill(f"#{field}", value)
    page.wait_for_function(ANSWERED)
    said = page.inner_text("#answer")
    assert "No constant budget lasts for ever." in said
    Path("log.csv").write_text(text, encoding="utf-8")
    first, command = page.inner_text("#command").splitlines()
    Path("cohort.json").write_text(run(*first.split(" > ")[0].split()[1:]).stdout, encoding="utf-8")
    found = json.loads(run(*command.split()[1:], "--json").stdout)
    most = {key: max(float(level["upper"]) for level in found[key]["tpl"]) for key in ("worst_case", "paper_bound")}
    shown = [float(x) for x in re.search(r"leak at most (\S+) nats.*bound is (\S+)\.\n", said).groups()]
    assert shown == pytest.approx([*most.values()], rel=1.1e-5)
    times = zip(*(found["worst_case"][kind] for kind in ("tpl", "bpl", "fpl")), strict=True)
    for drawn, levels in zip(zip(*_drawn(page), strict=True), times, strict=True):
        assert drawn == pytest.approx([float(level["upper"]) for level in levels], abs=most["paper_bound"] / 500)
    both = ("--backward", "cohort.json", "--forward", "cohort.json", "--alpha", 1, "--steps", steps)
    kept = json.loads(run("allocate", *both, "--method", "constant", "--json").stdout)
    cells = page.locator("#budgets tbody td").all_inner_texts()
    budgets = [float(kept[key]["epsilons"][0]["lower"]) for key in ("worst_case", "paper_bound")]
    assert [float(cell) for cell in cells[:2]] == pytest.approx(budgets, rel=1.1e-5)
    assert cells[2:] == ["none", "none"]


READ = """text => {
  try {
    const { names, given, files } = read(text);
    return [names, given[1].map((row) => row.map(String)), files];
  } catch (error) {
    return null;
  }
}"""


@pytest.mark.filterwarnings("ignore::tploracle.reference.errors.TableNote")
def test_of_every_table_it_has_the_reading_of_the_commands_or_none(opened, tmp_path):
    page, _ = opened(1280, 900)
    forms = set()
    for own, rows in CHAINS.values():
        for form, (write, _) in FORMS.items():
            (tmp_path / "t.csv").write_text(write(own.split(), numbers(rows)), encoding="utf-8")
            found = page.evaluate(READ, (tmp_path / "t.csv").read_text(encoding="utf-8"))
            if found is None:
                continue
            names, weights, files = found
            stream = Stream(tmp_path / "t.csv", entries="counts" if "counts" in files else "probabilities")
            assert stream.states == tuple(names), form
            assert stream.known()["forward"] == _rows([list(map(int, row)) for row in weights]), form
            forms.add(form)
    assert len(forms) > 8


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED)
def test_what_the_commands_refuse_it_refuses(opened, empty_folder, request, text, why):
    page, _ = opened(1280, 900)
    page.fill("#data", text)
    page.wait_for_function("why => document.getElementById('message').innerText.includes(why)", arg=why)
    assert page.inner_text("#answer") == ""
    (empty_folder / "t.csv").write_text(text, encoding="utf-8")
    options = ("--epsilon", "0.1", "--steps", 3, *(() if text[0] == "{" else ("--entries", "counts")))
    columns = ("--user", "user", "--time", "time", "--state", "state")
    if "ends for good" in request.node.callspec.id:
        Path("counts.json").write_text(run("estimate", "t.csv", *columns, "--counts").stdout, encoding="utf-8")
        assert "--absorbing" in refused("leakage", "--forward", "counts.json", "--epsilon", "0.1", "--steps", 3)
    elif "user" in text:
        refused("estimate", "t.csv", *columns)
    else:
        refused("leakage", "--forward", "t.csv", *options)


def _counts(kind, rng, n):
    """Draw counts, of one closed class: a step to the next value, and from the last to the first, is possible."""
    rows = [[rng.randint(0, 30) for _ in range(n)] for _ in range(n)]
    if kind == "sparse":
        rows = [[x * (rng.random() < 0.3) for x in row] for row in rows]
    elif kind == "neighbours only":
        rows = [[x * (abs(i - j) < 2) for j, x in enumerate(row)] for i, row in enumerate(rows)]
    elif kind == "nearly equal rows":
        rows = [[1000 + 20 * j + rng.randint(0, 2) for j in range(n)] for _ in range(n)]
    elif kind == "seldom a step":
        rows = [[x + 300 * (i == j) for j, x in enumerate(row)] for i, row in enumerate(rows)]
    elif kind in ("a period", "disjoint rows"):
        rows = [[0] * n for _ in range(n)]
        rows[0][0] = rng.randint(1, 9) * (kind == "disjoint rows")
    rows = [[x + (j == (i + 1) % n) for j, x in enumerate(row)] for i, row in enumerate(rows)]
    return [rows[1], *rows[1:]] if kind == "a row twice" else rows


def _pasted(kind, rng, n):
    """Draw data as they are pasted: a table, with names or without, counts as JSON, or a log."""
    states = [f"{letter}{rng.randint(0, 99)}" for letter in "zyxwvu"[:n]]
    if kind.startswith("a log"):
        walks = [[*states, *states], *([rng.choice(states) for _ in range(rng.randint(3, 9))] for _ in range(8))]
        walks = [[*walk, "dead"] if kind == "a log of lives" and rng.random() < 0.6 else walk for walk in walks]
        visits = [f"{user},{time},{state}" for user, walk in enumerate(walks) for time, state in enumerate(walk)]
        return "\n".join(["user,time,state", *rng.sample(visits, len(visits))])
    rows = _counts(kind, rng, n)
    if kind == "JSON":
        return json.dumps({"counts": rows, "states": states, "first": [1] * n})
    if kind == "decimals":
        cuts = [[0, *sorted(rng.sample(range(1, 100), n - 1)), 100] for _ in range(n)]
        rows = [[f"{after - before}e-2" for before, after in pairwise(own)] for own in cuts]
    head, has_index = rng.choice([([], False), ([states], False), ([["", *states]], True), ([["from", *states]], True)])
    named = [[state, *row] if has_index else row for state, row in zip(states, rows, strict=True)]
    mark = rng.choice(",;\t")
    return "\n".join(mark.join(map(str, row)) for row in [*head, *named])


DRAWN = ("dense", "sparse", "neighbours only", "nearly equal rows", "a row twice", "seldom a step", "a period")
DRAWN += ("disjoint rows", "decimals", "JSON", "a log", "a log of lives")


def _says(shown, truth, side):
    """Whether what is shown is a level or budget that a command enclosed, on the safe side, or that there is none."""
    if truth is None or float(truth) == inf:
        return shown == ("none" if truth is None else "∞")
    return _fits(shown, float(truth), side)


@pytest.mark.parametrize(
    "count", [pytest.param(1, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize("kind", DRAWN)
def test_of_drawn_data_it_says_what_the_commands_say(opened, empty_folder, kind, count):
    page, _ = opened(1280, 900)
    rng = random.Random(kind)
    for _ in range(count):
        n, steps = rng.randint(2, 3), rng.randint(1, 8)
        epsilon, alpha = (f"{10 ** rng.uniform(low, high):.2g}" for low, high in ((-2, 0.6), (-1, 1)))
        data, ends = _pasted(kind, rng, n), "dead" * (kind == "a log of lives")
        asked = {"ends": ends, "epsilon": epsilon, "steps": str(steps), "alpha": alpha, "data": data}
        for field, text in asked.items():
            page.fill(f"#{field}", text)
        page.wait_for_function(ANSWERED)
        *first, command = page.inner_text("#command").splitlines()
        (file,) = set(re.findall(r"\w+\.(?:csv|json)", command))
        Path("log.csv" if first else file).write_text(data, encoding="utf-8")
        for line in first:
            Path(file).write_text(run(*line.split(" > ")[0].split()[1:]).stdout, encoding="utf-8")
        _, name, *given = command.split()
        (found,) = values(name, *given)
        levels = [max(float(level["upper"]) for level in found[model]["tpl"]) for model in MODELS]
        said = re.search(r"at most (\S+) nats.*bound is (\S+)\.\n", page.inner_text("#answer"))
        assert all(map(_says, said.groups(), levels, (1, 1))), asked
        given = given[: given.index("--epsilon")]
        cells = page.locator("#budgets tbody td").all_inner_texts()
        for horizon, shown in ((("--steps", steps, "--method", "constant"), cells[:2]), ((), cells[2:])):
            tried = CliRunner().invoke(main, ["allocate", *given, "--alpha", alpha, *map(str, horizon), "--json"])
            found = json.loads(tried.stdout) if tried.exit_code == 0 else {}
            assert found or re.search("InfeasibleBudget|no constant budget lasts", tried.stderr), asked
            budgets = [found[model]["epsilons"][0]["lower"] if model in found else None for model in MODELS]
            assert all(map(_says, shown, budgets, (-1, -1))), asked
        if not ends:
            options = [word for word in given if word != "--forward"]
            (found,) = values("supremum", "--role", "forward", *options, "--epsilon", epsilon)
            said = re.search(r"rises to (\S+); by the paper's bound to (\S+)\.", page.inner_text("#answer"))
            assert all(map(_says, said.groups(), (found[model]["upper"] for model in MODELS), (1, 1))), asked
