"""The channels of a client, and every call through them."""

from __future__ import annotations

import contextlib
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from priorityd.connectivity import Connectivity
from priorityd.credentials import one_line
from priorityd.errors import Deadline, PriorityError, client_closed, deadline_of, from_rpc
from priorityd.options import Notices, Options, channel_arguments, policy_of, route_of, with_cluster
from priorityd.retry import Attempts, is_rate_limited, is_stale_credential
from priorityd.server import Server


class Link:
    """A channel, closed after its last use: open streams and calls keep it."""

    def __init__(self, options: Options, address: str, credentials: grpc.ChannelCredentials | None) -> None:
        """Connect when first used."""
        self.channel = _channel(options, address, credentials)
        self.connectivity = Connectivity(self.channel)
        weakref.finalize(self, self.connectivity.close).atexit = False

    @contextlib.contextmanager
    def errors(self, deadline: Deadline | None = None) -> Iterator[None]:
        """Raise PriorityErrors instead of gRPC's errors, of which that of a closed channel is a bare ValueError."""
        try:
            yield
        except ValueError as error:
            if self.connectivity.closed:
                raise client_closed() from error
            raise
        except grpc.RpcError as error:
            if self.connectivity.closed and error.code() is grpc.StatusCode.CANCELLED:
                raise client_closed() from error
            raise from_rpc(error, deadline) from error


class Connection(grpc.Channel):
    """The channel of the generated stubs; adds the deadline, cluster, proof, retries and choice of server.

    Thread-safe.
    """

    def __init__(self, options: Options) -> None:
        """Connect when first used."""
        self.options = options
        self._links: weakref.WeakSet[Link] = weakref.WeakSet()
        self._servers = [self._server(address) for address in options.address.split(",")]
        self.notices = Notices(options)
        self._last = 0
        self._closed = False

    def live(self) -> Link:
        """The channel of the server that answered last while it is connected, else of the next that connects.

        FAILED_PRECONDITION after close.
        """
        if self._closed:
            raise client_closed()
        last, count = self._last, len(self._servers)
        for i in range(count if count > 1 else 0):
            at = (last + i) % count
            link = self._servers[at].link()
            if link.connectivity.connects():
                self._last = at
                return link
        return self._servers[last].link()

    def metadata(self, request: Any) -> tuple[tuple[str, str], ...]:
        """The proof of the caller's identity, and the cluster of the call."""
        route = route_of(request, self.options.cluster)
        authorization = self.options.authorize() if self.options.authorize else ""
        return (("authorization", one_line("authorization", authorization)), *route) if authorization else route

    def unary_unary(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """Make one unary call of the stubs."""
        return _Unary(self, method, request_serializer, response_deserializer)

    def unary_stream(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """Open a stream of answers, without retries."""

        def call(channel: grpc.Channel) -> Any:
            return channel.unary_stream(method, request_serializer, response_deserializer)

        return lambda request: self._open(call, with_cluster(request, self.options.cluster))

    def stream_stream(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        """Open a stream of requests and answers, without retries."""

        def call(channel: grpc.Channel) -> Any:
            return channel.stream_stream(method, request_serializer, response_deserializer)

        return lambda requests: self._open(call, requests)

    def _open(self, call: Callable[[grpc.Channel], Any], request: Any) -> Any:
        link = self.live()
        with link.errors():
            return Stream(call(link.channel)(request, metadata=self.metadata(request)), link)

    def stream_unary(self, *arguments: Any, **_: Any) -> Any:
        """Not part of this API."""
        raise NotImplementedError

    def subscribe(
        self, callback: Callable[[grpc.ChannelConnectivity], None], try_to_connect: bool | None = None
    ) -> None:
        """Subscribe to the state of the server that answered last."""
        self._servers[self._last].link().channel.subscribe(callback, try_to_connect=bool(try_to_connect))

    def unsubscribe(self, callback: Callable[[grpc.ChannelConnectivity], None]) -> None:
        """Cancel the subscription."""
        for server in self._servers:
            server.link().channel.unsubscribe(callback)

    def close(self) -> None:
        """End the connections."""
        self._closed = True
        for link in list(self._links):
            link.connectivity.close()

    def _server(self, address: str) -> Server[Link]:
        def make(credentials: grpc.ChannelCredentials | None) -> Link:
            link = Link(self.options, address, credentials)
            self._links.add(link)
            return link

        return Server(self.options, make)

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
        self._kind = (method, serializer, deserializer)

    def __call__(self, request: Any, timeout: float | None = None, **_: Any) -> Any:
        options = self._connection.options
        request = with_cluster(request, options.cluster)
        deadline = deadline_of(timeout, options.deadline)
        attempts = Attempts(self._policy)
        while True:
            try:
                return self._with_fresh_credential(request, deadline)
            except PriorityError as error:
                wait = attempts.next(error)
                self._connection.notices.retry(error, is_rate_limited(error))
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
        link = self._connection.live()
        with link.errors(deadline):
            try:
                return link.channel.unary_unary(*self._kind)(
                    request, timeout=deadline.timeout(), metadata=self._connection.metadata(request)
                )
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.UNAVAILABLE:
                    link.connectivity.keep_connecting()
                raise


class Stream:
    """The answers of a stream, until it ends; its errors are PriorityErrors."""

    def __init__(self, call: Any, link: Link) -> None:
        """Take an open call, and the objects that it uses."""
        self._call = call
        self._link = link

    def __iter__(self) -> Iterator[Any]:
        """Iterate once."""
        return self

    def __next__(self) -> Any:
        """The next answer."""
        with self._link.errors():
            return next(self._call)

    def cancel(self) -> None:
        """End the stream, from any thread."""
        self._call.cancel()


def _channel(options: Options, address: str, credentials: grpc.ChannelCredentials | None) -> grpc.Channel:
    arguments = channel_arguments(options)
    if credentials is None:
        return grpc.insecure_channel(address, options=arguments)
    return grpc.secure_channel(address, credentials, options=arguments)
