"""`python -m vectors.generators`: the vector files checked, written anew and linted, by those who maintain them."""

from __future__ import annotations

from pathlib import Path

import click

from tploracle.cli.shell import Shell
from tploracle.output.progress import patience
from tploracle.output.writing import write_text
from tploracle.reference import InvalidRequest

from . import catalogue, lint_cases

FOUND = 1
"""Exit status where files are not what is generated, a case is not what it is there for, or something else is wrong."""

OWN_FOLDER = Path(__file__).resolve().parents[1]

folder_argument = click.argument("folder", metavar="[DIR]", default=OWN_FOLDER, type=click.Path(path_type=Path))


@click.group(cls=Shell)
def main() -> None:
    """Make the vector files of a folder, vectors/ unless another is named: the same bytes on every machine."""


@main.command()
@folder_argument
def check(*, folder: Path) -> None:
    """Make all vectors and write nothing: name each file that is not what is generated."""
    differing = _differing(folder)
    for name in differing:
        click.echo(f"{folder / name}: not what is generated")
    if differing:
        raise click.exceptions.Exit(FOUND)


@main.command()
@folder_argument
def generate(*, folder: Path) -> None:
    """Make all vectors and write the files that differ.

    Each case's edge is asserted, and each answer is recomputed independently; exit status 1, and nothing written, where
    an edge is not there or a recomputation differs.
    """
    for name, text in _differing(folder).items():
        write_text(str(folder / name), text, "file")
        click.echo(f"{folder / name}: written")


@main.command("lint")
@folder_argument
def lint_command(*, folder: Path) -> None:
    """Check vector files: all that `tploracle vectors lint` does, and flags, citations, doubles and enclosures.

    A line for each fault; exit status 1 if there are any.
    """
    with patience("lint") as progress:
        found = lint_cases.lint(folder, progress)
    for line in found:
        click.echo(line)
    if found:
        raise click.exceptions.Exit(FOUND)


def _differing(folder: Path) -> dict[str, str]:
    """Make all vector files. Returns: the texts, by name, of those that the folder has otherwise or not at all."""
    try:
        with patience("vectors") as progress:
            texts = catalogue.generated(progress)
    except catalogue.GENERATOR_ERRORS as error:
        click.echo(f"{type(error).__name__}: {error}", err=True)
        raise click.exceptions.Exit(FOUND) from None
    return {name: text for name, text in texts.items() if not _is(folder / name, text)}


def _is(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode("utf-8")
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InvalidRequest(f"{path}: it cannot be read: {error.strerror or error}") from None


if __name__ == "__main__":
    main(prog_name="python -m vectors.generators")
