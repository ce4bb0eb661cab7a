"""What a process that parses takes from itself first: descriptors, and on Linux, by Landlock, every deed but reading.

Landlock is Linux's since 5.13. What a kernel does not know it does not forbid; where there is none, nothing is.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38

_READ = 1 << 2 | 1 << 3
"""Reading files and folders, which is not forbidden."""

_DEEDS = {1: 13, 2: 14, 3: 15, 5: 16}
"""The deeds with files that a version knows, by their number: up to the one to execute, write, remove, make, link…"""

_FROM_NETWORK, _FROM_SCOPES = 4, 6
"""The versions since which TCP, and signals and abstract sockets of others, can be forbidden."""


def close_descriptors(*kept: int) -> None:
    """Close what was inherited but the standard streams. Args: kept, the descriptors that stay."""
    begin = 3
    for end in (*sorted(kept), os.sysconf("SC_OPEN_MAX")):
        os.closerange(begin, end)
        begin = max(begin, end + 1)


def version() -> int:
    """Return the version of Landlock that the kernel has, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_system().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)))


def _system() -> ctypes.CDLL:
    system = ctypes.CDLL(None, use_errno=True)
    system.syscall.restype = ctypes.c_long
    return system


def confine(folder: str | None = None) -> None:
    """Have this process and its later threads only read, as far as the kernel can see to it.

    Args: folder, below which it may write, but not execute.
    """
    if not (found := version()):
        return
    system = _system()
    deeds = (1 << max(many for since, many in _DEEDS.items() if since <= found)) - 1 & ~_READ
    rules = struct.pack("=Q", deeds)
    rules += struct.pack("=Q", 3) * ((found >= _FROM_NETWORK) + (found >= _FROM_SCOPES))  # two kinds of either
    own = int(system.syscall(_CREATE_RULESET, rules, ctypes.c_size_t(len(rules)), 0))
    if own < 0:
        return
    try:
        if folder is not None:
            parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                system.syscall(_ADD_RULE, own, _PATH_BENEATH, struct.pack("=Qi", deeds & ~1, parent), 0)
            finally:
                os.close(parent)
        one, none = ctypes.c_ulong(1), ctypes.c_ulong(0)
        system.prctl(_NO_NEW_PRIVILEGES, one, none, none, none)
        system.syscall(_RESTRICT_SELF, own, 0)
    finally:
        os.close(own)
