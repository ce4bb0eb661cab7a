"""Questions put to the wire in this process, and whether an enclosure holds a truth."""

import json

import mpmath

from tploracle.wire.requests import Session
from tploracle.wire.serve import respond
from tploracle.wire.strict_json import decode

MODERATE = [["0.8", "0.2"], ["0", "1"]]
PAPER_L = [["0.1", "0.2", "0.7"], ["0.3", "0.3", "0.4"], ["0.5", "0.3", "0.2"]]
IDENTITY = [["1", "0"], ["0", "1"]]
EQUAL = [["1/2", "1/2"]] * 2
DYADIC = [["0x1.8p-1", "0x1p-2"], ["0x0p+0", "0x1p+0"]]
ROUNDED = [["0x1.999999999999ap-4", "0x1.ccccccccccccdp-1"], ["0x0p+0", "0x1p+0"]]


def ask(op, digits=17, numbers="rational", **given):
    """Return the value of an answer. Raises: the contract's errors."""
    return Session().answer(op, decode(json.dumps(given)), digits, numbers)


def replied(request, session=None):
    """Return the whole answer to a request, or to a line of bytes."""
    line = request if isinstance(request, bytes | None) else json.dumps(request).encode()
    return json.loads(respond(session or Session(), line))


def error(op, digits=17, numbers="rational", **given):
    """Return the name of the error that a request is answered with."""
    return replied({"seq": 1, "op": op, "input": given, "want": {"digits": digits}, "numbers": numbers})["error"][
        "name"
    ]


def encloses(level, truth, digits=17):
    """Whether lower ≤ truth ≤ upper, at most two units of the last digit apart; truth is an mpmath number."""
    lower, upper = (mpmath.mpf(level[end]) for end in ("lower", "upper"))
    return lower <= truth <= upper and upper - lower <= truth * mpmath.mpf(10) ** (2 - digits)
