"""Results that show themselves: as a table in a notebook, as a data frame, as a picture.

A level in a data frame is its safe double, at or above it; a budget is one at or below it. Beside each stands its exact
text, where it has one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, TypeVar

from .contract.extras import need
from .models.basis import Basis
from .output import plots
from .reference import (
    Budget,
    Budgets,
    Guarantee,
    InvalidRequest,
    Leakage,
    Level,
    LossFunction,
    PopulationLeakage,
    Supremum,
    parse_level,
)
from .reference.decimals import fraction_to_text
from .reference.numbers import exact

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Key = TypeVar("Key", bound=Hashable)

KINDS = ("bpl", "fpl", "tpl")

Column = Sequence[Level | int | str]
"""What a column of a table holds."""


class Tabular(ABC):
    """A result that is a table."""

    @abstractmethod
    def table(self) -> dict[str, Column]:
        """Return the columns by name."""

    def to_columns(self) -> dict[str, list[Any]]:
        """Return plain columns by name, for any library of data frames: a level as double and, beside it, exactly."""
        columns: dict[str, list[Any]] = {}
        for name, column in self.table().items():
            columns[name] = [float(cell) if isinstance(cell, Level) else cell for cell in column]
            if any(isinstance(cell, Level) for cell in column):
                columns[f"{name}_exact"] = [cell.exact_text if isinstance(cell, Level) else None for cell in column]
        return columns

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return `to_columns` as a data frame. Needs narwhals, which the extra `data` installs.

        Args: backend, "pandas", "polars" or "pyarrow". Raises: InvalidRequest where it or narwhals is not installed.
        """
        from .data.frames import needed

        if not str(backend).isidentifier():
            raise InvalidRequest(f"backend is pandas, polars or pyarrow, not {backend!r:.80}")
        narwhals = needed("narwhals", "a data frame")
        needed(str(backend), "a data frame")
        return narwhals.from_dict(self.to_columns(), backend=backend).to_native()

    def _repr_html_(self) -> str:
        """Return a table for a notebook, levels enclosed to six digits."""
        from .output.html_pages import table

        columns = self.table()
        names = [name.upper() if name in KINDS else name for name in columns]
        return table(names, [[_shown(cell) for cell in row] for row in zip(*columns.values(), strict=True)])


def _shown(cell: Level | int | str) -> int | str:
    from .output.sheets import bracketed

    if not isinstance(cell, Level):
        return cell
    bounds = cell.enclosure(6)
    return bracketed(str(bounds.lower), str(bounds.upper))


def _over_time(epsilons: Sequence[Level], found: Leakage) -> dict[str, Column]:
    return {
        "time": range(1, len(epsilons) + 1),
        "epsilon": [epsilon.to_spend() for epsilon in epsilons],
        "bpl": found.bpl,
        "fpl": found.fpl,
        "tpl": found.tpl,
    }


@dataclass(frozen=True, slots=True)
class StreamLeakage(Leakage, Tabular):
    """The leakage of a stream of releases to one adversary, and the budgets that make it."""

    epsilons: tuple[Level, ...]
    basis: Basis

    def table(self) -> dict[str, Column]:
        """Return a row for each time."""
        return _over_time(self.epsilons, self)

    def plot(self) -> Figure:
        """Draw BPL, FPL and TPL over time. Needs the extra `plot`. Raises: InvalidRequest without it."""
        need_matplotlib()
        return plots.leakage_figure({_title(self.epsilons): {kind.upper(): getattr(self, kind) for kind in KINDS}})


@dataclass(frozen=True, slots=True)
class StreamPopulation(PopulationLeakage[Key], Tabular):
    """The leakage of a stream of releases to several adversaries, and the budgets that make it."""

    epsilons: tuple[Level, ...]
    basis: Basis

    def table(self) -> dict[str, Column]:
        """Return a row for each user and time."""
        columns: dict[str, list[Any]] = {}
        for name, own in self.each.items():
            over_time = _over_time(self.epsilons, own)
            for key, column in {"user": [str(name)] * len(self.epsilons), **over_time}.items():
                columns.setdefault(key, []).extend(column)
        return {**columns}

    def plot(self) -> Figure:
        """Draw the greatest BPL, FPL and TPL over time. Needs the extra `plot`. Raises: InvalidRequest without it."""
        greatest = {kind.upper(): [best.level for best in getattr(self, kind)] for kind in KINDS}
        need_matplotlib()
        return plots.leakage_figure({_title(self.epsilons): greatest})


@dataclass(frozen=True, slots=True)
class StreamBudgets(Budgets, Tabular):
    """The budgets of Algorithms 7 and 8, and what their promise rests on."""

    basis: Basis

    def table(self) -> dict[str, Column]:
        """Return one row: the level, and the first, a middle and the last budget."""
        return {name: [getattr(self, name)] for name in ("alpha", "first", "middle", "last")}


@dataclass(frozen=True, slots=True)
class StreamGuarantee(Guarantee):
    """The greatest leakage of any window of one length, and what it rests on."""

    basis: Basis


@dataclass(frozen=True, slots=True)
class StreamSupremum(Supremum):
    """The supremum of the paper's bound, and what it rests on."""

    basis: Basis


class StreamLevel(Level):
    """A level that answers a question about a stream, and what it rests on; what is worked out with it is a level."""

    __slots__ = ("basis",)
    basis: Basis

    @classmethod
    def of_level(cls, level: Level, basis: Basis) -> Self:
        """Return the same level, with its basis."""
        found = level._as_a(cls)
        found.basis = basis
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).of_level, (Level(self._formula, self._parts), self.basis)


class StreamBudget(StreamLevel, Budget):
    """A budget that answers a question about a stream, and what its promise rests on."""

    __slots__ = ()


class WholeLoss(LossFunction, Tabular):
    """A privacy loss function, which can be shown."""

    def __call__(self, alpha: Level | Fraction | Decimal | int | str) -> Level:
        """Return L of a level, a text or an exact number. Raises: InvalidLevel; InvalidNumber; Undecided."""
        if not isinstance(alpha, Level):
            alpha = parse_level(alpha) if isinstance(alpha, str) else Level.of(exact(alpha))
        return super().__call__(alpha)

    def table(self) -> dict[str, Column]:
        """Return a row for each piece: where it begins and ends, q and d."""
        return {
            "from": [piece.domain[0] for piece in self.pieces],
            "to": [piece.domain[1] for piece in self.pieces],
            "q": [fraction_to_text(piece.q) for piece in self.pieces],
            "d": [fraction_to_text(piece.d) for piece in self.pieces],
        }

    def plot(self) -> Figure:
        """Draw L with its bounds. Needs the extra `plot`. Raises: InvalidRequest without it."""
        need_matplotlib()
        return plots.loss_function_figure(self)


def _title(epsilons: Sequence[Level]) -> str:
    return f"{len(epsilons)} release{'s' if len(epsilons) != 1 else ''}"


def need_matplotlib() -> None:
    """Raise InvalidRequest without matplotlib."""
    need("a plot", "plot", "matplotlib")
