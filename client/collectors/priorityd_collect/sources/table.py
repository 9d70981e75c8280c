"""Tables (CSV and the like) with a file that describes their columns."""

from __future__ import annotations

import csv
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from priorityd_collect.files import read_toml
from priorityd_collect.items import RUNNING, UNUSED, Entry, Fault, Item, Line, Lost, unexpected
from priorityd_collect.quantities import Zone, duration, megabytes, moment, moment_of, number, zone
from priorityd_collect.records import Run, record_of, unnamed

_TEXTS = ("record_id", "job", "user", "account", "partition", "qos")
_TIMES = ("start", "end", "duration")
_SETTINGS = {
    "columns": dict,
    "tres": dict,
    "amounts": str,
    "delimiter": str,
    "time_format": str,
    "time_zone": str,
    "comment": str,
}
#: Seconds that a row with totals takes at least, as a charge of no time counts nothing.
_SHORTEST = 1.0
WITHOUT_SIZE = "without a size: the columns of its TRES are empty"
_UNITS = {"": 1.0, "kb": 1 / 1024, "mb": 1.0, "gb": 1024.0, "tb": 1024.0**2}


@dataclass(frozen=True)
class Amount:
    """A column of counts, or of sizes in some unit (`size`: each with its own, as 4gb)."""

    column: str
    unit: str = ""
    #: The amount of an empty cell; None = unknown.
    empty: float | None = None


@dataclass
class TableForm:
    """The meaning of a table's columns. A text may combine several: `{cluster}-{id}`."""

    columns: dict[str, str]
    tres: dict[str, Amount]
    zone: Zone
    delimiter: str = ","
    time_format: str = ""
    comment: str = ""
    #: Amounts are of the whole row, such as tokens; otherwise they are held from its start to its end.
    are_totals: bool = False
    wanted: set[str] = field(default_factory=set)


def read_form(path: str, local: Zone) -> TableForm:
    """Read it from a file in TOML, see docs/collectors.md."""
    settings = read_toml(path)
    for name, value in settings.items():
        if name not in _SETTINGS or not isinstance(value, _SETTINGS[name]):
            raise unexpected(path, name, "[columns], [tres], amounts, delimiter, time_format, time_zone or comment")
    amounts = settings.get("amounts", "held")
    if amounts not in ("held", "total"):
        raise unexpected(f"{path}: amounts", amounts, "held or total")
    columns = _columns(path, settings.get("columns", {}))
    tres = {name: _amount(f"{path}: tres.{name}", value) for name, value in settings.get("tres", {}).items()}
    if not tres:
        raise Fault(f'{path}: tres: got none, want for example cpu = "cores"')
    named = settings.get("time_zone", "")
    form = TableForm(columns, tres, zone(named) if named else local)
    form.delimiter, form.comment = settings.get("delimiter", ","), settings.get("comment", "")
    form.time_format = settings.get("time_format", "")
    form.are_totals = amounts == "total"
    if len(form.delimiter) != 1:
        raise unexpected(f"{path}: delimiter", form.delimiter, "one character")
    form.wanted = {name for text in columns.values() for name in _names(text)} | {a.column for a in tres.values()}
    return form


def _columns(path: str, columns: dict[str, Any]) -> dict[str, str]:
    for name, column in columns.items():
        if name not in _TEXTS + _TIMES or not isinstance(column, str):
            raise unexpected(
                f"{path}: columns", name, "one of " + ", ".join(_TEXTS + _TIMES) + ", each a column's name"
            )
    if "start" not in columns or ("end" in columns) == ("duration" in columns):
        raise Fault(f"{path}: columns: want start, and one of end and duration")
    if "job" not in columns and "record_id" not in columns:
        raise Fault(f"{path}: columns: got neither job nor record_id, want what a record is known again by")
    if "user" not in columns and "account" not in columns:
        raise Fault(f"{path}: columns: got neither user nor account, want who is charged")
    return columns


def _amount(what: str, value: Any) -> Amount:
    if isinstance(value, str):
        return Amount(value)
    if isinstance(value, dict) and {"column"} <= set(value) <= {"column", "unit", "empty"}:
        unit, empty = value.get("unit", ""), value.get("empty")
        if unit in {*_UNITS, "size"} and (empty is None or (type(empty) in (int, float) and empty >= 0)):
            return Amount(str(value["column"]), unit, empty)
    raise unexpected(what, value, 'a column, or { column = "...", unit = "kb", "mb", "gb", "tb" or "size", empty = 0 }')


def _names(text: str) -> list[str]:
    """Columns that a text names: `id`, or those of `{cluster}-{id}`."""
    return [name for _, name, _, _ in string.Formatter().parse(text) if name] if "{" in text else [text]


def _share_of_a_second(start: float, end: float) -> float:
    """The charge for a second of the record, whose times have microseconds."""
    return 1_000_000 / (round(end * 1_000_000) - round(start * 1_000_000))


class TableReader:
    """Reads one table with its heading; a row is a line."""

    def __init__(self, source: str, form: TableForm) -> None:
        """Read it by a form."""
        self._source = source
        self._form = form
        self._heading: list[str] = []

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line."""
        comment = self._form.comment
        if line is None or not line.text.strip() or (comment and line.text.startswith(comment)):
            return
        cells = self._cells(line.text)
        if not self._heading:
            twice = sorted(name for name in self._form.wanted if cells.count(name) > 1)
            if twice:
                raise Fault(f"got the column {twice[0]!r} twice, want it once: heading {cells}")
            missing = sorted(self._form.wanted - set(cells))
            if missing:
                raise Fault(f"got no column {missing[0]!r}, want the columns that the mapping names: heading {cells}")
            self._heading = cells
            return
        if len(cells) != len(self._heading):
            raise Fault(f"got {len(cells)} columns, want {len(self._heading)}")
        yield self._item(line, dict(zip(self._heading, cells, strict=True)))

    def _cells(self, text: str) -> list[str]:
        try:
            return [cell.strip() for cell in next(csv.reader([text], delimiter=self._form.delimiter, strict=True))]
        except csv.Error as error:
            raise Fault(f"got {error}, want a row whose quotes end in its line") from None

    def _item(self, line: Line, row: dict[str, str]) -> Item:
        times = self._times(row)
        if not isinstance(times, tuple):
            return times
        self._check_identity(row)
        run = Run(self._text(row, "job"), *times)
        for name in _TEXTS:
            if name != "job":
                setattr(run, name, self._text(row, name))
        counts = {name: self._count(row, name, amount) for name, amount in self._form.tres.items()}
        share = _share_of_a_second(*times) if self._form.are_totals else 1.0
        run.tres = {name: amount * share for name, amount in counts.items() if amount is not None}
        if not run.tres:
            return Lost(WITHOUT_SIZE, line.place, line.text)
        empty = sorted(set(counts) - set(run.tres))
        lost = f"without {', '.join(empty)}: empty cells" if empty else ""
        if "user" in self._form.columns:
            lost = lost or unnamed(run)
        return Entry(line.place, record_of(run, self._source), lost)

    def _check_identity(self, row: dict[str, str]) -> None:
        """Reject a row without its id: all such rows would be the same record."""
        name = "record_id" if "record_id" in self._form.columns else "job"
        for column in _names(self._form.columns[name]):
            if not row[column]:
                raise unexpected(name, "", f"what the record is known again by, in the column {column}")

    def _times(self, row: dict[str, str]) -> tuple[float, float] | Item:
        if not self._text(row, "start"):
            return UNUSED
        start = self._moment(row, "start")
        if not self._text(row, "end" if "end" in self._form.columns else "duration"):
            return RUNNING
        if "end" in self._form.columns:
            end = self._moment(row, "end")
        else:
            end = start + duration(self._text(row, "duration"), "duration")
        if end < start:
            raise unexpected("end", self._text(row, "end"), "start or later")
        if self._form.are_totals:
            end = max(end, start + _SHORTEST)
        return (start, end) if end > start else UNUSED

    def _moment(self, row: dict[str, str], name: str) -> float:
        text, form = self._text(row, name), self._form
        if form.time_format:
            return moment_of(text, form.time_format, form.zone, name)
        return moment(text, form.zone, name)

    def _text(self, row: dict[str, str], name: str) -> str:
        column = self._form.columns.get(name, "")
        if "{" in column:
            return column.format_map(row)
        return row.get(column, "")

    def _count(self, row: dict[str, str], name: str, amount: Amount) -> float | None:
        text = row[amount.column]
        if not text:
            return amount.empty
        if amount.unit == "size":
            return megabytes(text, name)
        return number(text, name) * _UNITS[amount.unit]
