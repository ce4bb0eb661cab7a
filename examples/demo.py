"""What a 0.1-DP release every step leaks about one step of a click stream, and which budgets keep that within a level.

Prints the greatest BPL, FPL and TPL after 1, 10 and 50 steps by the exact worst case and by the paper's bound, from the
transition counts of the MSNBC click streams, for one chain: the forward matrix and its reversal. Draws the leakage over
time in build/demo.png; then prints the greatest budget of every release, however many, that keeps TPL within 1. The
same as

    tploracle leakage --forward COUNTS --epsilon 0.1 --steps 50 --after 1,10,50 --plot build/demo.png
    tploracle allocate --forward COUNTS --alpha 1 --method upper-bound
"""

import sys
from pathlib import Path

from tploracle.cli.main import main

HERE = Path(__file__).resolve().parent
COUNTS = str(HERE / "msnbc" / "counts.json")
PICTURE = str(HERE.parent / "build" / "demo.png")
KNOWN = ["--forward", COUNTS]
LEAKAGE = ["leakage", *KNOWN, "--epsilon", "0.1", "--steps", "50", "--after", "1,10,50", "--plot", PICTURE]
BUDGETS = ["allocate", *KNOWN, "--alpha", "1", "--method", "upper-bound"]

if __name__ == "__main__":
    print("What 50 releases leak ...", file=sys.stderr, flush=True)
    status = main.main([*LEAKAGE, *sys.argv[1:]], standalone_mode=False)
    if status == 0:
        print(f"The leakage at each of the 50 steps: {PICTURE}", file=sys.stderr)
        print("What each release may spend, however many; this takes longer ...", file=sys.stderr, flush=True)
        status = main.main(BUDGETS, standalone_mode=False)
    sys.exit(status)
