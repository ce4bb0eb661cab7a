"""docs/wire.md: every example is what the oracle prints, and every operation and error name is there."""

import json
import re
from pathlib import Path

from tploracle import reference
from tploracle.contract.errors import UnknownOperation
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import NotUnique, OracleError
from tploracle.wire.requests import Session
from tploracle.wire.serve import respond

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "wire.md").read_text(encoding="utf-8")


def test_examples():
    session, expected, asked = Session(), None, 0
    for line in re.findall(r"^[<>] .*$", PAGE, re.MULTILINE):
        if line.startswith(">"):
            assert expected is None
            asked += 1
            expected = respond(session, line[2:].encode())
        else:
            assert json.loads(line[2:]) == json.loads(expected)
            expected = None
    assert expected is None
    assert asked == 11


def test_all_operations_and_keys_are_listed():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*)$", PAGE, re.MULTILINE))
    for name, operation in OPERATIONS.items():
        assert all(f"`{key}`" in rows[name] for key in (*operation.required, *operation.optional))


def test_all_errors_are_listed():
    errors = {name for name in reference.__all__ if isinstance(getattr(reference, name), type)}
    errors = {name for name in errors if issubclass(getattr(reference, name), OracleError)}
    for name in (errors | {UnknownOperation.__name__}) - {OracleError.__name__, NotUnique.__name__}:
        assert f"`{name}`" in PAGE
