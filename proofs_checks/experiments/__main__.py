"""Reproduce the paper's experiments: data, pictures and verdicts in build/paper; see docs/experiments.md.

make paper      or      python -m proofs_checks.experiments [--again] [--only NAME]
"""

import argparse
import sys

from .runner import EXPERIMENTS, main

parser = argparse.ArgumentParser(description="Reproduce the paper's experiments.")
parser.add_argument("--again", action="store_true", help="redo what is there already")
parser.add_argument("--only", action="append", choices=EXPERIMENTS, help="these alone")

if __name__ == "__main__":
    options = parser.parse_args()
    try:
        sys.exit(main(options.only or list(EXPERIMENTS), options.again))
    except KeyboardInterrupt:
        print("interrupted: what is done is kept, `make paper` goes on from there", file=sys.stderr)
        sys.exit(130)
