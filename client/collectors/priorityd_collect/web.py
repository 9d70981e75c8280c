"""JSON over HTTP, with retries, a limit of size and one of time."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from typing import Any

from priorityd_collect.items import Fault, unexpected

_MOST_BYTES = 256 << 20
_TIMEOUT = 120
_PIECE = 1 << 16


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The target of a redirect must not get the token."""

    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect."""
        return


_OPENER = urllib.request.build_opener(NoRedirect)


def fetched(request: urllib.request.Request, what: str, whose: str) -> Any:
    """The answer; a Fault that begins with `what` after four attempts. `whose`: who should answer with JSON.

    No redirect is followed.
    """
    for attempt in range(1, 5):
        try:
            return _once(request, what, whose)
        except urllib.error.HTTPError as error:
            if error.code < 500 or attempt == 4:
                raise Fault(f"{what}: {request.full_url}: got {error.code} {_why(error)}, want 200") from None
        # An answer that ends early is no OSError.
        except (OSError, http.client.HTTPException) as error:
            if attempt == 4:
                raise Fault(f"{what}: {request.full_url}: {error}") from None
        time.sleep(0.2 * 2**attempt * random.uniform(0.5, 1.0))  # Not when all other collectors retry.
    raise AssertionError


def body_of(answer: http.client.HTTPResponse, most: int, seconds: float) -> bytes:
    """All of an answer of at most so many bytes; TimeoutError if it takes longer, however steadily it comes."""
    until = time.monotonic() + seconds
    pieces, size = list[bytes](), 0
    while piece := answer.read1(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise Fault(f"got an answer of more than {most} bytes, want less")
        if time.monotonic() > until:
            raise TimeoutError(f"got {size} bytes in {seconds:g} seconds, want all of the answer")
    if answer.length:  # A read of what came ends without an error where an answer with Content-Length does.
        raise http.client.IncompleteRead(b"".join(pieces), answer.length)
    return b"".join(pieces)


def _why(error: urllib.error.HTTPError) -> str:
    if target := error.headers.get("Location"):
        return f"to {target!r:.200}, which is not followed"
    return error.read(1000).decode(errors="replace")


def _once(request: urllib.request.Request, what: str, whose: str) -> Any:
    with _OPENER.open(request, timeout=_TIMEOUT) as response:
        try:
            content = body_of(response, _MOST_BYTES, _TIMEOUT)
        except Fault as fault:
            raise Fault(f"{what}: {fault}: select fewer series") from None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise unexpected(what, content[:80], f"JSON, as {whose} answers") from None
