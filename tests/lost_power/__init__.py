"""A loss of power, played on what a program really did to the files of a folder.

`recorded` runs a program with recorder.c preloaded, which writes down each of its steps. `Disk` plays them up to any
moment, and what is then found after a loss of power is drawn: all that was synced; of the rest nothing, everything or
some of it, sector by sector, in any order, what is new of a file perhaps rubbish.

What is called durable is what POSIX promises: the bytes of a file from its own sync on, and that it has a name, or has
it no longer, from a sync of its folder on.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

CAN_RECORD = sys.platform == "linux" and shutil.which("cc") is not None
"""Whether the recorder, which is for Linux, can be compiled."""

SECTOR = 512
"""Bytes that are written together or not at all."""

FATES = ("lost", "written", "some", "rubbish")
"""What may become of what was not synced."""


@cache
def recorder():
    """Return the folder of the compiled recorder."""
    folder = TemporaryDirectory(prefix="recorder")
    source = Path(__file__).with_name("recorder.c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", Path(folder.name, "recorder.so"), source], check=True)
    return folder


def recorded(program, folder, *arguments):
    """Run a Python program. Returns: its steps on the files that are directly in a folder, the words of each."""
    steps = folder.with_name(f"{folder.name}.steps")
    # Blanks separate libraries in LD_PRELOAD, so that its folder cannot stand there: the program begins in it.
    variables = {"LD_PRELOAD": "./recorder.so", "RECORDED_FOLDER": str(folder), "RECORDED_STEPS": str(steps)}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    where = recorder().name
    subprocess.run(command, env={**os.environ, **variables}, cwd=where, check=True, capture_output=True)
    return [line.split(" ") for line in steps.read_text(encoding="ascii").splitlines()]


@dataclass
class File:
    """A file: its bytes that are durable, and the writes (offset and bytes) and sizes since."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list = field(default_factory=list)

    def sync(self):
        self.durable = self.found(lambda: True)
        self.pending = []

    def found(self, survives, rubbish=bytes):
        """Return the bytes after a loss of power.

        Args: survives, whether the next sector or size does; rubbish, so many bytes that were never written.
        """
        content = bytearray(self.durable)

        def reach(size):
            content.extend(rubbish(max(0, size - len(content))))

        for change in self.pending:
            if isinstance(change, int):
                if survives():
                    del content[change:]
                    reach(change)
                continue
            offset, data = change
            while data:
                size = min(SECTOR - offset % SECTOR, len(data))
                if survives():
                    reach(offset)
                    content[offset : offset + size] = data[:size]
                offset, data = offset + size, data[size:]
        return content


class Disk:
    """A folder on a disk: what is durable of it, and what has been done since. Args: folder, as it is at first."""

    def __init__(self, folder):
        self.files, self.durable, self.pending, self.shown = {}, {}, [], b""
        for path in folder.iterdir():
            self.files[path.stat().st_ino] = self.durable[path.name] = File(bytearray(path.read_bytes()))

    def do(self, kind, *words):
        """Take one step."""
        match kind, *words:
            case "show", data:
                self.shown += bytes.fromhex(data)
            case "write", inode, offset, data:
                self.files[int(inode)].pending.append((int(offset), bytes.fromhex(data)))
            case "truncate", inode, size:
                self.files[int(inode)].pending.append(int(size))
            case "sync", "folder":
                self.durable, self.pending = self._names(lambda: True), []
            case "sync", inode:
                self.files[int(inode)].sync()
            case "create", inode, name:
                self.files[int(inode)] = file = File()  # an inode may be used again
                self.pending.append((kind, name, file))
            case _:
                self.pending.append((kind, *words))

    def _names(self, survives):
        names = dict(self.durable)
        for kind, name, other in [each for each in self.pending if survives()]:
            if kind == "create":
                names[name] = other
            elif kind == "unlink":
                names.pop(name, None)
            elif name in names:
                names[other] = names[name] if kind == "link" else names.pop(name)
        return names

    def lose_power(self, random, folder):
        """Write what is found after a loss of power into an empty folder."""
        found = {}
        for name, file in self._names(_survival(random, random.choice(FATES[:3]))).items():
            if id(file) not in found:  # it may have two names
                fate = random.choice(FATES)
                found[id(file)] = file.found(_survival(random, fate), random.randbytes if fate == "rubbish" else bytes)
            (folder / name).write_bytes(found[id(file)])


def _survival(random, fate):
    """Return whether a thing that was not synced survives, to be asked again for each of them."""
    return {"lost": lambda: False, "written": lambda: True}.get(fate, lambda: random.random() < 0.5)
