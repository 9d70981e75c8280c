"""The file of the objects that the program has created, by ids of the source. After its loss nothing is deleted."""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from priorityd_collect.files import replace_file
from priorityd_collect.items import Fault, unexpected

_VERSION = 1
_MOST_BYTES = 1 << 30
_WANT = "a file of priorityd-sync, or no file"


@dataclass
class Account:
    """The account of a group."""

    name: str
    #: The name of the group when it was last read.
    group: str
    #: Whether this program created the account, and what it wrote last; the rest is the site's.
    made: bool
    parent: str
    description: str


@dataclass
class State:
    """By ids of the source."""

    cluster: str
    accounts: dict[str, Account] = field(default_factory=dict)
    #: Id of a person to the login.
    logins: dict[str, str] = field(default_factory=dict)
    #: Account and login of each association that this program created.
    members: set[tuple[str, str]] = field(default_factory=set)
    #: Login to the AdminLevel that this program set.
    admins: dict[str, str] = field(default_factory=dict)
    #: Account and login, or account and nothing, that the last run would have deleted.
    lacking: set[tuple[str, str]] = field(default_factory=set)


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """Keep a second run out."""
    with _lock(path):
        yield


def _lock(path: str) -> IO[str]:
    try:
        file = open(path + ".lock", "a")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            file.close()
            raise
        return file
    except BlockingIOError:
        raise Fault(f"state: {path}: got another run that uses it, want one at a time") from None
    except OSError as error:
        raise Fault(f"state: {path}.lock: {error.strerror}") from None


def read_state(path: str, cluster: str) -> State:
    """Read the state of a cluster; no file = nothing was made yet."""
    try:
        with open(path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return State(cluster)
    except OSError as error:
        raise Fault(f"state: {path}: {error.strerror}") from None
    try:
        found = json.loads(content)
        if found["version"] != _VERSION:
            raise unexpected(f"state: {path}: version", found["version"], str(_VERSION))
        state = _state(found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Fault(f"state: {path}: got no state, want {_WANT}") from None
    if state.cluster != cluster:
        raise unexpected(f"state: {path}", f"that of cluster {state.cluster}", f"that of {cluster}")
    return state


def write_state(path: str, state: State) -> None:
    """Replace the file atomically."""
    stored = {
        "version": _VERSION,
        "cluster": state.cluster,
        "accounts": {key: vars(one) for key, one in sorted(state.accounts.items())},
        "logins": dict(sorted(state.logins.items())),
        "members": sorted(state.members),
        "lacking": sorted(state.lacking),
        "admins": dict(sorted(state.admins.items())),
    }
    try:
        replace_file(path, json.dumps(stored, indent=0))
    except OSError as error:
        raise Fault(f"state: {path}: {error.strerror}") from None


def _state(found: dict[str, Any]) -> State:
    return State(
        str(found["cluster"]),
        {str(key): Account(**one) for key, one in found["accounts"].items()},
        {str(key): str(one) for key, one in found["logins"].items()},
        {(str(account), str(login)) for account, login in found["members"]},
        {str(key): str(one) for key, one in found["admins"].items()},
        {(str(account), str(login)) for account, login in found["lacking"]},
    )
