"""A small copy of the shipped vectors: a few cases of each file, and the flags that they have."""

import json
from collections import Counter
from functools import cache

from tploracle.conformance.ask.cases import data_folder, documents

WANTED = (
    "loss-moderate-at-half",
    "loss-exact-ratio-2",
    "loss-refuses-float-doubles",
    "loss-function-symmetric",
    "leakage-both-2",
    "leakage-near-rows-2-40",
    "supremum-moderate-at-tenth",
    "supremum-critical-half-exact",
    "composition-whole",
    "allocate-quantified-both-2",
    "control-exactly-at-cap-identity",
    "control-symmetric-first",
    "smooth-moderate",
    "reverse-uneven-start",
    "estimate-two-sequences",
    "worst-case-leakage-below-the-recursion",
    "worst-case-supremum-critical",
    "worst-case-allocate-both-3",
    "leakage-profile-both-exact",
    "wire-operation-in-capitals",
)


def small_documents():
    """Return the documents of the small copy, by file name: others each time, for who changes them."""
    return json.loads(_small())


@cache
def _small():
    found = {}
    for name, document in documents(data_folder()):
        cases = [case for case in document["cases"] if case["id"] in WANTED]
        counts = Counter(flag for case in cases for flag in case["flags"])
        notes = {flag: {**note, "cases": counts[flag]} for flag, note in document["flags"].items() if counts[flag]}
        found[name] = {**document, "number_of_cases": len(cases), "flags": notes, "cases": cases}
    flags = json.loads(data_folder().joinpath("flags.json").read_text(encoding="utf-8"))
    used = {flag for document in found.values() for case in document["cases"] for flag in case["flags"]}
    found["flags.json"] = {**flags, "flags": {name: note for name, note in flags["flags"].items() if name in used}}
    return json.dumps(found)


def write_documents(folder, found):
    """Write documents into a folder."""
    for name, document in found.items():
        (folder / name).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def case_of(found, identifier):
    """Return the case with this id."""
    return next(
        case
        for name, document in found.items()
        if name != "flags.json"
        for case in document["cases"]
        if case["id"] == identifier
    )
