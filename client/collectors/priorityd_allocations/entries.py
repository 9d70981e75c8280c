"""The content of a file of allocations, in any format."""

from __future__ import annotations

import datetime
import decimal
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from priorityd import printable
from priorityd_collect.items import Fault, unexpected

#: Of one file, and of the grants of a cluster that are not revoked.
MOST_ENTRIES = 10_000
#: The names that the service has for the settings of a grant.
SETTINGS = (
    "Accounts",
    "User",
    "TRES",
    "Amount",
    "Begin",
    "End",
    "Window",
    "CarryOver",
    "CarryOverCap",
    "CarryOverWindows",
    "CarryOverHalfLife",
    "Borrow",
    "Grace",
    "Order",
    "Consequence",
)
_BY_LOWER = {name.lower(): name for name in SETTINGS}
_MOST_FACTOR = decimal.Decimal(10) ** 12
#: The product of a value and a factor, each of at most 40 digits, is exact.
_EXACT = decimal.Context(prec=80, traps=[decimal.Inexact, decimal.InvalidOperation])
_NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,18})?")


@dataclass(frozen=True)
class Wanted:
    """A grant as the file wants it. An empty setting is the default; a setting that is absent is left as it is."""

    name: str
    settings: dict[str, str]
    #: `FILE:7`, or `FILE: allocation 7`, as errors call it.
    place: str

    def command(self) -> str:
        """The command that creates it."""
        settings = [f"{name}={value}" for name, value in self.settings.items() if value]
        return shlex.join(["prioctl", "grant", "create", self.name, *settings])


@dataclass(frozen=True)
class Skipped:
    """An entry that grants nothing."""

    place: str
    why: str


@dataclass
class Entries:
    """All that a file means."""

    wanted: list[Wanted] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def read(self, place: str, entry: Callable[[], None]) -> None:
        """Read an entry; its fault does not hide those of later entries."""
        try:
            entry()
        except Fault as fault:
            self.faults.append(fault.at(place, ""))

    def skip(self, place: str, why: str) -> None:
        """List an entry that grants nothing."""
        self.skipped.append(Skipped(printable(place), printable(why)))


@dataclass(frozen=True)
class Component:
    """The meaning of an offering's component: TRES-minutes = its limit * factor; no TRES = it grants nothing."""

    tres: str
    factor: decimal.Decimal


@dataclass(frozen=True)
class Reading:
    """The settings for reading a file."""

    path: str
    prefix: str
    #: Only entries of this resource, or offering; empty = all.
    resource: str
    #: By the name of the component.
    components: dict[str, Component]


def setting_name(text: str) -> str | None:
    """Spell the setting as the service does; None = there is no such setting."""
    return _BY_LOWER.get(text.strip().lower())


def one_account(text: str, what: str) -> str:
    """Check the account of an entry: a list would grant to other accounts, too."""
    if not text:
        raise Fault(f"{what}: got none, want one account of Slurm")
    if "," in text:
        raise unexpected(what, text, "one account of Slurm")
    return text


def number(value: object, what: str) -> decimal.Decimal:
    """Read a decimal number of a file, exactly."""
    text = format(value, "f") if isinstance(value, decimal.Decimal) and abs(value.adjusted()) < 40 else str(value)
    if isinstance(value, bool) or not _NUMBER.fullmatch(text.strip()):
        raise unexpected(what, value, "a number such as 2000 or 12.5, with at most 18 decimals")
    return decimal.Decimal(text.strip())


def minutes(value: decimal.Decimal, factor: decimal.Decimal, what: str) -> str:
    """TRES-minutes as text, exactly."""
    try:
        product = _EXACT.multiply(value, factor)
    except decimal.DecimalException:
        raise unexpected(what, value, f"a number whose product with {factor} has at most 80 digits") from None
    text = format(product, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def date(value: object, what: str) -> datetime.date:
    """Read a date of a JSON file."""
    try:
        if isinstance(value, str) and len(value) == len("2026-10-01"):
            return datetime.date.fromisoformat(value)
    except ValueError:
        pass
    raise unexpected(what, value, "a date such as 2026-10-01")


def component(text: str) -> tuple[str, Component]:
    """Read `cpu=cpu:60000`, or `storage=`."""
    name, equals, rest = text.partition("=")
    tres, colon, factor = rest.rpartition(":")
    if name and equals and not rest:
        return name, Component("", decimal.Decimal(0))
    if not (name and tres and colon):
        raise unexpected("--component", text, "NAME=TRES:FACTOR, such as cpu=cpu:60000, or NAME= for nothing")
    found = number(factor, f"--component {name}")
    if not 0 < found <= _MOST_FACTOR:
        raise unexpected(f"--component {name}", factor, "a factor above 0, at most 1e12")
    return name, Component(tres, found)
