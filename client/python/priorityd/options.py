"""The options of the connection to the service."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

import grpc
from google.protobuf.message import Message

from priorityd import v1
from priorityd.credentials import Authorize, TlsFiles
from priorityd.errors import PriorityError
from priorityd.retry import ONCE, RetryPolicy

_LONGEST_DEADLINE = 1e9
_LONGEST_KEEPALIVE = 1e6
_PRIORITY_SERVICE = "/priority.v1.PriorityService/"
_log = logging.getLogger("priorityd")
_Request = TypeVar("_Request", bound=Message)


def _warn(error: PriorityError) -> None:
    _log.warning("%s; waiting", error)


@dataclass(frozen=True)
class Options:
    """The options of the connection; all times are in seconds. A ValueError names a field with another value."""

    #: host:port, unix:PATH, or any other name that gRPC resolves; several divided by commas are replicas of
    #: one service: each attempt of a call goes to the one that answered last, or, if that cannot be
    #: reached, to the next that can.
    address: str = "127.0.0.1:7411"
    #: Set in every request that names no cluster; empty = the service's only cluster.
    cluster: str = ""
    #: The time limit of one call, all its attempts together; more than 0 and at most 1e9.
    deadline: float = 60.0
    #: While a call is open, a server silent for keepalive_time gets a ping, and without an answer within
    #: keepalive_timeout the call ends with UNAVAILABLE; both at least 0.001 and at most 1e6. The service
    #: drops a client that pings more often than every 5 seconds.
    keepalive_time: float = 30.0
    keepalive_timeout: float = 20.0
    #: The largest request or answer. 200,000 jobs are about 14 MB.
    max_message_bytes: int = 256 << 20
    #: The retries of idempotent calls: all of PriorityService (RecordUsage is idempotent by
    #: record_id), and of AdminService those that begin with Get, List or Export.
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    #: See credentials.tls_files, whose files are checked before each call; None = no encryption.
    credentials: grpc.ChannelCredentials | TlsFiles | None = None
    #: See credentials.token_file, munge, automatic; None = calls prove nothing. A call whose MUNGE
    #: credential was replayed or expired is sent again with a new one, once.
    authorize: Authorize | None = None
    #: Called once for a client, with the service's error, when a call waits because of the service's rate
    #: limit. Default a warning of the logger ``priorityd``.
    on_rate_limited: Callable[[PriorityError], None] = _warn
    #: Called with the error before a call is retried for another reason.
    on_retry: Callable[[PriorityError], None] = lambda error: None

    def __post_init__(self) -> None:
        """Check what gRPC would refuse without naming it."""
        if not all(part.strip() for part in self.address.split(",")):
            raise ValueError(f"address: got {self.address!r}, want host:port or unix:PATH, several divided by commas")
        if not 0 < self.deadline <= _LONGEST_DEADLINE:
            raise ValueError(f"deadline: got {self.deadline:g}, want seconds: more than 0 and at most 1e9")
        for name, value in (("keepalive_time", self.keepalive_time), ("keepalive_timeout", self.keepalive_timeout)):
            if not 0.001 <= value <= _LONGEST_KEEPALIVE:
                raise ValueError(f"{name}: got {value:g}, want seconds: at least 0.001 and at most 1e6")


def options_of(options: Options | str) -> Options:
    """Make options from an address."""
    return Options(address=options) if isinstance(options, str) else options


def channel_arguments(options: Options) -> list[tuple[str, Any]]:
    """gRPC's options of a channel."""
    return [
        ("grpc.max_receive_message_length", options.max_message_bytes),
        ("grpc.max_send_message_length", options.max_message_bytes),
        # http_proxy is for connections that leave the site; priorityd is inside it.
        ("grpc.enable_http_proxy", 0),
        # gRPC's default of a second between two attempts to connect is longer than our backoff.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 5000),
        ("grpc.max_reconnect_backoff_ms", 5000),
        # A watch has no deadline and sends nothing, so only pings notice that the server's host vanished.
        ("grpc.keepalive_time_ms", round(options.keepalive_time * 1000)),
        ("grpc.keepalive_timeout_ms", round(options.keepalive_timeout * 1000)),
        # Newer versions of gRPC have a limit of its own for the answer to any ping, a minute by default.
        ("grpc.http2.ping_timeout_ms", round(options.keepalive_timeout * 1000)),
        # Otherwise gRPC stops after two pings without data.
        ("grpc.http2.max_pings_without_data", 0),
    ]


def policy_of(method: str, options: Options) -> RetryPolicy:
    """Whether the call is idempotent."""
    name = method.rpartition("/")[2]
    repeatable = method.startswith(_PRIORITY_SERVICE) or name.startswith(("Get", "List")) or name == "Export"
    return options.retry if repeatable else ONCE


def with_cluster(request: _Request, cluster: str) -> _Request:
    """Return the request, or a copy that names the cluster where it names none."""
    if not cluster or "cluster" not in request.DESCRIPTOR.fields_by_name:
        return request
    if isinstance(request, v1.UpdateClusterRequest):
        holder, name = "cluster", request.cluster.name
    else:
        holder, name = "", getattr(request, "cluster", "")
    if name:
        return request
    named = type(request)()
    named.CopyFrom(request)
    if holder:
        getattr(named, holder).name = cluster
    else:
        setattr(named, "cluster", cluster)  # noqa: B010
    return named


#: The metadata that names the cluster of a call, for load balancers that send it to the cluster's cell.
CLUSTER_KEY = "priorityd-cluster"


def route_of(request: Any, cluster: str) -> tuple[tuple[str, str], ...]:
    """The metadata with the cluster that the request names, or otherwise `cluster`; empty = none."""
    if isinstance(request, v1.DeleteClusterRequest):
        named = request.name
    elif isinstance(request, v1.UpdateClusterRequest):
        named = request.cluster.name
    else:
        named = getattr(request, "cluster", "")
    name = named or cluster
    return ((CLUSTER_KEY, quote(name, safe="")),) if name else ()


class Notices:
    """Reports the errors that a client waits out; a rate limit once."""

    def __init__(self, options: Options) -> None:
        """Report to the callbacks of the options."""
        self._options = options
        self._reported = False

    def retry(self, error: PriorityError, rate_limited: bool) -> None:
        """Report an error before its retry."""
        if not rate_limited:
            self._options.on_retry(error)
        elif not self._reported:
            self._reported = True
            self._options.on_rate_limited(error)
