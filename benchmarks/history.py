"""What was measured before: a line of JSON for each run, how many times each baseline every row took."""

import json
import platform
import subprocess
from pathlib import Path

HISTORY = Path(__file__).resolve().parent / "history.jsonl"

MOST = 1.3
"""Factor by which a row's time, in baselines, must have grown before it is reported as slower."""


def record(ratios, path=HISTORY):
    """Add a line. Args: ratios, by the name of a row, to its baseline and to that in C, None without."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=HISTORY.parent, capture_output=True, text=True, check=True
    ).stdout.strip()
    line = {"commit": commit, "machine": platform.machine(), "python": platform.python_version(), "ratios": ratios}
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def slower(ratios, path=HISTORY):
    """Return a sentence for each row that is slower, beside the baseline that moved less, than when last recorded."""
    before = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        before |= json.loads(line)["ratios"]
    found = []
    for name, own in ratios.items():
        times = [now / then for now, then in zip(own, before.get(name, ()), strict=False) if now and then]
        if times and min(times) > MOST:
            found.append(f"{name}: {min(times):.2f} times as many baselines as before")
    return found
