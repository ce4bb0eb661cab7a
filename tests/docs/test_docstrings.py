"""Public docstrings: a line for each parameter, what is returned and with which guarantee, errors by their names."""

import inspect
import re
from importlib import import_module
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.utils import new_document
from myst_parser.parsers.docutils_ import Parser

import conf
import sources
import tploracle
from tploracle import api, reference, strategies
from tploracle.reference import errors

GUARANTEE = re.compile(r"[Ee]xact|lower|upper|enclos|attain|never|as `|as there|Returns: ")
ERRORS = {error.__name__ for error in vars(errors).values() if inspect.isclass(error)} | {
    "ArithmeticError",
    "TypeError",
}


def public():
    """Yield (name, function) of the functions of both modules, and of the public methods of their classes."""
    for module in (reference, api):
        for name in getattr(module, "__all__", vars(module)):
            own = getattr(module, name)
            defined = getattr(own, "__module__", "").startswith(module.__name__)
            if not defined or name.startswith("_"):
                continue
            methods = vars(own).items() if inspect.isclass(own) else ()
            found = [(name, own)] if inspect.isfunction(own) else []
            found += [(f"{name}.{key}", getattr(each, "__func__", each)) for key, each in methods if key[0] != "_"]
            yield from ((f"{module.__name__}.{key}", each) for key, each in found if inspect.isfunction(each))


FUNCTIONS = dict(public())


ROOT = Path(__file__).resolve().parents[2]
PLACE = re.compile(r"`((?:reference|solvers|certificates|proofs_checks)(?:\.\w+)+)`")


def is_there(place):
    """Whether a module, or what it has, is where a text says."""
    found = tploracle
    for name in place.split("."):
        if not hasattr(found, name):
            try:
                import_module(f"{found.__name__}.{name}")
            except (AttributeError, ImportError):
                return False
        found = getattr(found, name)
    return True


def test_modules_are_where_texts_say():
    folders = ("reference", "solvers", "certificates", "proofs_checks", "oracle")
    texts = [path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py")]
    named = {place for text in texts for place in PLACE.findall(text)}
    assert {place for place in named if not is_there(place)} == set()
    assert len(named) > 10
    assert not is_there("reference.tight")
    assert not is_there("reference.paper.nothing")


def parameters(function):
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_has_its_line(name):
    lines = (inspect.getdoc(FUNCTIONS[name]) or "").splitlines()
    start = lines.index("Args:") + 1 if "Args:" in lines else len(lines)
    block = lines[start : lines.index("", start)] if "" in lines[start:] else lines[start:]
    told = [line[4:].partition(":") for line in block if re.match(r"    \w", line)]
    assert [parameter for parameter, _, _ in told] == parameters(FUNCTIONS[name])
    assert all(meaning.strip() for _, _, meaning in told)
    assert all(re.match(" {4}( {4})?[^ ]", line) for line in block)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if parameters(FUNCTIONS[name])])
def test_what_is_returned_is_guaranteed_and_errors_have_their_names(name):
    text = " ".join((inspect.getdoc(FUNCTIONS[name]) or "").split())
    returns = inspect.signature(FUNCTIONS[name]).return_annotation
    assert returns in ("None", None) or GUARANTEE.search(text)
    for raised in re.findall(r"Raises: (.*?)(?:>>>|Corrected|$)", text):
        names = re.findall(r"\b[A-Z][a-z]+[A-Z]\w+|\bUndecided\b", raised)
        assert names or "as " in raised.lower()
        assert {*names} - ERRORS <= {"NotExact", "TransitionMatrix"}


def test_every_public_callable_has_an_example():
    named = [(module, name) for module in (tploracle, strategies) for name in module.__all__]
    callables = {name: each for module, name in named if callable(each := getattr(module, name))}
    assert [name for name, each in callables.items() if ">>> " not in (each.__doc__ or "")] == []
    assert len(callables) > 70


def test_there_are_as_many_as_one_thinks():
    assert len(FUNCTIONS) > 100


@pytest.mark.parametrize(
    ("line", "formulas"),
    [
        ("BPL_{t−1} is at L(FPL_(t+1)), e^sup", [r"\mathrm{BPL}_{t-1}", r"\mathrm{FPL}_{t+1}", r"e^{\mathrm{sup}}"]),
        ("W(λ) = Σ_a e^ε c_a", [r"\sum_a", "e^ε", "c_a"]),
        ("at most e^1.352 = 3.87, e^0.1. 4/5·e^−0.23", ["e^{1.352}", "e^{0.1}", "e^{-0.23}"]),
        ("n^2, a_12 and x^1,000; e^1/2, x_3a", ["n^{2}", "a_{12}", "x^{1,000}"]),
        ("2·10^-15, 0.01^(1/n), e^−α, l_1^t", ["10^{-15}", "0.01^{1/n}", "e^{-α}", "l_{1}^t"]),
        ("λd_j, qe^ε, (x − y)^+, p_jk, q_row", ["λd_j", "qe^ε", ")^+", "p_{jk}", r"q_{\mathrm{row}}"]),
        ("worst_case_leakage of row_q and last_n, Eq. [eq:bpl_f]", []),
    ],
)
def test_symbols_with_an_index_are_formulas_on_the_site_and_names_are_not(line, formulas):
    assert [part.astext() for part in conf._typeset(line) if isinstance(part, nodes.math)] == formulas


def applied(page, paragraph, monkeypatch):
    """Apply the transform to a paragraph of a page. Returns: the paragraph, and what is warned of."""
    document, warned = new_document(page), []
    document.settings.env = SimpleNamespace(docname=page)
    document += paragraph
    monkeypatch.setattr(conf, "_WARN", lambda told, what, location: warned.append(what))
    conf.Symbols(document).apply()
    return paragraph, warned


@pytest.mark.parametrize("symbol", ["e^1.352", "P^F", "BPL_{t−1}", "Σ_a", "2^-12"])
def test_mathematics_stands_between_dollars_but_on_pages_of_plain_texts(symbol, monkeypatch):
    paragraph, warned = applied("docs/security", nodes.paragraph("", f"of {symbol} at"), monkeypatch)
    assert (paragraph.astext(), warned) == (f"of {symbol} at", [f"of {symbol} at"])
    paragraph, warned = applied("api/tploracle", nodes.paragraph("", f"of {symbol} at"), monkeypatch)
    assert [type(part) for part in paragraph] == [nodes.Text, nodes.math, nodes.Text]
    assert warned == []


@pytest.mark.parametrize("page", [page for page in ("README.md", *sources.pages()) if page.endswith(".md")])
def test_the_mathematics_of_every_page_stands_between_dollars_and_is_not_cut(page, monkeypatch):
    settings = {"myst_enable_extensions": conf.myst_enable_extensions, "myst_suppress_warnings": ["myst"]}
    text = (ROOT / page).read_text(encoding="utf-8")
    document = publish_doctree(text, parser=Parser(), settings_overrides=settings)
    _, warned = applied(page, document.children, monkeypatch)
    assert warned == []


@pytest.mark.parametrize("script", ["1.352", "12", "-1", "1,5", "-0.1"])
def test_a_number_that_a_formula_cuts_is_found(script, monkeypatch):
    for formula, is_cut in ((f"2e^{script}", True), (f"x_{script} + 1", True), (f"e^{{{script}}} + x_1^2", False)):
        for kind in (nodes.math, nodes.math_block):
            _, warned = applied("docs/claims", nodes.paragraph("", "", kind(formula, formula)), monkeypatch)
            assert warned == [formula] * is_cut


def test_the_sections_of_a_docstring_are_fields():
    text = "Args:\n    a: x `b`\n        more.\n    c_: y.\n\nReturns: a. Raises: InvalidLevel; as `level`."
    first, second = text.split("\n\n")
    assert conf.fields(first) == ["", ":param a: x ``b``\\  more.", ":param c\\_: y."]
    assert conf.fields(second) == ["", ":Returns: a.", ":Raises: InvalidLevel; as ``level``\\ ."]
    assert conf.fields("Args: program; a: b.") == ["", ":Arguments: program; a: b."]


def test_a_page_that_is_heard_says_what_its_parts_are():
    caption, parameters = '<p class="caption" role="heading">a</p>', "f(<dl>\n<dd><em>x</em>,</dd>\n</dl>\n)"
    assert conf.heard(caption) == '<p class="caption" role="heading" aria-level="2">a</p>'
    assert conf.heard(parameters) == 'f(<span class="sig-line"><em>x</em>,</span>\n\n)'
    assert conf.heard("<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>") == "<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>"


def test_docstrings_have_no_markup_but_code():
    assert conf.restructured("BPL_{t−1} is `L_1` at") == r"BPL\_{t−1} is ``L_1``\  at"
    assert conf.restructured("a*b | c_ at") == r"a\*b \| c\_ at"


def test_arguments_by_position_have_one_order_and_what_an_adversary_knows_has_a_name():
    exported = {name: getattr(tploracle, name) for name in tploracle.__all__ if callable(getattr(tploracle, name))}
    plain = {
        name: each for name, each in exported.items() if not (inspect.isclass(each) and issubclass(each, Exception))
    }
    before = {}
    for name, each in (FUNCTIONS | plain).items():
        by_place = [
            one.name for one in inspect.signature(each).parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD
        ]
        before |= dict.fromkeys(combinations(by_place, 2), name)
    assert {pair: name for pair, name in before.items() if pair[::-1] in before} == {}
    assert {("loss", "epsilon"), ("epsilons", "adversary"), ("backward", "forward")} <= before.keys()
    own = {name: inspect.signature(each).parameters for name, each in plain.items() if inspect.isfunction(each)}
    both = {
        name: {each[role].kind for role in ("backward", "forward")} for name, each in own.items() if "backward" in each
    }
    assert {kind.name for kinds in both.values() for kind in kinds} == {"KEYWORD_ONLY"}
