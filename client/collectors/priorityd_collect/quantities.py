"""Times, durations and amounts, as the logs of batch systems write them."""

from __future__ import annotations

import datetime
import os
import re
import time
import zoneinfo
from collections.abc import Mapping

from priorityd_collect.items import unexpected

Zone = datetime.tzinfo

_WORDS_OF_NOTHING = {"", "n/a", "(null)", "none", "none assigned", "unknown", "invalid", "not_set"}
_DURATION = re.compile(r"(?:(\d+)-)?(?:(?:(\d+):)?(\d+):)?(\d+)(?:\.\d+)?")
_AGO = re.compile(r"(\d+)([smhdw])")
_AGO_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SUFFIX = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_LONGEST_NUMBER = 40
#: Calendars, and the timestamps of the API, end with the year 9999.
_LAST = datetime.datetime(9999, 1, 1, tzinfo=datetime.UTC).timestamp()
#: The longest duration of the API, some 10,000 years.
LONGEST = 315_576_000_000.0


def local_zone() -> Zone:
    """The zone that TZ of the environment names, empty = UTC; without TZ the zone of this host."""
    named = os.environ.get("TZ")
    if named is not None:
        return _zone_of_environment(named)
    try:
        return zoneinfo.ZoneInfo("localtime")
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        offset = datetime.datetime.now().astimezone().tzinfo
        return offset or datetime.UTC


def _zone_of_environment(text: str) -> Zone:
    name = text.removeprefix(":")
    if not name:
        return datetime.UTC
    try:
        if os.path.isabs(name):
            with open(name, "rb") as file:
                return zoneinfo.ZoneInfo.from_file(file)
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise unexpected("TZ of the environment", text, "an IANA name such as Europe/Berlin") from None


def zone(name: str) -> Zone:
    """Read an IANA name."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise unexpected("--time-zone", name, "an IANA name such as Europe/Berlin") from None


def says_nothing(text: str) -> bool:
    """Whether it is one of Slurm's words for no value."""
    return text.strip().lower() in _WORDS_OF_NOTHING


def name_of(row: Mapping[str, str], column: str) -> str:
    """A name of Slurm, which may be `none` or `unknown`; empty = none."""
    name = row.get(column, "")
    return "" if name == "(null)" or name.lower() == "n/a" else name


def moment(text: str, of: Zone, what: str) -> float:
    """Seconds since 1970 of `2026-11-20T13:07:11`, with an offset or in that zone, or of a number of seconds."""
    text = text.strip()
    if re.fullmatch(r"\d{1,15}(\.\d{1,9})?", text):
        return dated(float(text), what, text)
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise unexpected(what, text, "a time such as 2026-11-20T13:07:11, or seconds since 1970") from None
    return dated((found if found.tzinfo else found.replace(tzinfo=of)).timestamp(), what, text)


def dated(seconds: float, what: str, got: str) -> float:
    """The same seconds since 1970, if the calendar has them in every zone."""
    if seconds > _LAST:
        raise unexpected(what, got, "a time before 9999-01-01")
    return seconds


def repeated(seconds: float, of: Zone) -> float:
    """The later moment with the same time of day, where the zone's clock goes back; else the same one."""
    return datetime.datetime.fromtimestamp(seconds, of).replace(fold=1).timestamp()


def end_after(start: float, end: float, of: Zone) -> float:
    """The end of a run by the clock of a zone: the later time of a repeated hour where the other precedes the start."""
    later = repeated(end, of)
    return later if end < start <= later else end


def moment_of(text: str, form: str, of: Zone, what: str) -> float:
    """Read a time in a form of strptime."""
    try:
        found = datetime.datetime.strptime(text.strip(), form)
    except ValueError:
        raise unexpected(what, text, f"a time as {form}") from None
    return (found if found.tzinfo else found.replace(tzinfo=of)).timestamp()


def duration(text: str, what: str) -> float:
    """Seconds of `1-02:03:04`, `02:03:04`, `03:04` or `4`."""
    match = _DURATION.fullmatch(text.strip())
    if not match or len(text) > _LONGEST_NUMBER:
        raise unexpected(what, text, "a time such as 1-02:03:04 or seconds")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    found = float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    if found > LONGEST:
        raise unexpected(what, text, f"at most {LONGEST:.0f} seconds")
    return found


def span(text: str, what: str) -> float:
    """Seconds of `90s`, `5m`, `12h`, `7d` or `2w`."""
    match = _AGO.fullmatch(text.strip())
    if not match or len(text) > _LONGEST_NUMBER:
        raise unexpected(what, text, "a duration such as 90s, 5m, 12h, 7d or 2w")
    return float(int(match[1]) * _AGO_UNITS[match[2]])


def since(text: str, of: Zone) -> float:
    """Read a time or an age: `7d`."""
    if _AGO.fullmatch(text):
        return time.time() - span(text, "--since")
    if not text.strip()[:1].isdigit():
        raise unexpected("--since", text, "a time such as 2026-11-20T13:07:11, or an age such as 7d")
    return moment(text, of, "--since")


def number(text: str, what: str) -> float:
    """A finite count, 0 or more."""
    if re.fullmatch(r"\d+(\.\d*)?([eE][+-]?\d{1,3})?", text.strip()) and len(text) <= _LONGEST_NUMBER:
        found = float(text)
        if found < 1e18:
            return found
    raise unexpected(what, text, "a number, 0 or more")


def count(text: str, what: str) -> int:
    """A whole number."""
    if not re.fullmatch(r"\d{1,15}", text.strip()):
        raise unexpected(what, text, "a whole number")
    return int(text)


def megabytes(text: str, what: str) -> float:
    """MiB, Slurm's unit of memory, of `10485760kb`, `850mb`, `10GB`, `4096b` or of bytes; a word has 8 bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmgtp]?)([bw]?)", text.strip().lower())
    if not match or len(text) > _LONGEST_NUMBER:
        raise unexpected(what, text, "a size such as 4gb or 850mb")
    scale = 1024.0 ** (_SUFFIX.get(match[2], 0) - 2)
    return float(match[1]) * scale * (8 if match[3] == "w" else 1)


def slurm_tres(text: str) -> dict[str, float]:
    """Counts by name of `cpu=2,mem=62.50G,node=1,billing=2`; memory in MiB."""
    found = {}
    for item in text.split(","):
        name, equals, value = item.strip().partition("=")
        if not (name and value) and item.strip():
            raise unexpected("TRES", text, "NAME=COUNT, such as cpu=2,mem=4G")
        if name in found:
            raise unexpected("TRES", text, f"{name} once")
        if equals:
            found[name] = _slurm_amount(name, value)
    return found


def _slurm_amount(name: str, value: str) -> float:
    power = _SUFFIX.get(value[-1].lower(), 0)
    amount = number(value[:-1] if power else value, name)
    in_megabytes = name == "mem" or name.startswith("bb/")
    return amount * 1024.0 ** (power - (2 if in_megabytes else 0)) if power else amount


def checked_zone(name: str) -> Zone:
    """The zone of that name; empty = this host's."""
    return zone(name) if name else local_zone()
