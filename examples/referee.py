"""A referee's report for the paper's authors: build/paper/referee.html, and referee.pdf where a browser is.

    make paper      or      python examples/referee.py

It is written from the register of claims, all of whose evidence is looked at again before: a summary of one page, then
an entry for each erratum, the gravest first, with its best defence and a witness that is checked by hand on the page.
"""

import json
import os
import re
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tploracle.output.writing import write_text
from tploracle.proofs_checks.register import ClaimVerdict, Consequence, EvidenceKind, Item, Nature
from tploracle.proofs_checks.trial import all_claims, all_errata, verify, withdrawn

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "paper"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


@dataclass(frozen=True)
class Group:
    """The errata of one consequence and nature, each with what the report says of it."""

    consequence: Consequence
    nature: Nature
    errata: list[dict[str, object]]


def number(errata, noun, **grades):
    """Return how many errata are so graded, in words, each fault once."""
    found = sum(all(getattr(one, name) is grade for name, grade in grades.items()) for one in errata)
    return f"{WORDS[found] if found < len(WORDS) else found} {noun}{'s' * (found != 1)}"


def recommendation(errata):
    """Return the recommendation, its numbers counted."""
    unsafe = Consequence.UNSAFE
    texts = (
        number(errata, "false statement", nature=Nature.STATEMENT, consequence=unsafe),
        number(errata, "gap", nature=Nature.GAP, consequence=unsafe),
        number(errata, "slip", nature=Nature.SLIP, consequence=unsafe),
        number(errata, "statement", nature=Nature.STATEMENT, consequence=Consequence.SAFE),
        number(errata, "slip", nature=Nature.SLIP, consequence=Consequence.SAFE),
        number(errata, "argument", nature=Nature.GAP),
    )
    return (
        "The definitions are sound, the program behind the loss function is solved correctly, and every algorithm is "
        "right once its slips are mended. Those who follow the print can promise too much by {}, {} and {}; these must "
        "be changed before anyone builds on them. {} call equal what is an upper bound, and too much comes out by {}. "
        "{} have gaps, all of which can be closed.".format(
            *texts[:3], texts[3].capitalize(), texts[4], texts[5].capitalize()
        )
    )


def standing(claims):
    """Return the theorems, corollaries, algorithms and equations that hold, by kind of item."""
    kinds = (Item.THEOREM, Item.COROLLARY, Item.REMARK, Item.EQUATION, Item.TABLE, Item.EXAMPLE)
    held = [claim for kind in kinds for claim in claims if (claim.item, claim.verdict) == (kind, ClaimVerdict.HOLDS)]
    return (
        f"{', '.join(dict.fromkeys(claim.number for claim in held))}, up to what is said below. L can be computed "
        "exactly and fast, and budgets that keep a level at all times can be found unless two values can be told apart "
        "for certain."
    )


@cache
def vectors():
    """Return the cases of the test vectors that name errata, and how many cases each flag has in all."""
    cases = [
        case
        for path in sorted((ROOT / "vectors").glob("*.json"))
        for case in json.loads(path.read_text("utf-8")).get("cases", [])
    ]
    return [case for case in cases if case["errata"]], Counter(flag for case in cases for flag in case["flags"])


def consequence(erratum):
    """Return which test vectors catch an erratum, or why none does."""
    showing, everywhere = vectors()
    own = [case for case in showing if erratum.id in case["errata"]]
    if not own:
        return erratum.implementers
    flags = Counter(flag for case in own for flag in case["flags"])
    special = sorted((flag for flag in flags if 2 * flags[flag] > everywhere[flag]), key=lambda flag: -flags[flag])
    named = f"flag{'s' * (len(special) > 1)} {', '.join(special[:3])}; " if special else ""
    return f"{len(own)} test vector{'s' * (len(own) > 1)}: {named}{own[0]['id']} is one."


def entry(erratum, report):
    """Return what the report says of an erratum."""
    items = [claim for claim in report.claims if erratum.id in claim.errata]
    proved = [piece.name for piece in erratum.evidence if piece.kind is EvidenceKind.THEOREM]
    said = {
        name: getattr(erratum, name) for name in ("id", "place", "quotes", "defence", "remains", "corrected", "witness")
    }
    return said | {
        "stands": report.stands(erratum),
        "consequence": consequence(erratum),
        "concerns": "; ".join(f"{named(claim)} {verdict(claim, report)}" for claim in items) + ".",
        "proved": ", ".join(proved),
    }


def named(claim):
    """Return an item's number; of a sentence, which has none of its own, its title as well."""
    return f"{claim.number} ({claim.title})" if claim.item is Item.TEXT else claim.number


IN_WORDS = {
    ClaimVerdict.HOLDS: ("holds", "hold as printed"),
    ClaimVerdict.CORRECTED: ("holds as corrected", "hold as corrected"),
    ClaimVerdict.UPPER_BOUND: ("is an upper bound only", "are upper bounds only"),
    ClaimVerdict.FALSE: ("is false", "are false"),
    ClaimVerdict.NOT_REPRODUCIBLE: ("is not reproducible", "are not reproducible"),
    ClaimVerdict.DEFINITION: ("is a definition", "are definitions"),
}
"""What is said of one claim with a verdict, and of several."""


def verdict(claim, report):
    """Return a claim's verdict in words, and that it does not stand where it does not."""
    one, _ = IN_WORDS[claim.verdict]
    return one if report.stands(claim) else f"{one} (EVIDENCE FAILED)"


def typeset(text):
    """Return a text with its indices below and its exponents above the line: A_t, e^ε."""
    raised = re.sub(
        r"\^(\{[^}]*\}|[A-Za-zα-ω0-9]+(?:_[a-z])?)", lambda part: f"<sup>{part[1].strip('{}')}</sup>", str(escape(text))
    )
    return Markup(re.sub(r"_(\{[^}]*\}|[A-Za-z0-9]+)", lambda part: f"<sub>{part[1].strip('{}')}</sub>", raised))


def document(report):
    """Return the page. Args: report, a run of the whole register."""
    found = {(one.consequence, one.nature): [] for one in report.errata}
    for one in report.errata:
        found[one.consequence, one.nature].append(entry(one, report))
    groups = [Group(*grade, found[grade]) for grade in product(Consequence, Nature) if grade in found]
    counts = Counter(claim.verdict for claim in report.claims)
    said = ", ".join(f"{counts[one]} {several}" for one, (_, several) in IN_WORDS.items() if counts[one])
    faults = {claim.grounds[0] for claim in report.claims if claim.verdict is ClaimVerdict.FALSE}
    failed = [outcome.name for outcome in report.outcomes.values() if not outcome.held]
    told = (
        f"{len(report.claims)} items of the paper (definitions, theorems, algorithms, equations, figures, sentences) "
        f"were checked in exact arithmetic: {said}; what is false in several items is one fault, {len(faults)} in all. "
        "A verdict follows from two independent comparisons of what is "
        f"printed with what is right, and fails without either; {len(report.outcomes)} pieces of evidence in all."
    )
    holding = [claim for claim in report.claims if claim.verdict is ClaimVerdict.HOLDS]
    templates = Environment(
        autoescape=True, undefined=StrictUndefined, loader=FileSystemLoader(Path(__file__).parent), trim_blocks=True
    )
    templates.filters["set"] = typeset
    return templates.get_template("referee.html").render(
        recommendation=recommendation(report.errata),
        stands=standing(report.claims),
        groups=groups,
        grades=(*Nature, *Consequence),
        unsafe=[one for group in groups if group.consequence is Consequence.UNSAFE for one in group.errata],
        bounds=", ".join(str(one["id"]) for one in found[Consequence.SAFE, Nature.STATEMENT]),
        told=told,
        failures=f"{len(failed)} failed: {', '.join(failed)}." if failed else "",
        withdrawn=withdrawn(),
        unprinted=[claim for claim in report.claims if claim.verdict is ClaimVerdict.NOT_REPRODUCIBLE],
        holding="; ".join(f"{claim.number} ({claim.title})" for claim in holding) + ".",
    )


def printed(page, target):
    """Print a page to a PDF by the browser that is here. Returns: whether there is one."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return False
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        own = started.new_page()
        own.goto(page.as_uri())
        own.pdf(path=target, prefer_css_page_size=True)
        started.close()
    return True


def main():
    """Look at all evidence again, write the page, and print it; return the exit status."""
    report = verify(all_claims(), all_errata(), min(2, os.cpu_count() or 1))
    page, target = FOLDER / "referee.html", FOLDER / "referee.pdf"
    write_text(str(page), document(report), "page")
    print(f"for the paper's authors: {page}", file=sys.stderr)
    if printed(page, target):
        print(f"printed: {target}", file=sys.stderr)
    else:
        print("not printed as PDF: no browser is here, `make browser` installs Debian's chromium", file=sys.stderr)
    return 0 if report.holds else 1


if __name__ == "__main__":
    sys.exit(main())
