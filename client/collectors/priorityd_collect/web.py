"""JSON over HTTP, with retries and a limit of size."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from typing import Any

from priorityd_collect.items import Fault, unexpected

_MOST_BYTES = 256 << 20
_TIMEOUT = 120


def fetched(request: urllib.request.Request, what: str, whose: str) -> Any:
    """The answer; a Fault that begins with `what` after four attempts. `whose`: who should answer with JSON."""
    for attempt in range(1, 5):
        try:
            return _once(request, what, whose)
        except urllib.error.HTTPError as error:
            body = error.read(1000).decode(errors="replace")
            if error.code < 500 or attempt == 4:
                raise Fault(f"{what}: {request.full_url}: got {error.code} {body}, want 200") from None
        # An answer that ends early is no OSError.
        except (OSError, http.client.HTTPException) as error:
            if attempt == 4:
                raise Fault(f"{what}: {request.full_url}: {error}") from None
        time.sleep(0.2 * 2**attempt)
    raise AssertionError


def _once(request: urllib.request.Request, what: str, whose: str) -> Any:
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
        content = response.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise Fault(f"{what}: got an answer of more than {_MOST_BYTES} bytes, want less: select fewer series")
    if response.length:  # read() with a limit returns what came of an answer with Content-Length.
        raise http.client.IncompleteRead(content, response.length)
    try:
        return json.loads(content)
    except ValueError:
        raise unexpected(what, content[:80], f"JSON, as {whose} answers") from None
