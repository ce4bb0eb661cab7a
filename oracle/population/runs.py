"""Chunks answered by workers, a file for each, so that a run goes on where it was ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..data.files import ROLES, read_text
from ..data.sequences import Broken, stop
from ..output.writing import remove_unfinished, write_bytes, write_text
from ..reference import InvalidRequest, OracleError
from ..system.locks import holders, locked
from .parts import digest_of, of_other_users, part_path, parts_of
from .population_basis import Seen
from .question import FORMAT, PopulationQuestion, UserChunk
from .recomputed import answer
from .user_tables import CHUNKS_AT_ONCE, TableSlice, UserTable
from .visit_logs import VisitLog
from .workers import Workers

QUESTION_FILE = "question.json"

Done = Callable[[int], None]
"""Called with the size of what was answered."""


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder, and keep other runs out of it until the body is done or this process has ended, however it ends.

    Raises: InvalidRequest where another run writes into it, naming its process where the system does.
    """
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            is_locked = stack.enter_context(locked(folder, wait=False))
        except OSError as error:
            raise InvalidRequest(f"{folder}: cannot be written into: {error.strerror or error}") from None
        if not is_locked:
            raise InvalidRequest(
                f"{folder}: another run writes into it{holders(folder)}: wait for its end, or use another folder"
            )
        yield


def take_folder(folder: Path, question: PopulationQuestion) -> None:
    """Make the folder of a run, or find it as one of the same question; what was half written goes.

    Raises: InvalidRequest for a folder of another question, or with parts of another format.
    """
    path = folder / QUESTION_FILE
    text = question.text() + "\n"
    if not parts_of(folder):
        write_text(str(path), text, "question")
    elif not path.exists():
        raise InvalidRequest(f"{folder}: contains parts but no {QUESTION_FILE}: use another folder")
    elif (told := read_text(str(path))) != text:
        written = re.search(r'"format": ?(\d+)', told)
        what = "another question"
        if written is not None and int(written[1]) != FORMAT:
            what = f"of format {written[1]}, and parts are of format {FORMAT} now"
        raise InvalidRequest(f"{folder}: its {QUESTION_FILE} is {what}: use another folder")
    remove_unfinished(folder)


def run(
    question: PopulationQuestion,
    source: UserTable | VisitLog,
    folder: Path,
    workers: Workers,
    done: Done,
    *,
    users: int,
    broken: Broken = stop,
) -> tuple[int, Seen]:
    """Answer for the users of a source: a file `part_path` for each chunk, whole or not at all.

    A part that is there already is kept where it answers the same question for the same users, of the same content: so
    a run that was ended goes on. Which workers answer changes no byte. Workers who have the files read a table, and
    write the parts, themselves; chunks of a log, and those for other workers, are read here.
    Args: users, in a chunk; broken, told of broken rows in their order. Returns: how many chunks were answered now, and
    what was seen of the users. Raises: InvalidRequest for parts of other users; Refuted; as the source's `chunks`;
    Undecided where workers are ended from outside again and again.
    """
    seen, count, numbers = Seen(), 0, 0
    read: Iterable[TableSlice | UserChunk]
    if isinstance(source, UserTable) and workers.has_files:
        is_slow = question.by_worst_case or question.every > 1 or source.columns[0] in ROLES
        read = source.slices(users, 1 if is_slow else CHUNKS_AT_ONCE)
    else:
        read = source.chunks(users, broken)
    answering = _Answering(question, users, folder.resolve(), workers.has_files, broken is stop)

    def calls() -> Iterator[Callable[[], _Answered]]:
        first = 0
        for part in read:
            path = part_path(folder, first)
            known = digest_of(path) if not workers.has_files and path.exists() else None
            yield partial(answering, part, first, known)
            first += part.count(users)

    with closing(workers.each(calls())) as answers:
        for answered in answers:
            for error in answered.broken:
                broken(error)
            if answered.content is not None:
                write_bytes(str(part_path(folder, numbers)), answered.content, "part")
            seen.add(answered.seen)
            count += answered.count
            numbers += answered.chunks
            done(answered.size)
    if len(parts_of(folder)) > numbers:
        raise of_other_users(part_path(folder, numbers))
    return count, seen


@dataclass(slots=True)
class _Answered:
    """The chunks that a worker read, their size, and how many it answered now; content: of a part to be written."""

    seen: Seen = field(default_factory=Seen)
    broken: list[OracleError] = field(default_factory=list)
    chunks: int = 0
    size: int = 0
    count: int = 0
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Answering:
    """Answers for the users of a slice, or of one chunk. Args: writes, the parts; stops, after a broken row."""

    question: PopulationQuestion
    users: int
    folder: Path
    writes: bool
    stops: bool

    def __call__(self, part: TableSlice | UserChunk, first: int, known: str | None) -> _Answered:
        """Answer for chunks numbered from `first` on. Args: known, the digest of a part that is elsewhere."""
        found = _Answered()

        def note(error: OracleError) -> None:
            found.broken.append(error)
            if self.stops:
                raise error

        try:
            for number, chunk in enumerate(part.chunks(self.users, note), first):
                found.seen.note(chunk)
                found.chunks += 1
                found.size += chunk.size
                digest, path = chunk.digest(self.question), part_path(self.folder, number)
                before = digest_of(path) if self.writes and path.exists() else known
                if before is None:
                    content = answer(self.question, chunk, digest)
                    found.count += 1
                    if self.writes:
                        write_bytes(str(path), content, "part")
                    else:
                        found.content = content
                elif before != digest:
                    raise of_other_users(path)
        except OracleError as error:
            if error not in found.broken:
                raise
        return found
