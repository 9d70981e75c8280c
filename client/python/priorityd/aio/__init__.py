"""The client for asyncio: the calls of priorityd, awaited."""

from priorityd.aio.client import Client
from priorityd.aio.usage import UsageBatcher, UsageStream
from priorityd.aio.watch import RankingWatch

__all__ = ["Client", "RankingWatch", "UsageBatcher", "UsageStream"]
