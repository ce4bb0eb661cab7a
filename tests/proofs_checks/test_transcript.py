"""What is quoted of the paper is what it prints: its matrices, formulas and words, held to digests of its lines."""

import hashlib
import os
import re
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks.experiments.runner import sentences_of
from tploracle.proofs_checks import transcript, transcriptions, trial
from tploracle.proofs_checks.claims import quoted
from tploracle.proofs_checks.families import matrix
from tploracle.proofs_checks.register import EvidenceFailed, look

ROOT = Path(__file__).parents[2]

EXPERIMENTS = sentences_of(ROOT / "docs" / "experiments.md")

SENTENCES = (ROOT / "docs" / "sentences.md").read_text(encoding="utf-8")

LAST_LINE = 1932
"""How many lines the paper's source has."""

NUMBERS = {
    label: match.group(1)
    for claim in trial.all_claims()
    for label in claim.labels
    if (match := re.fullmatch(r"\w+ (\d+)", claim.number))
}
"""The number that stands in print for each label."""

READ = {
    r"\varepsilon": "ε", r"\epsilon": "ε", r"\alpha": "α", r"\in": "∈", "*": "∗", "\\": "", "{": "", "}": "", "$": "",
}  # fmt: skip
SIZES = r"\\(footnotesize|scriptsize|small|tiny|text\w+|ul|cyrev|bm|mathcal|mathrm)\b"


def plain(text):
    """Return a text as it is read: references as numbers, without marks and spaces."""
    text = re.sub(r"\\(?:eq)?ref\{([^}]*)\}", lambda found: NUMBERS.get(found.group(1), found.group(1)), text)
    text = re.sub(SIZES, "", text)
    for mark, read in READ.items():
        text = text.replace(mark, read)
    return re.sub(r"\s+", "", text)


QUOTED = [plain(" ".join(parts)) for _, parts in transcript.quotations().values()]
WHOLE = "".join(QUOTED)


def test_what_is_quoted_is_of_the_paper():
    """With the source at hand, in PAPER_TEX; else its digest stands."""
    assert re.fullmatch("[0-9a-f]{64}", transcript.SOURCE_SHA256)
    if transcript.SOURCE_VARIABLE not in os.environ:
        pytest.skip("PAPER_TEX does not name the paper's source")
    for number in transcript.quotations():
        assert transcript.printed_line(number)


def test_only_what_is_quoted_is_passed_on():
    """A line is its digest and some words; no tenth of the paper's source is here."""
    words = sum(len(part) for _, parts in transcript.quotations().values() for part in parts)
    assert words < 14_466
    assert all(len(digest) == transcript.DIGEST_DIGITS for digest, _ in transcript.quotations().values())


@pytest.fixture
def another_paper(monkeypatch, tmp_path):
    """A source in which one quoted line is another, taken for the paper's."""

    def named(number, line):
        lines = [""] * LAST_LINE
        lines[number - 1] = line
        path = tmp_path / "paper.tex"
        path.write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.setenv(transcript.SOURCE_VARIABLE, str(path))
        monkeypatch.setattr(transcript, "SOURCE_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())

    yield named
    transcript._paper.cache_clear()


def test_a_line_that_is_another_in_the_source_is_noticed(another_paper):
    another_paper(987, "$ q $ and $ p $")
    with pytest.raises(EvidenceFailed, match="line 987 of the paper is not the one"):
        transcript.printed_line(987)


def test_a_line_is_read_from_the_source(another_paper, monkeypatch):
    another_paper(987, "all of $ q $ and $ p $ there")
    entry = (transcript.line_digest("all of $ q $ and $ p $ there"), ("$ q $ and $ p $",))
    monkeypatch.setattr(transcript, "quotations", lambda: {987: entry})
    assert transcript.printed_line(987, "all of") == "all of $ q $ and $ p $ there"


def test_another_file_is_not_the_paper(monkeypatch, tmp_path):
    (tmp_path / "paper.tex").write_text("other", encoding="utf-8")
    monkeypatch.setenv(transcript.SOURCE_VARIABLE, str(tmp_path / "paper.tex"))
    with pytest.raises(EvidenceFailed, match="not the paper's source"):
        transcript.printed_line(987)


def test_quotations_that_were_altered_are_none(monkeypatch):
    monkeypatch.setattr(transcript, "LINES", hashlib.sha256(b"other").hexdigest())
    with pytest.raises(EvidenceFailed, match="not what was quoted"):
        transcript.source()


def test_words_that_are_not_printed():
    with pytest.raises(EvidenceFailed, match="line 1131"):
        transcript.printed_line(1131, "0.25")
    with pytest.raises(EvidenceFailed, match="line 1 "):
        transcript.printed_line(1, "anything")


@pytest.mark.parametrize(
    ("name", "misquoted"),
    [
        ("MODERATE", matrix("4/5 1/5", "1/10 9/10")),
        ("STRONGEST", matrix("0 1", "1 0")),
        ("EXAMPLE_4", matrix("1/10 1/5 7/10", "3/10 3/10 2/5", "1/2 1/5 3/10")),
        ("FIGURE_8", (matrix("4/5 1/5", "1/5 4/5"),) * 2),
        ("WORKED", matrix("1/5 3/10 1/2", "1/5 0 4/5", "1/10 0 9/10")),
    ],
)
def test_a_misquoted_matrix_fails(monkeypatch, name, misquoted):
    monkeypatch.setattr(quoted, name, misquoted)
    assert not look(quoted.matrices_as_printed).held


def other_theorem(q, d, epsilon, **_):
    root = transcriptions.RootOf(4 * d * epsilon * (1 - q) + (d + q * epsilon - 1) ** 2, d + q * epsilon - 1, 3 * d)
    return root if d != 0 else (1 - q) * epsilon / (1 - q * epsilon)


@pytest.mark.parametrize(
    ("name", "misquoted"),
    [
        ("theorem_11", other_theorem),
        ("equation_39", lambda q, d, a, root: d * root * root - (q * a + d - 1) * root + (q * a - a)),
        ("piece", lambda q, d, ratio: (q * (ratio - 1) + 1) / (2 * d * (ratio - 1) + 1)),
        ("divided", lambda above, below: 2 * above / below if below else Fraction(0)),
    ],
)
def test_a_misquoted_formula_fails(monkeypatch, name, misquoted):
    monkeypatch.setattr(transcriptions, name, misquoted)
    assert not look(quoted.formulas_as_printed).held


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac{1+2}{3}x", 2),
        (r"2x^2 - \frac{x}{2}(x+1)", 5),
        (r"-x + {e^\epsilon } 3x", 28),
        (r"e^{\alpha}*x^{2}", 28),
    ],
)
def test_formulas_are_read(text, value):
    names = {"x": Fraction(2), r"e^\epsilon": 5, r"e^\alpha": 7}
    assert transcript.printed_formula(text, names) == value


@pytest.mark.parametrize("text", ["", "x +", r"\frac{1}", "(x", "x)", "y", "{x"])
def test_what_is_no_formula_is_told(text):
    with pytest.raises(EvidenceFailed, match="formula"):
        transcript.printed_formula(text, {"x": 1})


def quotations():
    """Yield what the register quotes and where it must be: numbers of a statement on the lines that it is about."""
    holders = (*trial.all_claims(), *trial.all_errata())
    fields = ("statement", "printed", "corrected", "witness", "by_hand")
    texts = [(holder.id, getattr(holder, field, None) or "") for holder in holders for field in fields]
    texts += [(piece.name, piece.shows) for piece in trial.all_evidence()]
    page = re.findall(r"^\| (\d+)(?:–(\d+))? \|.*\| (.*) \|$", SENTENCES, re.MULTILINE)
    statements = [claim.statement for claim in trial.all_claims()]
    for name, text in texts:
        own = {n for i, j, entry in page if f"`{name}`" in entry for n in range(int(i), int(j or i) + 1)}
        lines = [plain(" ".join(parts)) for n, (_, parts) in transcript.quotations().items() if n in own]
        for quotation in re.findall("“([^”]*)”", text):
            numbered = text in statements and re.search(r"\d", quotation)
            if (len(quotation.split()) > 2 or numbered) and not quotation.endswith("?"):
                yield pytest.param(quotation, lines if numbered else [WHOLE], id=f"{name}: {quotation}")


@pytest.mark.parametrize(("quotation", "lines"), list(quotations()))
def test_quotations_of_the_register_are_printed(quotation, lines):
    quotation = plain(quotation)
    assert any(part in line for part in (quotation, quotation[0].lower() + quotation[1:]) for line in lines)


def test_sentences_of_the_experiments_are_printed():
    for name, (_section, quote, *_) in EXPERIMENTS.items():
        for part in quote.split("…"):
            assert plain(part) in WHOLE, f"{name}: {part}"


def test_every_line_of_the_paper_has_an_entry_or_needs_none():
    """docs/sentences.md goes through the source without a gap; it names every claim, with the verdict that it has."""
    rows = re.findall(r"^\| (\d+)(?:–(\d+))? \| (.*) \| (.*) \|$", SENTENCES, re.MULTILINE)
    following = 1
    for first, last, _words, entry in rows:
        assert int(first) == following
        assert entry
        following = int(last or first) + 1
    assert following == LAST_LINE + 1
    named = set()
    for claim in trial.all_claims():
        if f"`{claim.id}`: {claim.verdict.value}" in SENTENCES:
            named.add(claim.id)
    assert named == {claim.id for claim in trial.all_claims()}
    assert set(re.findall(r"\b((?:tpl|run|sup|s|budget|utility)-\d+)\b", SENTENCES)) <= EXPERIMENTS.keys()
    if "PAPER_TEX" in os.environ:
        assert len(Path(os.environ["PAPER_TEX"]).read_text(encoding="utf-8").split("\n")) == LAST_LINE
