"""Chunks answered by workers, a file for each, so that a run goes on where it was ended.

Of a log, chunks are read here and go to the workers; of a table, workers that have its file read it, and write the
parts, themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..data.files import read_text
from ..data.sequences import Broken, stop
from ..output.writing import remove_unfinished, write_bytes, write_text
from ..reference import InvalidRequest, OracleError
from ..solvers.batch.enclosures import ARRAYS, COMPILED
from ..system.locks import holders, locked
from .parts import check_same, of_other_users, part_path, parts_of
from .population_basis import Seen
from .question import FORMAT, PopulationQuestion, UserChunk
from .user_rows import answer
from .user_tables import TableSlice, UserTable
from .workers import Workers

QUESTION_FILE = "question.json"

SPANS = {COMPILED: 16, ARRAYS: 2}
"""Chunks of a table that one worker answers for, one after another; of the exact worst case one alone."""

Done = Callable[[int], None]
"""Told of the size of each chunk that is done."""


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


def run(question: PopulationQuestion, chunks: Iterable[UserChunk], folder: Path, workers: Workers, done: Done) -> int:
    """Answer for the users of all chunks: a file `part_path` for each, whole or not at all.

    A part that is there already is kept where it answers the same question for the same users, of the same content: so
    a run that was ended goes on. Which workers answer, and in which order, changes no byte.
    Args: chunks, read as they are needed, a few at a time. Returns: how many chunks were answered now and not before.
    Raises: InvalidRequest for parts of other users; Undecided where workers
    are ended from outside again and again.
    """
    count = numbers = 0

    def calls() -> Iterator[tuple[tuple[int, int], Callable[[], bytes]]]:
        nonlocal numbers
        for number, chunk in enumerate(chunks):
            numbers += 1
            digest = chunk.digest(question)
            if part_path(folder, number).exists():
                check_same(part_path(folder, number), digest)
                done(chunk.size)
            else:
                yield (number, chunk.size), partial(answer, question, chunk, digest, workers.arithmetic)

    with closing(workers.each(calls())) as answered:
        for (number, size), content in answered:
            write_bytes(str(part_path(folder, number)), content, "part")
            done(size)
            count += 1
    _check_no_more(folder, numbers)
    return count


def _check_no_more(folder: Path, numbers: int) -> None:
    if len(parts_of(folder)) > numbers:
        raise of_other_users(part_path(folder, numbers))


@dataclass(slots=True)
class _Answered:
    """What a worker found in a slice: the users, what is broken, and how many chunks were answered now."""

    seen: Seen = field(default_factory=Seen)
    broken: list[OracleError] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, slots=True)
class _AnswersSlices:
    """Answers for the slices of a table, where its file is read and the parts are written.

    users: in a chunk; stops: whether a broken row is the last one that is read of a slice.
    """

    question: PopulationQuestion
    users: int
    folder: Path
    arithmetic: str
    stops: bool

    def __call__(self, part: TableSlice) -> _Answered:
        """Read a slice, and write the parts that are not there."""
        found = _Answered()

        def note(error: OracleError) -> None:
            found.broken.append(error)
            if self.stops:
                raise error

        try:
            for number, chunk in enumerate(part.chunks(self.users, note), part.start // self.users):
                found.seen.note(chunk)
                digest, path = chunk.digest(self.question), part_path(self.folder, number)
                if path.exists():
                    check_same(path, digest)
                else:
                    write_bytes(str(path), answer(self.question, chunk, digest, self.arithmetic), "part")
                    found.count += 1
        except OracleError as error:
            if error not in found.broken:
                raise
        return found


def run_table(
    question: PopulationQuestion,
    table: UserTable,
    folder: Path,
    workers: Workers,
    done: Done,
    *,
    users: int,
    broken: Broken = stop,
) -> tuple[int, Seen]:
    """Answer for the users of a table, as `run` does, by workers who have its file and the folder.

    Args: users, in a chunk; broken, told of rows in their order, whoever reads them. Returns: how many chunks were
    answered now, and what was seen of the users. Raises: as `run`; as `TableSlice.chunks`.
    """
    seen, count = Seen(), 0
    slices = [*table.slices(users, 1 if question.by_worst_case else SPANS[workers.arithmetic])]
    answering = _AnswersSlices(question, users, folder.resolve(), workers.arithmetic, broken is stop)
    calls = ((number, partial(answering, part)) for number, part in enumerate(slices))
    with closing(workers.each(calls)) as answers:
        for number, answered in _in_order(answers):
            for error in answered.broken:
                broken(error)
            seen.add(answered.seen)
            count += answered.count
            done(slices[number].rows)
    _check_no_more(folder, -(-table.size // users))
    return count, seen


def _in_order(answers: Iterable[tuple[int, _Answered]]) -> Iterator[tuple[int, _Answered]]:
    early: dict[int, _Answered] = {}
    following = 0
    for number, answered in answers:
        early[number] = answered
        while following in early:
            yield following, early.pop(following)
            following += 1
