"""Write visits.csv, where forty made-up commuters are over two weekdays, and habits.txt, where others work.

The same bytes each time.
"""

import random
from datetime import datetime, timedelta
from pathlib import Path

COMMUTERS, HOURS, SEED = 40, 36, 2024
START = datetime(2024, 5, 30, 6)

NEXT = {
    "home": {"home": 70, "transit": 26, "shops": 4},
    "transit": {"transit": 20, "office": 42, "home": 30, "shops": 8},
    "office": {"office": 80, "transit": 14, "shops": 6},
    "shops": {"shops": 35, "transit": 35, "home": 20, "office": 10},
    "gym": {"gym": 40, "home": 50, "transit": 10},
}
GYM = {"home": 3, "office": 4}
"""Of every fifth commuter, who alone goes to the gym."""


def lines() -> list[str]:
    """Return the lines of the log, the header first; as they were recorded, so not sorted by commuter."""
    draw = random.Random(SEED)
    visits = []
    for number in range(1, COMMUTERS + 1):
        zone = "home"
        for hour in range(HOURS):
            when = START + timedelta(hours=hour, minutes=draw.randrange(60))
            visits.append((when.isoformat(timespec="minutes"), f"c{number:02}", zone))
            weights = dict(NEXT[zone])
            if number % 5 == 0 and zone in GYM:
                weights["gym"] = GYM[zone]
            zone = draw.choices(list(weights), list(weights.values()))[0]
    return ["user,time,zone", *(f"{user},{when},{zone}" for when, user, zone in sorted(visits))]


def habits() -> list[str]:
    """Return where 120 other commuters work on eight days: whoever was at one place twice seldom stays there."""
    draw = random.Random(SEED)
    found = []
    for _ in range(120):
        days = [draw.choice(("home", "office")) for _ in range(2)]
        while len(days) < 8:
            other = "office" if days[-1] == "home" else "home"
            days.append(other if draw.random() < (0.9 if days[-1] == days[-2] else 0.1) else days[-1])
        found.append(" ".join(days))
    return found


if __name__ == "__main__":
    Path(__file__).with_name("habits.txt").write_text("\n".join(habits()) + "\n", encoding="utf-8")
    Path(__file__).with_name("visits.csv").write_text("\n".join(lines()) + "\n", encoding="utf-8")
