"""Two implementations under the oracle, side by side: a vectorised numpy one, and a direct transcription of the paper.

Prints both reports, which stand in examples/implementations/ as well, and draws their pages in build/conformance/. The
first is asked one in 26 of the standard tier's questions about each operation, so that it takes a minute or so. The
second implementation mostly keeps the oracle waiting, so that it is asked the questions of the smoke tier alone.

Exit status: 0 where the first one conforms and the second one does not.
"""

import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASK = [sys.executable, "-m", "tploracle", "conform"]
RIGHT = [
    *ASK,
    *("--questions", "75"),
    *("--html", "build/conformance/directed.html"),
    *("--python", "examples/implementations/directed.py:Directed"),
]
WRONG = [
    *ASK,
    *("--tier", "smoke", "--time-limit", "4", "--html", "build/conformance/usual_mistakes.html"),
    *("--python", "examples/implementations/usual_mistakes.py:UsualMistakes"),
]
FAILS = 1


def side_by_side(right: list[str], wrong: list[str]) -> int:
    """Run both commands at once, and show what the second one said once the first one has ended.

    Returns: the exit status of the first; FAILS where that is 0 and the second one did not find a failure.
    """
    first = subprocess.Popen(right, cwd=ROOT)
    second = subprocess.Popen(wrong, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it has reached both, which report what was judged by then
    report, complaints = second.communicate()
    status = first.wait()
    print(flush=True)
    sys.stdout.buffer.write(report)
    sys.stdout.flush()
    if second.returncode == FAILS:
        return status
    sys.stderr.buffer.write(complaints)
    print(
        f"the implementation with the usual mistakes does not fail as it should: {second.returncode}", file=sys.stderr
    )
    return status or FAILS


if __name__ == "__main__":
    (ROOT / "build" / "conformance").mkdir(parents=True, exist_ok=True)
    print(
        "conform: directed.py, some 1,000 questions, and usual_mistakes.py, some 260, side by side; about a minute ...",
        file=sys.stderr,
        flush=True,
    )
    sys.exit(side_by_side(RIGHT, WRONG))
