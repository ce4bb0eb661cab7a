"""The errors carry the contract's names."""

import pytest

from tploracle.reference import errors


@pytest.mark.parametrize(
    "name",
    [
        "InvalidNumber",
        "NotStochastic",
        "NotSquare",
        "NegativeProbability",
        "InvalidLevel",
        "UnreachableState",
        "Undecided",
        "InvalidRequest",
    ],
)
def test_names_are_the_contracts(name):
    error = getattr(errors, name)("what and where")
    assert isinstance(error, errors.OracleError)
    assert error.name == name
    assert str(error) == "what and where"
