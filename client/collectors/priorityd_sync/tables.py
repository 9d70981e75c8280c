"""Keys of TOML tables, checked."""

from __future__ import annotations

import re
import urllib.parse
from typing import Any

from priorityd_collect.files import read_small
from priorityd_collect.items import Fault, unexpected

Table = dict[str, Any]


def known(table: Table, keys: set[str], place: str) -> None:
    """Refuse other keys."""
    for key in table:
        if key not in keys:
            raise unexpected(f"{place}{key}", "an unknown key", "one of " + ", ".join(sorted(keys)))


def text(table: Table, key: str, default: str | None = None, place: str = "") -> str:
    """A text; without a default it is required."""
    found = table.get(key, default)
    if not isinstance(found, str) or (not found and default is None):
        raise unexpected(f"{place}{key}", "nothing" if found is None else found, "a text")
    return found


def flag(table: Table, key: str, default: bool, place: str = "") -> bool:
    """True or false."""
    found = table.get(key, default)
    if not isinstance(found, bool):
        raise unexpected(f"{place}{key}", found, "true or false")
    return found


def whole(table: Table, key: str, default: int, most: int, place: str = "") -> int:
    """A number from 1."""
    found = table.get(key, default)
    if type(found) is not int or not 1 <= found <= most:
        raise unexpected(f"{place}{key}", found, f"1 to {most}")
    return found


def texts(table: Table, key: str) -> list[str]:
    """A list of texts; default none."""
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
        raise unexpected(key, found, "a list of texts")
    return found


def tables(table: Table, key: str, most: int) -> list[Table]:
    """The [[key]] of a file."""
    found = table.get(key, [])
    if not isinstance(found, list) or len(found) > most or not all(isinstance(one, dict) for one in found):
        raise unexpected(key, found, f"at most {most} [[{key}]]")
    return found


def settings(table: Table, place: str) -> dict[str, str]:
    """Settings of an account: texts and whole numbers."""
    found = table.get("settings", {})
    if not isinstance(found, dict) or len(found) > 100:
        raise unexpected(f"{place}settings", found, "a table of settings")
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise unexpected(f"{place}settings.{name}", value, "a text or a whole number")
    return {name: str(value) for name, value in found.items()}


def pattern(words: str, place: str) -> re.Pattern[str]:
    """A regular expression."""
    try:
        return re.compile(words)
    except re.error as error:
        raise unexpected(place, words, f"a regular expression: {error}") from None


def host_of(url: str, place: str, schemes: tuple[str, str], bare: bool) -> urllib.parse.SplitResult:
    """The parts of a URL whose first scheme is with TLS; `bare` allows the second one."""
    try:
        parts = urllib.parse.urlsplit(url)
        usable = bool(parts.hostname) and "@" not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or parts.scheme not in schemes:
        raise unexpected(place, "one with a user or a password" if "@" in url else url, f"{schemes[0]}://HOST")
    if parts.scheme == schemes[1] and not bare:
        raise unexpected(place, url, f'{schemes[0]}://HOST, or `tls = "none"` on a network that is trusted')
    return parts


def secret(path: str, place: str) -> str:
    """The first line of a file; blanks beside a password are part of it."""
    line = read_small(path).partition("\n")[0].removesuffix("\r")
    if not line.strip():
        raise Fault(f"{place}: {path}: got no text, want a secret in the first line")
    return line
