"""Lists in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from priorityd import v1
from priorityd.errors import PriorityError

_PAGE_SIZE = 10_000
LIST_ATTEMPTS = 3
_Request = TypeVar("_Request", bound=Message)
_Answer = TypeVar("_Answer", bound=Message)


def pages(call: Callable[[_Request], _Answer], request: _Request) -> Iterator[_Answer]:
    """Every page of a list: ``for page in pages(client.priority.ListJobs, v1.ListJobsRequest())``.

    It begins with the first page and ignores the request's page_token. Entries that are added, deleted or
    moved meanwhile may be in it or not.
    """
    asked: Any = _first(request)
    while True:
        page: Any = call(asked)
        yield page
        asked.page_token = page.next_page_token
        if not asked.page_token:
            return


async def async_pages(call: Callable[[_Request], Awaitable[_Answer]], request: _Request) -> AsyncIterator[_Answer]:
    """Like pages, for asyncio."""
    asked: Any = _first(request)
    while True:
        page: Any = await call(asked)
        yield page
        asked.page_token = page.next_page_token
        if not asked.page_token:
            return


def _first(request: _Request) -> _Request:
    asked: Any = type(request)()
    asked.CopyFrom(request)
    asked.page_token = ""
    if asked.page_size == 0:
        asked.page_size = _PAGE_SIZE
    result: _Request = asked
    return result


class Shares:
    """Joins pages of ListShares into one answer, all of one snapshot."""

    def __init__(self) -> None:
        """Begin without pages."""
        self.all = v1.ListSharesResponse()

    def add(self, page: v1.ListSharesResponse) -> None:
        """Add a page; raises ABORTED if it is of another snapshot."""
        if self.all.shares and self.all.snapshot.generation != page.snapshot.generation:
            raise PriorityError(grpc.StatusCode.ABORTED, "the list: a recalculation ran between its pages; retry")
        self.all.MergeFrom(page)
        self.all.next_page_token = ""
