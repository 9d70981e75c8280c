"""A price book as the lines that `prioctl import priorityd` reads, for grants of money."""

from __future__ import annotations

import datetime
import re

from priorityd_collect.items import Fault, unexpected
from priorityd_collect.quantities import moment
from priorityd_money.price_book import DAYS, QUARTER, Price, PriceBook

#: As of the service.
_MOST_RULES = 200
_MOST_PRICE, _MOST_DECIMALS = 1_000_000, 12


def lines_of(book: PriceBook, name: str, begin: str) -> str:
    """The version of the book that holds from `begin` on, until the next one begins."""
    if not name or re.search(r"[\s,=|\x00-\x1f]", name):
        raise unexpected("--name", name, "a name without spaces, commas, = and |")
    if len(book.prices) > _MOST_RULES:
        raise unexpected("price", len(book.prices), f"at most {_MOST_RULES} [[price]] for grants")
    second = moment(begin, book.zone, "--begin")
    if second % QUARTER:
        raise unexpected("--begin", begin, "a full quarter of an hour")
    head = {"Currency": book.currency, "TimeZone": str(book.zone), "Begin": _time(second)}
    lines = [_line("PriceBook", name, head)]
    lines += [_rule(price, f"price[{number}]") for number, price in enumerate(book.prices, 1)]
    return "\n".join(lines)


def _rule(price: Price, place: str) -> str:
    exponent = price.per_hour.as_tuple().exponent
    if price.per_hour > _MOST_PRICE or not isinstance(exponent, int) or -exponent > _MOST_DECIMALS:
        want = f"at most {_MOST_PRICE}, with at most {_MOST_DECIMALS} decimals, for grants"
        raise Fault(f"{place}.per_hour: got {price.per_hour}, want {want}")
    cells = {
        "PerHour": f"{price.per_hour:f}",
        "Partition": ",".join(sorted(price.partitions)),
        "QOS": ",".join(sorted(price.qos)),
        "Hours": _hours(price.hours),
        "Days": ",".join(DAYS[day] for day in sorted(price.days)),
        "From": _time(price.begin) if price.begin > float("-inf") else "",
        "Until": _time(price.end) if price.end < float("inf") else "",
    }
    return _line("Price", price.tres, cells)


def _hours(hours: frozenset[int]) -> str:
    if not hours:
        return ""
    begin = next((hour for hour in sorted(hours) if (hour - 1) % 24 not in hours), 0)
    end = begin + len(hours)
    return f"{begin}-{end if end <= 24 else end - 24}"


def _time(second: float) -> str:
    return datetime.datetime.fromtimestamp(second, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _line(word: str, name: str, cells: dict[str, str]) -> str:
    return f"{word} - {_quoted(name)}" + "".join(f":{key}={_quoted(text)}" for key, text in cells.items() if text)


def _quoted(text: str) -> str:
    return "'" + re.sub(r"([\\'])", r"\\\1", text) + "'"
