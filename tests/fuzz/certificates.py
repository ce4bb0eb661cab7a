"""Certificates made wrong: one that still passes the checker must state the truth, which is decided without it."""

import json
import re

from tploracle.certificates.checker import NotDecided, Rejected, check
from tploracle.reference.numbers import LONGEST_NUMBER

from ..certificates.corruption import at, changes, places, replaced
from ..certificates.documents import SCHEMA, honest
from ..certificates.truth import is_true
from .finding import Finding, require
from .mutations import damaged, mutated, written

EXPONENT = re.compile(rb"[eE][+-]?0*([0-9]{1,9})")


def attack(random):
    """Corrupt one certificate, in one to three places. Raises: Finding."""
    document = random.choice(honest())
    if random.randrange(3):
        document = _corrupted(random, document)
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        document = mutated(random, document)
    text = written(random, document)
    if not random.randrange(8):
        text = damaged(random, text)
    examine(text)


def examine(text):
    """Have the bytes of one certificate checked. Raises: Finding."""
    try:
        kind = check(text.decode())
    except (Rejected, NotDecided, UnicodeDecodeError):
        return
    except (MemoryError, RecursionError) as error:
        raise Finding(f"the checker ends in {error!r}: {text[:3_000]!r}") from None
    if any(int(power) > LONGEST_NUMBER for power in EXPONENT.findall(text)):
        return  # it holds, and is further than the truth is worked out
    document = json.loads(text)
    require(kind == document["certificate"], f"it is called {kind}", text)
    require(is_true(document), "a certificate that is false is accepted", text)
    require(SCHEMA.is_valid(document), "a certificate that is not of the schema is accepted", text)


def _corrupted(random, document):
    place = random.choice(list(places(document)))
    others = list(changes(at(document, place), document))
    return replaced(document, place, random.choice(others)[1]) if others else document
