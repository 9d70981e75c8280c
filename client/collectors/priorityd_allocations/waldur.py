"""Allocations of Waldur: its SLURM allocations, or resources of its marketplace."""

from __future__ import annotations

import decimal
import re

from priorityd_allocations.entries import (
    MOST_ENTRIES,
    Component,
    Entries,
    Reading,
    Wanted,
    date,
    minutes,
    number,
    one_account,
)
from priorityd_allocations.json_file import Object, field, read_objects, text
from priorityd_collect.items import Fault, unexpected

#: Of GET /api/slurm-allocations/, in the units of GrpTRESMins.
_LIMITS = {"cpu_limit": "cpu", "gpu_limit": "gres/gpu", "ram_limit": "mem"}
_GRANTING = {"OK", "Erred", "Updating", "Update Scheduled"}
_NOT_GRANTING = {"Creation Scheduled", "Creating", "Deletion Scheduled", "Deleting", "Terminating", "Terminated"}
_UNLIMITED = -1
_UUID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def read_waldur(reading: Reading) -> Entries:
    """The grants of an array of allocations, or of resources: one for each limit."""
    result = Entries()
    for position, entry in enumerate(read_objects(reading.path, MOST_ENTRIES), 1):
        place = f"{reading.path}: entry {position} ({entry.get('name', '')})"
        result.read(place, lambda: _add(result, reading, place, entry))  # noqa: B023
    if len(result.wanted) > MOST_ENTRIES:
        raise Fault(f"{reading.path}: got {len(result.wanted)} limits, want at most {MOST_ENTRIES}")
    return result


def _add(result: Entries, reading: Reading, place: str, entry: Object) -> None:
    uuid = text(entry, "uuid").lower()
    if not _UUID.fullmatch(uuid):
        raise unexpected("uuid", uuid, "a UUID")
    if why := _why_not(entry, reading):
        result.skip(place, why)
        return
    account = one_account(text(entry, "backend_id").strip(), "backend_id")
    for name, value, component in _limits(entry, reading):
        amount = number(value, name)
        if amount < _UNLIMITED or _UNLIMITED < amount < 0:
            raise unexpected(name, value, "a limit, or -1 for none")
        if not component.tres:
            result.skip(place, f"{name}: --component names no TRES for it")
        elif amount <= 0:
            result.skip(place, f"{name}: {'no limit' if amount else 'a limit of 0, and a grant is above 0'}")
        else:
            settings = {
                "Accounts": account,
                "TRES": component.tres,
                "Amount": minutes(amount, component.factor, name),
                "Begin": text(entry, "created"),
                "End": _end(entry),
            }
            part = name.removeprefix("limits.").removesuffix("_limit")
            result.wanted.append(Wanted(f"{reading.prefix}{uuid.replace('-', '')}-{part}", settings, place))


def _why_not(entry: Object, reading: Reading) -> str:
    """The reason that it grants nothing; empty = it grants its limits."""
    owners = [entry.get(name) for name in ("offering_name", "offering_uuid", "service_name")]
    if reading.resource and reading.resource not in owners:
        return f"is not of {reading.resource}"
    state = text(entry, "state")
    if state not in _GRANTING | _NOT_GRANTING:
        raise unexpected("state", state, "a state of Waldur: " + ", ".join(sorted(_GRANTING | _NOT_GRANTING)))
    if state in _NOT_GRANTING:
        return f"state {state}"
    if state == "Erred" and not entry.get("backend_id"):
        return "state Erred, without an account"
    active = entry.get("is_active", True)
    if not isinstance(active, bool):
        raise unexpected("is_active", active, "true or false")
    return "" if active else "is_active is false"


def _limits(entry: Object, reading: Reading) -> list[tuple[str, object, Component]]:
    """Name of the field, value, component."""
    if "limits" not in entry:
        one = decimal.Decimal(1)
        return [(name, field(entry, name), Component(tres, one)) for name, tres in _LIMITS.items()]
    limits = entry["limits"]
    if not isinstance(limits, dict):
        raise unexpected("limits", limits, "an object of limits by component")
    found = []
    for name, value in limits.items():
        if name not in reading.components:
            raise Fault(f"limits.{name}: got a component without a unit, want --component {name}=TRES:FACTOR")
        found.append((f"limits.{name}", value, reading.components[name]))
    return found


def _end(entry: Object) -> str:
    """Waldur ends a resource on its end_date, so the day before is its last one; SLURM allocations have none."""
    found = entry.get("end_date")
    return "" if found is None else date(found, "end_date").isoformat()
