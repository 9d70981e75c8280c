"""The channels of an asyncio client, and every call through them."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import grpc
import grpc.aio

from priorityd.credentials import one_line
from priorityd.errors import Deadline, PriorityError, client_closed, deadline_of, from_rpc
from priorityd.options import Notices, Options, channel_arguments, policy_of, route_of, with_cluster
from priorityd.retry import Attempts, is_rate_limited, is_stale_credential
from priorityd.server import Server

_PATIENCE = 1.0
#: A call, and its channel.
Opened = tuple[Any, grpc.aio.Channel]


class Connection:
    """The channel of the generated stubs; adds the deadline, cluster, proof, retries and choice of server."""

    def __init__(self, options: Options) -> None:
        """Connect when first used."""
        self.options = options
        self._channels: weakref.WeakSet[grpc.aio.Channel] = weakref.WeakSet()
        self._servers = [self._server(address) for address in options.address.split(",")]
        self.notices = Notices(options)
        self._last = 0
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        self.closed = False

    @contextlib.contextmanager
    def errors(self, deadline: Deadline | None = None) -> Iterator[None]:
        """Raise PriorityErrors instead of gRPC's errors.

        When a channel is closed, gRPC cancels the wait for each open call, but not its task.
        """
        try:
            yield
        except grpc.RpcError as error:
            raise from_rpc(error, deadline) from error
        except grpc.aio.UsageError as error:
            if self.closed:
                raise client_closed() from error
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if self.closed and not (task and task.cancelling()):
                raise client_closed() from error
            raise

    async def live(self) -> grpc.aio.Channel:
        """The channel of the server that answered last while it is connected, else of the next that connects.

        FAILED_PRECONDITION after close.
        """
        if self.closed:
            raise client_closed()
        last, count = self._last, len(self._servers)
        for i in range(count if count > 1 else 0):
            at = (last + i) % count
            channel = self._servers[at].link()
            if await _connects(channel):
                self._last = at
                return channel
        return self._servers[last].link()

    async def metadata(self, request: Any) -> tuple[tuple[str, str], ...]:
        """The proof of the caller's identity, and the cluster of the call."""
        route = route_of(request, self.options.cluster)
        if self.options.authorize is None:
            return route
        authorization = await asyncio.to_thread(self.options.authorize)
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

        async def opened(request: Any) -> Opened:
            metadata = await self.metadata(request)
            channel = await self.live()
            call = channel.unary_stream(method, request_serializer, response_deserializer)
            return call(with_cluster(request, self.options.cluster), metadata=metadata), channel

        def stream(request: Any) -> Stream:
            made = Stream(self, lambda: opened(request))
            self._streams.add(made)
            return made

        return stream

    def stream_stream(self, *arguments: Any, **_: Any) -> Any:
        """Not available: UsageStream, which has its own channel, calls StreamUsage."""
        return None

    async def close(self) -> None:
        """End the connections. gRPC ends only the calls that have no answer yet."""
        self.closed = True
        for stream in list(self._streams):
            stream.cancel()
        for channel in list(self._channels):
            await channel.close()

    def _server(self, address: str) -> Server[grpc.aio.Channel]:
        def make(credentials: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
            channel = _channel(self.options, address, credentials)
            self._channels.add(channel)
            return channel

        return Server(self.options, make)


class _Unary:
    """A unary call of the stubs."""

    def __init__(self, connection: Connection, method: str, serializer: Any, deserializer: Any) -> None:
        self._connection = connection
        self._policy = policy_of(method, connection.options)
        self._kind = (method, serializer, deserializer)

    async def __call__(self, request: Any, timeout: float | None = None, **_: Any) -> Any:
        options = self._connection.options
        request = with_cluster(request, options.cluster)
        deadline = deadline_of(timeout, options.deadline)
        attempts = Attempts(self._policy)
        while True:
            try:
                return await self._with_fresh_credential(request, deadline)
            except PriorityError as error:
                wait = attempts.next(error)
                self._connection.notices.retry(error, is_rate_limited(error))
                if wait >= deadline.left():
                    raise
            await asyncio.sleep(wait)

    async def _with_fresh_credential(self, request: Any, deadline: Deadline) -> Any:
        try:
            return await self._once(request, deadline)
        except PriorityError as error:
            if not is_stale_credential(error):
                raise
        return await self._once(request, deadline)

    async def _once(self, request: Any, deadline: Deadline) -> Any:
        metadata = await self._connection.metadata(request)
        with self._connection.errors(deadline):
            channel = await self._connection.live()
            return await channel.unary_unary(*self._kind)(request, timeout=deadline.timeout(), metadata=metadata)


class Stream:
    """The answers of a stream, until it ends; its errors are PriorityErrors."""

    def __init__(self, connection: Connection, opened: Callable[[], Awaitable[Opened]]) -> None:
        """Open the stream when the iteration begins."""
        self._connection = connection
        self._opened = opened
        self._call: Any = None
        self._channel: grpc.aio.Channel | None = None  # Kept, because an unused channel is closed.

    async def __aiter__(self) -> AsyncIterator[Any]:
        """Iterate once."""
        try:
            with self._connection.errors():
                self._call, self._channel = await self._opened()
                async for answer in self._call:
                    yield answer
        finally:
            self.cancel()

    def cancel(self) -> None:
        """End the stream."""
        if self._call is not None:
            self._call.cancel()


def _channel(options: Options, address: str, credentials: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
    arguments = channel_arguments(options)
    if credentials is None:
        return grpc.aio.insecure_channel(address, options=arguments)
    return grpc.aio.secure_channel(address, credentials, options=arguments)


async def _connects(channel: grpc.aio.Channel) -> bool:
    """Whether the channel is connected, or will be soon."""
    states = grpc.ChannelConnectivity
    deadline = Deadline(_PATIENCE)
    while True:
        state = channel.get_state(try_to_connect=True)
        if state in (states.READY, states.TRANSIENT_FAILURE, states.SHUTDOWN):
            return state is states.READY
        try:
            await asyncio.wait_for(channel.wait_for_state_change(state), deadline.left())
        except TimeoutError:
            return False
