"""The position of delivery, in a file. After its loss some events are sent again; none is left out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from priorityd_collect.files import read_text, replace_file
from priorityd_collect.items import Fault

#: Of some ten million events within LOOK_BACK.
_MOST_BYTES = 128 << 20


@dataclass
class Position:
    """The position of one receiver."""

    #: Audit events before this time (seconds since 1970) were delivered, and later ones with these numbers.
    since: float
    delivered: set[int] = field(default_factory=set)
    #: The last budget event that was delivered.
    budget: int = 0


def read_position(path: str) -> Position | None:
    """Read the position; None = the file does not exist yet."""
    try:
        with open(path, "rb") as file:
            text = read_text(file, path, _MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Fault(f"--position {path}: {error.strerror}") from None
    try:
        stored = json.loads(text)
        return Position(float(stored["since"]), set(map(int, stored["delivered"])), int(stored["budget"]))
    except (ValueError, KeyError, TypeError):
        raise Fault(f"{path}: got no position of events, want a file of priorityd-events, or no file") from None


def write_position(path: str, position: Position) -> None:
    """Replace the file atomically."""
    stored = {"since": position.since, "delivered": sorted(position.delivered), "budget": position.budget}
    try:
        replace_file(path, json.dumps(stored))
    except OSError as error:
        raise Fault(f"--position {path}: {error.strerror}") from error
