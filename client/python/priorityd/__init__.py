"""Client of priorityd, which tells batch frontends in which order jobs should start, and why.

Client is the one for threads, priorityd.aio.Client the one for asyncio; the messages are in priorityd.v1.
"""

from priorityd import credentials, v1
from priorityd.client import Client
from priorityd.errors import PriorityError, SpoolFull, Violation
from priorityd.options import Options
from priorityd.pages import async_pages, pages
from priorityd.retry import RetryPolicy, is_rate_limited, is_transient
from priorityd.usage import UsageBatcher, UsageStream
from priorityd.watch import RankingUpdate, RankingWatch

__all__ = [
    "Client",
    "Options",
    "PriorityError",
    "RankingUpdate",
    "RankingWatch",
    "RetryPolicy",
    "SpoolFull",
    "UsageBatcher",
    "UsageStream",
    "Violation",
    "async_pages",
    "credentials",
    "is_rate_limited",
    "is_transient",
    "pages",
    "v1",
]
