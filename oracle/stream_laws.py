"""The front door in Python to laws beyond a chain of first order: answers between two ends that are proved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Self

from .api import LevelLike, in_python, level
from .contract.limits import check_schedule
from .data.law_files import law_of, read_law
from .data.logs import LogColumns
from .models.basis import Basis
from .models.laws import greatest_kept, leakage_of_law
from .models.neighbours import REPLACE, neighbours_of
from .output.sheets import DIGITS_IN_BRIEF
from .reference import InvalidRequest
from .stream import given_budgets
from .stream_answers import BudgetOnLaw, LeakageOnLaw
from .stream_estimates import LAW, of_log, of_sequences


class LawStream:
    """A stream of releases about values whose law is no chain of first order.

    >>> visits = [["home", "work", "work", "home", "home"], ["work", "home", "work", "work", "home"]] * 9
    >>> LawStream.of_sequences(visits, order=2, smoothing="1/2").states
    ('home', 'work')
    """

    def __init__(self, law: Mapping[str, Any] | str | PathLike[str], *, neighbours: str = REPLACE) -> None:
        """Read a law.

        Args:
            law: the object that `tploracle estimate --order 2` or `--histories` writes, or the path of its file.
            neighbours: what ε is about, "replace" or "add-remove".

        Raises: InvalidRequest for what is no law.
        """
        self.neighbours = neighbours_of(neighbours)
        with in_python():
            if not isinstance(law, Mapping | str | PathLike):
                raise InvalidRequest(f"a law is an object or the path of its file, not a {type(law).__name__}")
            self.law = law_of(dict(law)) if isinstance(law, Mapping) else read_law(fspath(law))
        self.states = self.law.states

    @classmethod
    def of_log(
        cls, log: object, user: str, time: str, state: str, *, neighbours: str = REPLACE, **options: Any
    ) -> Self:
        """Estimate a law from a log of visits, as `tploracle estimate` with --order or --histories does.

        Args:
            log, user, time, state: as for `Stream.of_log`.
            neighbours: as for a law.
            options: the other ones of `Stream.of_log`; order=2, or histories=True with steps=T.

        Raises: as `Stream.of_log`.
        """
        given = of_log(log, LogColumns(user, time, state), options, **_reading(options))
        return cls._of(given, neighbours)

    @classmethod
    def of_sequences(cls, sequences: Iterable[Sequence[object]], *, neighbours: str = REPLACE, **options: Any) -> Self:
        """Estimate a law from sequences of states.

        Args:
            sequences: of each person the states in the order of time.
            neighbours, options: as `of_log`; and those of `Stream.of_sequences`.

        Raises: as `Stream.of_sequences`.
        """
        return cls._of(of_sequences(sequences, options, **_reading(options)), neighbours)

    @classmethod
    def _of(cls, given: Mapping[str, Any], neighbours: str) -> Self:
        if LAW not in given:
            raise InvalidRequest("a law is of order=2, or of histories=True with steps: Stream is of first order")
        return cls(given[LAW], neighbours=neighbours)

    def __repr__(self) -> str:
        return f"<LawStream of {len(self.states)} values: {self.law.whose}>"

    @property
    def basis(self) -> Basis:
        """What the answers rest on."""
        return self.neighbours.basis(self.law.basis())

    def leakage(self, epsilons: Iterable[LevelLike] | LevelLike, steps: int | None = None) -> LeakageOnLaw:
        """Return of TPL at each time what some stream attains, and what none exceeds.

        Args: epsilons, steps, as for `Stream.leakage`. Raises: as it; InvalidRequest for more releases than histories.
        """
        given = given_budgets(epsilons, steps)
        spent = self.neighbours.read(given)
        with in_python():
            self.law.check(len(spent))
        found = list(leakage_of_law(self.law.law).ends(spent))
        lower, upper = tuple(own.lower for own in found), tuple(own.upper for own in found)
        return LeakageOnLaw(lower, upper, given, self.basis, self.law.whose)

    def budget(self, alpha: LevelLike, steps: int | None = None) -> BudgetOnLaw:
        """Return the greatest constant budget of which it is proved that it keeps a level.

        Args: alpha, as for `Stream.budget`; steps, which histories say themselves. Raises: as `leakage`.
        """
        most = level(alpha)
        with in_python():
            releases, own = self.law.check(steps), leakage_of_law(self.law.law)
        check_schedule(releases, DIGITS_IN_BRIEF)
        found = greatest_kept(lambda tried: own.keeps([tried] * releases, most), most, releases, DIGITS_IN_BRIEF)
        printed = self.neighbours.printed_one(found.to_spend(), DIGITS_IN_BRIEF).to_spend()
        return BudgetOnLaw(most, releases, printed, self.basis)


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of options what a log or sequences are read by. Raises: TypeError for what is no option of theirs."""
    estimated = {"smoothing", "absorbing", "steps", "order", "histories", "per", "comment"}
    return {name: options.pop(name) for name in {*options} - estimated}
