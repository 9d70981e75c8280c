"""Tables of the requests of an LLM gateway and of notebooks: each row counts once, also in a usage domain."""

from __future__ import annotations

import pathlib
import re
import time
import unittest

from google.protobuf.timestamp_pb2 import Timestamp
from priorityd import v1
from site_of_tests import ROOT, Cluster, shared_site

DATA = pathlib.Path(__file__).parent / "data"
MANUAL = (ROOT / "docs" / "tokens.md").read_text()


def recipe(column: str) -> str:
    """The form of the manual that names the column."""
    (found,) = [form for form in re.findall(r"```toml\n(.*?)```", MANUAL, re.DOTALL) if f'"{column}"' in form]
    return found


class TokenTablesTest(unittest.TestCase):
    USERS = {"amy": "chem", "ben": "phys"}
    FACTORS = "PriorityType=priority/multifactor\nPriorityWeightFairshare=100000\n"

    def setUp(self):
        self.site = shared_site()

    def clusters(self, *names: str) -> list[Cluster]:
        return [self.site.add_cluster(name, self.USERS, more=self.FACTORS) for name in names]

    def join(self, domain: Cluster, member: Cluster, prices: dict[str, float]) -> None:
        request = v1.UpdateDomainRequest(cluster=domain.name, join=[member.name], prices=prices)
        self.site.client.admin.UpdateDomain(request)

    def collect(self, cluster: Cluster, form: str, *more: object) -> str:
        (cluster.folder / "form.toml").write_text(form)
        status, out, err = cluster.run("csv", "table.csv", "--form", "form.toml", *more)
        self.assertEqual((status, err), (0, ""))
        return out

    def settled(self, domain: Cluster) -> dict[str, float]:
        """Billing-seconds of each account of the domain."""
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster=domain.name))
        rows = domain.report(v1.REPORT_GROUPING_ACCOUNT)
        return {row.account: row.tres_seconds["billing"] for row in rows}

    def order(self, cluster: Cluster) -> list[str]:
        self.site.client.admin.Recalculate(v1.RecalculateRequest(cluster=cluster.name))
        request = v1.RankJobsRequest(cluster=cluster.name, tracked=v1.TrackedQueue())
        return [row.job_id for row in self.site.client.priority.RankJobs(request).ranked]

    def submit(self, cluster: Cluster) -> None:
        jobs = [
            v1.Job(
                job_id=user,
                user=user,
                submit_time=Timestamp(seconds=int(time.time())),
                tres={"cpu": 1},
                state=v1.JOB_STATE_PENDING,
            )
            for user in self.USERS
        ]
        self.site.client.priority.UpdateJobs(v1.UpdateJobsRequest(cluster=cluster.name, upserts=jobs))

    def test_the_tokens_of_each_request_count_once_and_lower_the_place_in_the_batch_queue(self):
        domain, llm, batch = self.clusters("tokens_site", "tokens_llm", "tokens_batch")
        self.join(domain, batch, {})
        self.join(domain, llm, {"gres/token_in": 0.0005, "gres/token_out": 0.002})
        alias = v1.UserAlias(source="requests", alias="ben@example.org", user="ben")
        self.site.client.admin.UpdateAliases(v1.UpdateAliasesRequest(cluster=llm.name, add=[alias]))
        self.submit(batch)
        self.assertEqual(self.order(batch), ["amy", "ben"])
        (llm.folder / "table.csv").write_text((DATA / "litellm_spend_logs.csv").read_text())
        names = ["--map-account", "team-chem=chem", "--map-account", "team-phys=phys", "--map-user", "default_user_id="]
        for accepted, duplicate in ((4, 0), (0, 4)):
            out = self.collect(llm, recipe("request_id"), "--source", "requests", *names)
            self.assertRegex(out, rf"^{accepted} accepted, {duplicate} duplicate, 0 rejected")
        tokens = {
            row.account: (row.tres_seconds["gres/token_in"], row.tres_seconds["gres/token_out"])
            for row in llm.report(v1.REPORT_GROUPING_ACCOUNT)
        }
        for account, want in {"chem": (41207, 2388), "phys": (90, 33)}.items():
            self.assertAlmostEqual(tokens[account][0], want[0], delta=1e-6)
            self.assertAlmostEqual(tokens[account][1], want[1], delta=1e-6)
        billed = self.settled(domain)
        self.assertAlmostEqual(billed["chem"], 41207 * 0.0005 + 2388 * 0.002, delta=1e-6)
        self.assertAlmostEqual(billed["phys"], 90 * 0.0005 + 33 * 0.002, delta=1e-6)
        self.assertEqual(self.order(batch), ["ben", "amy"])

    def test_sessions_are_charged_for_what_they_held(self):
        domain, hub = self.clusters("hub_site", "hub")
        self.join(domain, hub, {"cpu": 1, "gres/gpu": 20})
        (table,) = re.findall(r"```\n(session,.*?)```", MANUAL, re.DOTALL)
        (hub.folder / "table.csv").write_text(table + "s-3,ben,phys,2026-11-27T09:00:00Z,,8,64,1\n")
        out = self.collect(hub, recipe("session"), "--source", "sessions")
        self.assertRegex(out, r"^2 accepted, 0 duplicate, 0 rejected")
        rows = {row.account: row.tres_seconds for row in hub.report(v1.REPORT_GROUPING_ACCOUNT)}
        self.assertAlmostEqual(rows["chem"]["cpu"], 4 * 9000, delta=1e-6)
        self.assertAlmostEqual(rows["phys"]["mem"], 65536 * 2700, delta=1e-3)
        billed = self.settled(domain)
        self.assertAlmostEqual(billed["chem"], 4 * 9000, delta=1e-6)
        self.assertAlmostEqual(billed["phys"], (8 + 20) * 2700, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
