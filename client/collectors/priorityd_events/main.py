"""priorityd-events: sends the events of priorityd to a webhook."""

from __future__ import annotations

import argparse
import base64
import binascii
import signal
import sys
import threading

import priorityd
from priorityd import printable
from priorityd_collect.connection import add_options, client_options
from priorityd_collect.files import read_small
from priorityd_collect.items import Fault, unexpected
from priorityd_collect.quantities import local_zone, since, span
from priorityd_events.events import Event
from priorityd_events.feed import Feed
from priorityd_events.position import Position, read_position, write_position
from priorityd_events.webhook import Webhook

_ABOUT = """Sends changes of policy, and usage that reaches a part of a budget, to an HTTP receiver, as CloudEvents.

Each event is sent until it is taken, at least once, in order; its id is always the same."""

_LEAST_SECRET_BYTES = 16


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 = stopped, or with --once every event was accepted; 1 = an error or an event was not."""
    options = _parse(arguments)
    try:
        with priorityd.Client(client_options(options)) as client:
            return Sender(options, client).run()
    except (Fault, priorityd.PriorityError) as error:
        _report(str(error))
        return 1


class Sender:
    """Queries, sends and stores the position, in a loop."""

    def __init__(self, options: argparse.Namespace, client: priorityd.Client) -> None:
        """Continue from the position."""
        self._options = options
        self._stopped = _stop_on_signals()
        self._give_up = span(options.give_up, "--give-up")
        self._poll = span(options.poll, "--poll")
        self._source = options.event_source or f"/priorityd/{options.cluster}".rstrip("/")
        self._webhook = Webhook(options.url, _secret(options.secret_file), self._stopped, _report)
        self._feed = Feed(client, _position(options), [a for a in options.actions.split(",") if a], options.budgets)
        self._lost = 0

    def run(self) -> int:
        """Send until stopped, or once."""
        while not self._stopped.is_set():
            try:
                self._send_new()
            except priorityd.PriorityError as error:
                if self._options.once or not priorityd.is_transient(error):
                    raise
                _report(f"{error}; retrying")
            if self._options.once:
                break
            self._stopped.wait(self._poll)
        return 1 if self._lost else 0

    def _send_new(self) -> None:
        for event in self._feed.events():
            if not self._webhook.deliver(event.id, event.body(self._source), self._give_up):
                if self._stopped.is_set():
                    return
                self._lose(event)
            self._remember()
        self._remember()

    def _remember(self) -> None:
        write_position(self._options.position, self._feed.position)

    def _lose(self, event: Event) -> None:
        self._lost += 1
        path = self._options.undelivered
        try:
            with open(path, "ab") as file:
                file.write(event.body(self._source) + b"\n")
        except OSError as error:
            raise Fault(f"--undelivered {path}: {error.strerror}") from error


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="priorityd-events",
        description=_ABOUT,
        epilog="Example: priorityd-events --url https://chat.example.org/hook --secret-file secret --position position "
        "--since 1h",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--url", required=True, metavar="URL", help="where events are posted")
    add(
        "--secret-file", default="", metavar="FILE", help="the secret that signs events; whsec_ and base64, or any text"
    )
    add("--position", required=True, metavar="FILE", help="the file that stores which events were delivered")
    add("--since", default="", metavar="TIME", help="the first event if there is no position: a time or an age")
    add(
        "--actions",
        default="ApplyPolicy,RollbackPolicy",
        metavar="A,B",
        help="actions of the audit log to send (%(default)s); * = all",
    )
    add("--no-budgets", dest="budgets", action="store_false", help="send no events of budgets")
    add("--poll", default="5s", metavar="SPAN", help="the interval of queries (%(default)s)")
    add("--give-up", default="1d", metavar="SPAN", help="write an event to --undelivered after this time (%(default)s)")
    add("--undelivered", default="undelivered.jsonl", metavar="FILE", help="(%(default)s)")
    add("--event-source", default="", metavar="URI", help="the source of the events; default /priorityd/CLUSTER")
    add("--once", action="store_true", help="send the present events, and end")
    add_options(parser)
    return parser.parse_args(arguments)


def _position(options: argparse.Namespace) -> Position:
    position = read_position(options.position)
    if position is None and not options.since:
        raise Fault(f"--since: got none and no file {options.position}, want --since TIME the first time")
    return position or Position(since(options.since, local_zone()))


def _secret(path: str) -> bytes:
    if not path:
        return b""
    text = read_small(path).strip()
    secret = text.encode()
    if text.startswith("whsec_"):
        try:
            secret = base64.b64decode(text.removeprefix("whsec_"), validate=True)
        except binascii.Error:
            raise unexpected(f"--secret-file {path}", "whsec_...", "base64 after whsec_") from None
    if len(secret) < _LEAST_SECRET_BYTES:
        raise Fault(f"--secret-file {path}: got {len(secret)} bytes, want at least {_LEAST_SECRET_BYTES}")
    return secret


def _stop_on_signals() -> threading.Event:
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


def _report(text: str) -> None:
    print(f"priorityd-events: {printable(' '.join(text.splitlines()))}", file=sys.stderr, flush=True)
