"""A CSV whose header names settings of grants."""

from __future__ import annotations

import csv
import io

from priorityd_allocations.entries import MOST_ENTRIES, Entries, Reading, Wanted, number, setting_name
from priorityd_allocations.json_file import read_text
from priorityd_collect.items import Fault, unexpected

NAME = "Name"


def read_csv(reading: Reading) -> Entries:
    """One grant of each line below the header; empty lines and lines that begin with # are no entries."""
    rows = csv.reader(io.StringIO(read_text(reading.path), newline=""), strict=True)
    result = Entries()
    columns: list[str] = []
    try:
        for cells in rows:
            place = f"{reading.path}:{rows.line_num}"
            if not any(map(str.strip, cells)) or cells[0].startswith("#"):
                continue
            if not columns:
                columns = _columns(cells, place)
                continue
            if len(result.wanted) + len(result.faults) >= MOST_ENTRIES:
                raise Fault(f"{place}: got more than {MOST_ENTRIES} entries, want at most that many")
            row = dict(zip(columns, map(str.strip, cells), strict=False))
            result.read(place, lambda: _add(result, reading, place, row, (len(columns), len(cells))))  # noqa: B023
    except csv.Error as error:
        raise Fault(f"{reading.path}:{rows.line_num}: got {error}, want CSV") from None
    if not columns:
        raise Fault(f"{reading.path}: got no header, want one that names {NAME} and settings of grants")
    return result


def _columns(cells: list[str], place: str) -> list[str]:
    found: list[str] = []
    for cell in cells:
        name = NAME if cell.strip().lower() == NAME.lower() else setting_name(cell)
        if name is None:
            raise unexpected(f"{place}: header", cell, "Name, or a setting of grants such as Accounts")
        if name in found:
            raise unexpected(f"{place}: header", cell, "each column once")
        found.append(name)
    if NAME not in found:
        raise Fault(f"{place}: header: got no column {NAME}, want it")
    return found


def _add(result: Entries, reading: Reading, place: str, row: dict[str, str], counts: tuple[int, int]) -> None:
    if counts[0] != counts[1]:
        raise Fault(f"got {counts[1]} cells, want {counts[0]}, as in the header")
    name = row.pop(NAME)
    if not name:
        raise Fault(f"{NAME}: got none, want the name of a grant")
    if amount := row.get("Amount"):
        number(amount[:-1] if amount[-1] in "hH" else amount, "Amount")
    result.wanted.append(Wanted(reading.prefix + name, row, place))
