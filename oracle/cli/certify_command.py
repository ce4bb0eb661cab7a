"""`tploracle certify`: a certificate of an exact answer, that the checker accepts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

import click

from ..certificates.all_times import worst_case_upper_at_all_times
from ..certificates.checker import NotDecided, Rejected, check
from ..certificates.divergence import worst_case_divergent_certificate
from ..certificates.for_ever import worst_case_forever_certificate
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
from ..certificates.worst_case import worst_case_lower_certificate, worst_case_upper_certificate
from ..contract.limits import check_leakage, check_worst_case
from ..contract.worst_case_operations import profile_admit, profile_limits
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
from .declared import Command, argument, option
from .options import (
    CANDIDATES,
    MatrixFile,
    Releases,
    kind_option,
    matrix_options,
    neighbours_options,
    reading_options,
    release_options,
    whole_numbers,
)
from .patient import patient_loss_function
from .priors import PRIOR, prior_of

OPTIONS = {
    "lfp-optimum": ("matrix alpha rows", ""),
    "loss": ("matrix alpha", ""),
    "loss-function": ("matrix", ""),
    **dict.fromkeys(("bounded", "bounded-below", "divergent", "worst-case-divergent"), ("matrix epsilon", "")),
    **dict.fromkeys(("profile-upper", "profile-lower"), ("matrix epsilon steps delta", "delta-per-release")),
    "leakage": ("", "backward forward epsilon steps epsilons"),
    "worst-case-upper": ("", "backward forward at epsilon steps epsilons"),
    "worst-case-lower": ("at", "backward forward epsilon steps epsilons"),
    "worst-case-forever": ("epsilon", "backward forward"),
    **dict.fromkeys(("mixture-upper", "mixture-lower"), ("candidate prior at", "epsilon steps epsilons")),
}
"""The kinds of certificates, and the options that each needs and may have."""

SUPREMUM = {
    "bounded": bounded_certificate,
    "bounded-below": bounded_below_certificate,
    "divergent": divergent_certificate,
}


class CertifyCommand(Command):
    """Write a certificate of an exact answer: a JSON document that `check` accepts.

    MATRIX is a file in CSV or JSON, or -. Kinds lfp-optimum, loss and loss-function are about L(α): of two rows, of
    the matrix, and as a function of α. Kinds leakage, worst-case-upper, worst-case-lower and worst-case-forever take
    --backward and
    --forward instead; all but worst-case-forever accept a matrix for each step. Kinds bounded, bounded-below and
    divergent are about the supremum of BPL (of a backward MATRIX) or FPL (of a forward one) over time with the budget
    --epsilon at every time.

    The worst-case kinds are about the exact worst case. worst-case-upper and worst-case-lower bound its TPL at one
    time, --at, from above and from below; without --at worst-case-upper is about all times, and worst-case-forever
    about an infinite horizon with the budget --epsilon at every time. worst-case-divergent states that BPL or FPL of
    MATRIX is then unbounded. Matrices are taken as given: if there is only one, the adversary knows no other. --json
    adds the assumptions of the answer.

    mixture-upper and mixture-lower bound TPL at one time for an adversary who does not know which --candidate holds but
    has a --prior: from above by the mixture rule, from below by a mechanism.

    profile-upper and profile-lower bound the least α for which --steps releases, each of (--epsilon,
    --delta-per-release), keep the last value (for a forward MATRIX: the first) (α, --delta)-protected.
    """

    kind: str = argument(type=click.Choice(list(OPTIONS)))
    matrix: MatrixFile | None = matrix_options(required=False)
    alpha: str | None = option(metavar="LEVEL", help="lfp-optimum, loss: the level.")
    rows: str | None = option(metavar="Q,D", help="lfp-optimum: the two rows, counted from 1.")
    backward: tuple[str, ...] = option(metavar="MATRIX", help="leakage, worst-case: the backward correlation.")
    forward: tuple[str, ...] = option(metavar="MATRIX", help="leakage, worst-case: the forward correlation.")
    kind_of_files: str = kind_option()
    candidate: tuple[str, ...] = option(
        metavar="MATRIX", help="mixture: the forward matrix of one candidate, a stationary chain; repeatable."
    )
    prior: str | None = option(metavar=PRIOR, help="mixture: the probabilities of the candidates, in order.")
    delta: str | None = option(metavar="PROBABILITY", help="profile: δ for which α is bounded.")
    delta_per_release: str | None = option(metavar="PROBABILITY", help="profile: δ of every release.  [default: 0]")
    at: str | None = option(metavar="T", help="worst-case-upper, worst-case-lower, mixture: the time, counted from 1.")
    releases: Releases = release_options()
    digits: int = option(default=17, show_default=True, help="Digits of each printed interval.")
    neighbours: Neighbours = neighbours_options()
    as_json: bool = option("--json", help="Write JSON, one line per answer.")
    out: str | None = option("--out", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
    files: Files = reading_options

    def _run(self) -> None:
        self._check_options()
        if self.matrix is not None:
            document = self._of_matrix(self.matrix.read(self.files))
            basis = self.matrix.basis(self.files, {})
        elif self.candidate:
            document, basis = self._mixture()
        else:
            known = self._known()
            pair = known.get(ROLES[0]), known.get(ROLES[1])
            make = {"leakage": self._leakage, "worst-case-forever": self._worst_case_forever}.get(
                self.kind, self._worst_case
            )
            document = make(known)
            basis = Basis.of([pair], chain_of([pair]), "", self.files.made.values(), **self.files.told())
        text = json.dumps(document, ensure_ascii=True, indent=1) + "\n"
        try:
            check(text)
        except (Rejected, NotDecided) as error:
            raise InvalidRequest(f"there is no certificate that the checker accepts: {error}") from None
        if self.out is not None:
            write_text(self.out, text, "certificate")
        if self.as_json:
            where: Object = {"certificate": document} if self.out is None else {"file": self.out}
            click.echo(encode({"kind": self.kind, **where, "basis": self.neighbours.basis(basis).value()}))
        elif self.out is None:
            click.echo(text, nl=False)

    def _check_options(self) -> None:
        """Raise InvalidRequest for an option that this kind of certificate lacks or does not have."""
        needed, optional = (names.split() for names in OPTIONS[self.kind])
        every = {name for both in OPTIONS.values() for names in both for name in names.split()}
        values = {**asdict(self.releases), **vars(self)}
        given = {name for name in every if values[name.replace("-", "_")] not in (None, ())}
        shown = {name: "MATRIX" if name == "matrix" else f"--{name}" for name in every}
        for name in needed:
            if name not in given:
                raise InvalidRequest(f"certify {self.kind} needs {shown[name]}")
        for name in sorted(given.difference(needed, optional)):
            taken = ", ".join(shown[other] for other in (*needed, *optional))
            raise InvalidRequest(f"certify {self.kind} takes {taken}, not {shown[name]}")

    def _level(self, name: str) -> Level:
        """Return the level of an option that this kind of certificate needs."""
        return Reader().level({**asdict(self.releases), **vars(self)}[name], f"--{name}")

    def _epsilon(self) -> Level:
        """Return the budget at every time, under replacement."""
        return self.neighbours.read([self._level("epsilon")])[0]

    def _budgets(self) -> list[Level]:
        """Return the budget of each release, under replacement."""
        return self.neighbours.read(self.releases.budgets(self.files))

    def _known(self) -> dict[str, KnownCorrelation]:
        """Return the correlations by role. Raises: InvalidRequest for candidates."""
        found = {}
        for role, paths in zip(ROLES, (self.backward, self.forward), strict=True):
            if self.kind_of_files != CANDIDATES and paths:
                found[role] = self.files.several(paths, role, self.kind_of_files)
            elif len(paths) > 1:
                raise InvalidRequest(f"certify is about one adversary, not candidates: one file of the {role} matrix")
            elif paths:
                found[role] = self.files.correlation(paths[0], role)
        return found

    def _times(self, releases: int) -> list[int]:
        """Return the time in question, if there is one."""
        times = whole_numbers(self.at, "--at")
        if self.at is not None and (len(times) != 1 or times[0] > releases):
            raise InvalidRequest(f"--at: {self.at} is not one of the times 1 to {releases}")
        return times

    def _of_matrix(self, matrix: TransitionMatrix) -> Document:
        if self.kind.startswith("profile"):
            return self._profile(matrix)
        if self.kind == "lfp-optimum":
            row_q, row_d = _rows(str(self.rows), matrix.n)
            return lfp_optimum_certificate(matrix, row_q, row_d, self._level("alpha"), self.digits)
        if self.kind == "worst-case-divergent":
            return worst_case_divergent_certificate(matrix, self._epsilon(), self.digits)
        level = self._epsilon() if self.kind in SUPREMUM else self._level("alpha") if self.kind == "loss" else None
        loss = patient_loss_function(matrix)
        if level is None:
            return loss_function_certificate(loss)
        if self.kind == "loss":
            return loss_certificate(matrix, level, loss.piece_at(level).witness, loss(level), self.digits)
        check_leakage([level], [loss], self.digits)
        return SUPREMUM[self.kind](loss, level, self.digits)

    def _profile(self, matrix: TransitionMatrix) -> Document:
        delta = Reader().number(self.delta, "--delta")
        own = Reader().number(self.delta_per_release or "0", "--delta-per-release")
        count, epsilon = len(self.releases.budgets(self.files)), self._level("epsilon")
        profile_admit(epsilon, count, delta, own)
        budget = self.neighbours.replaced(ApproximateBudget(epsilon, own))
        assert isinstance(budget, ApproximateBudget), "of one kind comes the same"
        profile_limits(self.digits, budget.epsilon, count, matrix)
        make = profile_upper_certificate if self.kind == "profile-upper" else profile_lower_certificate
        with patience("profile"):
            return make(AskedProfile(matrix, budget.epsilon, count, delta, budget.delta), self.digits)

    def _worst_case(self, known: Mapping[str, KnownCorrelation]) -> Document:
        budgets = self._budgets()
        times = self._times(len(budgets))
        check_worst_case(
            len(budgets), max((matrix.n for own in known.values() for matrix in matrices_in(own)), default=1)
        )
        stream = known.get(ROLES[0]), known.get(ROLES[1])
        with patience("worst mechanisms"):
            if not times:
                return worst_case_upper_at_all_times(budgets, *stream, self.digits)
            make = worst_case_upper_certificate if self.kind == "worst-case-upper" else worst_case_lower_certificate
            return make(budgets, times[0], *stream, self.digits)

    def _mixture(self) -> tuple[Document, Basis]:
        matrices = {
            f"candidate {place}": self.files.matrix(own, "forward") for place, own in enumerate(self.candidate, 1)
        }
        known = {name: Adversary.knowing(stationary_reversal(own), own) for name, own in matrices.items()}
        prior = prior_of(str(self.prior), known)
        budgets = self._budgets()
        (time,) = self._times(len(budgets))
        prior.check_work(len(budgets))
        make = mixture_upper_certificate if self.kind == "mixture-upper" else mixture_lower_certificate
        with patience("worst mechanisms"):
            document = make(budgets, time, prior.chains, prior.probabilities, self.digits)
        return document, prior.basis(Basis.of(prior.chains, chain_of(prior.chains), "", **self.files.told()))

    def _worst_case_forever(self, known: Mapping[str, KnownCorrelation]) -> Document:
        one: dict[str, TransitionMatrix] = {}
        for role, matrix in known.items():
            if not isinstance(matrix, TransitionMatrix):
                raise InvalidRequest(NOT_ONE_STEP)
            one[role] = matrix
        check_worst_case(1, max((matrix.n for matrix in one.values()), default=1))
        with patience("worst mechanisms, infinite horizon"):
            return worst_case_forever_certificate(self._epsilon(), one.get(ROLES[0]), one.get(ROLES[1]), self.digits)

    def _leakage(self, known: Mapping[str, KnownCorrelation]) -> Document:
        budgets = self._budgets()
        with patience("loss functions") as progress:
            adversaries = adversaries_of({"adversary": known}, progress=progress)
        check_leakage(budgets, losses_of(adversaries), self.digits)
        return leakage_certificate(budgets, adversaries["adversary"], self.digits)


def _rows(text: str, n: int) -> tuple[int, int]:
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 10]
    if len(numbers) != 2 or text.count(",") != 1 or not all(1 <= number <= n for number in numbers):
        raise InvalidRequest(f"--rows: {text!r} is not two of the rows 1 to {n}, as in 1,2")
    return numbers[0] - 1, numbers[1] - 1
