"""The grants of a cluster as a CSV, from which `apply --format csv` creates them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import TextIO

from priorityd import v1
from priorityd_allocations.csv_file import NAME
from priorityd_allocations.entries import SETTINGS
from priorityd_collect.items import Fault, unexpected


def write_csv(grants: Iterable[v1.Grant], prefix: str, file: TextIO) -> None:
    """Write every setting of the grants with the prefix, and their names without it; nothing on a Fault."""
    rows = [_row(grant, prefix) for grant in grants if grant.name.startswith(prefix)]
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow([NAME, *SETTINGS])
    lines.writerows(rows)


def losses(grants: Iterable[v1.Grant], prefix: str) -> Iterator[str]:
    """The parts of these grants' present windows that the file cannot express."""
    for grant in grants:
        moved = grant.balance.transferred_minutes
        if grant.name.startswith(prefix) and moved:
            yield f"grant {grant.name}: {moved:g} TRES-minutes of transfers are not in the file"


def _row(grant: v1.Grant, prefix: str) -> list[str]:
    name = grant.name.removeprefix(prefix)
    if not name or name.startswith("#"):
        raise Fault(f"grant: got {grant.name!r}, want more than the prefix, and no # after it")
    if unknown := sorted(set(grant.attributes) - set(SETTINGS)):
        raise unexpected(f"grant {grant.name}: setting", unknown[0], f"one of {', '.join(SETTINGS)}")
    return [name, *(grant.attributes.get(setting, "") for setting in SETTINGS)]
