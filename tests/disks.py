"""File systems of one's own, small ones in memory, to be filled or made read-only: for root, on Linux."""

import ctypes
import os
import sys
from functools import cache

from .children import forked

_NEW_MOUNTS, _READ_ONLY, _REMOUNT, _RECURSIVE, _PRIVATE = 0x20000, 1, 32, 16384, 1 << 18

PAGE = 4096
MOST = 4 << 20
"""Bytes of a disk before it is filled."""


def _called(name, *values):
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*values):
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def _mounted(folder, flags, data=b""):
    _called("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(flags), data)


def mount(folder):
    """Mount a disk on a folder, for this process and its children alone, with which it is gone."""
    _called("unshare", _NEW_MOUNTS)
    _mounted("/", _RECURSIVE | _PRIVATE)
    _mounted(folder, 0, b"size=%d,mode=755" % MOST)


def fill(folder, pages):
    """Leave so many pages of the disk on a folder free."""
    disk = os.statvfs(folder)
    used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    _mounted(folder, _REMOUNT, b"size=%d" % max(PAGE, used + pages * PAGE))


def make_read_only(folder):
    """Make the disk on a folder read-only."""
    _mounted(folder, _REMOUNT | _READ_ONLY)


@cache
def can_mount():
    """Whether this process may mount disks."""
    return sys.platform == "linux" and not os.geteuid() and forked(lambda report: report(mount("/tmp")))[0] == [None]
