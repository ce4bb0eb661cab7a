"""Matrices, distributions, budgets and users out of files: exact entries, every error with its place."""

from __future__ import annotations

import io
import os
import select
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from ..contract.errors import placed
from ..contract.limits import (
    LONGEST_FILE,
    MOST_ADVERSARIES,
    MOST_RELEASES,
    MOST_SECONDS,
    MOST_STATES,
    check_count,
    too_large,
)
from ..models.basis import NOT_ESTIMATED
from ..models.chain import NOT_ASKED
from ..reference import InvalidNumber, InvalidRequest, Level, TransitionCounts, TransitionMatrix
from ..reference.correlations import power
from ..reference.paper.own_steps import NOT_ONE_STEP
from ..reference.stepwise import KnownCorrelation, Stepwise
from ..wire.numerals import Reader, WrittenEntry, entries
from ..wire.protocol import FLOAT64, RATIONAL
from ..wire.stepwise import CYCLE, kind_of_steps
from ..wire.strict_json import Numeral, Object, as_integer, as_list, as_object, as_string, check_keys, decode, shown
from .archives import NUMPY_START, PARQUET_START, ZIP_START
from .doubt import USUAL, Readings, check_states, is_missing, note_alike
from .fit import Fit, worst_fit
from .frames import binary_frame, frame_of
from .matrices import (
    AS_COUNTS,
    PERCENTAGES,
    PROBABILITIES,
    Options,
    Printed,
    counted,
    matrix_of,
)
from .steps import Duration, check_power, steps_between
from .tables import Table, delimited, entries_of, is_json, levels_of, names_of, oriented_by_pandas, squared

STDIN = "-"

MOST_SILENCE = MOST_SECONDS
"""Seconds that a pipe with a name is waited for until somebody writes into it."""

ROLES = ("backward", "forward")
_MATRIX_KEYS = ("matrix", "backward", "forward", "initial", "states", "normalised_rows", "source", "step")
_ESTIMATE_KEYS = ("fit", "transitions")
_COUNTS_KEYS = ("states", "counts", "first")

_OPTIONS = Options(in_python=False)
_LISTED = (
    'a list of matrices: those of the steps of one correlation are {"steps": [matrix, …]} or {"cycle": [matrix, …]}'
)

Value = TypeVar("Value")


@dataclass(slots=True)
class Files:
    """Reads files for one command, each at most once, standard input included.

    float64: read entries as doubles, in decimal or hexadecimal, and divide rows that miss 1 by rounding by their sums;
    normalise: divide rows by their sums if rounding explains the deviation from 1; force: whatever the sums are;
    entries: one of ENTRIES; every: the time between releases, as steps or a duration, which matrices are raised to;
    allow_paths: read what a file names outside its own folder; readings: how doubtful tables are read.
    By file name: `normalised`, the divided rows, counted from 1; `deviations`, which of them missed 1 by most;
    `states`, the names of states; `transitions`, the number counted; `fits`, whether that chain
    fits, None where it was not tested; `steps`, the length of a step. `made`: the roles
    of the correlations made by reversal, by adversary.
    """

    float64: bool = False
    normalise: bool = False
    entries: str = PROBABILITIES
    force: bool = False
    normalised: dict[str, list[int]] = field(default_factory=dict)
    deviations: dict[str, str] = field(default_factory=dict)
    states: dict[str, tuple[str, ...]] = field(default_factory=dict)
    transitions: dict[str, int] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    fits: dict[str, Fit | None] = field(default_factory=dict)
    every: str | None = None
    allow_paths: bool = False
    readings: Readings = USUAL
    steps: dict[str, Duration] = field(default_factory=dict)
    _contents: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for option, given in (("--normalise", self.normalise), (_OPTIONS.force, self.force)):
            if given and self.entries == AS_COUNTS:
                raise InvalidRequest(
                    f"{option} and --entries counts exclude each other: counts are divided in any case"
                )

    def matrix(self, path: str, role: str | None = None) -> TransitionMatrix:
        """Read a transition matrix.

        Args: path of a CSV, JSON, Parquet, .npy or sparse .npz file, or "-"; role, "backward" or "forward", the matrix
        wanted of a JSON object that has both, or of counts.
        Returns: the matrix, exact. Raises: the contract's errors, with the file's name and the place in it.
        """
        with named(path):
            found = self._table(path)
            if isinstance(found, dict):
                return self._between_releases(self._matrix_of(found, path, role), path)
            return self._between_releases(self._made(found, path, role), path)

    def correlation(self, path: str, role: str | None = None) -> KnownCorrelation:
        """Read a correlation: a matrix, or a JSON object with one for each step.

        That is {"steps": [matrix, …]}, or {"cycle": [matrix, …]} of steps that repeat; each is a matrix or the path of
        its file. Such an object may stand under the key of its role. Args, Returns, Raises: as `matrix`.
        """
        with named(path):
            found = self._table(path)
            if isinstance(found, dict):
                return self._object(found, path, role, Path() if path == STDIN else Path(path).parent)
        return self.matrix(path, role)

    def _object(self, found: Object, what: str, role: str | None, folder: Path) -> KnownCorrelation:
        """Read a JSON object of a matrix, of counts, or of a matrix for each step."""
        value = found.get(role, found) if role else found
        if (kind := kind_of_steps(value)) is None:
            return self._between_releases(self._matrix_of(found, what, role), what)
        assert isinstance(value, dict)
        if value is not found:
            check_keys(found, (), _MATRIX_KEYS + _ESTIMATE_KEYS, "the object")
            self._note_estimate(found, what)
            self._name_steps(found, what)
            self._note_step(found, what)
        return self._stepwise(value, kind, what, role, folder)

    def _stepwise(self, value: Object, kind: str, what: str, role: str | None, folder: Path) -> KnownCorrelation:
        check_keys(value, (kind,), ("states",), "the object")
        self._check_no_power()
        self._name_steps(value, what)
        listed = as_list(value[kind], kind)
        check_count(len(listed), MOST_RELEASES, f"matrices in {kind}")
        matrices = []
        for number, own in enumerate(listed, 1):
            with placed(f"{kind} {number}"):
                matrices.append(self.matrix_value(own, f"{what}, {kind} {number}", role or ROLES[0], folder))
        self.check_states(what, *(_place(own, f"{what}, {kind} {n}", folder) for n, own in enumerate(listed, 1)))
        return stepwise(matrices, kind == CYCLE)

    def _name_steps(self, value: Object, what: str) -> None:
        """Note the names of the states of matrices for steps, where the object has them. Raises: as `check_states`."""
        if "states" in value:
            names = _state_names(value["states"])
            check_states(names, self.readings)
            self._name(what, names)

    def several(self, paths: Sequence[str], role: str, kind: str) -> KnownCorrelation:
        """Read a correlation whose steps have a file each. Args: kind, STEPS or CYCLE. Raises: as `matrix`."""
        self._check_no_power()
        check_count(len(paths), MOST_RELEASES, "matrices")
        matrices = [self.matrix(path, role) for path in paths]
        self.check_states(*paths)
        return stepwise(matrices, kind == CYCLE)

    def _check_no_power(self) -> None:
        if self.every is not None:
            raise InvalidRequest("--every needs one matrix for all steps, but each step has its own")

    def _between_releases(self, matrix: TransitionMatrix, what: str) -> TransitionMatrix:
        """Return the matrix from one release to the next. Raises: InvalidRequest where that is not a power of it."""
        if len(lengths := {*self.steps.values()}) > 1:
            told = " and ".join(sorted(each.text() for each in lengths))
            raise InvalidRequest(f"the matrices are for steps of different lengths: {told}")
        if self.every is None:
            return matrix
        steps = steps_between(self.every, self.steps.get(what))
        check_power(matrix, steps)
        return power(matrix, steps)

    def between_releases(self) -> Duration | None:
        """Return the time between releases, where the files say how long a step is."""
        step = next(iter(self.steps.values()), None)
        if step is None or self.every is None:
            return step
        return Duration(step.length * steps_between(self.every, step), step.in_seconds)

    @property
    def step(self) -> str:
        """How long a step is, and how many of them it is from one release to the next, in words."""
        step = next(iter(self.steps.values()), None)
        told = "" if step is None else f"of {step.text()}, as the counts say"
        if self.every is None:
            return told
        every = f"{self.every} steps" if self.every.isdigit() else self.every
        return f"{told or 'of unknown length'}; a release every {every}"

    def given(self, table: object, role: str, what: str = "") -> KnownCorrelation:
        """Read a correlation that is in memory; of a path that of its file.

        Args: table, a path, a matrix or one for each step, counts, an object as JSON files have it, or what `frame_of`
        reads, as if it were in a file; what, it is called, else by its role. Returns, Raises: as `correlation`.
        """
        what = what or role
        if isinstance(table, str | os.PathLike):
            path = os.fspath(table)
            found = self.correlation(path, role)
            noted: tuple[dict[str, Any], ...] = (self.states, self.transitions, self.fits, self.steps)
            for known in noted:
                if path in known:
                    known[what] = known.pop(path)
            return found
        if isinstance(table, Stepwise):
            return table
        if isinstance(table, TransitionMatrix):
            return self._between_releases(table, what)
        if isinstance(table, TransitionCounts):
            self._name(what, table.states)
            return self._between_releases(self._estimated(table, what, role), what)
        with placed(what):
            if isinstance(table, Mapping):
                return self._object(dict(table), what, role, Path())
            own = frame_of(table)
            return self._between_releases(self._made(replace(own, rows=own.cells()), what, role), what)

    def told(self) -> dict[str, Any]:
        """Return what files tell of a basis: a step's length, the number of transitions, whether the chain fits."""
        total = sum(self.transitions.values())
        estimate = f"from {total:,} transitions, its uncertainty not included" if self.transitions else NOT_ESTIMATED
        return {"step": self.step or NOT_ASKED, "estimate": estimate, "fit": worst_fit(self.fits.values())}

    def counts(self, path: str) -> TransitionCounts:
        """Read transition counts: the JSON that `estimate --counts` writes, or a table of them in any form of a matrix.

        Returns: the counts, exact; those of a table have no first states. Raises: as `matrix`.
        """
        with named(path):
            found = self._table(path)
            if isinstance(found, dict):
                return counts_of(found, self.readings)
            return counted(entries_of(found, self._number), found.names, self.readings)

    def _table(self, path: str) -> Table | Object:
        """Read the entries of a table as written, and the names of its states; a JSON object as it is."""
        if (found := binary_frame(self._content(path))) is not None:
            return replace(found, rows=found.cells())
        text = self.text(path)
        if is_json(text):
            value = decode(text)
            row = value[0] if isinstance(value, list) and value else None
            if isinstance(row, list) and row and isinstance(row[0], list):
                raise InvalidRequest(_LISTED)
            oriented = oriented_by_pandas(value)
            if oriented is not None:
                return oriented
            return value if isinstance(value, dict) else Table(entries(value, "matrix"))
        return squared(delimited(text, comment=self.readings.comment), self._number)

    def matrix_value(self, value: object, what: str, role: str, folder: Path) -> TransitionMatrix:
        """Read a matrix that stands in a JSON file: itself, or the path of its file from the folder of that one."""
        if isinstance(value, str):
            return self.matrix(self._inside(value, what, folder), role)
        return self._between_releases(self._matrix_of(value, what, role), what)

    def _matrix_of(self, value: object, what: str, role: str | None) -> TransitionMatrix:
        names: tuple[str, ...] = ()
        if isinstance(value, dict):
            self._note_step(value, what)
            if "counts" in value:
                counts = counts_of(value, self.readings)
                self.fits[what] = Fit.of(value["fit"]) if "fit" in value else None
                self._name(what, counts.states)
                return self._estimated(counts, what, role)
            if kind_of_steps(value) is not None:
                raise InvalidRequest(NOT_ONE_STEP)
            check_keys(value, (), _MATRIX_KEYS + _ESTIMATE_KEYS, "the object")
            names = _state_names(value.get("states", []))
            self._note_estimate(value, what)
            if "matrix" in value:
                value = value["matrix"]
            else:
                given = {name: value[name] for name in ROLES if name in value}
                if not given:
                    raise InvalidRequest("the object has no matrix: none of the keys matrix, backward, forward, counts")
                if role or len(given) > 1:
                    value = _by_role(role, given, "has more than one matrix")
                else:
                    value = next(iter(given.values()))
        rows = entries(value, "matrix")
        if names and len(names) != len(rows):
            raise InvalidRequest(f"states: {len(names)} names, but the matrix has {len(rows)} rows")
        return self._made(Table(rows, names=names), what, role)

    def _note_step(self, value: Object, what: str) -> None:
        if "step" in value:
            self.steps[what] = Duration.of(as_string(value["step"], "step"), "step")

    def _note_estimate(self, value: Object, what: str) -> None:
        """Note from how many transitions the matrices of an object are, and whether the chain fits, where it says."""
        if "transitions" in value:
            self.transitions[what] = as_integer(value["transitions"], "transitions")
            self.fits[what] = Fit.of(value["fit"]) if "fit" in value else None

    def _number(self, entry: WrittenEntry, place: str) -> Fraction:
        whole = self.entries == AS_COUNTS and isinstance(entry, Numeral)  # 3.0 is no other count than 3
        if self.entries == PERCENTAGES and isinstance(entry, str):
            entry = entry.strip().removesuffix("%").rstrip()
        reader = Reader(FLOAT64 if self.float64 or whole else RATIONAL, decimals=True)
        try:
            return reader.number(entry, place)
        except InvalidNumber as error:
            raise InvalidNumber(f"{error}{self._remedy(entry)}") from None

    def _remedy(self, entry: WrittenEntry) -> str:
        """Return what to do about an entry that is no number."""
        if is_missing(entry.text if isinstance(entry, Numeral) else entry):
            return "; write 0 where nothing was counted" if self.entries == AS_COUNTS else ""
        if isinstance(entry, Numeral) and not self.float64:
            return "; --float64 reads such numbers, of JSON, arrays and frames, as doubles"
        if isinstance(entry, str):
            if entry.strip().endswith("%"):
                return "; --entries percentages reads percentages"
            if "," in entry:
                return "; decimals have a point, as in 0.5, and thousands no mark"
        return ""

    def _made(self, table: Table, what: str, role: str | None) -> TransitionMatrix:
        """Make the matrix that entries mean. Raises: as `TransitionMatrix`; InvalidRequest for counts without role."""
        rows = entries_of(table, self._number)
        if self.entries == AS_COUNTS:
            counts = counted(rows, table.names, self.readings)
            self._name(what, counts.states if table.names else ())
            return self._estimated(counts, what, role)
        printed = Printed.of(table.cells(), table.rounding)
        matrix, names, divided = matrix_of(
            rows,
            table.names,
            printed,
            self.readings,
            self.entries,
            force=self.force,
            normalise=self.normalise,
            float64=self.float64,
            options=_OPTIONS,
        )
        self._name(what, names)
        if divided:
            self.normalised[what] = [index + 1 for index in divided.rows]
            if self.normalise or self.force:
                self.deviations[what] = divided.told()
        return matrix

    def _estimated(self, counts: TransitionCounts, what: str, role: str | None) -> TransitionMatrix:
        self.transitions[what] = sum(map(sum, counts.transitions))
        return _by_role(role, {"backward": counts.backward, "forward": counts.forward}, "has counts")()

    def _name(self, what: str, names: tuple[str, ...]) -> None:
        if names:
            self.states[what] = names

    def check_states(self, *what: str) -> None:
        """Raise InvalidRequest if two of these matrices name their states differently, or in another order."""
        first, *others = [name for name in what if name in self.states] or [""]
        for other in others:
            for number, (one, two) in enumerate(zip(self.states[first], self.states[other], strict=False), 1):
                if one != two:
                    raise InvalidRequest(
                        f"{first} and {other} name their states differently: state {number} is {shown(one)} in one and "
                        f"{shown(two)} in the other"
                    )

    def distribution(self, path: str) -> tuple[Fraction, ...]:
        """Read a distribution: a row of CSV, a JSON array, or an object with "initial" or with counts. As `matrix`."""
        with named(path):
            text = self.text(path)
            value: object
            if is_json(text):
                value = decode(text)
                if isinstance(value, dict):
                    if "counts" in value:
                        return counts_of(value, self.readings).initial()
                    check_keys(value, ("initial",), _MATRIX_KEYS + _ESTIMATE_KEYS, "the object")
                    value = value["initial"]
            else:
                table = delimited(text, comment=self.readings.comment)
                if len(table.rows) != 1:
                    raise InvalidRequest(f"a distribution is one row, {len(table.rows)} were found")
                entries_of(table, self._number)
                value = table.rows[0]
            reader = Reader(FLOAT64 if self.float64 else RATIONAL, decimals=True)
            row = reader.distribution(value, "initial")
            for changed in reader.normalised.values():
                self.normalised[path] = changed
            return row

    def levels(self, path_or_list: str) -> list[Level]:
        """Read budgets: levels and commas, or a file of levels: JSON, one line of them, one column, or under a header.

        Under a header of several columns it is the column epsilon. Other files of several columns are an error: an
        index is no budget. Raises: the contract's errors, with the file's name, line and column.
        """
        if path_or_list != STDIN and not _is_file(path_or_list):
            return _listed(path_or_list)
        with named(path_or_list):
            text = self.text(path_or_list)
            return (
                Reader().levels(decode(text), "epsilons") if is_json(text) else levels_of(text, self.readings.comment)
            )

    def users(self, path: str) -> dict[str, dict[str, KnownCorrelation]]:
        """Read users: {"name": {"backward": matrix or path, "forward": matrix or path}, …}, what each knows by role.

        For a matrix there may be an object with one for each step, as `correlation` reads it.

        Raises: as `matrix`, with the user's name.
        """
        with named(path):
            users = as_object(decode(self.text(path)), "the file of users")
            check_count(len(users), MOST_ADVERSARIES, "users")
            folder = Path() if path == STDIN else Path(path).parent
            matrices: dict[str, dict[str, KnownCorrelation]] = {}
            for name, value in users.items():
                with placed(f"user {name!r}"):
                    known = as_object(value, "the user")
                    check_keys(known, (), ROLES, "the user")
                    matrices[name] = {
                        role: self._known(matrix, f"{name}.{role}", role, folder) for role, matrix in known.items()
                    }
                    places = {role: _place(matrix, f"{name}.{role}", folder) for role, matrix in known.items()}
                    self.check_states(*places.values())
                    for role, place in places.items():
                        self._name(f"{name}.{role}", self.states.get(place, ()))
            note_alike(matrices, "users")
            return matrices

    def _known(self, value: object, what: str, role: str, folder: Path) -> KnownCorrelation:
        """Read a correlation that stands in a JSON file: itself, or the path of its file from the folder of that."""
        if (kind := kind_of_steps(value)) is not None:
            assert isinstance(value, dict)
            return self._stepwise(value, kind, what, role, folder)
        if isinstance(value, str):
            return self.correlation(self._inside(value, what, folder), role)
        return self.matrix_value(value, what, role, folder)

    def _inside(self, value: str, what: str, folder: Path) -> str:
        """Return the path of a file that a file names. Raises: InvalidRequest for what it may not have read."""
        if value == STDIN:
            raise InvalidRequest(f"{what}: '-' is not a file: standard input is given to a command alone")
        path = folder / value
        try:
            place = path.resolve()
            is_below, is_file = place.is_relative_to(folder.resolve()), place.is_file() or not place.exists()
        except (OSError, RuntimeError, ValueError):
            return str(path)  # that it cannot be read is said by who reads it
        if not is_file:
            raise InvalidRequest(
                f"{what}: {shown(value)} is not a file: pipes and devices are given to a command alone"
            )
        if not (is_below or self.allow_paths):
            raise InvalidRequest(
                f"{what}: {shown(value)} lies outside the folder of the file that names it; --allow-paths has it read"
            )
        return str(path)

    def text(self, path: str) -> str:
        """Return the text of a file or of standard input. Raises: as `read_text`."""
        return _decoded(self._content(path))

    def json(self, path: str) -> object:
        """Return the value of a JSON file; None where the file is something else."""
        text = self.text(path)
        return decode(text) if is_json(text) else None

    def _content(self, path: str) -> bytes:
        if path not in self._contents:
            self._contents[path] = _read(path)
        return self._contents[path]


def read_text(path: str) -> str:
    """Read a whole file in UTF-8, "-" for standard input. Raises: InvalidRequest."""
    return _decoded(_read(path))


def _read(path: str) -> bytes:
    with opened(path) as stream:
        content = stream.read(LONGEST_FILE + 1)
    if len(content) > LONGEST_FILE:
        raise too_large(f"the file has more than {LONGEST_FILE} bytes")
    return content


def _decoded(content: bytes) -> str:
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        with suppress(UnicodeDecodeError):
            return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        kinds = {NUMPY_START: "a NumPy array", PARQUET_START: "Parquet", ZIP_START: "an archive"}
        for start, kind in kinds.items():
            if content.startswith(start):
                raise InvalidRequest(f"is {kind}; here a text is read, of CSV or JSON") from None
        raise InvalidRequest(f"not UTF-8: byte {error.start + 1} is {content[error.start]:#04x}") from None


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for "-", for reading bytes. Raises: InvalidRequest while it cannot be read."""
    try:
        nameless = b"\0" in os.fsencode(path)
    except UnicodeEncodeError:
        nameless = True
    if nameless:
        raise InvalidRequest("cannot be read: there is no such file")
    try:
        if path == STDIN:
            yield sys.stdin.buffer
        else:
            with io.BufferedReader(_Pipe(path)) if _is_pipe(path) else Path(path).open("rb") as stream:
                yield stream
    except OSError as error:
        raise InvalidRequest(f"cannot be read: {error.strerror or error}") from None


def _is_pipe(path: str) -> bool:
    return hasattr(os, "O_NONBLOCK") and Path(path).is_fifo() and Path(path).resolve().is_fifo()


class _Pipe(io.RawIOBase):
    """A pipe that has a name: whoever writes into it is waited for each time, but not for ever."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        if not self._poll.poll(1000 * MOST_SILENCE):
            raise TimeoutError(f"nobody wrote into this pipe within {MOST_SILENCE:g} seconds")
        return os.readv(self._descriptor, [into])

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def named(path: str) -> AbstractContextManager[None]:
    """Put a file's name before the message of an error."""
    return placed("standard input" if path == STDIN else path)


def _is_file(path: str) -> bool:
    """Whether there is a file of this name, or a pipe, as <(...) gives one."""
    try:
        return Path(path).exists() and not Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _place(value: object, what: str, folder: Path) -> str:
    """Return the path of a matrix that stands in a JSON file as one; else what it is called there."""
    return str(folder / value) if isinstance(value, str) else what


def _listed(text: str) -> list[Level]:
    parts = text.split(",")
    try:
        return Reader().levels(parts, "epsilons")
    except InvalidNumber as error:
        if len(parts) > 1:
            raise
        raise InvalidNumber(f"{error}; there is no file of this name either") from None


def stepwise(matrices: Sequence[TransitionMatrix], repeats: bool) -> Stepwise[TransitionMatrix]:
    """Return the correlation with these matrices for its steps. Raises: InvalidRequest for several sizes, or none."""
    for number, matrix in enumerate(matrices, 1):
        if matrix.n != matrices[0].n:
            raise InvalidRequest(f"matrix {number} has {matrix.n} states, the first one {matrices[0].n}")
    return Stepwise(tuple(matrices), repeats)


def _by_role(role: str | None, given: dict[str, Value], what: str) -> Value:
    if role is None:
        raise InvalidRequest(f"it {what}: say with --role whether the backward or the forward one is meant")
    if role not in given:
        raise InvalidRequest(f"it has no {role} matrix")
    return given[role]


def counts_of(value: Object, readings: Readings = USUAL) -> TransitionCounts:
    """Read transition counts from their JSON object.

    Args: readings, of what is doubtful: a sequence that goes on after a missing value begins where nobody knows, so
    that there are no first states where such values are left out.
    Returns: the counts, exact. Raises: InvalidRequest naming the key, or as `doubt` has it; InvalidNumber for a count
    that is a float.
    """
    check_keys(value, _COUNTS_KEYS, ("source", "step", "fit", "absorbing"), "the object of counts")
    states = _state_names(value["states"])
    check_count(len(states), MOST_STATES, "states")
    if not states:
        raise InvalidRequest("there is no state")
    rows = as_list(value["counts"], "counts")
    given = TransitionCounts(
        states,
        tuple(_count_row(row, f"counts, row {number}") for number, row in enumerate(rows, 1)),
        _count_row(value["first"], "first"),
        _state_names(value.get("absorbing", []), "absorbing"),
    )
    kept = counted([tuple(map(Fraction, row)) for row in given.transitions], states, readings)
    if kept.states == states:
        return given
    is_broken = readings.breaks and any(map(readings.is_missing, states))
    first = [0 if is_broken else count for name, count in zip(states, given.first, strict=True) if name in kept.states]
    return replace(kept, first=tuple(first), absorbing=tuple(n for n in given.absorbing if n in kept.states))


def _state_names(value: object, what: str = "states") -> tuple[str, ...]:
    return names_of((as_string(name, f"a name in {what}") for name in as_list(value, what)), f"list of {what}")


def _count_row(value: object, what: str) -> tuple[int, ...]:
    return tuple(as_integer(count, f"{what}, entry {number}") for number, count in enumerate(as_list(value, what), 1))
