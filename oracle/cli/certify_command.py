"""`tploracle certify`: a certificate of an exact answer, that the checker accepts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import click

from ..certificates.all_times import tight_upper_at_all_times
from ..certificates.checker import NotDecided, Rejected, check
from ..certificates.divergence import tight_divergent_certificate
from ..certificates.for_ever import tight_forever_certificate
from ..certificates.mixtures import mixture_lower_certificate, mixture_upper_certificate
from ..certificates.parts import Document
from ..certificates.profile import AskedProfile, profile_lower_certificate, profile_upper_certificate
from ..certificates.recursion import (
    leakage_certificate,
    lfp_optimum_certificate,
    loss_certificate,
    loss_function_certificate,
)
from ..certificates.supremum import bounded_below_certificate, bounded_certificate, divergent_certificate
from ..certificates.worst_case import tight_lower_certificate, tight_upper_certificate
from ..contract.limits import check_leakage, check_tight
from ..contract.tight_operations import profile_admit, profile_limits
from ..data.adversaries import adversaries_of, losses_of
from ..data.files import ROLES, Files
from ..models.basis import Basis
from ..models.chain import chain_of, stationary_reversal
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.writing import write_text
from ..reference import Adversary, ApproximateBudget, InvalidRequest, Level, TransitionMatrix
from ..reference.paper.own_steps import NOT_ONE_STEP
from ..reference.stepwise import KnownCorrelation, matrices_in
from ..wire.numerals import Reader
from ..wire.strict_json import Object, encode
from .options import (
    CANDIDATES,
    MatrixFile,
    Releases,
    files_option,
    kind_option,
    matrix_options,
    neighbours_options,
    release_options,
    told_by,
    whole_numbers,
)
from .patient import patient_loss_function
from .priors import PRIOR, Prior

GivenOptions = Mapping[str, object]
"""The options that are given, by name."""

NEEDED = {
    "lfp-optimum": ("alpha", "rows"),
    "loss": ("alpha",),
    "loss-function": (),
    "bounded": ("epsilon",),
    "bounded-below": ("epsilon",),
    "divergent": ("epsilon",),
    "tight-divergent": ("epsilon",),
    "profile-upper": ("epsilon", "steps", "delta"),
    "profile-lower": ("epsilon", "steps", "delta"),
}
"""The kinds of certificates about one matrix, and the options that each needs."""

PROFILE = {"profile-upper": profile_upper_certificate, "profile-lower": profile_lower_certificate}
"""Those of them that may also have --delta-per-release."""

SUPREMUM = {
    "bounded": bounded_certificate,
    "bounded-below": bounded_below_certificate,
    "divergent": divergent_certificate,
}

BY_ROLE = {
    "leakage": ((), ("epsilon", "steps", "epsilons")),
    "tight-upper": ((), ("at", "epsilon", "steps", "epsilons")),
    "tight-lower": (("at",), ("epsilon", "steps", "epsilons")),
    "tight-forever": (("epsilon",), ()),
}
"""The kinds that take --backward and --forward, and the other options that each needs and may have."""

MIXTURE = {"mixture-upper": mixture_upper_certificate, "mixture-lower": mixture_lower_certificate}
"""The kinds that take --candidate and --prior."""


@click.command("certify")
@click.argument("kind", type=click.Choice([*NEEDED, *BY_ROLE, *MIXTURE]))
@matrix_options(required=False)
@click.option("--alpha", metavar="LEVEL", help="lfp-optimum, loss: the level.")
@click.option("--rows", metavar="Q,D", help="lfp-optimum: the two rows, counted from 1.")
@click.option("--backward", multiple=True, metavar="MATRIX", help="leakage, tight: the backward correlation.")
@click.option("--forward", multiple=True, metavar="MATRIX", help="leakage, tight: the forward correlation.")
@kind_option()
@click.option(
    "--candidate",
    multiple=True,
    metavar="MATRIX",
    help="mixture: the forward matrix of one candidate, a stationary chain; repeatable.",
)
@click.option("--prior", metavar=PRIOR, help="mixture: the probabilities of the candidates, in order.")
@click.option("--delta", metavar="PROBABILITY", help="profile: δ for which α is bounded.")
@click.option("--delta-per-release", metavar="PROBABILITY", help="profile: δ of every release.  [default: 0]")
@click.option("--at", metavar="T", help="tight-upper, tight-lower, mixture: the time, counted from 1.")
@release_options()
@click.option("--digits", type=int, default=17, show_default=True, help="Digits of each printed interval.")
@neighbours_options()
@click.option("--json", "as_json", is_flag=True, help="Write JSON, one line per answer.")
@click.option("--out", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
@files_option
def certify_command(
    *,
    kind: str,
    matrix: MatrixFile | None,
    digits: int,
    neighbours: Neighbours,
    as_json: bool,
    out: str | None,
    releases: Releases,
    files: Files,
    candidate: tuple[str, ...],
    kind_of_files: str,
    **options: str | tuple[str, ...] | None,
) -> None:
    """Write a certificate of an exact answer: a JSON document that `check` accepts.

    MATRIX is a file in CSV or JSON, or -. Kinds lfp-optimum, loss and loss-function are about L(α): of two rows, of
    the matrix, and as a function of α. Kinds leakage, tight-upper, tight-lower and tight-forever take --backward and
    --forward instead; all but tight-forever accept a matrix for each step. Kinds bounded, bounded-below and divergent
    are about the supremum of BPL (of a backward MATRIX) or FPL (of a forward one) over time with the budget --epsilon
    at every time.

    The tight kinds are about the exact worst case. tight-upper and tight-lower bound its TPL at one time, --at, from
    above and from below; without --at tight-upper is about all times, and tight-forever about an infinite horizon with
    the budget --epsilon at every time. tight-divergent states that BPL or FPL of MATRIX is then unbounded. Matrices are
    taken as given: if there is only one, the adversary knows no other. --json adds the assumptions of the answer.

    mixture-upper and mixture-lower bound TPL at one time for an adversary who does not know which --candidate holds but
    has a --prior: from above by the mixture rule, from below by a mechanism.

    profile-upper and profile-lower bound the least α for which --steps releases, each of (--epsilon,
    --delta-per-release), keep the last value (for a forward MATRIX: the first) (α, --delta)-protected.
    """
    every = {**options, **asdict(releases)}.items()
    given = {name.replace("_", "-"): value for name, value in every if value not in (None, ())}
    if candidate:
        given["candidate"] = candidate
    asked = _Asked(kind, files, given, releases, neighbours, digits, kind_of_files)
    if kind in BY_ROLE:
        needed, optional = BY_ROLE[kind]
        _check_options(kind, given, needed, (*ROLES, *optional))
        if matrix is not None:
            raise InvalidRequest(f"certify {kind} takes its matrices by --backward and --forward")
        known = asked.known()
        pair = known.get("backward"), known.get("forward")
        document = {"leakage": _leakage, "tight-forever": _tight_forever}.get(kind, _tight)(asked, known)
        basis = Basis.of([pair], chain_of([pair]), "", files.made.values(), **told_by(files))
    elif kind in MIXTURE:
        _check_options(kind, given, ("candidate", "prior", "at"), ("epsilon", "steps", "epsilons"))
        if matrix is not None:
            raise InvalidRequest(f"certify {kind} takes its matrices by --candidate")
        prior = asked.prior(candidate)
        document = _mixture(asked, prior)
        basis = prior.basis(Basis.of(prior.chains, chain_of(prior.chains), "", **told_by(files)))
    else:
        _check_options(kind, given, NEEDED[kind], ("delta-per-release",) if kind in PROFILE else ())
        if matrix is None:
            raise InvalidRequest(f"certify {kind} needs the file of a matrix")
        document = _of_matrix(asked, matrix.read(files))
        basis = matrix.basis(files, {})
    text = json.dumps(document, ensure_ascii=True, indent=1) + "\n"
    try:
        check(text)
    except (Rejected, NotDecided) as error:
        raise InvalidRequest(f"there is no certificate that the checker accepts: {error}") from None
    if out is not None:
        write_text(out, text, "certificate")
    if as_json:
        where: Object = {"certificate": document} if out is None else {"file": out}
        click.echo(encode({"kind": kind, **where, "basis": neighbours.basis(basis).value()}))
    elif out is None:
        click.echo(text, nl=False)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a certificate is asked of: its kind, the options that are given by name, and how they are read."""

    kind: str
    files: Files
    given: GivenOptions
    releases: Releases
    neighbours: Neighbours
    digits: int
    kind_of_files: str

    def epsilon(self) -> Level:
        """Return the budget at every time, under replacement."""
        return self.neighbours.read([Reader().level(self.given["epsilon"], "--epsilon")])[0]

    def budgets(self) -> list[Level]:
        """Return the budget of each release, under replacement."""
        return self.neighbours.read(self.releases.budgets(self.files))

    def known(self) -> dict[str, KnownCorrelation]:
        """Return the correlations by role. Raises: InvalidRequest for candidates."""
        found = {}
        for role in ROLES:
            paths: Any = self.given.get(role, ())
            if len(paths) > 1 and self.kind_of_files == CANDIDATES:
                raise InvalidRequest(f"certify is about one adversary, not candidates: one file of the {role} matrix")
            if self.kind_of_files != CANDIDATES and paths:
                found[role] = self.files.several(paths, role, self.kind_of_files)
            elif paths:
                found[role] = self.files.correlation(paths[0], role)
        return found

    def times(self, releases: int) -> list[int]:
        """Return the time in question, nothing where there is none."""
        given = self.given
        times = whole_numbers(str(given["at"]), "--at") if "at" in given else []
        if "at" in given and (len(times) != 1 or times[0] > releases):
            raise InvalidRequest(f"--at: {given['at']} is not one of the times 1 to {releases}")
        return times

    def prior(self, candidates: tuple[str, ...]) -> Prior:
        """Return the stationary chains with these forward matrices, and the probabilities of them."""
        matrices = {f"candidate {place}": self.files.matrix(own, "forward") for place, own in enumerate(candidates, 1)}
        known = {name: Adversary.knowing(stationary_reversal(own), own) for name, own in matrices.items()}
        return Prior.of(str(self.given["prior"]), known)


def _check_options(kind: str, given: GivenOptions, needed: tuple[str, ...], optional: tuple[str, ...]) -> None:
    for name in needed:
        if name not in given:
            raise InvalidRequest(f"certify {kind} needs --{name}")
    for name in given:
        if name not in needed and name not in optional:
            raise InvalidRequest(f"certify {kind} has no option --{name}")


def _of_matrix(asked: _Asked, matrix: TransitionMatrix) -> Document:
    kind, given, digits = asked.kind, asked.given, asked.digits
    if kind == "lfp-optimum":
        row_q, row_d = _rows(str(given["rows"]), matrix.n)
        return lfp_optimum_certificate(matrix, row_q, row_d, Reader().level(given["alpha"], "--alpha"), digits)
    if kind == "loss-function":
        return loss_function_certificate(patient_loss_function(matrix))
    if "epsilon" in NEEDED[kind]:
        if kind in PROFILE:
            return _profile(asked, matrix)
        epsilon = asked.epsilon()
        if kind == "tight-divergent":
            return tight_divergent_certificate(matrix, epsilon, digits)
        loss = patient_loss_function(matrix)
        check_leakage([epsilon], [loss], digits)
        return SUPREMUM[kind](loss, epsilon, digits)
    alpha = Reader().level(given["alpha"], "--alpha")
    loss = patient_loss_function(matrix)
    return loss_certificate(matrix, alpha, loss.piece_at(alpha).witness, loss(alpha), digits)


def _profile(asked: _Asked, matrix: TransitionMatrix) -> Document:
    read, given = Reader(), asked.given
    delta, own = (read.number(given.get(name, "0"), f"--{name}") for name in ("delta", "delta-per-release"))
    count = len(asked.releases.budgets(asked.files))
    epsilon = read.level(given["epsilon"], "--epsilon")
    profile_admit(epsilon, count, delta, own)
    budget = asked.neighbours.replaced(ApproximateBudget(epsilon, own))
    assert isinstance(budget, ApproximateBudget), "of one kind comes the same"
    profile_limits(asked.digits, budget.epsilon, count, matrix)
    with patience("profile"):
        return PROFILE[asked.kind](AskedProfile(matrix, budget.epsilon, count, delta, budget.delta), asked.digits)


def _rows(text: str, n: int) -> tuple[int, int]:
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 10]
    if len(numbers) != 2 or text.count(",") != 1 or not all(1 <= number <= n for number in numbers):
        raise InvalidRequest(f"--rows: {text!r} is not two of the rows 1 to {n}, as in 1,2")
    return numbers[0] - 1, numbers[1] - 1


def _tight(asked: _Asked, known: Mapping[str, KnownCorrelation]) -> Document:
    budgets, digits = asked.budgets(), asked.digits
    times = asked.times(len(budgets))
    check_tight(len(budgets), max((matrix.n for own in known.values() for matrix in matrices_in(own)), default=1))
    stream = known.get("backward"), known.get("forward")
    with patience("worst mechanisms"):
        if not times:
            return tight_upper_at_all_times(budgets, *stream, digits)
        make = tight_upper_certificate if asked.kind == "tight-upper" else tight_lower_certificate
        return make(budgets, times[0], *stream, digits)


def _mixture(asked: _Asked, prior: Prior) -> Document:
    budgets = asked.budgets()
    (time,) = asked.times(len(budgets))
    prior.check_work(len(budgets))
    with patience("worst mechanisms"):
        return MIXTURE[asked.kind](budgets, time, prior.chains, prior.probabilities, asked.digits)


def _tight_forever(asked: _Asked, known: Mapping[str, KnownCorrelation]) -> Document:
    epsilon = asked.epsilon()
    one: dict[str, TransitionMatrix] = {}
    for role, matrix in known.items():
        if not isinstance(matrix, TransitionMatrix):
            raise InvalidRequest(NOT_ONE_STEP)
        one[role] = matrix
    check_tight(1, max((matrix.n for matrix in one.values()), default=1))
    with patience("worst mechanisms, infinite horizon"):
        return tight_forever_certificate(epsilon, one.get("backward"), one.get("forward"), asked.digits)


def _leakage(asked: _Asked, known: Mapping[str, KnownCorrelation]) -> Document:
    budgets = asked.budgets()
    with patience("loss functions") as progress:
        adversaries = adversaries_of({"adversary": known}, progress=progress)
    check_leakage(budgets, losses_of(adversaries), asked.digits)
    return leakage_certificate(budgets, adversaries["adversary"], asked.digits)
