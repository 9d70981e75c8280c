"""A statement as a table, as cells or as JSON."""

from __future__ import annotations

import itertools
import json
from decimal import Context, Decimal
from fractions import Fraction

from priorityd_money.charges import Charge, Charges
from priorityd_money.price_book import PriceBook

_EXACT = Context(prec=60)
_HEAD = ("TRES", "HOURS", "PRICE", "COST")
_SHOWN = 6


def money(minor: int, digits: int) -> str:
    """An amount in the currency, of minor units: 1234 = 12.34."""
    return f"{Decimal(minor).scaleb(-digits, _EXACT):f}"


def hours(seconds: Fraction, places: int = 12) -> str:
    """TRES-hours as a decimal number, rounded half to even, without zeros at the end."""
    value = round(seconds / 3600 * 10**places)
    text = f"{Decimal(value).scaleb(-places, _EXACT):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_json(charges: Charges, book: PriceBook, by: list[str]) -> str:
    """Amounts as texts, so that no reader rounds them."""
    lines = [
        {name: getattr(line, name) for name in by}
        | {"tres": line.tres, "tres_hours": hours(line.seconds), "price_per_hour": f"{line.price.per_hour:f}"}
        | {"cost": money(line.minor, book.digits)}
        for line in charges.lines
    ]
    found = {
        "cluster": charges.cluster,
        "currency": book.currency,
        "lines": lines,
        "total": money(charges.total(), book.digits),
        "unpriced_tres_hours": {tres: hours(seconds) for tres, seconds in charges.unpriced.items()},
    }
    return json.dumps(found, indent=2)


def as_cells(charges: Charges, book: PriceBook, by: list[str]) -> str:
    """Lines of cells with | between them, without sums."""
    rows = [_head(by), *(_row(line, book, by, 12) for line in charges.lines)]
    return "\n".join("|".join(row) for row in rows)


def as_table(charges: Charges, book: PriceBook, by: list[str]) -> str:
    """For people: with a sum of each group and of all."""
    rows = [_head(by)]
    groups = [(group, list(lines)) for group, lines in itertools.groupby(charges.lines, lambda line: _group(line, by))]
    for group, lines in groups:
        rows += [_row(line, book, by, _SHOWN) for line in lines]
        if len(groups) > 1:
            rows.append([*group, "sum", "", "", money(sum(line.minor for line in lines), book.digits)])
    rows.append([*([""] * len(by)), "total", "", book.currency, money(charges.total(), book.digits)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(_aligned(row, widths) for row in rows)


def _head(by: list[str]) -> list[str]:
    return [*(name.upper() for name in by), *_HEAD]


def _group(line: Charge, by: list[str]) -> tuple[str, ...]:
    return tuple(getattr(line, name) for name in by)


def _row(line: Charge, book: PriceBook, by: list[str], places: int) -> list[str]:
    price = f"{line.price.per_hour:f}"
    return [*_group(line, by), line.tres, hours(line.seconds, places), price, money(line.minor, book.digits)]


def _aligned(row: list[str], widths: list[int]) -> str:
    texts = len(row) - 3
    cells = [
        cell.ljust(width) if column < texts else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return " ".join(cells).rstrip()
