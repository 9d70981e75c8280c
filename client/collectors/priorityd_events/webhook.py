"""Sends events to an HTTP receiver until it accepts them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

from priorityd_collect.items import unexpected

_TIMEOUT = 30.0
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 300.0


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect does not accept the event, and its target must not get the secret's signature."""

    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect."""
        return


class Webhook:
    """One receiver, by Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature."""

    def __init__(self, url: str, secret: bytes, stopped: threading.Event, report: Callable[[str], None]) -> None:
        """Sign with a secret; empty = send without a signature."""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise unexpected("--url", url, "http://... or https://...")
        self._url = url
        self._secret = secret
        self._stopped = stopped
        self._report = report
        self._opener = urllib.request.build_opener(NoRedirect)

    def deliver(self, event_id: str, body: bytes, give_up: float) -> bool:
        """Send until the receiver accepts (2xx); False = it did not within that many seconds, or the process stops."""
        end, wait = time.monotonic() + give_up, _FIRST_WAIT
        while not self._stopped.is_set():
            why, asked = self._send(event_id, body)
            if not why:
                return True
            pause = max(asked, wait * random.uniform(0.5, 1.0))
            if time.monotonic() + pause > end:
                self._report(f"{event_id}: {why}; given up")
                return False
            self._report(f"{event_id}: {why}; retrying")
            wait = min(wait * 2, _LONGEST_WAIT)
            self._stopped.wait(pause)
        return False

    def _send(self, event_id: str, body: bytes) -> tuple[str, float]:
        """The reason of a failure, and how long the receiver asks to wait."""
        request = urllib.request.Request(self._url, data=body, headers=self._headers(event_id, body), method="POST")
        try:
            with self._opener.open(request, timeout=_TIMEOUT):
                return "", 0.0
        except urllib.error.HTTPError as error:
            error.close()
            return f"got {error.code}, want 200 to 299", _retry_after(error.headers.get("Retry-After", ""))
        except (OSError, http.client.HTTPException) as error:
            return f"{type(error).__name__}: {error}", 0.0

    def _headers(self, event_id: str, body: bytes) -> dict[str, str]:
        now = str(int(time.time()))
        headers = {"Content-Type": "application/cloudevents+json", "webhook-id": event_id, "webhook-timestamp": now}
        if self._secret:
            headers["webhook-signature"] = signature(self._secret, event_id, now, body)
        return headers


def signature(secret: bytes, event_id: str, timestamp: str, body: bytes) -> str:
    """Sign the id, the time of sending and the body, so that none can be replaced."""
    signed = b".".join((event_id.encode(), timestamp.encode(), body))
    return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()


def _retry_after(text: str) -> float:
    return min(float(text), _LONGEST_WAIT) if text.isdigit() and len(text) < 10 else 0.0
