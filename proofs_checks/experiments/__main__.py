"""Reproduce the paper's experiments: data, pictures and verdicts in build/paper; see docs/experiments.md.

make paper      or      python -m proofs_checks.experiments [--only NAME]
"""

import argparse
import sys

from .runner import EXPERIMENTS, main

parser = argparse.ArgumentParser(description="Reproduce the paper's experiments.")
parser.add_argument("--only", action="append", choices=EXPERIMENTS, help="these alone")

if __name__ == "__main__":
    options = parser.parse_args()
    try:
        sys.exit(main(options.only or list(EXPERIMENTS)))
    except KeyboardInterrupt:
        print("interrupted: what is done is kept, --only runs the others", file=sys.stderr)
        sys.exit(130)
