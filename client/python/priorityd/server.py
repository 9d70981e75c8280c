"""One server of a client: a connection to it, opened again if the TLS files have changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import grpc

from priorityd.credentials import FileState, TlsFiles
from priorityd.errors import PriorityError
from priorityd.options import Options

_Link = TypeVar("_Link")


class Server(Generic[_Link]):
    """Holds the link that calls use. Thread-safe."""

    def __init__(self, options: Options, make: Callable[[grpc.ChannelCredentials | None], _Link]) -> None:
        """Make the first link; a PriorityError names an unreadable file."""
        self._given = options.credentials
        self._make = make
        self._lock = threading.Lock()
        self._made_of = self._state()
        self._link = make(self._credentials())

    def link(self) -> _Link:
        """The present link. The caller keeps it until the call has ended."""
        state = self._state()
        if state and state != self._made_of:
            with self._lock:
                self._renew(state)
        return self._link

    def _renew(self, state: FileState) -> None:
        if state == self._made_of:
            return  # Another thread has replaced it.
        try:
            self._link = self._make(self._credentials())
            self._made_of = state
        except PriorityError:
            pass  # A file is being replaced; the next call checks again.

    def _state(self) -> FileState:
        return self._given.state() if isinstance(self._given, TlsFiles) else ()

    def _credentials(self) -> grpc.ChannelCredentials | None:
        return self._given.credentials() if isinstance(self._given, TlsFiles) else self._given
