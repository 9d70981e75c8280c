"""JSON of a file, with exact numbers, within bounds."""

from __future__ import annotations

import decimal
import json
from typing import Any, cast

from priorityd_collect import files
from priorityd_collect.items import Fault, unexpected

MOST_BYTES = 32 << 20

Object = dict[str, Any]


def read_text(path: str) -> str:
    """Read a file of at most MOST_BYTES; `-` is standard input."""
    try:
        with files.open_log(path) as file:
            return files.read_text(file, path, MOST_BYTES)
    except OSError as error:
        raise Fault(f"{path}: {error.strerror or error}") from error


def read_objects(path: str, most: int) -> list[Object]:
    """The objects of an array, or of the `results` of the only page of a listing."""
    try:
        found = json.loads(
            read_text(path), parse_float=decimal.Decimal, parse_constant=_refuse, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        raise Fault(f"{path}:{error.lineno}: got {error.msg.lower()}, want JSON") from None
    except (ValueError, RecursionError, decimal.DecimalException) as error:
        raise Fault(f"{path}: got {error}, want JSON") from None
    if isinstance(found, dict) and isinstance(found.get("results"), list):
        if found.get("next"):
            raise Fault(f"{path}: next: got one page of several, want the entries of all pages in one array")
        found = found["results"]
    if not isinstance(found, list):
        raise Fault(f"{path}: got no array, want an array of objects")
    if len(found) > most:
        raise Fault(f"{path}: got {len(found)} objects, want at most {most}")
    for place, one in enumerate(found, 1):
        if not isinstance(one, dict):
            raise unexpected(f"{path}: entry {place}", one, "an object")
    return cast(list[Object], found)


def field(entry: Object, name: str) -> Any:
    """A field that each entry has."""
    if name not in entry:
        raise Fault(f"{name}: got no such field, want it")
    return entry[name]


def text(entry: Object, name: str) -> str:
    """A field that is a text; null = empty."""
    found = field(entry, name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise unexpected(name, found, "a text")
    return found


def _object(pairs: list[tuple[str, Any]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object with a field twice")
    return found


def _refuse(word: str) -> None:
    raise ValueError(word)
