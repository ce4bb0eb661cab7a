"""The paper's Figure 3 [fig:tpl]: ε = 0.1, T = 10, under the strongest, a moderate and no temporal correlation.

Prints BPL, FPL and TPL as three tables (with --csv or --json: in that form) and draws the three panels in
build/figure_tpl.png.
"""

import sys
from pathlib import Path

from tploracle.cli.main import main
from tploracle.data.files import Files
from tploracle.output.plots import leakage_picture
from tploracle.reference import Adversary, leakage, parse_level

HERE = Path(__file__).resolve().parent
PICTURE = str(HERE.parent / "build" / "figure_tpl.png")
EPSILON, STEPS = "0.1", 10
CORRELATIONS = {
    "strongest correlation": "strongest.csv",
    "moderate correlation": "moderate.csv",
    "no correlation": "none.csv",
}


def run() -> int:
    """Print the tables and draw the picture; return the exit status."""
    panels = {}
    for title, name in CORRELATIONS.items():
        path = str(HERE / "paper" / name)
        print(f"{title} ({name})", file=sys.stderr)
        question = ["--backward", path, "--forward", path, "--epsilon", EPSILON, "--steps", str(STEPS)]
        status = main.main(["leakage", *question, *sys.argv[1:]], standalone_mode=False)
        if status != 0:
            return int(status)
        matrix = Files().matrix(path)
        found = leakage([parse_level(EPSILON)] * STEPS, Adversary.knowing(matrix, matrix))
        panels[title] = {"BPL": found.bpl, "FPL": found.fpl, "TPL": found.tpl}
    leakage_picture(PICTURE, panels)
    print(PICTURE, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(run())
