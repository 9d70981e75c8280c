"""Up to where events were delivered, in a file. Who loses it is told some again, never none."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field

from priorityd_collect.files import read_small
from priorityd_collect.items import Fault


@dataclass
class Position:
    """Of one receiver."""

    #: Audit events before it (seconds since 1970) were delivered, and of those after it the ones with these numbers.
    since: float
    delivered: set[int] = field(default_factory=set)
    #: The last budget event that was delivered.
    budget: int = 0


def read_position(path: str) -> Position | None:
    """Read it; None = there is none yet."""
    if not os.path.exists(path):
        return None
    try:
        told = json.loads(read_small(path))
        return Position(float(told["since"]), set(map(int, told["delivered"])), int(told["budget"]))
    except (ValueError, KeyError, TypeError):
        raise Fault(f"{path}: got no position of events, want a file of priorityd-events, or none") from None


def write_position(path: str, position: Position) -> None:
    """Replace the file as a whole."""
    told = {"since": position.since, "delivered": sorted(position.delivered), "budget": position.budget}
    folder = os.path.dirname(os.path.abspath(path))
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            json.dump(told, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)
    except OSError as error:
        raise Fault(f"--position {path}: {error.strerror}") from error
