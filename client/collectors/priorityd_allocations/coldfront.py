"""Allocations of ColdFront: of its REST API, or of `coldfront dumpdata`."""

from __future__ import annotations

import datetime
import decimal
from dataclasses import dataclass, field
from typing import Any

from priorityd_allocations import json_file
from priorityd_allocations.entries import MOST_ENTRIES, Entries, Reading, Wanted, date, minutes, number, one_account
from priorityd_allocations.json_file import Object, read_objects, text
from priorityd_collect.items import Fault, unexpected

_ACCOUNT = "slurm_account_name"
#: The attributes with hours: the TRES, and how the grant is called.
_HOURS = {"Core Usage (Hours)": ("cpu", "cpu"), "Accelerator Usage (Hours)": ("gres/gpu", "gpu")}
_GRANTING = {"Active", "Renewal Requested"}
_NOT_GRANTING = {
    "Denied",
    "Expired",
    "New",
    "Paid",
    "Payment Pending",
    "Payment Requested",
    "Payment Declined",
    "Revoked",
    "Unpaid",
}
_MINUTES_OF_HOUR = decimal.Decimal(60)
#: A dump has several objects for each allocation: its attributes, users and history.
_MOST_OBJECTS = 1_000_000


@dataclass
class _Allocation:
    """An allocation, as both formats have it."""

    number: int
    status: str
    resources: list[str]
    attributes: list[tuple[str, Any]] = field(default_factory=list)
    begin: datetime.date | None = None
    #: The first day that is not granted.
    end: datetime.date | None = None


def read_coldfront(reading: Reading) -> Entries:
    """The grants of an array: one for each attribute with hours of an allocation that is active."""
    objects = read_objects(reading.path, _MOST_OBJECTS)
    is_dump = bool(objects) and "model" in objects[0]
    entries = [one for one in objects if not is_dump or one.get("model") == "allocation.allocation"]
    if len(entries) > MOST_ENTRIES:
        raise Fault(f"{reading.path}: got {len(entries)} allocations, want at most {MOST_ENTRIES}")
    dump = _Dump(objects, reading.path) if is_dump else None
    result = Entries()
    for entry in entries:
        place = f"{reading.path}: allocation {entry.get('pk' if dump else 'id')}"
        result.read(place, lambda: _add(result, reading, place, dump.of(entry) if dump else _of_api(entry)))  # noqa: B023
    return result


def _add(result: Entries, reading: Reading, place: str, allocation: _Allocation) -> None:
    if reading.resource and reading.resource not in allocation.resources:
        result.skip(place, f"is not of {reading.resource}")
        return
    if allocation.status not in _GRANTING | _NOT_GRANTING:
        raise unexpected("status", allocation.status, "a status of ColdFront such as Active")
    if allocation.status in _NOT_GRANTING:
        result.skip(place, f"status {allocation.status}")
        return
    granted = [(name, value) for name, value in allocation.attributes if name in _HOURS]
    if not granted:
        result.skip(place, "has none of the attributes " + ", ".join(_HOURS))
        return
    account = _account(allocation)
    for position, (name, value) in enumerate(granted):
        if name in [other for other, _ in granted[:position]]:
            raise Fault(f"{name}: got it twice, want it once")
        hours = number(value, name)
        if hours <= 0:
            result.skip(place, f"{name}: {value}, and a grant is above 0")
            continue
        tres, part = _HOURS[name]
        amount = minutes(hours, _MINUTES_OF_HOUR, name)
        result.wanted.append(
            Wanted(_name(reading, allocation, part), _settings(allocation, account, tres, amount), place)
        )


def _account(allocation: _Allocation) -> str:
    found = [value for name, value in allocation.attributes if name == _ACCOUNT]
    if len(found) != 1 or not isinstance(found[0], str) or not found[0].strip():
        raise unexpected(_ACCOUNT, ", ".join(map(str, found)), "the account of Slurm, once, or --resource of a cluster")
    return one_account(found[0].strip(), _ACCOUNT)


def _name(reading: Reading, allocation: _Allocation, part: str) -> str:
    """A renewal begins another period, which is another grant: Begin cannot change."""
    period = f"-{allocation.begin}" if allocation.begin else ""
    return f"{reading.prefix}{allocation.number}{period}-{part}"


def _settings(allocation: _Allocation, account: str, tres: str, amount: str) -> dict[str, str]:
    settings = {"Accounts": account, "TRES": tres, "Amount": amount}
    if allocation.begin:
        settings["Begin"] = allocation.begin.isoformat()
    return {**settings, "End": allocation.end.isoformat() if allocation.end else ""}


def _of_api(entry: Object) -> _Allocation:
    attributes = json_file.field(entry, "allocation_attributes")
    if not isinstance(attributes, list):
        raise unexpected("allocation_attributes", attributes, "them: ask for ?allocation_attributes=true")
    pairs = []
    for one in attributes:
        if not isinstance(one, dict):
            raise unexpected("allocation_attributes", one, "objects")
        pairs.append((text(one, "allocation_attribute_type"), json_file.field(one, "value")))
    resources = [name.strip() for name in text(entry, "resource").split(",")]
    return _Allocation(_number(json_file.field(entry, "id"), "id"), text(entry, "status"), resources, pairs)


class _Dump:
    """The objects of `coldfront dumpdata allocation resource.resource`, whose keys are numbers or natural."""

    def __init__(self, objects: list[Object], path: str) -> None:
        self._names: dict[tuple[str, object], str] = {}
        self._attributes: dict[int, list[Object]] = {}
        for position, one in enumerate(objects, 1):
            try:
                self._take(one)
            except Fault as fault:
                raise fault.at(f"{path}: object {position}", "") from None

    def of(self, entry: Object) -> _Allocation:
        fields = _fields(entry)
        number_of = _number(json_file.field(entry, "pk"), "pk")
        resources = json_file.field(fields, "resources")
        if not isinstance(resources, list):
            raise unexpected("resources", resources, "an array")
        begin, end = (json_file.field(fields, name) for name in ("start_date", "end_date"))
        last = None if end is None else date(end, "end_date")
        if last == datetime.date.max:
            raise unexpected("end_date", end, "an earlier date")
        return _Allocation(
            number_of,
            self._name("allocation.allocationstatuschoice", json_file.field(fields, "status"), "status"),
            [self._name("resource.resource", one, "resources") for one in resources],
            [self._attribute(one) for one in self._attributes.get(number_of, [])],
            None if begin is None else date(begin, "start_date"),
            # An allocation expires on the day after its end_date.
            None if last is None else last + datetime.timedelta(days=1),
        )

    def _take(self, one: Object) -> None:
        model = text(one, "model")
        if model in ("allocation.allocationstatuschoice", "allocation.allocationattributetype", "resource.resource"):
            self._names[model, _number(json_file.field(one, "pk"), "pk")] = text(_fields(one), "name")
        if model == "allocation.allocationattribute":
            owner = _number(json_file.field(_fields(one), "allocation"), "allocation")
            self._attributes.setdefault(owner, []).append(_fields(one))

    def _attribute(self, fields: Object) -> tuple[str, Any]:
        what = "allocation_attribute_type"
        name = self._name("allocation.allocationattributetype", json_file.field(fields, what), what)
        return name, json_file.field(fields, "value")

    def _name(self, model: str, key: object, what: str) -> str:
        if isinstance(key, list) and key and isinstance(key[0], str):
            return key[0]
        name = self._names.get((model, _number(key, what)))
        if name is None:
            raise unexpected(what, key, f"the number of an object of {model} in the same file")
        return name


def _fields(entry: Object) -> Object:
    found = json_file.field(entry, "fields")
    if not isinstance(found, dict):
        raise unexpected("fields", found, "an object")
    return found


def _number(value: object, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise unexpected(what, value, "the number of an object")
    return value
