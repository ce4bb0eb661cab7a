"""`tploracle vectors`: the test vectors linted, listed, shown and exported."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import click

from .. import __version__
from ..conformance.ask.cases import FLAGS_FILE, VECTOR_FILES, case_of, data_folder, documents
from ..conformance.explain.groups import flag_notes
from ..conformance.model import TIERS, WIRE
from ..contract.extras import need
from ..contract.operations import OPERATIONS
from ..output.progress import patience
from ..output.writing import write_bytes
from ..reference import InvalidRequest
from ..wire.strict_json import Object, encode
from .declared import Command, argument, command, option

PAGES = ("README.md", "CHANGELOG.md", "vectors.schema.json", "flags.schema.json")
"""What is exported beside the vectors and their flags."""

SUMS = "SHA256SUMS"
"""The name of the file with the hashes of the others, as `sha256sum -c` reads it."""

ZIPPED = {"compress_type": zipfile.ZIP_DEFLATED, "create_system": 3, "external_attr": 0o644 << 16}
"""What a member of a zip has on every machine: compressed, from a Unix, readable to all."""

FOUND = 1
"""Exit status where something is wrong with the files."""


@click.group("vectors")
def vectors_command() -> None:
    """List, show and check the test vectors: questions with exact answers, for implementations in any language."""


class LintCommand(Command):
    """Check vector files: schemas, ids, hashes, and that each certificate holds and proves the expected answer.

    A line for each fault; exit status 1 if there are any. DIR instead of the package's own data.
    """

    folder: Path | None = argument(metavar="[DIR]", required=False, type=click.Path(path_type=Path))

    def _run(self) -> None:
        need("vectors lint", "proofs", "jsonschema")
        from ..conformance.lint import lint

        with patience("lint") as progress:
            found = lint(self.folder or data_folder(), progress)
        for line in found:
            click.echo(line)
        if found:
            raise click.exceptions.Exit(FOUND)


class ListCommand(Command):
    """List the cases, one a line: id, expected error if any, title."""

    words: tuple[str, ...] = option("-k", metavar="TEXT", help="List only cases with TEXT in id or title.")
    op: str | None = option(metavar="OP", help="List only cases of this operation, or wire: requests without one.")
    flag: str | None = option(metavar="FLAG", help="List only cases with this flag.")
    tier: str | None = option(type=click.Choice(TIERS), help="List only cases that this tier adds to the one before.")
    as_json: bool = option("--json", help="Write each case as a line of JSON.")

    def _run(self) -> None:
        _check_filters(self.op, self.flag)
        found = [
            case
            for file, case in _cases()
            if self.op in (None, file) and _admitted(case, self.words, self.flag, self.tier)
        ]
        if self.as_json:
            for case in found:
                click.echo(encode(case))
            return
        width = max((len(str(case["id"])) for case in found), default=0)
        for case in found:
            error = cast(Object, case["expected"]).get("error")
            click.echo(f"{case['id']!s:{width}}  {case['title']}" + (f" [{error}]" if error else ""))
        click.echo(f"{len(found)} cases", err=True)


def _check_filters(op: str | None, flag: str | None) -> None:
    if op is not None and op not in (*OPERATIONS, WIRE):
        raise InvalidRequest(f"--op is one of {', '.join(OPERATIONS)}, {WIRE}, not {op!r}")
    if flag is not None and flag not in flag_notes():
        raise InvalidRequest(f"--flag: there is no flag {flag!r}; there are {', '.join(flag_notes())}")


def _cases() -> Iterator[tuple[str, Object]]:
    """Yield each case with the operation that its file is named after, or "wire"."""
    for name, document in documents(data_folder()):
        for case in cast(list[Object], document["cases"]):
            yield name.removesuffix(".json"), {"op": document["op"], **case}


def _admitted(case: Object, words: Iterable[str], flag: str | None, tier: str | None) -> bool:
    text = f"{case['id']} {case['title']}".casefold()
    return (
        all(word.casefold() in text for word in words)
        and (flag is None or flag in cast(list[str], case["flags"]))
        and (tier is None or case["tier"] == tier)
    )


class ShowCommand(Command):
    """Show one case in full: what is asked and why, what is expected, and the line to send to an implementation."""

    name: str = argument(metavar="ID")
    as_json: bool = option("--json", help="Write the case as it is in its file.")

    def _run(self) -> None:
        case = next((case for _, case in _cases() if case["id"] == self.name), None)
        if case is None:
            raise InvalidRequest(f"there is no case {self.name!r}; `tploracle vectors list` lists them")
        if self.as_json:
            click.echo(json.dumps(case, ensure_ascii=False, indent=1))
        else:
            click.echo("\n".join(_told(case)))


class ExportCommand(Command):
    """Write the vectors, their schemas, pages and hashes as an archive, FILE.tar.gz or FILE.zip: always the same bytes.

    They are in a folder tploracle-vectors-VERSION; what was in FILE before stays until the archive is whole.
    """

    file: str = argument(metavar="FILE")

    def _run(self) -> None:
        folder = f"tploracle-vectors-{__version__}"
        contents = {name: data_folder().joinpath(name).read_bytes() for name in (*VECTOR_FILES, FLAGS_FILE, *PAGES)}
        sums = "".join(f"{hashlib.sha256(contents[name]).hexdigest()}  {name}\n" for name in sorted(contents))
        contents[SUMS] = sums.encode("ascii")
        members = {f"{folder}/{name}": contents[name] for name in sorted(contents)}
        if self.file.endswith(".zip"):
            archive = _zipped(members)
        elif self.file.endswith((".tar.gz", ".tgz")):
            archive = _tarred(members)
        else:
            raise InvalidRequest(f"{self.file}: an archive is a .tar.gz or a .zip")
        write_bytes(self.file, archive, "archive")
        click.echo(f"{self.file}: {folder}, {len(members)} files", err=True)


def _tarred(members: dict[str, bytes]) -> bytes:
    """Return a compressed tar of these files, without times, owners and anything else of this machine."""
    plain, packed = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=0) as stream:
        stream.write(plain.getvalue())
    return packed.getvalue()


def _zipped(members: dict[str, bytes]) -> bytes:
    """Return a zip of these files; as `_tarred`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name)
            for attribute, value in ZIPPED.items():
                setattr(member, attribute, value)
            archive.writestr(member, content)
    return packed.getvalue()


def _told(case: Object) -> list[str]:
    lines = [f"{case['id']}: {case['title']}", "", f"cites     {'; '.join(cast(list[str], case['cites']))}"]
    if case["errata"]:
        lines.append(
            f"errata    {', '.join(cast(list[str], case['errata']))}: `tploracle verify --claim NUMBER` shows each"
        )
    lines += [f"tier      {case['tier']}", f"numbers   {case['numbers']}", "", "Why"]
    lines += [f"  {sentence}: checked" for sentence in cast(list[str], case["why"])]
    for flag in cast(list[str], case["flags"]):
        note = flag_notes().get(flag)
        lines += [f"  {flag}: {note.bug}", f"    Effect: {note.effect}"] if note else [f"  {flag}"]
    lines += [
        "",
        "Input",
        *_indented(cast(Object, case["input"])),
        "",
        "Expected",
        *_expected(cast(Object, case["expected"])),
    ]
    lines += ["", "Certificates", *_certificates(cast(list[Object], case.get("certificates", [])))]
    return [*lines, "", "The request", encode(case_of(case).request(1))]


def _indented(given: Object) -> list[str]:
    lines = []
    for key, value in given.items():
        rows = isinstance(value, list) and any(isinstance(row, list) for row in value)
        if rows:
            lines += [f"  {key}", *(f"    {_shown(row)}" for row in cast(list[object], value))]
        else:
            lines.append(f"  {key}  {_shown(value)}")
    return lines or ["  nothing"]


def _shown(value: object) -> str:
    return "  ".join(map(str, value)) if isinstance(value, list) else str(value)


def _expected(expected: Object) -> list[str]:
    if "error" in expected:
        return [f"  the error {expected['error']}"]
    return list(_value_lines(expected["value"], ""))


def _value_lines(value: object, place: str) -> list[str]:
    if isinstance(value, dict) and "lower" in value:
        exact = f"  = {value['exact']}" if value["exact"] is not None else ""
        doubles = f"; as a double {value['safe']} to {value['limit']}" if "safe" in value else ""
        return [f"  {place or 'level'}  [{value['lower']}, {value['upper']}]{exact}{doubles}"]
    if isinstance(value, dict):
        if all(isinstance(item, str) for item in value.values()):
            return [f"  {place}  " + ", ".join(f"{key} {item}" for key, item in value.items())]
        return [line for key, item in value.items() for line in _value_lines(item, f"{place} {key}".strip())]
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        return [line for number, item in enumerate(value, 1) for line in _value_lines(item, f"{place} {number}")]
    return [f"  {place}  {_shown(value)}"]


def _certificates(certificates: list[Object]) -> list[str]:
    from ..certificates.checker import NotDecided, Rejected, check

    lines = []
    for certificate in certificates:
        try:
            lines.append(f"  {check(json.dumps(certificate))}: accepted by the checker")
        except (Rejected, NotDecided) as error:
            lines.append(f"  {certificate.get('certificate')}: REJECTED, {error}")
    return lines or ["  none"]


for _name, _kind in {"lint": LintCommand, "list": ListCommand, "show": ShowCommand, "export": ExportCommand}.items():
    vectors_command.add_command(command(_name, _kind))
