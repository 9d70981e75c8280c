"""The channels of a client, and every call through them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from priorityd.errors import Deadline, PriorityError, from_rpc
from priorityd.options import Options, Told, channel_arguments, policy_of, with_cluster
from priorityd.retry import Attempts, is_rate_limited, is_stale_credential

_PATIENCE = 1.0


class Connection(grpc.Channel):
    """What the generated stubs call through: deadline, cluster, proof, retries, servers. Thread-safe."""

    def __init__(self, options: Options) -> None:
        """Connect when first used."""
        self.options = options
        self.channels = [_channel(options, address) for address in options.address.split(",")]
        self.told = Told(options)
        self._last = 0

    def live(self) -> int:
        """The server that answered last while it is connected, else the next that connects."""
        last = self._last
        for i in range(len(self.channels) if len(self.channels) > 1 else 0):
            at = (last + i) % len(self.channels)
            if _connects(self.channels[at]):
                self._last = at
                return at
        return last

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The proof of who calls."""
        authorization = self.options.authorize() if self.options.authorize else ""
        return (("authorization", authorization),) if authorization else ()

    def unary_unary(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """Make one unary call of the stubs."""
        return _Unary(self, method, request_serializer, response_deserializer)

    def unary_stream(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """Make a stream of answers, which nothing is tried again of."""
        calls = [c.unary_stream(method, request_serializer, response_deserializer) for c in self.channels]
        return lambda request: self._open(calls, with_cluster(request, self.options.cluster))

    def stream_stream(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """Make a stream of both, which nothing is tried again of."""
        calls = [c.stream_stream(method, request_serializer, response_deserializer) for c in self.channels]
        return lambda requests: self._open(calls, requests)

    def _open(self, calls: list[Any], request: Any) -> Any:
        return Stream(calls[self.live()](request, metadata=self.metadata()))

    def stream_unary(self, *arguments: Any, **_: Any) -> Any:
        """Not of this API."""
        raise NotImplementedError

    def subscribe(
        self, callback: Callable[[grpc.ChannelConnectivity], None], try_to_connect: bool | None = None
    ) -> None:
        """Watch the server that answered last."""
        self.channels[self._last].subscribe(callback, try_to_connect=bool(try_to_connect))

    def unsubscribe(self, callback: Callable[[grpc.ChannelConnectivity], None]) -> None:
        """Watch no more."""
        for channel in self.channels:
            channel.unsubscribe(callback)

    def close(self) -> None:
        """End the connections."""
        for channel in self.channels:
            channel.close()

    def __enter__(self) -> Connection:
        """Close at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


class _Unary:
    """A unary call of the stubs."""

    def __init__(self, connection: Connection, method: str, serializer: Any, deserializer: Any) -> None:
        self._connection = connection
        self._policy = policy_of(method, connection.options)
        self._calls = [c.unary_unary(method, serializer, deserializer) for c in connection.channels]

    def __call__(self, request: Any, timeout: float | None = None, **_: Any) -> Any:
        options = self._connection.options
        request = with_cluster(request, options.cluster)
        deadline = Deadline(options.deadline if timeout is None else min(timeout, options.deadline))
        attempts = Attempts(self._policy)
        while True:
            try:
                return self._with_fresh_credential(request, deadline)
            except PriorityError as error:
                wait = attempts.next(error)
                self._connection.told.retry(error, is_rate_limited(error))
                if wait >= deadline.left():
                    raise
            time.sleep(wait)

    def _with_fresh_credential(self, request: Any, deadline: Deadline) -> Any:
        try:
            return self._once(request, deadline)
        except PriorityError as error:
            if not is_stale_credential(error):
                raise
        return self._once(request, deadline)

    def _once(self, request: Any, deadline: Deadline) -> Any:
        call = self._calls[self._connection.live()]
        try:
            return call(request, timeout=deadline.left(), metadata=self._connection.metadata())
        except grpc.RpcError as error:
            raise from_rpc(error, deadline) from error


class Stream:
    """What a stream answers, until it ends; an error of it is a PriorityError."""

    def __init__(self, call: Any) -> None:
        """Take a call that is open."""
        self._call = call

    def __iter__(self) -> Iterator[Any]:
        """Iterate once."""
        return self

    def __next__(self) -> Any:
        """The next answer."""
        try:
            return next(self._call)
        except grpc.RpcError as error:
            raise from_rpc(error) from error

    def cancel(self) -> None:
        """End it, from any thread."""
        self._call.cancel()


def _channel(options: Options, address: str) -> grpc.Channel:
    arguments = channel_arguments(options)
    if options.credentials is None:
        return grpc.insecure_channel(address, options=arguments)
    return grpc.secure_channel(address, options.credentials, options=arguments)


def _connects(channel: grpc.Channel) -> bool:
    """Whether the channel has a connection, or gets one soon."""
    settled = threading.Event()
    states = grpc.ChannelConnectivity
    last = states.IDLE

    def see(state: grpc.ChannelConnectivity) -> None:
        nonlocal last
        last = state
        if state in (states.READY, states.TRANSIENT_FAILURE, states.SHUTDOWN):
            settled.set()

    channel.subscribe(see, try_to_connect=True)
    settled.wait(_PATIENCE)
    channel.unsubscribe(see)
    return last is states.READY
