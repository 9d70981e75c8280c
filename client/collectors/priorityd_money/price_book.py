"""The price book: what an hour of each TRES costs, and when."""

from __future__ import annotations

import datetime
import re
import zoneinfo
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from priorityd_collect.files import read_toml
from priorityd_collect.items import Fault, unexpected
from priorityd_collect.quantities import Zone, moment

#: Cuts of prices are at full quarters of an hour: every zone's offset is a multiple of it.
QUARTER = 900
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_KEYS = {"currency", "digits", "time_zone", "provider", "free", "price"}
_PRICE_KEYS = {"tres", "per_hour", "partition", "qos", "hours", "days", "from", "until"}
_MOST_PRICES = 1000


@dataclass(frozen=True)
class Price:
    """One rule: what it asks for, and the price of a TRES-hour."""

    tres: str
    per_hour: Decimal
    partitions: frozenset[str]
    qos: frozenset[str]
    #: Full hours of the local day, 0 to 23; empty = all.
    hours: frozenset[int]
    #: 0 = Monday; empty = all.
    days: frozenset[int]
    begin: float
    end: float

    def holds_at(self, second: int, zone: Zone) -> bool:
        """Whether the rule holds at this second since 1970."""
        if not self.begin <= second < self.end:
            return False
        if not self.hours and not self.days:
            return True
        local = datetime.datetime.fromtimestamp(second, zone)
        return (not self.hours or local.hour in self.hours) and (not self.days or local.weekday() in self.days)

    def is_for(self, tres: str, partition: str, qos: str) -> bool:
        """Whether the rule is for such usage; usage without a partition or QOS meets no rule that names one."""
        return (
            tres == self.tres
            and (not self.partitions or partition in self.partitions)
            and (not self.qos or qos in self.qos)
        )


@dataclass(frozen=True)
class PriceBook:
    """Rules, of which the first that fits counts."""

    currency: str
    #: Digits of the minor unit: 2 = cents.
    digits: int
    zone: Zone
    provider: str
    #: TRES that cost nothing on purpose.
    free: frozenset[str]
    prices: tuple[Price, ...]

    def needs_jobs(self) -> bool:
        """Whether a rule asks for the partition, which only a report by job has."""
        return any(price.partitions for price in self.prices)

    def needs_qos(self) -> bool:
        """Whether a rule asks for the QOS."""
        return any(price.qos for price in self.prices)

    def rule(self, tres: str, partition: str, qos: str, second: int) -> int | None:
        """The index of the first rule that fits; None = there is none."""
        for index, price in enumerate(self.prices):
            if price.is_for(tres, partition, qos) and price.holds_at(second, self.zone):
                return index
        return None

    def cuts(self, begin: int, end: int) -> list[int]:
        """The seconds between begin and end at which some rule begins or ceases to hold."""
        timed = [p for p in self.prices if p.hours or p.days or p.begin > begin or p.end < end]
        first = (begin // QUARTER + 1) * QUARTER
        before = [price.holds_at(begin, self.zone) for price in timed]
        found = []
        for second in range(first, end, QUARTER) if timed else ():
            now = [price.holds_at(second, self.zone) for price in timed]
            if now != before:
                found.append(second)
            before = now
        return found


def cost(seconds: Fraction, per_hour: Decimal) -> Fraction:
    """The exact price of TRES-seconds."""
    return seconds * Fraction(per_hour) / 3600


def read_price_book(path: str) -> PriceBook:
    """Read and check a file; a fault names the file and the key."""
    table = read_toml(path, Decimal)
    try:
        return _book(table)
    except Fault as fault:
        raise fault.at(path, "") from None


def _book(table: dict[str, Any]) -> PriceBook:
    _known(table, _KEYS, "")
    zone = _zone(_text(table, "time_zone", "UTC"))
    currency = _text(table, "currency")
    if not re.fullmatch("[A-Z]{3}", currency):
        raise unexpected("currency", currency, "three letters of ISO 4217, such as EUR")
    digits = table.get("digits", 2)
    if type(digits) is not int or not 0 <= digits <= 6:
        raise unexpected("digits", digits, "0 to 6")
    rows = table.get("price")
    if not isinstance(rows, list) or not 0 < len(rows) <= _MOST_PRICES or not all(isinstance(r, dict) for r in rows):
        raise unexpected("price", rows if not isinstance(rows, list) else len(rows), f"1 to {_MOST_PRICES} [[price]]")
    prices = tuple(_price(row, f"price[{number}]", zone) for number, row in enumerate(rows, 1))
    free = frozenset(_texts(table, "free", ""))
    for number, price in enumerate(prices, 1):
        if price.tres in free:
            raise unexpected(f"price[{number}].tres", price.tres, "a TRES that is not in `free`")
    return PriceBook(currency, digits, zone, _text(table, "provider", "priorityd"), free, prices)


def _zone(name: str) -> Zone:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise unexpected("time_zone", name, "an IANA name, such as Europe/Berlin") from None


def _price(row: dict[str, Any], place: str, zone: Zone) -> Price:
    _known(row, _PRICE_KEYS, place + ".")
    days = _texts(row, "days", place + ".")
    for day in days:
        if day not in DAYS:
            raise unexpected(f"{place}.days", day, ", ".join(DAYS))
    begin, end = _time(row, "from", place, zone, float("-inf")), _time(row, "until", place, zone, float("inf"))
    if begin >= end:
        raise unexpected(f"{place}.until", row["until"], "a time after `from`")
    return Price(
        tres=_text(row, "tres", place=place + "."),
        per_hour=_amount(row, place),
        partitions=frozenset(_texts(row, "partition", place + ".")),
        qos=frozenset(_texts(row, "qos", place + ".")),
        hours=_hours(row, place),
        days=frozenset(map(DAYS.index, days)),
        begin=begin,
        end=end,
    )


def _known(table: dict[str, Any], keys: set[str], place: str) -> None:
    for key in table:
        if key not in keys:
            raise unexpected(f"{place}{key}", "an unknown key", "one of " + ", ".join(sorted(keys)))


def _text(table: dict[str, Any], key: str, default: str | None = None, place: str = "") -> str:
    found = table.get(key, default)
    if not isinstance(found, str) or not found:
        raise unexpected(f"{place}{key}", "nothing" if found is None else found, "a text")
    return found


def _texts(table: dict[str, Any], key: str, place: str) -> list[str]:
    found = table.get(key)
    if found is None:
        return []
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list) or not found or not all(isinstance(text, str) and text for text in found):
        raise unexpected(f"{place}{key}", found, "a text or a list of texts")
    return found


def _amount(row: dict[str, Any], place: str) -> Decimal:
    found = row.get("per_hour")
    if type(found) is int:
        found = Decimal(found)
    if not isinstance(found, Decimal) or not found.is_finite() or not 0 <= found < 10**12 or _scale(found) > 18:
        want = "a number, 0 or more and below 10^12, with at most 18 digits behind the point"
        raise unexpected(f"{place}.per_hour", "nothing" if found is None else found, want)
    return found or Decimal(0)  # Not -0.0.


def _scale(found: Decimal) -> int:
    exponent = found.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _hours(row: dict[str, Any], place: str) -> frozenset[int]:
    text = row.get("hours")
    if text is None:
        return frozenset()
    match = re.fullmatch(r"(\d{1,2})-(\d{1,2})", text) if isinstance(text, str) else None
    begin, end = (int(match[1]), int(match[2])) if match else (24, 24)
    if begin > 23 or end > 24 or begin == end:
        raise unexpected(f"{place}.hours", text, "full hours, such as 8-20, or 20-8 over midnight")
    return frozenset(range(begin, end)) if begin < end else frozenset([*range(begin, 24), *range(end)])


def _time(row: dict[str, Any], key: str, place: str, zone: Zone, default: float) -> float:
    found = row.get(key, default)
    if isinstance(found, float):
        return found
    if isinstance(found, datetime.datetime):
        second = (found if found.tzinfo else found.replace(tzinfo=zone)).timestamp()
    elif isinstance(found, datetime.date):
        second = datetime.datetime(found.year, found.month, found.day, tzinfo=zone).timestamp()
    elif isinstance(found, str):
        second = moment(found, zone, f"{place}.{key}")
    else:
        raise unexpected(f"{place}.{key}", found, "a time")
    if second % QUARTER:
        raise unexpected(f"{place}.{key}", found, "a full quarter of an hour")
    return second
