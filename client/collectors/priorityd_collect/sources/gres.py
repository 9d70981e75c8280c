"""Generic resources as Slurm before TRES writes them: `gpu:2`, `gpu:tesla:2,craynetwork:1`."""

from __future__ import annotations

import re

from priorityd_collect.items import unexpected
from priorityd_collect.quantities import count, says_nothing

#: The location of a resource: `(S:0)`, `(IDX:0,2)`.
_PLACE = re.compile(r"\([^()]*\)")
_SUFFIX = {"k": 1024, "m": 1024**2, "g": 1024**3}
_PER_NODE, _PER_JOB = "PER_NODE:", "PER_JOB:"
#: Some versions print a name of at most four letters as a number: its bytes in little-endian order.
_NUMBERS = {str(int.from_bytes(name.encode(), "little")): name for name in ("gpu", "mps", "nic")}


def allocated(text: str, what: str) -> dict[str, float]:
    """The job's total by TRES, as AllocGRES has it; a type counts as the type and as the resource."""
    found: dict[str, float] = {}
    for item in _items(text):
        name, kind, amount = _parts(item, what)
        _add(found, name, kind, amount)
    return found


def asked(text: str, nodes: float | None, what: str) -> dict[str, float] | None:
    """The job's total by TRES; None = the number of nodes is not known.

    The text has the counts of one node, as `--gres`, ReqGRES and Gres have.
    """
    found: dict[str, float] = {}
    for item in _items(text):
        times = 1.0 if item.startswith(_PER_JOB) else nodes
        if times is None:
            return None
        name, kind, amount = _parts(item.removeprefix(_PER_JOB).removeprefix(_PER_NODE), what)
        _add(found, name, kind, amount * times)
    return found


def _items(text: str) -> list[str]:
    text = _PLACE.sub("", text)
    return [] if says_nothing(text) else [item.strip() for item in text.split(",") if item.strip()]


def _parts(item: str, what: str) -> tuple[str, str, float]:
    name, *others = item.removeprefix("gres:").removeprefix("gres/").split(":")
    if name.startswith("PER_") or not name or len(others) > 2:
        raise unexpected(what, item, "NAME:COUNT or NAME:TYPE:COUNT")
    name = _NUMBERS.get(name, name)
    if not others:
        return name, "", 1.0
    if len(others) == 1 and not others[0][:1].isdigit():
        return name, others[0], 1.0
    return name, ":".join(others[:-1]), _count(others[-1], what)


def _count(text: str, what: str) -> float:
    scale = _SUFFIX.get(text[-1:].lower(), 1)
    return float(count(text[:-1] if scale > 1 else text, what) * scale)


def _add(found: dict[str, float], name: str, kind: str, amount: float) -> None:
    for tres in (f"gres/{name}", f"gres/{name}:{kind}" if kind else ""):
        if tres and amount:
            found[tres] = found.get(tres, 0.0) + amount
