"""What a 0.1-DP release every step leaks about one step of a click stream, after 1, 10 and 50 steps.

Prints the worst BPL, FPL and TPL, worked out exactly on the transition counts of the MSNBC click streams, and draws
the leakage over time in build/demo.png. The same as

    tploracle leakage --backward COUNTS --forward COUNTS --epsilon 0.1 --steps 50 --after 1,10,50 --plot build/demo.png
"""

import sys
from pathlib import Path

from tploracle.cli.main import main

HERE = Path(__file__).resolve().parent
COUNTS = str(HERE / "msnbc" / "counts.json")
PICTURE = str(HERE.parent / "build" / "demo.png")
QUESTION = ["--backward", COUNTS, "--forward", COUNTS, "--epsilon", "0.1", "--steps", "50", "--after", "1,10,50"]

if __name__ == "__main__":
    status = main.main(["leakage", *QUESTION, "--plot", PICTURE, *sys.argv[1:]], standalone_mode=False)
    if status == 0:
        print(f"The leakage at each of the 50 steps: {PICTURE}", file=sys.stderr)
    sys.exit(status)
