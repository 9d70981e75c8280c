"""The state of a channel, asked of gRPC.

gRPC asks in a thread of its own, which ends up to 0.4 s after the last question. If a channel is closed while that
thread runs, gRPC prints a traceback; if it is deallocated after the interpreter has stopped the thread, the program
never ends. So a channel is closed after the thread, and a program ends after it.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref

import grpc

_PATIENCE = 1.0
_AFTER_A_QUESTION = 0.5


class Connectivity:
    """Asks for the state of one channel, and closes it. Thread-safe."""

    def __init__(self, channel: grpc.Channel) -> None:
        """Ask nothing yet."""
        self._channel = channel
        self._open_questions = 0
        self._quiet_at = 0.0  # By time.monotonic.
        self._closed = False
        with _lock:
            _all.add(self)

    def connects(self) -> bool:
        """Whether the channel is connected, or will be within a second. False after close."""
        settled = threading.Event()
        states = grpc.ChannelConnectivity
        last = states.IDLE

        def see(state: grpc.ChannelConnectivity) -> None:
            nonlocal last
            last = state
            if state in (states.READY, states.TRANSIENT_FAILURE, states.SHUTDOWN):
                settled.set()

        if not self._begin():
            return False
        try:
            self._channel.subscribe(see, try_to_connect=True)
            settled.wait(_PATIENCE)
            self._channel.unsubscribe(see)
        finally:
            self._end()
        return last is states.READY

    def keep_connecting(self) -> None:
        """Connect for 0.2 s more.

        Calls on a lost connection fail at once, and without calls gRPC reads its sockets only every 5 s.
        """
        if not self._begin():
            return
        try:
            self._channel.subscribe(_ignore, try_to_connect=True)
            self._channel.unsubscribe(_ignore)
        finally:
            self._end()

    def close(self) -> None:
        """Close the channel, at most 0.5 s after the last question."""
        with _lock:
            self._closed = True
        time.sleep(max(0.0, self._quiet_at - time.monotonic()))
        self._channel.close()

    @property
    def closed(self) -> bool:
        """Whether close was called."""
        return self._closed

    def asks(self) -> bool:
        """Whether gRPC's thread may be running."""
        return self._open_questions > 0 or time.monotonic() < self._quiet_at

    def _begin(self) -> bool:
        with _lock:
            if self._closed or _exits.is_set():
                return False
            self._open_questions += 1
            return True

    def _end(self) -> None:
        with _lock:
            self._open_questions -= 1
            self._quiet_at = time.monotonic() + _AFTER_A_QUESTION


# Reentrant, because a garbage collection may close a channel while the lock is held.
_lock = threading.RLock()
_all: weakref.WeakSet[Connectivity] = weakref.WeakSet()
_exits = threading.Event()


@atexit.register
def _close_those_that_ask() -> None:
    """Before the interpreter stops gRPC's threads; the other channels need not be closed."""
    with _lock:
        _exits.set()
        asking = [connectivity for connectivity in _all if connectivity.asks()]
    for connectivity in asking:
        connectivity.close()


def _ignore(_: grpc.ChannelConnectivity) -> None:
    pass
