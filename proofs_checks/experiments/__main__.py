"""Reproduce the paper's experiments: data and pictures in build/paper, and the page docs/experiments.md.

    make paper      or      python -m proofs_checks.experiments [--again] [--only NAME]

What is there already, made by the same code with the same parameters, is skipped.
"""

import argparse
import sys
import time

from .catalogue import EXPERIMENTS
from .page import report
from .runner import ROOT, Place, run_all


def main():
    """Run what is asked for; return the exit status."""
    parser = argparse.ArgumentParser(description="Reproduce the paper's experiments.")
    parser.add_argument("--again", action="store_true", help="redo what is there already")
    parser.add_argument("--only", action="append", choices=[each.name for each in EXPERIMENTS], help="these alone")
    options = parser.parse_args()
    asked = [each for each in EXPERIMENTS if not options.only or each.name in options.only]
    place = Place(ROOT / "build/paper", ROOT / "docs/figures")
    start = time.perf_counter()
    try:
        run_all(asked, place, again=options.again)
    except KeyboardInterrupt:
        print("interrupted: what is done is kept, `make paper` goes on from there", file=sys.stderr)
        return 130
    print(f"{time.perf_counter() - start:.0f} s in all", file=sys.stderr)
    missing = report(place, ROOT / "docs/experiments.md")
    if missing:
        print(f"no verdicts yet, not run: {', '.join(missing)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
