"""A log of visits that need not fit into memory: shared out by its users, sorted and counted share by share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..contract.limits import MOST_STATES, too_large
from ..data.doubt import USUAL, Readings, check_names, folded, note_alike
from ..data.files import STDIN
from ..data.frames import needed
from ..data.logs import LogColumns, Visit, at_one_time, visits_of
from ..data.sequences import Broken
from ..data.steps import EACH_VISIT, ERROR, GAP, HOLD, MICROSECONDS, TOO_CLOSE, Spacings, Steps, microseconds
from ..reference import InvalidRequest
from ..reference.paper.loss import Progress
from .question import UserChunk

SHARE_BYTES = 32 << 20
"""Bytes of the log for each share."""

MOST_SHARES = 256

COMPRESSED = 8
"""Greatest ratio of the size of a log to that of its .zip or .parquet file."""

VISITS_AT_ONCE = 1 << 18
"""Visits that are kept before they are written to their shares."""

DECIMALS = 10**18
"""Parts of one that times are distinguished by, beside their whole part."""

_LONGEST = 2**61

_COLUMNS = ("user", "whole", "part", "state", "place", "told")

Whole = NDArray[np.int64]

EnterLog = Callable[[str], AbstractContextManager[Broken]]
"""Entered while a log is read: gives what is told of its broken rows."""


@dataclass(slots=True)
class VisitLog:
    """Logs, their users shared out into files of a folder of its own: `share_out` first, then `chunks`, repeatedly.

    Users whose names look like one are in one share.

    steps: which visits are one step apart; states: the names of states, in the order of rows and columns; size: how
    many visits there are; spacings: how far apart, once `chunks` has ended; in_seconds: whether that is a time.
    """

    paths: Sequence[str]
    columns: LogColumns
    separator: str | None
    folder: Path
    steps: Steps = EACH_VISIT
    readings: Readings = USUAL
    states: list[str] = field(default_factory=list)
    size: int = 0
    spacings: Spacings = field(default_factory=Spacings)
    in_seconds: bool = False
    _shares: list[Path] = field(default_factory=list)
    _codes: dict[str, int] = field(default_factory=dict)
    _has_spacings: bool = False
    _has_alike: bool = False

    def share_out(self, reading: EnterLog, progress: Progress | None = None) -> None:
        """Read the logs once, and write each visit to the share of its user.

        Args: reading, entered for each log, gives what is told of its broken rows. Raises: as `visits_of`;
        InvalidRequest where there is no visit.
        """
        arrow = needed("pyarrow", "a population")
        self.close()
        self.folder.mkdir(parents=True)
        self._shares = [self.folder / f"share-{number}.arrow" for number in range(_share_count(self.paths))]
        schema = arrow.schema(
            [(name, arrow.string() if name in ("user", "place", "told") else arrow.int64()) for name in _COLUMNS]
        )
        with ExitStack() as stack:
            writers = [
                stack.enter_context(needed("pyarrow.ipc", "a population").new_file(str(path), schema))
                for path in self._shares
            ]
            kept: list[list[tuple[object, ...]]] = [[] for _ in writers]

            def flush() -> None:
                for writer, rows in zip(writers, kept, strict=True):
                    if rows:
                        arrays = [arrow.array(list(column)) for column in zip(*rows, strict=True)]
                        writer.write_batch(arrow.record_batch(arrays, schema=schema))
                        rows.clear()

            for user, row in self._rows(reading, progress):
                kept[crc32(folded(user).encode()) % len(writers)].append((user, *row))
                self.size += 1
                if self.size % VISITS_AT_ONCE == 0:
                    flush()
            flush()
        if not self.size:
            raise InvalidRequest("there is no visit that can be read")
        self.states = sorted(self._codes)
        check_names(self.states, self.readings)

    def _rows(self, reading: EnterLog, progress: Progress | None) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yield the users of all logs and what is kept of their visits; a place in one of several logs has its name."""
        like = None
        for path in self.paths:
            within = "" if len(self.paths) == 1 else f"{path}, "
            with reading(path) as broken:
                for user, visit in visits_of(
                    path, self.columns, progress, self.separator, broken, like=like, readings=self.readings
                ):
                    if like is None:
                        like, self.in_seconds = visit.moment, isinstance(visit.moment, datetime)
                        self.steps.check(self.in_seconds)
                    try:
                        time = _time_of(visit)
                    except InvalidRequest as error:
                        broken(error)
                        continue
                    if not visit.state:
                        raise InvalidRequest("--missing break has no answer for a population: remove such visits")
                    code = self._codes.setdefault(visit.state, len(self._codes))
                    if code >= MOST_STATES:
                        raise too_large(f"more than {MOST_STATES} states")
                    yield user, (*time, code, within + visit.place, visit.told)

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.states)

    def chunks(self, users: int, broken: Broken) -> Iterator[UserChunk]:
        """Yield the users' counts, `size` users at a time; users with equal counts are next to each other."""
        place = {name: number for number, name in enumerate(self.states)}
        order = np.array([place[name] for name in self._codes], dtype=np.int64)
        spacings = None if self._has_spacings else Spacings()
        for path in self._shares:
            with needed("pyarrow", "a population").memory_map(str(path)) as source:
                table = needed("pyarrow.ipc", "a population").open_file(source).read_all()
                if table.num_rows:
                    yield from self._counted(table, order, users, broken, spacings)
        if spacings is not None:
            self.spacings, self._has_spacings = spacings, True

    def _counted(
        self, table: Any, order: Whole, at_once: int, broken: Broken, spacings: Spacings | None
    ) -> Iterator[UserChunk]:
        """Yield the counts of the users of one share.

        Args: order, the state that each code stands for; spacings, which take note of how far apart visits are, None
        where that is known.
        """
        n = len(order)
        column = table["user"].combine_chunks().dictionary_encode()
        names, user = column.dictionary.to_pylist(), column.indices.to_numpy().astype(np.int64)
        rows = _in_time(table, user, broken, self.steps.drop)
        if spacings is not None:
            _note(spacings, table, user, rows, MICROSECONDS if self.in_seconds else 1)
            self._has_alike = self._has_alike or note_alike(names, "users")
        visits = np.bincount(user[rows], minlength=len(names))
        rows, slots = self._in_steps(table, user, rows, broken)
        user, state = user[rows], order[table["state"].to_numpy()[rows]]
        same, skipped = user[1:] == user[:-1], np.diff(slots)
        if spacings is not None:
            spacings.gaps += int((same & (skipped > 1)).sum())
        follows = same if self.steps.gaps == HOLD else same & (skipped == 1)
        held = np.flatnonzero(same & (skipped > 1) if self.steps.gaps == HOLD else np.zeros(len(same), dtype=bool))
        moved, kept = (user[1:] * n * n + state[:-1] * n + state[1:])[follows], (user * n * n + state * (n + 1))[held]
        seen, places = np.unique(np.concatenate([moved, kept]), return_inverse=True)
        times = np.zeros(len(seen), dtype=np.int64)
        np.add.at(times, places, np.concatenate([np.ones(len(moved), dtype=np.int64), skipped[held] - 1]))
        who, pair = seen // (n * n), seen % (n * n)
        ranks = _alike_together(names, who, pair, times)
        sorted_names = np.empty(len(names), dtype=object)
        sorted_names[ranks] = names
        size = np.zeros(len(names), dtype=np.int64)
        size[ranks] = visits
        by_rank = np.argsort(ranks[who], kind="stable")
        who, pair, times = ranks[who][by_rank], pair[by_rank], times[by_rank]
        for start in range(0, len(names), at_once):
            end = min(start + at_once, len(names))
            first, last = np.searchsorted(who, (start, end))
            counts = np.zeros((end - start, n * n), dtype=np.int64)
            counts[who[first:last] - start, pair[first:last]] = times[first:last]
            yield UserChunk(sorted_names[start:end].tolist(), counts.reshape(-1, n, n), size=int(size[start:end].sum()))

    def _in_steps(self, table: Any, user: Whole, rows: Whole, broken: Broken) -> tuple[Whole, Whole]:
        """Return the rows that count, and the step of each.

        Args: rows, in the order of users and times; broken, told of a visit in the step of the one before it, which is
        then left out, and of one after a gap, which then begins a sequence.
        """
        whole, part = (table[name].to_numpy()[rows] for name in ("whole", "part"))
        user = user[rows]
        same = user[1:] == user[:-1]
        if self.steps.step is None:
            return rows, np.arange(len(rows))
        step = self.steps.step.length * (MICROSECONDS if self.in_seconds else 1)
        begins = np.concatenate([[True], ~same])
        since = whole - whole[np.maximum.accumulate(np.where(begins, np.arange(len(rows)), 0))]
        if step.denominator > 1 or part.any() or step > _LONGEST or since.max() > _LONGEST:
            raise InvalidRequest(f"--step {self.steps.step.text()}: in a population, times and steps are whole numbers")
        length = int(step)
        if self.steps.gaps == HOLD:
            slots = -(-since // length)
            last = np.concatenate([(slots[1:] > slots[:-1]) | ~same, [True]])
            return rows[last], slots[last]
        slots = (2 * since + length) // (2 * length)
        again = np.concatenate([[False], same & (slots[1:] == slots[:-1])])
        for row in rows[again].tolist():
            broken(self._refusal(table, row, TOO_CLOSE))
        rows, slots, user = rows[~again], slots[~again], user[~again]
        if self.steps.gaps == ERROR:
            for at in (np.flatnonzero((user[1:] == user[:-1]) & (np.diff(slots) > 1)) + 1).tolist():
                broken(self._refusal(table, int(rows[at]), GAP.format(int(slots[at] - slots[at - 1]))))
        return rows, slots

    def _refusal(self, table: Any, row: int, what: str) -> InvalidRequest:
        return self.steps.refusal(table["place"][row].as_py(), table["told"][row].as_py(), what)

    def close(self) -> None:
        """Remove the shares."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _share_count(paths: Sequence[str]) -> int:
    return min(MOST_SHARES, sum(map(_size, paths)) // SHARE_BYTES + 1)


def _size(path: str) -> int:
    """Return about how many bytes of text a log has; of standard input nobody knows."""
    if path == STDIN:
        return MOST_SHARES // 4 * SHARE_BYTES
    try:
        size = Path(path).stat().st_size
    except OSError:
        return 0  # what is wrong with it is said where it is opened
    return size * (COMPRESSED if path.lower().endswith((".zip", ".parquet")) else 1)


def _time_of(visit: Visit) -> tuple[int, int]:
    """Return the whole part of a time and the rest of it in parts. Raises: InvalidRequest where they do not do."""
    moment = visit.moment
    if isinstance(moment, Fraction):
        whole, rest = divmod(moment.numerator, moment.denominator)
        part, left = divmod(rest * DECIMALS, moment.denominator)
    else:
        whole, part, left = microseconds(moment), 0, 0
    if left or not -(2**63) <= whole < 2**63:
        raise InvalidRequest(
            f"{visit.place}: the time {visit.told} is too long: 18 digits before the point and 18 after it are read"
        )
    return whole, part


def _in_time(table: Any, user: Whole, broken: Broken, drop: bool) -> Whole:
    """Return the rows in the order of users and times, without visits of a user at a time that was there before.

    Args: broken, told of each of those; drop, whether it is not told of one with the same state.
    """
    whole, part, state = (table[name].to_numpy() for name in ("whole", "part", "state"))
    rows = np.lexsort((part, whole, user))
    again = np.zeros(len(rows), dtype=bool)
    again[1:] = (np.diff(user[rows]) == 0) & (np.diff(whole[rows]) == 0) & (np.diff(part[rows]) == 0)
    if again.any():
        first = np.maximum.accumulate(np.where(again, 0, np.arange(len(rows))))
        for index in sorted(np.flatnonzero(again).tolist(), key=lambda index: int(rows[index])):
            before, after = int(rows[first[index]]), int(rows[index])
            if drop and state[before] == state[after]:
                continue
            user_name, place, told = (table[name][after].as_py() for name in ("user", "place", "told"))
            broken(at_one_time(user_name, table["place"][before].as_py(), place, told, drop))
    return rows[~again]


def _note(spacings: Spacings, table: Any, user: Whole, rows: Whole, parts: int) -> None:
    """Note how far apart visits are, to three digits; they are told as alike only where they are so exactly.

    Args: rows, in the order of users and times; parts, how many of the whole parts of a time are a unit.
    """
    same = np.diff(user[rows]) == 0
    whole, part = (np.diff(table[name].to_numpy()[rows])[same] for name in ("whole", "part"))
    if not len(whole):
        return
    one = Fraction(int(whole[0]) * DECIMALS + int(part[0]), DECIMALS * parts)
    differ = bool((whole != whole[0]).any() or (part != part[0]).any())
    about = whole / parts + part / (DECIMALS * parts)
    digits = 10.0 ** (np.floor(np.log10(np.maximum(about, 1e-6))) - 2)
    shown, times = np.unique(np.rint(about / digits) * digits, return_counts=True)
    spacings.add(dict(zip(map(Fraction, shown.tolist()), times.tolist(), strict=True)), one, differ)


def _alike_together(names: list[str], who: Whole, pair: Whole, times: Whole) -> Whole:
    """Return a rank for each user: by a number that equal counts share, then by name."""
    weights = np.random.default_rng(0).integers(2**63, size=int(pair.max(initial=0)) + 1, dtype=np.uint64)
    number = np.zeros(len(names), dtype=np.uint64)
    np.add.at(number, who, weights[pair] * times.astype(np.uint64))
    ranks = np.empty(len(names), dtype=np.int64)
    of_user = number.tolist()
    ranks[sorted(range(len(names)), key=lambda user: (of_user[user], names[user]))] = np.arange(len(names))
    return ranks
