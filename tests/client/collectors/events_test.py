"""Events reach a receiver that fails at times: each at least once, in order, signed, under an id that stays."""

from __future__ import annotations

import base64
import contextlib
import errno
import hashlib
import hmac
import http.server
import io
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import grpc
import priorityd
import writers
from priorityd import v1
from priorityd_collect.items import Fault
from priorityd_events import main
from priorityd_events.feed import Feed
from priorityd_events.position import Position, read_position, write_position
from priorityd_sync.state import State, write_state
from site_of_tests import ENVIRONMENT, PATIENCE, Cluster, shared_site

SECRET = "a secret of the test"


class Receiver:
    """Answers as its script says, and accepts all later requests."""

    def __init__(self, script: list[str]) -> None:
        self.taken: list[tuple[str, bytes]] = []
        self.failed: list[str] = []
        self.unsigned = 0
        self._script = script
        self._changed = threading.Condition()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def await_ids(self, count: int) -> None:
        """Wait until so many different events were taken."""
        with self._changed:
            done = self._changed.wait_for(lambda: len({name for name, _ in self.taken}) >= count, PATIENCE)
        if not done:
            raise AssertionError(f"got {self.taken}, want {count} events")

    def ids(self) -> list[str]:
        """In the order in which they were taken first."""
        return list(dict.fromkeys(name for name, _ in self.taken))

    def _take(self, handler: http.server.BaseHTTPRequestHandler, body: bytes) -> None:
        name, at = handler.headers["webhook-id"], handler.headers["webhook-timestamp"]
        signed = hmac.new(SECRET.encode(), f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
        with self._changed:
            self.unsigned += handler.headers["webhook-signature"] != "v1," + base64.b64encode(signed).decode()
            self.taken.append((name, body))
            self._changed.notify_all()

    def _handler(receiver) -> type[http.server.BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                step = receiver._script.pop(0) if receiver._script else "take"
                if step != "take":
                    receiver.failed.append(step)
                if step in ("take", "lose the answer"):
                    receiver._take(self, body)
                if step in ("lose the answer", "drop"):
                    self.connection.close()
                    return
                self.send_response({"take": 204, "redirect": 302}.get(step) or int(step))
                self.send_header("Location", "/elsewhere")
                self.send_header("Retry-After", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class EventsTest(unittest.TestCase):
    weights = itertools.count(1000)

    def setUp(self):
        self.site = shared_site()

    def receiver(self, *script: str) -> Receiver:
        receiver = Receiver(list(script))
        self.addCleanup(receiver.close)
        return receiver

    def apply(self, cluster: Cluster, comment: str) -> None:
        text = f"PriorityWeightFairshare={next(self.weights)}\n"  # Each is a change.
        request = v1.ApplyPolicyRequest(cluster=cluster.name, text=text, comment=comment)
        self.site.client.admin.ApplyPolicy(request)

    def command(self, cluster: Cluster, receiver: Receiver, *arguments: object) -> list[str]:
        (cluster.folder / "secret").write_text(SECRET)
        where = ["--server", self.site.address, "--cluster", cluster.name, "--url", receiver.url]
        files = ["--secret-file", cluster.folder / "secret", "--position", cluster.folder / "position"]
        command = [
            sys.executable,
            "-m",
            "priorityd_events",
            *where,
            *files,
            "--since",
            "1h",
            "--poll",
            "1s",
            *arguments,
        ]
        return list(map(str, command))

    def start(self, cluster: Cluster, receiver: Receiver, *arguments: object) -> subprocess.Popen[str]:
        command = self.command(cluster, receiver, *arguments)
        return subprocess.Popen(command, cwd=cluster.folder, env=ENVIRONMENT, text=True, stderr=subprocess.PIPE)

    def once(self, cluster: Cluster, receiver: Receiver, *arguments: object) -> tuple[int, str]:
        sender = self.start(cluster, receiver, "--once", *arguments)
        _, err = sender.communicate(timeout=PATIENCE)
        return sender.returncode, err

    def test_changes_of_policy_reach_a_receiver_that_fails_and_a_sender_that_is_killed(self):
        cluster = self.site.add_cluster("events", {"amy": "a"})
        receiver = self.receiver("500", "drop", "take", "lose the answer", "503", "redirect", "take")
        for number in range(4):
            self.apply(cluster, f"change {number}")
        sender = self.start(cluster, receiver)
        receiver.await_ids(2)
        sender.kill()
        sender.communicate()
        self.apply(cluster, "change 4")
        sender = self.start(cluster, receiver)
        receiver.await_ids(5)
        self.apply(cluster, "change 5")
        receiver.await_ids(6)
        sender.terminate()
        _, err = sender.communicate(timeout=PATIENCE)
        self.assertEqual(sender.returncode, 0, err)
        bodies = {name: json.loads(body) for name, body in receiver.taken}
        delivered = [bodies[name]["data"]["comment"] for name in receiver.ids()]
        self.assertEqual(delivered, [f"change {number}" for number in range(6)])
        self.assertEqual({one["type"] for one in bodies.values()}, {"priorityd.audit.ApplyPolicy"})
        self.assertEqual({one["source"] for one in bodies.values()}, {"/priorityd/events"})
        self.assertEqual(len(set(receiver.taken)), 6, "an event that is sent again is the same")
        self.assertGreater(len(receiver.taken), 6, "the one whose answer was lost came again")
        self.assertEqual(receiver.unsigned, 0)
        self.assertEqual(self.once(cluster, receiver)[0], 0)
        self.assertEqual(len(receiver.ids()), 6)

    def test_all_actions_are_sent_where_that_is_wanted(self):
        cluster = self.site.add_cluster("allactions", {"amy": "a"})
        receiver = self.receiver()
        self.apply(cluster, "once")
        self.assertEqual(self.once(cluster, receiver, "--actions", "*")[0], 0)
        actions = [json.loads(body)["data"]["action"] for _, body in receiver.taken]
        self.assertIn("Import", " ".join(actions))
        self.assertEqual(actions[-1], "ApplyPolicy")

    def test_what_is_never_taken_is_written_down_and_the_next_one_sent(self):
        cluster = self.site.add_cluster("nevertaken", {"amy": "a"})
        receiver = self.receiver("404", "404")
        self.apply(cluster, "never")
        self.apply(cluster, "taken")
        status, err = self.once(cluster, receiver, "--give-up", "0s", "--actions", "ApplyPolicy")
        self.assertEqual(status, 1)
        self.assertIn("got 404, want 200 to 299; given up", err)
        undelivered = [json.loads(line) for line in (cluster.folder / "undelivered.jsonl").read_text().splitlines()]
        self.assertEqual([one["data"]["comment"] for one in undelivered], ["never", "taken"])
        self.assertEqual(self.once(cluster, receiver)[0], 0)
        self.assertEqual(receiver.taken, [])

    def test_usage_that_reaches_a_part_of_a_budget_reaches_the_receiver(self):
        cluster = self.site.add_cluster("budgets", {"amy": "a"}, limits=":GrpTRESMins=cpu=100")
        receiver = self.receiver("500")
        self.assertEqual(self.once(cluster, receiver)[0], 0)  # There are none.
        try:
            self.site.client.priority.ListBudgetEvents(v1.ListBudgetEventsRequest(cluster="budgets"))
        except (AttributeError, priorityd.PriorityError) as error:
            if getattr(error, "code", grpc.StatusCode.UNIMPLEMENTED) != grpc.StatusCode.UNIMPLEMENTED:
                raise
            self.skipTest(f"this priorityd has no events of budgets: {error}")
        end = int(time.time()) // 60 * 60
        log = f"number,who,from,to,cpus\n1,amy,{end - 600},{end},9\n"  # 90 CPU minutes.
        (cluster.folder / "log").write_text(log)
        (cluster.folder / "form").write_text(writers.FORM)
        self.assertEqual(cluster.run("csv", "log", "--form", "form")[0], 0)
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster="budgets"))
        self.assertEqual(self.once(cluster, receiver), (0, mock.ANY))
        delivered = [json.loads(body) for _, body in receiver.taken]
        self.assertEqual({one["type"] for one in delivered}, {"priorityd.budget.reached"})
        self.assertIn(
            ("a", "cpu", 80),
            [(one["data"]["account"], one["data"]["tres"], one["data"]["percent"]) for one in delivered],
        )
        self.assertEqual(self.once(cluster, receiver)[0], 0)
        self.assertEqual(len(receiver.taken), len(delivered))

    def test_a_secret_that_can_be_guessed_is_refused_by_its_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "secret")
            for text, size in (("a short one", 11), ("whsec_QUJDREVGRw==", 7)):
                path.write_text(text)
                with self.assertRaisesRegex(Fault, f"got {size} bytes, want at least 16"):
                    main._secret(str(path))
            path.write_text("whsec_" + base64.b64encode(bytes(range(24))).decode() + "\n")
            self.assertEqual(main._secret(str(path)), bytes(range(24)))

    def test_a_position_that_is_none_is_refused(self):
        path = pathlib.Path(self.site.folder) / "noposition"
        for text in ("", "{}", "[1]", '{"since": "soon", "delivered": [], "budget": 0}'):
            path.write_text(text)
            with self.assertRaisesRegex(Fault, "got no position of events"):
                read_position(str(path))


class PositionTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_position_of_many_events_is_read_as_it_was_written(self):
        path = str(self.folder / "position")
        position = Position(since=1.5, delivered=set(range(10**9, 10**9 + 200_000)), budget=2**53 + 1)
        write_position(path, position)
        self.assertEqual(read_position(path), position)

    def test_only_a_file_that_does_not_exist_is_no_position(self):
        self.assertIsNone(read_position(str(self.folder / "position")))
        (self.folder / "file").write_text("")
        for path, why in [(self.folder / "file" / "position", "Not a directory"), (self.folder, "Is a directory")]:
            with self.assertRaises(Fault) as fault:
                read_position(str(path))
            self.assertEqual(str(fault.exception), f"--position {path}: {why}")


class FullDiskTest(unittest.TestCase):
    """What a full disk, or a folder that is not there, does to the files."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_position_or_state_that_cannot_be_written_leaves_the_folder_as_it_was(self):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        path = self.folder / "file"
        for write, what in [
            (lambda: write_position(str(path), Position(since=2)), "--position"),
            (lambda: write_state(str(path), State("c")), "state:"),
        ]:
            path.write_text("before")
            with mock.patch("os.fsync", side_effect=full), self.assertRaises(Fault) as fault:
                write()
            self.assertEqual(str(fault.exception), f"{what} {path}: No space left on device")
            self.assertEqual([(one.name, one.read_text()) for one in self.folder.iterdir()], [("file", "before")])
            write()
            self.assertNotEqual(path.read_text(), "before")

    def test_an_event_that_cannot_be_written_to_undelivered_ends_with_one_line(self):
        position, missing = self.folder / "position", self.folder / "no folder" / "undelivered"
        event = SimpleNamespace(id="audit-1", body=lambda source: b"{}")
        feed = SimpleNamespace(events=lambda: iter([event]), position=Position(since=0))
        webhook = SimpleNamespace(deliver=lambda *_: False)
        where = ["--url", "http://127.0.0.1:1/", "--position", position, "--since", "1h", "--undelivered", missing]
        errors = io.StringIO()
        with (
            mock.patch.object(main, "Feed", lambda *_: feed),
            mock.patch.object(main, "Webhook", lambda *_: webhook),
            mock.patch.object(main, "_stop_on_signals", threading.Event),
            contextlib.redirect_stderr(errors),
        ):
            code = main.main(list(map(str, [*where, "--once"])))
        self.assertEqual(code, 1)
        self.assertEqual(errors.getvalue(), f"priorityd-events: --undelivered {missing}: No such file or directory\n")
        self.assertFalse(position.exists())


class FeedTest(unittest.TestCase):
    """What depends on times, with a service of the test's own."""

    def feed(self, rows: list[v1.AuditEvent]) -> Feed:
        listed = lambda request: v1.ListAuditEventsResponse(  # noqa: E731
            events=[row for row in reversed(rows) if row.time.seconds >= request.start_time.seconds]
        )
        client = SimpleNamespace(admin=SimpleNamespace(ListAuditEvents=listed))
        return Feed(client, Position(since=1000), ["*"], budgets=False)

    def row(self, number: int, time: int) -> v1.AuditEvent:
        return v1.AuditEvent(id=number, time={"seconds": time}, action="Import")

    def test_an_event_that_is_seen_late_is_reported(self):
        rows = [self.row(1, 2000), self.row(3, 2002)]
        feed = self.feed(rows)
        self.assertEqual([event.id for event in feed.events()], ["audit-1", "audit-3"])
        rows.insert(1, self.row(2, 2001))  # Its transaction ended after that of 3.
        self.assertEqual([event.id for event in feed.events()], ["audit-2"])
        rows.append(self.row(4, 9000))
        self.assertEqual([event.id for event in feed.events()], ["audit-4"])
        self.assertEqual(feed.position, Position(since=8400, delivered={4}))
        self.assertEqual([event.id for event in feed.events()], [])

    def test_budget_events_are_sent_once_in_pages(self):
        rows = [
            SimpleNamespace(
                event_id=n, account="a", user="", partition="", qos="", tres="cpu", percent=80,
                limit_minutes=100.0, used_minutes=81.0, grant="q1", currency="EUR",
                reached_time=priorityd_time(n),
            )
            for n in (1, 2, 3)
        ]  # fmt: skip

        def listed(request: SimpleNamespace) -> SimpleNamespace:
            later = [row for row in rows if row.event_id > request.after_event_id]
            last = later[:2][-1].event_id if later else request.after_event_id
            return SimpleNamespace(events=later[:2], more=len(later) > 2, last_event_id=last)

        client = SimpleNamespace(priority=SimpleNamespace(ListBudgetEvents=listed))
        request = lambda **fields: SimpleNamespace(**fields)  # noqa: E731
        with mock.patch.object(v1, "ListBudgetEventsRequest", request, create=True):
            feed = Feed(client, Position(since=0), [], budgets=True)
            delivered = list(feed.events())
            self.assertEqual(
                [(event.id, event.subject) for event in delivered], [(f"budget-{n}", "a/cpu/q1") for n in (1, 2, 3)]
            )
            self.assertEqual(json.loads(delivered[0].body("/priorityd"))["data"]["percent"], 80)
            self.assertEqual(json.loads(delivered[0].body("/priorityd"))["data"]["currency"], "EUR")
            self.assertEqual(list(feed.events()), [])


def priorityd_time(seconds: int):
    return v1.AuditEvent(time={"seconds": seconds}).time


if __name__ == "__main__":
    unittest.main()
