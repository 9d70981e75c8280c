"""Servers of a JupyterHub: each second counts once, whenever and by how many it is asked."""

from __future__ import annotations

import datetime
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request
from typing import Any
from unittest import mock

from priorityd import v1
from priorityd_collect.items import Entry, Fault, LeftOut
from priorityd_collect.sources import jupyterhub
from priorityd_collect.sources.jupyterhub import JupyterHub, read_amounts
from site_of_tests import PATIENCE, Cluster, free_port, shared_site

DATA = pathlib.Path(__file__).parent / "data"
#: Beside the interpreter, as tools/python installs it.
HUB = shutil.which("jupyterhub", path=f"{pathlib.Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
AMOUNTS = """
    [tres]
    cpu = 2
    "gres/notebook" = 1
    [profiles.gpu]
    cpu = 8
    "gres/gpu" = 1
"""
USERS = {"amy": "a", "ben": "b"}


def iso(at: float) -> str:
    return datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat().replace("+00:00", "Z")


class RecordedHub:
    """Answers as JupyterHub 6.1.1 did, with times of the test; a page has one user."""

    def __init__(self) -> None:
        self.pages = json.loads((DATA / "jupyterhub_users.json").read_text())
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
                allowed = self.headers["Authorization"] == "token collector-token"
                found = hub.pages[int(asked["offset"][0])] if allowed else {"status": 403, "message": "Missing"}
                body = json.dumps(found).encode()
                self.send_response(200 if allowed else 403)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hub"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def server(self, user: int) -> dict[str, Any]:
        """The server of the user of a page."""
        return next(iter(self.pages[user]["items"][0]["servers"].values()))

    def begin(self, user: int, started: float, active: float | None = None) -> None:
        self.server(user).update(started=iso(started), last_activity=iso(active or started))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class HubTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.hub = RecordedHub()
        self.addCleanup(self.hub.close)
        (self.folder / "token").write_text("collector-token\n")
        self.minute = float(int(time.time()) // 60 * 60 - 36_000)

    def amounts(self, text: str = AMOUNTS) -> Any:
        (self.folder / "amounts.toml").write_text(text)
        return read_amounts(str(self.folder / "amounts.toml"))

    def items(self, now: float, text: str = AMOUNTS) -> list[Any]:
        token = str(self.folder / "token")
        return list(JupyterHub(self.hub.url, self.amounts(text), "hub", token).items(now))

    def record(self, cluster: Cluster, now: float, text: str = AMOUNTS) -> list[int]:
        """Record what the hub says at a time; the status of each record."""
        records = [item.record for item in self.items(now, text) if isinstance(item, Entry)]
        request = v1.RecordUsageRequest(cluster=cluster.name, records=records)
        return [result.status for result in self.site.client.priority.RecordUsage(request).results]

    @property
    def site(self) -> Any:
        return shared_site()

    def test_polls_that_are_missed_repeated_late_or_of_two_collectors_count_each_second_once(self):
        cluster = self.site.add_cluster("hub", USERS)
        amy, ben = self.minute - 3000.25, self.minute - 600.5
        self.hub.begin(0, amy)
        self.hub.begin(1, ben)
        accepted, duplicate = v1.USAGE_RECORD_STATUS_ACCEPTED, v1.USAGE_RECORD_STATUS_DUPLICATE
        self.assertEqual(self.record(cluster, self.minute + 3), [accepted] * 2)
        # Another collector in the same minute, and one that comes late.
        self.assertEqual(self.record(cluster, self.minute + 59), [duplicate] * 2)
        # Polls are missed for an hour; then one of before arrives.
        self.assertEqual(self.record(cluster, self.minute + 3600), [accepted] * 2)
        self.assertEqual(self.record(cluster, self.minute + 1800), [duplicate] * 2)
        self.assertEqual(cluster.seconds(), {"amy": 8 * 6600.25, "ben": 2 * 4200.5})
        self.assertEqual(cluster.seconds("gres/gpu")["amy"], 6600.25)
        self.assertEqual(cluster.seconds("gres/notebook")["ben"], 4200.5)
        # Ben's server is started again.
        self.hub.begin(1, self.minute + 4000)
        self.assertEqual(self.record(cluster, self.minute + 7200), [accepted] * 2)
        self.assertEqual(cluster.seconds(), {"amy": 8 * 10200.25, "ben": 2 * (4200.5 + 3200)})

    def test_servers_count_in_a_domain_by_their_price(self):
        domain, member = (self.site.add_cluster(name, USERS) for name in ("hubs", "onehub"))
        prices = {"cpu": 1.0, "gres/gpu": 20.0}
        self.site.client.admin.UpdateDomain(v1.UpdateDomainRequest(cluster="hubs", join=["onehub"], prices=prices))
        self.hub.begin(0, self.minute - 3600)
        self.hub.begin(1, self.minute - 100)
        self.record(member, self.minute)
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster="hubs"))
        self.assertEqual(domain.seconds("billing"), {"amy": 3600.0 * (8 + 20), "ben": 100.0 * 2})

    def test_by_activity_an_idle_server_costs_nothing(self):
        cluster = self.site.add_cluster("idle", USERS)
        by_activity = 'charge = "activity"\n' + AMOUNTS
        self.hub.begin(0, self.minute, self.minute + 500)
        self.hub.begin(1, self.minute)
        for later in (600, 3600, 7200):
            self.record(cluster, self.minute + later, by_activity)
        self.assertEqual(cluster.seconds(), {"amy": 8 * 500.0})
        self.hub.begin(0, self.minute, self.minute + 7000)
        self.record(cluster, self.minute + 7200, by_activity)
        self.assertEqual(cluster.seconds(), {"amy": 8 * 7000.0})

    def test_servers_that_do_not_run_yet_are_left_out(self):
        self.hub.begin(0, self.minute)
        self.hub.server(0).update(ready=False, pending="spawn")
        self.hub.begin(1, self.minute + 30)
        found = self.items(self.minute + 59)
        self.assertEqual([type(item) for item in found], [LeftOut, LeftOut])

    def test_more_users_than_are_read_are_a_fault(self):
        self.assertEqual(len(self.hub.pages), 2)
        with mock.patch.object(jupyterhub, "_MOST_USERS", 1), self.assertRaises(Fault) as fault:
            self.items(self.minute)
        self.assertEqual(str(fault.exception), f"{self.hub.url}/api/users: users: got 'more', want at most 1")

    def test_wrong_settings_say_how(self):
        for text, want in (
            ("", "tres: got none"),
            ("[tres]\ncpu = 'many'", "tres.cpu: got 'many', want a number"),
            ("[tres]\ncpu = -1", "tres.cpu: got '-1', want a number, 0 or more"),
            ("charge = 'often'\n[tres]\ncpu = 1", "charge: got 'often', want running or activity"),
            ("[tres]\ncpu = 1\n[users]", "got 'users', want charge"),
            ("[tres]\ncpu = 1\n[profiles]\ngpu = 1", "profiles.gpu: got '1', want a table"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(Fault, re.escape(want)):
                self.amounts(text)

    def test_the_collector_records_the_counters_of_mapped_users_once(self):
        cluster = self.site.add_cluster("collected", {"amy": "a", "benno": "b"})
        (cluster.folder / "token").write_text("collector-token")
        # By activity, so that the counters do not depend on when the collector runs.
        (cluster.folder / "amounts.toml").write_text('charge = "activity"\n' + AMOUNTS)
        self.hub.begin(0, self.minute, self.minute + 500)
        self.hub.begin(1, self.minute, self.minute + 70)
        for want in ("2 accepted, 0 duplicate, 0 rejected", "0 accepted, 2 duplicate, 0 rejected"):
            status, out, err = cluster.run(*command(self.hub.url), "--map-user", "ben=benno")
            self.assertEqual((status, err), (0, ""))
            self.assertTrue(out.startswith(want), out)
        self.assertEqual(cluster.seconds(), {"amy": 8 * 500.0, "benno": 2 * 70.0})

    def test_an_answer_of_another_shape_is_a_fault(self):
        whole = json.dumps(self.hub.pages)
        for place, value, want in (
            (["items"], {}, "want users with their servers"),
            (["items", 0], "amy", "want users with their servers"),
            (["items", 0, "name"], None, "want users with their servers"),
            (["items", 0, "servers"], None, "want users with their servers"),
            (["items", 0, "servers", ""], None, "want users with their servers"),
            (["_pagination"], None, "want a next offset above 0, or none"),
            (["_pagination", "next"], [1], "want a next offset above 0, or none"),
            (["_pagination", "next", "offset"], "1", "want a next offset above 0, or none"),
            (["_pagination", "next", "offset"], 0, "want a next offset above 0, or none"),
        ):
            with self.subTest(place=place, value=value), self.assertRaisesRegex(Fault, re.escape(want)):
                self.hub.pages = json.loads(whole)
                part = self.hub.pages[0]
                for name in place[:-1]:
                    part = part[name]
                part[place[-1]] = value
                self.items(self.minute)

    def test_a_wrong_token_is_an_error_of_the_collector(self):
        cluster = self.site.add_cluster("token", USERS)
        (cluster.folder / "token").write_text("other")
        (cluster.folder / "amounts.toml").write_text(AMOUNTS)
        status, _, err = cluster.run(*command(self.hub.url))
        self.assertEqual(status, 1)
        self.assertIn("got 403", err)


def command(url: str) -> list[str]:
    return ["jupyterhub", "--url", url, "--amounts", "amounts.toml", "--jupyterhub-token-file", "token"]


@unittest.skipUnless(HUB, "needs jupyterhub of client/python/requirements.txt")
class RealHubTest(unittest.TestCase):
    """A real JupyterHub."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.served = RecordedHub()  # Any web server: JupyterHub waits until its server answers.
        self.addCleanup(self.served.close)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/hub"
        served = self.served.url.removesuffix("/hub")
        environment = {**os.environ, "TEST_SERVED": served, "TEST_PORT": str(port)}
        environment.pop("PYTHONPATH", None)
        settings = pathlib.Path(__file__).with_name("jupyterhub_config.py")
        hub = subprocess.Popen(
            [str(HUB), "-f", str(settings), f"--JupyterHub.bind_url=http://127.0.0.1:{free_port()}"],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(hub.wait)
        self.addCleanup(hub.terminate)
        end = time.monotonic() + PATIENCE
        while not self.answers():
            self.assertIsNone(hub.poll(), "JupyterHub ended")
            self.assertLess(time.monotonic(), end, "JupyterHub does not start")
            time.sleep(0.1)  # Until the next question.

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(self.url + "/api/", timeout=PATIENCE).close()
        except OSError:
            return False
        return True

    def post(self, path: str, body: object = None) -> None:
        data = json.dumps(body).encode() if body is not None else b""
        request = urllib.request.Request(self.url + "/api/" + path, data=data, method="POST")
        request.add_header("Authorization", "token operator-token")
        urllib.request.urlopen(request, timeout=PATIENCE).close()

    def test_servers_of_a_real_hub_are_recorded_by_their_users_and_profiles(self):
        for user in USERS:
            self.post(f"users/{user}")
        self.post("users/amy/server", {"profile": "gpu"})
        self.post("users/ben/servers/work", {})
        (self.folder / "amounts.toml").write_text(AMOUNTS)
        (self.folder / "token").write_text("collector-token")
        hub = JupyterHub(self.url, read_amounts(str(self.folder / "amounts.toml")), "hub", str(self.folder / "token"))
        later = time.time() + 3600
        entries = [item for item in hub.items(later) if isinstance(item, Entry)]
        self.assertEqual([entry.record.job_id for entry in entries], ["amy/", "ben/work"])
        held = [dict(entry.record.counters.tres_seconds) for entry in entries]
        for entry, tres in zip(entries, held, strict=True):
            wall = entry.record.end_time.seconds - entry.record.start_time.seconds - entry.record.start_time.nanos / 1e9
            self.assertAlmostEqual(tres["cpu"], wall * (8 if entry.record.user == "amy" else 2), 2)
        self.assertEqual([set(tres) for tres in held], [{"cpu", "gres/gpu"}, {"cpu", "gres/notebook"}])

    def test_the_collector_runs_against_a_real_hub(self):
        self.post("users/amy")
        self.post("users/amy/server")
        cluster = shared_site().add_cluster("realhub", USERS)
        (cluster.folder / "amounts.toml").write_text(AMOUNTS)
        (cluster.folder / "token").write_text("collector-token")
        status, out, err = cluster.run(*command(self.url))
        self.assertEqual((status, err), (0, ""))
        # Its server began in this minute, or in the one before.
        self.assertRegex(out, "^[01] accepted, 0 duplicate, 0 rejected")


if __name__ == "__main__":
    unittest.main()
