"""Known failures, read from a file."""

import pytest

from tploracle.conformance.ask.runner import Xfails, read_xfails
from tploracle.reference import InvalidRequest


def test_patterns_and_reasons_are_read(tmp_path):
    file = tmp_path / "xfails"
    file.write_text("# why\n\nloss-tie-* ties are not handled yet\n  leakage-1x1 one state \n", encoding="utf-8")
    assert read_xfails(str(file)).reasons == {"loss-tie-*": "ties are not handled yet", "leakage-1x1": "one state"}


def test_a_case_is_known_by_the_first_pattern_that_matches_all_of_its_id():
    xfails = Xfails({"loss-*": "first", "loss-tie": "second", "tie": "never"})
    assert xfails.reason("loss-tie", True) == "first"
    assert xfails.reason("loss", True) is None
    assert xfails.reason("Loss-tie", True) is None


def test_a_case_that_is_named_is_expected_to_fail_and_one_that_a_pattern_covers_may_pass():
    xfails = Xfails({"loss-tie": "named", "loss-*": "covered", "control-*": "in vain"})
    assert xfails.reason("loss-tie", False) == "named"
    assert xfails.reason("loss-one", False) is None
    assert xfails.broken("loss-one") == "covered"
    assert xfails.reason("loss-two", True) == "covered"
    assert xfails.broken("loss-one") is None
    assert xfails.reason("control-one", False) is None
    assert xfails.broken("control-one") == "in vain"
    assert xfails.broken("smooth") is None


def test_what_met_no_case_is_noted():
    xfails = Xfails({"loss-*": "one", "leakage-*": "two"})
    xfails.reason("loss-tie", False)
    assert xfails.notes() == ["the known failure 'leakage-*' matches no case that was asked"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("loss-tie", "line 1: 'loss-tie' has no reason"),
        ("a b\n\nloss-tie   \n", "line 3: 'loss-tie' has no reason"),
        ("loss-* one\nloss-* two\n", "line 2: 'loss-*' is there twice"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(tmp_path, text, said):
    file = tmp_path / "xfails"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRequest, match=said.replace("*", r"\*")):
        read_xfails(str(file))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidRequest, match="cannot be read"):
        read_xfails(str(tmp_path / "none"))
