"""Known failures: a text file with a case on each line, and why it is known to fail."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from ..reference import InvalidRequest
from ..wire.strict_json import shown


@dataclass(slots=True)
class Xfails:
    """Ids of cases, or patterns of them (with *, ? and [), each with its reason; which have met a case, or a failure.

    A case that is named is expected to fail; of those that a pattern covers, at least one.
    """

    reasons: dict[str, str] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def reason(self, case_id: str, fails: bool) -> str | None:
        """Return why the case is expected to fail, None where it is not; a pattern expects only the failures."""
        found = self._of(case_id)
        if found is None:
            return None
        self.met.add(found)
        if fails:
            self.failed.add(found)
        return self.reasons[found] if fails or not is_pattern(found) else None

    def broken(self, case_id: str) -> str | None:
        """Return the reason of the pattern that covers the case, if none of the cases that it covers has failed."""
        found = self._of(case_id)
        return self.reasons[found] if found is not None and found not in self.failed else None

    def _of(self, case_id: str) -> str | None:
        return next((known for known in self.reasons if known == case_id or fnmatchcase(case_id, known)), None)

    def notes(self) -> list[str]:
        """Return a note for each pattern that no case met."""
        return [
            f"the xfail {pattern!r} met no case that was asked" for pattern in self.reasons if pattern not in self.met
        ]


def is_pattern(known: str) -> bool:
    """Whether a text stands for more than itself."""
    return any(char in known for char in "*?[")


def read_xfails(path: str) -> Xfails:
    """Read a file of known failures: `PATTERN REASON` on a line; blank lines and lines that begin with # are left out.

    Raises: InvalidRequest, with the line, for a pattern without a reason or one that is there twice; for no such file.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"{path}: cannot be read: {error}") from None
    reasons: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        pattern, _, reason = text.partition(" ")
        if not reason.strip():
            raise InvalidRequest(f"{path}, line {number}: {shown(pattern)} has no reason; write PATTERN REASON")
        if pattern in reasons:
            raise InvalidRequest(f"{path}, line {number}: {shown(pattern)} is there twice")
        reasons[pattern] = reason.strip()
    return Xfails(reasons)
