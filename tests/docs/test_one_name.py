"""The check of names: what two files call by one name is found, and nothing else is."""

import one_name


def written(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return one_name.shared(root)


def test_names_that_mean_two_things(tmp_path):
    found = written(
        tmp_path,
        {
            "reference/a.py": "class Thing: pass\nLIMIT = 1\nSame = tuple[int, int]\n_hidden = 1\n",
            "oracle/deep/b.py": "class Thing: pass\nLIMIT: int = 2\nSame = tuple[int, int]\n_hidden = 2\n",
            "solvers/c.py": "Thing = int\n",
            "oracle/c.py": "",
            "reference/deep/b.py": "",
            "oracle/__init__.py": "",
            "solvers/__init__.py": "",
            "certificates/checker.py": "LIMIT = 3\n",
            "certificates/reading.py": "LIMIT = 5\n",
            "tests/a.py": "LIMIT = 4\n",
            "reference/d.py": "FIRST, (SECOND, THIRD) = 1, (2, 3)\n",
            "vectors/generators/e.py": "FIRST, SECOND = 1, 0\nBOTH = THIRD = 0\n",
            "vectors/generators/f.py": "BOTH, FIRST = (0, 1)\n",
        },
    )
    assert found == {
        "Thing": ["oracle/deep/b.py", "reference/a.py", "solvers/c.py"],
        "LIMIT": ["oracle/deep/b.py", "reference/a.py"],
        "SECOND": ["reference/d.py", "vectors/generators/e.py"],
        "THIRD": ["reference/d.py", "vectors/generators/e.py"],
        "c": ["oracle/c.py", "solvers/c.py"],
    }


def test_what_is_known_is_still_needed():
    needed = {name: ["a.py", "b.py"] for name in one_name.KNOWN}
    assert one_name.faults(needed) == []
    assert one_name.faults({**needed, "Thing": ["a.py", "c.py"]}) == ["Thing: a.py, c.py"]
    del needed["CLAIMS"]
    assert one_name.faults(needed) == ["CLAIMS: one thing by now, take it off KNOWN"]
