"""What docs/implementations.md calls right is what the oracle answers, and what programs give differs from it."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tploracle.wire.requests import Session

PAGE = Path(__file__).parents[2] / "docs/implementations.md"
ROWS = re.findall(r"^\| .* \| `(\{.*\})` \| (.*) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("request_text", "given", "right"), ROWS)
def test_what_is_right_is_the_oracles_answer(request_text, given, right):
    asked = json.loads(request_text)
    value = Session().answer(asked["op"], asked["input"], 30, "decimal64")
    level = value["fpl"][0] if asked["op"] == "leakage" else value.get("alpha", value)
    exponent = Decimal(right).as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else None
    assert (
        right == level["lower"]
        if places is None
        else abs(Decimal(level["lower"]) - Decimal(right)) <= Decimal(10) ** -places
    )
    assert given != right


def test_there_are_requests():
    assert len(ROWS) == 10
