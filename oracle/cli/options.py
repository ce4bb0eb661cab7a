"""The options that several commands share; each group of them is one attribute of a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import click

from ..contract.errors import placed
from ..contract.limits import MOST_ADVERSARIES, MOST_LITERAL_STATES, MOST_RELEASES, check_count
from ..data.doubt import MISSING_READINGS, NO_COMMENTS, READINGS, REFUSE, Readings
from ..data.files import ROLES, Files, named
from ..data.matrices import ENTRIES, PROBABILITIES
from ..models import NAMES, models
from ..models.basis import Basis
from ..models.chain import NO_CORRELATION, KnownPair, chain_of, completed, correlations_of
from ..models.model import Model
from ..models.neighbours import NEIGHBOUR_KINDS, REPLACE, Neighbours
from ..output.progress import patience
from ..output.sheets import DIGITS_IN_BRIEF, USUAL_DIGITS, Output
from ..reference import Adversary, InvalidRequest, Level, TransitionMatrix
from ..reference.paper.own_steps import NOT_ONE_STEP
from ..reference.stepwise import KnownCorrelation
from ..wire.numerals import Reader
from ..wire.stepwise import STEP_KINDS
from .declared import Command, argument, group, option
from .extras import option_needs

CANDIDATES = "candidates"
"""The default meaning of several files of a role."""


# How questions are read, and answers written


class ReadingCommand(Command):
    """A command that reads matrices; its output notes which rows were divided."""

    files: Files
    output: Output

    def __init__(self, **attributes: object) -> None:
        super().__init__(**attributes)
        self.output.normalised, self.output.deviations = self.files.normalised, self.files.deviations


every_option: Any = option(
    "--every", metavar="STEPS", help="Time between releases: a number of steps, or a duration such as 1d."
)


reading_choices: dict[str, Any] = {
    "totals": option(
        type=click.Choice(READINGS),
        default=REFUSE,
        show_default=True,
        help="If a table has a row and a column of totals: refuse it, drop them, or take them for a state.",
    ),
    "missing": option(
        metavar=f"[{'|'.join(MISSING_READINGS)}]",
        default=REFUSE,
        show_default=True,
        help="If a state is named NA, NaN, ?, -99 or the like: refuse it, break the sequence there, or keep it; "
        "NAMES, with commas, are such names too.",
    ),
    "comment": option(metavar="MARK", help=f"Skip lines that begin with MARK; {NO_COMMENTS}: read lines with # too."),
}
"""How doubtful tables are read, one option for each doubt, everywhere alike."""


def _files(
    *,
    float64: bool,
    normalise: bool,
    force: bool,
    entries: str,
    every: str | None,
    allow_paths: bool,
    totals: str,
    missing: str,
    comment: str | None,
) -> Files:
    readings = Readings(totals, missing, comment)
    return Files(float64, normalise, entries, force, every=every, allow_paths=allow_paths, readings=readings)


reading_options: Any = group(
    _files,
    float64=option(help="Read matrix entries as doubles, each at its exact value; normalise rows exactly."),
    normalise=option(
        help="Normalise rows to sum to 1, if rounding of the entries explains the deviation; report the largest."
    ),
    force=option("--force-normalise", help="Normalise rows to sum to 1, whatever they sum to."),
    entries=option(
        type=click.Choice(ENTRIES), default=PROBABILITIES, help="Kind of matrix entries.", show_default=True
    ),
    every=every_option,
    allow_paths=option(help="Read files that a file names outside its own folder, too."),
    **reading_choices,
)
"""How matrices are read: an attribute `files: Files`."""


def output_options(digits: int = USUAL_DIGITS, has_levels: bool = False, in_brief: bool | None = None) -> Any:
    """Declare --digits, --json and --csv: an attribute `output: Output`.

    Args: digits, the default; has_levels, whether to add --float; in_brief, whether levels are shown in brief unless
    --digits asks for enclosures, by default if there are levels.
    """
    usual, brief = digits, has_levels if in_brief is None else in_brief

    def output(*, digits: int | None, as_json: bool, as_csv: bool, doubles: bool = False) -> Output:
        shown = digits is None and brief and not doubles
        return Output(usual if digits is None else digits, as_json, as_csv, in_brief=shown, doubles=doubles)

    shown = f"{digits}; on the screen {DIGITS_IN_BRIEF}, rounded to the safe side" if brief else str(digits)
    options = {
        "digits": option(help=f"Digits of each printed interval.  [default: {shown}]"),
        "as_json": json_option,
        "as_csv": option("--csv", help="Write CSV."),
    }
    if has_levels:
        options["doubles"] = option("--float", help="Print safe doubles: leakage rounded up, budgets rounded down.")
    return group(output, **options)


json_option: Any = option("--json", help="Write JSON, one line per answer.")


# Which correlation


@dataclass(frozen=True, slots=True)
class MatrixFile:
    """The matrix that a command is about: its file, if it was named, and its role there."""

    path: str
    role: str | None

    def read(self, files: Files) -> TransitionMatrix:
        """Read the matrix. Raises: as `Files.matrix`."""
        return files.matrix(self.path, self.role)

    def basis(self, files: Files, absent: Mapping[str, str]) -> Basis:
        """Return what an answer about the matrix rests on. Args: absent, as `Basis` has it."""
        own = f"P^{(self.role or 'backward')[0].upper()}"
        told: dict[str, Any] = files.told()
        return Basis(f"knows {own} ({self.path}) alone", absent=absent, **told)


def matrix_options(required: bool = True, several: bool = False) -> Any:
    """Declare MATRIX and --role: an attribute `matrix: MatrixFile`, perhaps None, or `matrices: list[MatrixFile]`."""

    def one(matrix: str | None, role: str | None) -> MatrixFile | None:
        return None if matrix is None else MatrixFile(matrix, role)

    def each(matrix: tuple[str, ...], role: str | None) -> list[MatrixFile]:
        return [MatrixFile(path, role) for path in matrix]

    return group(
        each if several else one,
        matrix=argument(required=required, nargs=-1 if several else 1),
        role=option(
            type=click.Choice(ROLES),
            help="Which matrix to use if the file has both, or has counts; a matrix alone is backward by default.",
        ),
    )


def one_sided_option(condition: str = "") -> Any:
    """Declare --one-sided. Args: condition, the beginning of its help."""
    text = "assume an adversary who knows only the given correlation, not its reversal."
    return option("--one-sided", is_flag=True, help=_sentence(condition, text))


def kind_option(kinds: Sequence[str] = STEP_KINDS) -> Any:
    """Declare --matrices. Args: kinds, what several files may be for this command, beside candidates."""
    used = "used once or repeated" if len(kinds) > 1 else "repeated"
    return option(
        "--matrices",
        type=click.Choice([CANDIDATES, *kinds]),
        default=CANDIDATES,
        show_default=True,
        help=f"What several files of one role are: candidates, or the matrices of successive steps, {used}.",
    )


@dataclass(frozen=True, slots=True)
class Correlations:
    """What the adversaries know: candidates for each role, or users."""

    backward: tuple[str, ...]
    forward: tuple[str, ...]
    users: str | None
    one_sided: bool = False
    independent: bool = False
    kind: str = CANDIDATES

    def __bool__(self) -> bool:
        return bool(self.backward or self.forward or self.users is not None)

    def matrices(self, files: Files) -> dict[str, dict[str, TransitionMatrix]]:
        """Return the adversaries' matrices as `known`. Raises: as it, and InvalidRequest where steps have their own."""
        found: dict[str, dict[str, TransitionMatrix]] = {}
        for name, known in self.known(files).items():
            for role, matrix in known.items():
                if not isinstance(matrix, TransitionMatrix):
                    with placed(name):
                        raise InvalidRequest(NOT_ONE_STEP)
                found.setdefault(name, {})[role] = matrix
            found.setdefault(name, {})
        return found

    def known(self, files: Files) -> dict[str, dict[str, KnownCorrelation]]:
        """Return what the adversaries know by name and role, with the reversal of a matrix that is given alone.

        Without users each file is a candidate for its role. As many backward as forward files are pairs, in order;
        otherwise every backward file is combined with every forward one. Files may also be those of the steps of one
        correlation. No file at all is one adversary who knows nothing, if that was asked for.
        Raises: InvalidRequest, and the errors of the files.
        """
        if not (self or self.independent):
            raise InvalidRequest(NO_CORRELATION)
        found, made = completed(self._given(files), self.one_sided, self.independent)
        files.made |= made
        return found

    def _given(self, files: Files) -> dict[str, dict[str, KnownCorrelation]]:
        if self.users is not None:
            if self.kind != CANDIDATES:
                raise InvalidRequest(
                    f"--users excludes --matrices {self.kind}: the file has what each user's matrices are"
                )
            known = files.users(self.users)
            if not known:
                raise InvalidRequest(f"{self.users}: there is no user")
            return known
        if self.kind != CANDIDATES:
            by_role = {role: paths for role, paths in zip(ROLES, (self.backward, self.forward), strict=True) if paths}
            own = {role: files.several(paths, role, self.kind) for role, paths in by_role.items()}
            files.check_states(*self.backward, *self.forward)
            return {" + ".join(", ".join(paths) for paths in by_role.values()) or "no correlation": own}
        if len(self.backward) == len(self.forward):
            pairs = list(zip(self.backward, self.forward, strict=True))
        else:
            check_count((len(self.backward) or 1) * (len(self.forward) or 1), MOST_ADVERSARIES, "candidates")
            pairs = list(product(self.backward or [""], self.forward or [""]))
        matrices = {
            (role, path): files.correlation(path, role)
            for role, paths in zip(ROLES, (self.backward, self.forward), strict=True)
            for path in paths
        }
        for pair in pairs:
            files.check_states(*pair)
        return {
            " + ".join(path for path in pair if path) or "no correlation": {
                role: matrices[role, path] for role, path in zip(ROLES, pair, strict=True) if path
            }
            for pair in pairs or [("", "")]
        }

    def basis(self, files: Files, adversaries: Mapping[str, Adversary], absent: Mapping[str, str]) -> Basis:
        """Return what an answer about these adversaries rests on.

        Args: adversaries, as `adversaries` returned them; absent, as `Basis` has it.
        """
        return self.basis_of(files, {name: correlations_of(each) for name, each in adversaries.items()}, absent)

    def basis_of(self, files: Files, pairs: Mapping[str, KnownPair], absent: Mapping[str, str]) -> Basis:
        """Return what an answer about adversaries who know these pairs of correlations rests on."""
        several = len(pairs)
        whose = f"{several} users" if self.users is not None else f"{several} candidates, each certain of one"
        known = list(pairs.values())
        made = [files.made[name] for name in pairs if name in files.made]
        return Basis.of(known, chain_of(known), whose, made, absent=absent, **files.told())

    def adversaries(self, files: Files, models: Sequence[Model] = ()) -> dict[str, Adversary]:
        """Build the adversaries, with progress on a terminal. Raises: as `matrices` and `adversaries_of`.

        Args: models; one that asks for the paper's own algorithms decides for all.
        """
        from ..data.adversaries import adversaries_of  # brings numpy, which not all commands need

        matrices = self.known(files)
        with patience("loss functions") as progress:
            return adversaries_of(matrices, is_literal(models), progress)


def correlation_options(condition: str = "", stepwise: bool = True, several: bool = True) -> Any:
    """Declare --backward and --forward, each repeatable, and --users: an attribute `correlations: Correlations`.

    Also --one-sided and --independent, without which nobody is taken to know one correlation alone, or none.
    Args: condition, the beginning of the help of each; stepwise, whether to add --matrices: not to a command that
    refuses a matrix for each step; several, whether candidates, --users and no correlation at all are taken: a
    command that explains why it refuses these does not show them in its help.
    """
    repeatable = "for candidates" if several else "with --matrices"
    users = 'JSON file of users: {"name": {"backward": matrix or path, "forward": …}, …}.'
    independent = "treat values at different times as independent (with --users: those of users without a matrix)."
    options = {
        role: option(
            metavar="MATRIX",
            help=_sentence(
                condition,
                f"a {role} correlation, repeatable {repeatable}; if given alone, its reversal is the other one.",
            ),
        )
        for role in ROLES
    }
    options |= {
        "users": option(metavar="FILE", help=_sentence(condition or "Instead: ", users), hidden=not several),
        "one_sided": one_sided_option(condition if condition.startswith("With") else ""),
        "independent": option(help=_sentence(condition, independent), hidden=not several),
    }
    if stepwise:
        options["kind"] = kind_option()
    return group(
        Correlations,
        tuple(f"{each} excludes --backward and --forward" for each in ("--users", "--independent")),
        **options,
    )


def is_literal(models: Sequence[Model]) -> bool:
    """Return whether the paper's own algorithms are asked for."""
    return any(model.literal for model in models)


def _sentence(condition: str, text: str) -> str:
    return f"{condition}{text}" if condition else f"{text[0].upper()}{text[1:]}"


# What is released


@dataclass(frozen=True, slots=True)
class Releases:
    """The budgets of a stream: one for all steps, or one for each."""

    epsilon: str | None
    steps: int | None
    epsilons: str | None

    def budgets(self, files: Files, usual_epsilon: str | None = None, usual_steps: int | None = None) -> list[Level]:
        """Return the budget of each release. Args: usual values, where nothing is said. Raises: InvalidRequest."""
        epsilon = usual_epsilon if self.epsilon is None and self.epsilons is None else self.epsilon
        if (epsilon is None) == (self.epsilons is None):
            raise InvalidRequest("give either --epsilon and --steps, or --epsilons")
        if self.epsilons is not None:
            if self.steps is not None:
                raise InvalidRequest("--steps belongs to --epsilon")
            budgets = files.levels(self.epsilons)
            if not budgets:
                with named(self.epsilons):
                    raise InvalidRequest("there is no release")
            check_count(len(budgets), MOST_RELEASES, "releases")
            return budgets
        steps = usual_steps if self.steps is None else self.steps
        if steps is None:
            raise InvalidRequest("--epsilon needs --steps")
        if steps < 1:
            raise InvalidRequest(f"--steps is at least 1, not {steps}")
        check_count(steps, MOST_RELEASES, "releases")
        return [Reader().level(epsilon, "--epsilon")] * steps


def release_options(usual_epsilon: str | None = None, usual_steps: int | None = None) -> Any:
    """Declare --epsilon with --steps, and --epsilons: an attribute `releases: Releases`.

    Args: what `Releases.budgets` is given.
    """

    def default(value: object) -> str:
        return "" if value is None else f"  [default: {value}]"

    return group(
        Releases,
        epsilon=option(metavar="LEVEL", help="The budget of every release." + default(usual_epsilon)),
        steps=option(help="Number of releases." + default(usual_steps)),
        epsilons=option(metavar="LEVELS", help="Budgets, one per release, separated by commas, or a file of them."),
    )


def whole_numbers(text: str | None, option: str) -> list[int]:
    """Return the whole numbers from 1 of an option's text, as in 1,5,10. Raises: InvalidRequest."""
    if text is None:
        return []
    numbers = []
    for part in text.split(","):
        word = part.strip()
        if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0):
            raise InvalidRequest(f"{option}: {part!r} is not a whole number from 1, as in 1,5,10")
        numbers.append(int(word))
    return numbers


def neighbours_options(condition: str = "") -> Any:
    """Declare --neighbours, by which budgets are converted as they are read and printed.

    It makes an attribute `neighbours: Neighbours`. Args: condition, the beginning of the help.
    """
    text = (
        "neighbours that ε refers to: one value replaced, or one record added or removed (a replacement then costs 2ε)."
    )
    kind = option(
        "--neighbours",
        type=click.Choice(NEIGHBOUR_KINDS),
        default=REPLACE,
        show_default=True,
        help=_sentence(condition, text),
    )
    return group(Neighbours, kind=kind)


# One option each

reference_option: Any = option(
    "--reference",
    is_flag=True,
    help=f"Use Algorithms 1 to 5 of the paper, corrected: as exact, but slow; for up to {MOST_LITERAL_STATES} states.",
)


model_options: Any = group(
    models,
    name=option(
        "--model", type=click.Choice(NAMES), help="Answer by one model: the exact worst case, or the paper's bound."
    ),
    literal=reference_option,
)
"""--model and --reference: an attribute `models: Sequence[Model]`, both unless one is asked for."""


def picture_option(name: str, **settings: Any) -> Any:
    """Declare an option that needs matplotlib."""
    return option(name, callback=option_needs("plot", "matplotlib"), **settings)


plot_option = picture_option("--plot", metavar="FILE.png", help="Also draw a picture.")
html_option = picture_option("--html", metavar="FILE", help="Also write the report as one HTML page with pictures.")
