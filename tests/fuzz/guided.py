"""Bytes that reach new lines of the code, put to the wire and to the checker: coverage-guided, by atheris.

    pip install atheris
    python -m tests.fuzz.guided wire|certificates [libFuzzer's options, as -max_total_time=600]

What is held against an answer is what the attacks of these names hold against it. A finding ends the run; libFuzzer
writes its bytes to a file, and puts them again when it is given that file.
"""

import json
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tploracle"]):
    from . import certificates, wire

TARGETS = {
    "wire": (lambda data: wire.converse(data + b"\n", lambda: False), wire.requests),
    "certificates": (certificates.examine, certificates.honest),
}
"""What is done with the bytes, and the documents that it begins with."""


def main():
    """Fuzz until an option of libFuzzer's ends it, or a finding."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: python -m tests.fuzz.guided {'|'.join(TARGETS)} [OPTIONS]")
    target, documents = TARGETS[sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder:
        for number, document in enumerate(documents()):
            Path(folder, f"{number}.json").write_text(json.dumps(document), encoding="utf-8")
        atheris.Setup([sys.argv[0], *sys.argv[2:], folder], target)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
