"""Users whom a table has twice, found by sorting digests of their names: runs of the table, then shares of all runs.

A run is sorted and written where its rows are read; a share is merged where one likes. Two names are one where their
digests are, 128 bits of SHA-256.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SHARE_USERS = 1 << 22
"""Users who are compared with one another at once: 24 bytes each, and as much again while they are sorted."""

RepeatedRows = NDArray[np.uint64]
"""Shape (rows, 2): a row whose user has one before it, and the first of these, from 0."""

NO_ROWS: RepeatedRows = np.empty((0, 2), dtype=np.uint64)


def share_count(users: int) -> int:
    """Return into how many shares users are parted, a power of 2."""
    return 1 << max(0, (users - 1) // SHARE_USERS).bit_length()


def write_run(path: Path, names: Iterable[Sequence[str | None]], before: int) -> None:
    """Write the digests of names with their rows, in order. Args: before, how many rows come before these."""
    found: list[RepeatedRows] = []
    for own in names:
        rows = [row for row, name in enumerate(own) if name]
        digests = b"".join(sha256(own[row].encode()).digest()[:16] for row in rows)  # type: ignore[union-attr]
        run = np.empty((len(rows), 3), dtype=np.uint64)
        run[:, :2] = np.frombuffer(digests, dtype=">u8").reshape(-1, 2)
        run[:, 2] = np.array(rows, dtype=np.uint64) + np.uint64(before)
        found.append(run)
        before += len(own)
    whole = np.concatenate([np.empty((0, 3), dtype=np.uint64), *found])
    np.save(path, whole[np.argsort(whole[:, 0], kind="stable")])


def repeated_in(share: int, shares: int, runs: Sequence[Path]) -> RepeatedRows:
    """Return the repeated rows of a share: of the users whose digests begin with its number."""
    found = np.concatenate([_of_share(np.load(path, mmap_mode="r"), share, shares) for path in runs])
    found = found[np.argsort(found[:, 0], kind="stable")]
    alike = np.zeros(len(found), dtype=bool)  # like the one before
    alike[1:] = found[1:, 0] == found[:-1, 0]
    alike[:-1] |= alike[1:]
    found = found[alike]
    found = found[np.lexsort((found[:, 2], found[:, 1], found[:, 0]))]
    again = np.zeros(len(found), dtype=bool)
    again[1:] = (found[1:, :2] == found[:-1, :2]).all(axis=1)
    first = np.maximum.accumulate(np.where(again, 0, np.arange(len(found))))
    return np.stack([found[again, 2], found[first[again], 2]], axis=1)


def _of_share(run: RepeatedRows, share: int, shares: int) -> RepeatedRows:
    step = 2**64 // shares
    inner = [np.uint64(number * step) for number in (share, share + 1) if 0 < number < shares]
    ends = [*([] if share else [0]), *np.searchsorted(run[:, 0], inner).tolist(), len(run)]
    return np.array(run[ends[0] : ends[1]])
