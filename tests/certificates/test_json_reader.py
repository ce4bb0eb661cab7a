"""The verified checker's reader of JSON, which no proof covers, beside Python's: JSONTestSuite's cases, and damage."""

from __future__ import annotations

import json
import os
import random
import subprocess

import pytest

from tploracle.certificates.verified import PROGRAM, VARIABLE, program

from ..fuzz.mutations import damaged

pytestmark = pytest.mark.skipif(
    not os.access(os.environ.get(VARIABLE) or PROGRAM, os.X_OK), reason="make proofs builds the verified checker"
)

GOOD = (
    *("[]", "{}", " [ ] ", "\t{\n}\r\n", '""', "null", "true", "false", "0", "-0", "-1", "123", "[1,2]", "[[],[[]]]"),
    *("1.5", "-0.1e+2", "1E9", "0e0", "0.0", "2e-3", "NaN", "Infinity", "-Infinity", "[NaN,-Infinity,Infinity]"),
    *("18446744073709551616", "-" + "9" * 300, '{"a":1}', '{"a":{"a":[null,true,"x"]}}', '{"a":1,"a":2}', '{"":0}'),
    *(r'"\"\\\/\b\f\n\r\t"', r'"\u0041\u0000\u007f\u001f"', r'"\u002C \u004a\u004A"', '"\x7f"', '"a b"', '" "'),
    *('"[]{},:"', '["a","b"]', '[ "a" , 1 , { "b" : null } ]', "[-1,-0.0,-2]", "9" * 4000, "[" * 400 + "]" * 400),
    '{"a":[]}' + " " * 9,
)
BAD = (
    *("", " ", "[", "]", "{", "}", "[1,]", "[,1]", "[1 2]", "[1,,2]", "[1]]", "[1] x", "[]a", "{}{}", "1 2", '"a" "b"'),
    *('{"a"}', '{"a":}', '{"a":1,}', "{a:1}", "{1:2}", '{"a" 1}', '{"a"::1}', '{,"a":1}', "{'a':1}", '{"a":1 "b":2}'),
    *("+1", "01", "-01", "00", "1.", ".5", "-.5", "-", "--1", "- 1", "1e", "1e+", "1.e1", "0x1", "1_0", "1,0", "-a"),
    *("0-", "1-", "nul", "nulll", "True", "tru", "nan", "inf", "-inf", "-NaN", "+Infinity", "Infinit", "undefined"),
    *("-Infinit", '"', '"a', "'a'", '"\n"', '"\t"', '"\x00"', '"\x1f"', r'"\a"', r'"\x41"', r'"\u004"', r'"\u00g0"'),
    *(r'"\u"', '"\\', r'"\u-001"', r'"\U0041"', r'"\u 041"', r'"\u004', "a", "[a]", "\x00", "[]\x00", "\x0c[]"),
    *("[]\x0c", "/**/[]", "[]//", "#", "\\", ":", ",", '["a"', '["a",', '{"a":[1}', "[{]}", "[1}", "{1]"),
    *("[" * 400 + "]" * 399, "[" * 399 + "]" * 400, "\v1", "1\x85"),
)
NOT_ASCII = (
    *('"é"', r'"\u00e9"', r'"\ud83d\ude00"', r'"\ud800"', r'"\udc00\ud800"', '["😀"]', '{"\u00a0":1}', "\u00a0[]"),
    r'"\u0080"',
)
"""Texts that no certificate has: the program refuses them, whether or not they are JSON."""


def read_by_program(tmp_path, contents):
    """Return what the program reads each content as, in its words."""
    found = []
    for number, content in enumerate(contents):
        file = tmp_path / f"{number}.json"
        file.write_bytes(content)
        done = subprocess.run([program(), "--read", file], capture_output=True, check=False)
        found.append("not JSON" if done.returncode == 1 else done.stdout.decode("ascii").rstrip("\n"))
        assert done.returncode in {0, 1, 3}
    return found


def in_words(value):
    """Return a value of Python's reader in the words of the program."""
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{in_words(key)}: {in_words(item)}" for key, item in value) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(in_words, value))}]"
    if isinstance(value, str):
        escapes = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\t": r"\t", "\r": r"\r", "\b": r"\b"}
        return 'text "' + "".join(escapes.get(c, c if " " <= c < "\x7f" else f"\\{ord(c):03d}") for c in value) + '"'
    if value is None:
        return "null"
    return f"integer {value}" if type(value) is int else "other"


class Pairs(list):
    """The fields of an object in their order, with keys that occur twice."""


def read_by_python(content):
    """Return what Python reads, in the words of the program."""
    try:
        text = content.decode("ascii")
        value = json.loads(text, object_pairs_hook=Pairs, parse_float=str.encode, parse_constant=str.encode)
        words = in_words(value)
    except ValueError:
        return "not JSON"
    return (
        words if all(ord(c) < 128 for c in text + json.dumps(value, default=repr, ensure_ascii=False)) else "not JSON"
    )


def test_the_cases_of_the_suite(tmp_path) -> None:
    contents = [text.encode() for text in (*GOOD, *BAD, *NOT_ASCII)]
    found = read_by_program(tmp_path, contents)
    assert found == [read_by_python(content) for content in contents]
    assert "not JSON" not in found[: len(GOOD)]
    assert set(found[len(GOOD) :]) == {"not JSON"}


def test_bytes_that_are_no_text(tmp_path) -> None:
    assert read_by_program(tmp_path, [b'"\xff"', b'"\xc3\x28"', b"\xfe\xff[]", b'"\xed\xa0\x80"']) == ["not JSON"] * 4
    assert read_by_program(tmp_path, [b"\xef\xbb\xbf[1]", b"\xef\xbb\xbf"]) == ["[integer 1]", "not JSON"]


def test_what_is_too_great_is_not_said_to_be_wrong(tmp_path) -> None:
    found = read_by_program(tmp_path, [b"[" * 100_000, b"9" * 4001, b'{"a":' * 600 + b"1" + b"}" * 600])
    assert [words.partition(":")[0] for words in found] == ["too much"] * 3


@pytest.mark.slow  # the cases above are quick
def test_damaged_texts_are_read_alike(tmp_path) -> None:
    drawn = random.Random(11)
    short = [text.encode() for text in GOOD + BAD if len(text) < 300]
    contents = [content for content in (damaged(drawn, drawn.choice(short)) for _ in range(600)) if len(content) < 900]
    assert read_by_program(tmp_path, contents) == [read_by_python(content) for content in contents]
