"""Each number and sign in docs/statements.toml, changed alone: a test must notice, or it is said here why not.

`python tests/docs/changed_statements.py [name …]` prints what was tried. Numbers, in digits or in words, become
one more and one less; a relation sign becomes each other one; + and −, max and min are exchanged.
"""

import re
import sys
from collections.abc import Iterator

import statements
import test_statements
from formulas import SIGNS

WORDS = {
    "one": ["two"],
    "two": ["one", "three"],
    "three": ["two", "four"],
    "first": ["second"],
    "least": ["greatest"],
    "greatest": ["least"],
}
PLACES = re.compile(
    rf"\\le(?!ft)|\\ge|\\ne|[<>=+]|(?<![a-z$])-|\\max|\\min|\d+|\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE
)

EQUIVALENT = {
    "two": {"ue 1 is the [one → two] for which t": "“the one” is no number"},
    "windows": {"attained by [one → two] mechanism. ": "“by one mechanism” says that no more are needed"},
    "second": {" summed out [one → two] after anoth": "“one after another” is no number"},
    "places": {
        "ile does on [one → two] side, satis": "@profile is of one side",
        "releases of [one → two] side and th": "“one side and the other” is no number",
        "the nearest [first → second], and let $K": "“the nearest first” is no number",
    },
    "budgets": {
        r"\varepsilon [> → \ne] 0$ solves  ": "L(α) ≤ α, so no ε < 0 solves it",
        "at there is [one → two]": "“one” is a budget",
    },
    "criterion": {
        r"e vector $h [> → \ge] 0$ with $e^": "where an entry of h is 0, the product is not below it",
        r"vector $h > [0 → 1]$ with $e^\v": "h may be multiplied by a positive number",
    },
}
"""Changes that no test notices, by the name of the text and the change: why."""


def changes(text: str) -> Iterator[tuple[str, str]]:
    """Yield each changed text, with the change: what stands there, between what is around it."""
    for found in PLACES.finditer(text):
        old = found[0]
        if old.isdigit():
            new = [str(int(old) + 1), str(int(old) - 1)]
        elif old in SIGNS:
            new = [own for own in SIGNS if own != old]
        else:
            new = {"+": ["-"], "-": ["+"], r"\max": [r"\min"], r"\min": [r"\max"]}.get(old) or WORDS[old.lower()]
        for own in new:
            before, after = text[: found.start()], text[found.end() :]
            yield f"{before[-12:]}[{old} → {own}]{after[:12]}".replace("\n", " "), before + own + after


def stands(name: str) -> bool:
    """Tell whether a statement holds in all draws, and fails where each of its hypotheses does, as its test asks."""
    for without in (None, *statements.STATEMENTS[name]["under"]):
        try:
            test_statements.test_a_statement_holds_under_its_hypotheses_and_needs_each(name, without)
        except Exception:  # noqa: BLE001 - whatever a changed text leads to is noticed
            return False
    return True


def unnoticed(name: str) -> tuple[int, list[str]]:
    """Return how many changes of a text there are, and those with which every statement that has it stands."""
    one = statements.STATEMENTS.get(name)
    texts = [(one, "says"), (one, "hand")] if one else [(statements.HYPOTHESES, name)]
    users = [name] if one else [own for own, other in statements.STATEMENTS.items() if name in other["under"]]
    tried, left = 0, []
    for text, key in texts:
        whole = text[key]
        try:
            for change, text[key] in changes(whole):
                tried += 1
                if all(stands(user) for user in users):
                    left.append(change)
        finally:
            text[key] = whole
    return tried, left


if __name__ == "__main__":
    for name in sys.argv[1:] or [*statements.HYPOTHESES, *statements.STATEMENTS]:
        tried, left = unnoticed(name)
        print(f"{name}: {tried} changes, {tried - len(left)} noticed", flush=True)
        for change in left:
            print(f"    {change}: {EQUIVALENT.get(name, {}).get(change, 'NOT NOTICED')}", flush=True)
