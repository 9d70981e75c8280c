"""Counters of LLM gateways in a Prometheus: each token counts once, and lowers the place of jobs in a domain."""

from __future__ import annotations

import http.server
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from priorityd import v1
from priorityd_collect.items import Entry, Lost, Notice
from priorityd_collect.records import seconds_of
from priorityd_collect.sources.prometheus import Prometheus, Queries
from site_of_tests import PATIENCE, Cluster, free_port, shared_site

DATA = pathlib.Path(__file__).parent / "data"
Series = dict[str, list[tuple[float, float]]]


class Recorded(Prometheus):
    """A Prometheus that has these samples of each user, and these scrapes of their only target.

    From `labelled` on, its configuration gives the target a label more.
    """

    def __init__(
        self, series: Series, scrapes: list[float], labelled: float = math.inf, lookback: float = 3600
    ) -> None:
        queries = Queries(300, 0, {"user": "user"}, {}, {"gres/token": "tokens_total"}, lookback)
        super().__init__("http://p", queries, "prometheus")
        self.counters = [({"user": user}, samples) for user, samples in series.items()]
        self.up: list[tuple[dict[str, str], list[tuple[float, float]]]] = [({}, [(at, 1.0) for at in scrapes])]
        self.labelled = labelled
        self.longest_answer = 0.0

    def _samples(self, what: str, selector: str, begin: float, end: float) -> dict[str, Any]:
        target = {"job": "gateway", "instance": "a:1"}
        self.longest_answer = max(self.longest_answer, end - begin)
        is_up = selector == 'up{job="gateway",instance="a:1"}'
        result = [
            {"metric": {**target, **more, **labels}, "values": [[at, str(value)] for at, value in part]}
            for labels, samples in (self.up if is_up else self.counters)
            for more, part in self.parted([(at, value) for at, value in samples if begin <= at <= end])
        ]
        return {"data": {"result": [one for one in result if one["values"]]}}

    def parted(self, samples: list[tuple[float, float]]) -> list[tuple[dict[str, str], list[tuple[float, float]]]]:
        before = [(at, value) for at, value in samples if at < self.labelled]
        return [({}, before), ({"namespace": "phys"}, samples[len(before) :])]

    def charged(self, since: float, until: float) -> dict[tuple[str, float], float]:
        """Tokens by user and end of the step."""
        records = [item.record for item in self.items(since, until) if isinstance(item, Entry)]
        step = self._queries.step
        return {(one.user, seconds_of(one.end_time)): one.tres["gres/token"] * step for one in records}

    def losses(self, since: float, until: float) -> list[str]:
        return [str(item) for item in self.items(since, until) if isinstance(item, Lost)]


class CountersTest(unittest.TestCase):
    BEGIN = 1_700_000_100.0  # A multiple of 300.

    def served(self, seed: int, hours: int) -> tuple[Series, list[float], dict[str, int]]:
        """A gateway that is scraped every 15 s, serves users at random, and restarts at random after a scrape."""
        chance = random.Random(seed)
        now: dict[str, int] = {}
        total: dict[str, int] = {}
        series: Series = {}
        scrapes = [self.BEGIN + 15 * n + chance.uniform(0, 0.9) for n in range(240 * hours)]
        for n, at in enumerate(scrapes):
            for user in ("amy", "ben", "cat"):
                if n and chance.random() < 0.2:
                    tokens = chance.randrange(1, 5000)
                    now[user] = now.get(user, 0) + tokens
                    total[user] = total.get(user, 0) + tokens
            for user, value in now.items():
                series.setdefault(user, []).append((at, value))
            # A counter that is higher again at the next scrape has no fall that anybody can see.
            if chance.random() < 0.05 and min(now.values(), default=0) > 5 * 5000:
                now = {}
        return series, scrapes, total

    def test_growths_add_up_to_all_tokens_through_restarts(self):
        for seed in range(20):
            series, scrapes, total = self.served(seed, 8)
            falls = sum(b[1] < a[1] for samples in series.values() for a, b in zip(samples, samples[1:], strict=False))
            self.assertGreater(falls, 3)
            got: dict[str, float] = {}
            end = self.BEGIN + 8 * 3600 + 300
            for (user, _), tokens in Recorded(series, scrapes).charged(self.BEGIN - 1, end).items():
                got[user] = got.get(user, 0) + tokens
            for user, tokens in total.items():
                self.assertAlmostEqual(got[user], tokens, delta=1e-6)

    def test_a_step_has_the_same_tokens_wherever_the_reading_begins(self):
        series, scrapes, _ = self.served(7, 8)
        end = self.BEGIN + 8 * 3600
        whole = Recorded(series, scrapes).charged(self.BEGIN - 1, end)
        for begin in (self.BEGIN + 300 * n for n in range(1, 80, 7)):
            got = Recorded(series, scrapes).charged(begin, end)
            self.assertEqual(got, {key: tokens for key, tokens in whole.items() if key[1] > begin})

    def test_what_a_counter_had_before_the_first_scrape_is_not_charged_but_lost(self):
        at = self.BEGIN
        old = Recorded({"amy": [(at + 10, 1000), (at + 25, 1100)]}, [at + 10, at + 25])
        self.assertEqual(old.charged(at, at + 300), {("amy", at + 300): 100})
        self.assertEqual(len(old.losses(at, at + 300)), 1)
        # The target was scraped, and had no counter of the user.
        new = Recorded({"amy": [(at + 25, 1100)]}, [at + 10, at + 25])
        self.assertEqual(new.charged(at, at + 300), {("amy", at + 300): 1100})
        self.assertEqual(new.losses(at, at + 300), [])

    def test_a_target_that_gets_another_label_is_not_charged_again_for_what_its_counters_had(self):
        at = self.BEGIN
        scrapes = [at - 3600 + 15 * n for n in range(280)]
        amy = [(scrape, 5e9 + n) for n, scrape in enumerate(scrapes)]
        ben = [(scrape, 700.0) for scrape in scrapes if scrape >= at + 225]
        # The scrapes of the step are at 15 to 300; the one at 150 is the first with the label, and lost.
        labelled = Recorded({"amy": amy, "ben": ben}, scrapes, labelled=at + 150)
        self.assertEqual(labelled.charged(at, at + 300), {("amy", at + 300): 19, ("ben", at + 300): 700})
        self.assertEqual(len(labelled.losses(at, at + 300)), 1)

    def test_a_gap_is_charged_when_it_ends_unless_it_is_longer_than_the_lookback(self):
        at = self.BEGIN
        for gap, want in ((3000.0, {("amy", at + 3300): 500.0}), (4000.0, {})):
            counted = Recorded({"amy": [(at + 10, 0), (at + 10 + gap, 500)]}, [at + 10, at + 10 + gap])
            self.assertEqual(counted.charged(at, at + 4500), want)
            self.assertEqual(len(counted.losses(at, at + 4500)), int(not want))

    def test_a_long_lookback_is_read_by_the_hour(self):
        at, day = self.BEGIN, 86400.0
        # Ben was last scraped 23.5 hours before; nobody scraped the target since.
        series = {"amy": [(at - 10, 5.0), (at + 10, 7.0)], "ben": [(at - 23.5 * 3600, 100), (at + 10, 130.0)]}
        counted = Recorded(series, [at + 10], lookback=day)
        self.assertEqual(counted.charged(at, at + 300), {("amy", at + 300): 2, ("ben", at + 300): 30})
        self.assertEqual(counted.longest_answer, 3600)

    def test_replicas_behind_one_address_are_noticed_once(self):
        at = self.BEGIN
        flapping = [(at + 15 * n, 1000.0 + 500 * (n % 2)) for n in range(1, 10)]
        for samples, want in ((flapping, 1), ([(at + 15, 5.0), (at + 30, 1.0), (at + 45, 2.0)], 0)):
            found = Recorded({"amy": samples, "ben": samples}, [at]).items(at, at + 300)
            notices = [item.text for item in found if isinstance(item, Notice)]
            self.assertEqual(len(notices), want, notices)
            if want:
                self.assertIn('2 counters of job="gateway", instance="a:1" fall often', notices[0])


class Exporter:
    """Serves the metrics that a test sets, at each path."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        texts = self.texts

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = texts.get(self.path, "").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def times(text: str, factor: float) -> str:
    """The exposition, with each value times the factor; creation times stay."""

    def scaled(match: re.Match[str]) -> str:
        return f"{match[1]} {float(match[2]) * factor}"

    lines = [
        line if line.startswith("#") or "_created{" in line else re.sub(r"^(.*) (\S+)$", scaled, line)
        for line in text.splitlines()
    ]
    return "\n".join(lines) + "\n"


def until(what: Callable[[], bool], why: str) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > end:
            raise AssertionError(why)
        time.sleep(0.1)


@unittest.skipUnless(shutil.which("prometheus"), "needs Debian's prometheus")
class TokensTest(unittest.TestCase):
    """A real Prometheus scrapes recorded metrics; a real collector records them in a real priorityd."""

    QUERIES = """
        step = "1s"
        settle = "2s"
        [labels]
        user = "user"
        account = "team"
        [counters]
        "gres/token" = 'litellm_total_tokens_metric_total{job="litellm"}'
    """
    USERS = {"amy": "chem", "ben": "phys"}
    FACTORS = "PriorityType=priority/multifactor\nPriorityWeightFairshare=100000\n"

    @classmethod
    def setUpClass(cls):
        cls.site = shared_site()

    def setUp(self):
        # Each test has a Prometheus of its own, without what another test's counters had.
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.exporter = Exporter()
        self.addCleanup(self.exporter.close)
        self.url = self.start_prometheus()
        until(lambda: self.value("count(up == 1)") == 3, "Prometheus scrapes no targets")
        self.begin = int(time.time())

    def start_prometheus(self) -> str:
        config = {
            "global": {"scrape_interval": "1s"},
            "scrape_configs": [
                self.scrape("litellm", {}),
                self.scrape("vllm", {"namespace": "phys"}),
                self.scrape("envoy", {}),
            ],
        }
        (self.folder / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML.
        address = f"127.0.0.1:{free_port()}"
        command = ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--web.listen-address={address}"]
        process = subprocess.Popen(
            [*command, f"--storage.tsdb.path={self.folder}/data"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return f"http://{address}"

    def scrape(self, job: str, labels: dict[str, str]) -> dict[str, Any]:
        targets = {"targets": [self.exporter.address], "labels": labels}
        return {"job_name": job, "metrics_path": f"/{job}", "static_configs": [targets]}

    def value(self, query: str) -> float | None:
        asked = f"{self.url}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
        try:
            with urllib.request.urlopen(asked, timeout=5) as response:
                found = json.load(response)["data"]["result"]
        except OSError:
            return None
        return float(found[0]["value"][1]) if found else None

    def show(self, path: str, text: str, query: str, want: float) -> None:
        """Serve a text until Prometheus has it."""
        self.exporter.texts[path] = text
        until(lambda: self.value(query) == want, f"Prometheus has no {query} of {want}")

    def serve(self, factor: float) -> None:
        text = times((DATA / "litellm_metrics.txt").read_text(), factor)
        self.show("/litellm", text, "sum(litellm_total_tokens_metric_total)", 2230 * factor)

    def collect(self, cluster: Cluster, queries: str, *more: object) -> tuple[int, str, str]:
        (cluster.folder / "queries.toml").write_text(queries)
        command = ["prometheus", "--url", self.url, "--queries", "queries.toml", "--since", self.begin]
        return cluster.run(*command, "--map-user", "None=", "--map-account", "None=", *more)

    def record(self, cluster: Cluster, queries: str, total: float) -> None:
        """Collect until so many tokens are in the ledger."""

        def done() -> bool:
            status, _, err = self.collect(cluster, queries)
            self.assertEqual((status, err), (0, ""))
            rows = cluster.report(v1.REPORT_GROUPING_ACCOUNT)
            return abs(sum(row.tres_seconds["gres/token"] for row in rows) - total) < 1e-3

        until(done, f"want {total} tokens")

    def order(self, cluster: str) -> list[str]:
        request = v1.RankJobsRequest(cluster=cluster, tracked=v1.TrackedQueue())
        return [row.job_id for row in self.site.client.priority.RankJobs(request).ranked]

    def domain(self) -> tuple[Cluster, Cluster]:
        """Tokens of `llm` and jobs of `batch` count in the domain `site`."""
        clusters = {
            name: self.site.add_cluster(name, self.USERS, more=self.FACTORS) for name in ("site", "llm", "batch")
        }
        admin = self.site.client.admin
        admin.UpdateDomain(v1.UpdateDomainRequest(cluster="site", join=["batch"]))
        prices = {"gres/token": 0.002}
        admin.UpdateDomain(v1.UpdateDomainRequest(cluster="site", join=["llm"], prices=prices))
        alias = v1.UserAlias(source="prometheus", alias="ben@example.org", user="ben")
        admin.UpdateAliases(v1.UpdateAliasesRequest(cluster="llm", add=[alias]))
        submitted = Timestamp(seconds=self.begin)
        jobs = [
            v1.Job(job_id=user, user=user, submit_time=submitted, tres={"cpu": 1}, state=v1.JOB_STATE_PENDING)
            for user in self.USERS
        ]
        self.site.client.priority.UpdateJobs(v1.UpdateJobsRequest(cluster="batch", upserts=jobs))
        return clusters["llm"], clusters["site"]

    def test_tokens_lower_the_place_in_the_batch_queue_and_a_restart_loses_and_doubles_none(self):
        llm, site = self.domain()
        until(lambda: self.order("batch") == ["amy", "ben"], "the order without tokens is by job id")
        self.serve(1)
        self.serve(3)
        self.serve(0.5)  # The gateway restarted.
        self.serve(2)
        self.record(llm, self.QUERIES, 2230 * 5)
        rows = {row.user: row.tres_seconds["gres/token"] for row in llm.report(v1.REPORT_GROUPING_USER)}
        for user, tokens in {"amy": 2100 * 5, "ben@example.org": 90 * 5, "": 40 * 5}.items():
            self.assertAlmostEqual(rows[user], tokens, delta=1e-3)
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster="site"))
        until(lambda: self.order("batch") == ["ben", "amy"], f"tokens moved no job: {self.order('batch')}")
        member = next(
            m for m in self.site.client.admin.ListDomains(v1.ListDomainsRequest()).members if m.cluster == "llm"
        )
        self.assertEqual((member.refused_records, member.refused_why), (0, ""))
        settled = sum(row.tres_seconds["billing"] for row in site.report(v1.REPORT_GROUPING_ACCOUNT))
        self.assertAlmostEqual(settled, 0.002 * 2230 * 5, delta=1e-3)
        # Read again from an earlier time: each record is a duplicate.
        self.begin -= 1
        status, out, err = self.collect(llm, self.QUERIES)
        self.assertRegex(out, r"^\d+ accepted, [1-9]\d* duplicate, 0 rejected")
        self.assertEqual((status, err), (0, ""))
        self.record(llm, self.QUERIES, 2230 * 5)

    def test_the_recipes_of_the_manual_count_what_vllm_and_envoy_show(self):
        manual = (DATA.parents[3] / "docs" / "tokens.md").read_text()
        recipes = re.findall(r"```toml\n(step.*?)```", manual, re.DOTALL)
        self.assertEqual(len(recipes), 3)
        quick = [recipe.replace('"5m"', '"1s"').replace('"2m"', '"2s"') for recipe in recipes]
        for path, name, recipe, total in (
            ("/vllm", "vllm", quick[1], {"gres/token_in": 5000 * 3, "gres/token_out": 700 * 3}),
            ("/envoy", "envoy", quick[2], {"gres/token_in": 800 * 3, "gres/token_out": 100 * 3}),
            ("/litellm", "litellm", quick[0], {"gres/token_in": 1790 * 3, "gres/token_out": 440 * 3}),
        ):
            with self.subTest(name=name):
                cluster = self.site.add_cluster(name, self.USERS)
                alias = v1.UserAlias(alias="ben@example.org", user="ben")
                self.site.client.admin.UpdateAliases(v1.UpdateAliasesRequest(cluster=name, add=[alias]))
                text = (DATA / (name.replace("envoy", "envoy_ai_gateway") + "_metrics.txt")).read_text()
                metric = re.search(r"^(\S*?(?:_total|_sum)){", text, re.MULTILINE)
                assert metric is not None
                shown = sum(map(float, re.findall(rf"^{metric[1]}{{.*}} (\S+)$", text, re.MULTILINE)))
                # vLLM has its counters from its start, at 0.
                for factor in (0, 1, 3):
                    self.show(path, times(text, factor), f"sum({metric[1]})", shown * factor)

                def counted(cluster: Cluster = cluster, recipe: str = recipe, want: dict[str, int] = total) -> bool:
                    status, _, err = self.collect(cluster, recipe)
                    self.assertEqual((status, err), (0, ""))
                    got = {tres: 0.0 for tres in want}
                    for row in cluster.report(v1.REPORT_GROUPING_ACCOUNT):
                        got = {tres: amount + row.tres_seconds[tres] for tres, amount in got.items()}
                    return all(abs(got[tres] - want[tres]) < 1e-3 for tres in want)

                until(counted, f"not all tokens of {name} were recorded")

    def test_a_counter_that_is_no_selector_and_one_scraped_twice_are_said(self):
        cluster = self.site.add_cluster("said", self.USERS)
        self.begin -= 60
        _, _, err = self.collect(cluster, self.QUERIES.replace("litellm_total", "rate(x[1m]) + litellm_total"))
        self.assertIn("counters.gres/token: ", err)
        text = (DATA / "litellm_metrics.txt").read_text()
        for path in ("/litellm", "/envoy"):
            self.show(path, text, f'count(litellm_total_tokens_metric_total{{job="{path[1:]}"}})', 4)

        def noticed() -> bool:
            _, _, err = self.collect(cluster, self.QUERIES.replace('{job="litellm"}', ""), "--dry-run")
            return f"Prometheus scrapes {self.exporter.address} by the jobs envoy, litellm" in err

        until(noticed, "nothing was said of a target that two jobs scrape")


if __name__ == "__main__":
    unittest.main()
