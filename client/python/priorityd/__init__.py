"""Client of priorityd, the service that ranks the jobs of batch clusters and explains each rank.

Use Client with threads and priorityd.aio.Client with asyncio; the messages are in priorityd.v1.
"""

from priorityd import credentials, v1
from priorityd.client import Client
from priorityd.errors import PriorityError, SpoolFull, Violation, printable
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
    "printable",
    "v1",
]
