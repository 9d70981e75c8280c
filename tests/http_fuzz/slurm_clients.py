"""slurmrestd's lists, read by clients that are generated of its OpenAPI: what they refuse is not in its shape.

slurmrestpy speaks v0.0.40 to v0.0.42, slurmrestapi v0.0.41 to v0.0.44.
"""

import importlib
import unittest

import fuzzed_site as site

VERSIONS = [("slurmrestpy", 40), ("slurmrestpy", 41), ("slurmrestpy", 42), ("slurmrestapi", 41), ("slurmrestapi", 42), ("slurmrestapi", 43),
            ("slurmrestapi", 44)]


class SlurmClients(unittest.TestCase):
    """Each client and version that it speaks."""

    server = None

    def each(self):
        for package, version in VERSIONS:
            module = importlib.import_module(package)
            configuration = module.Configuration(host=self.server.url)
            configuration.api_key["token"] = site.token_of("ope")
            configuration.api_key["user"] = "ope"
            client = module.ApiClient(configuration)
            yield f"{package} {version}", version, module.SlurmApi(client), module.SlurmdbApi(client)

    def test_shares_are_read_with_their_numbers(self):
        for name, version, slurm, _ in self.each():
            with self.subTest(name):
                answer = getattr(slurm, f"slurm_v00{version}_get_shares")()
                rows = {row.name: row for row in answer.shares.shares}
                self.assertEqual(rows["amy"].shares.number, 2)
                self.assertAlmostEqual(rows["amy"].shares_normalized.number, 2 / 3)
                self.assertEqual(rows["b"].shares.number, 2147483647)
                self.assertEqual(answer.meta.slurm.cluster, site.CLUSTER)

    def test_jobs_are_read_with_priority_and_reason(self):
        for name, version, slurm, _ in self.each():
            with self.subTest(name):
                rows = {row.job_id: row for row in getattr(slurm, f"slurm_v00{version}_get_jobs")().jobs}
                self.assertEqual(rows[17].time_limit.number, 60)
                self.assertEqual(rows[17].job_state, ["PENDING"])
                self.assertGreater(rows[17].priority.number, 0)
                self.assertEqual(rows[18].job_state, ["RUNNING"])
                self.assertEqual(rows[20].array_task_string, "0-9")
                self.assertEqual(rows[0].extra, "pod-<b>")
                self.assertTrue(rows[0].hold)

    def test_one_job_is_read(self):
        for name, version, slurm, _ in self.each():
            with self.subTest(name):
                rows = getattr(slurm, f"slurm_v00{version}_get_job")("17").jobs
                self.assertEqual([row.user_name for row in rows], ["amy"])

    def test_qos_are_read_with_their_limits(self):
        for name, version, _, slurmdb in self.each():
            with self.subTest(name):
                rows = {row.name: row for row in getattr(slurmdb, f"slurmdb_v00{version}_get_qos")().qos}
                self.assertEqual(rows["high"].priority.number, 100)
                self.assertEqual(rows["high"].limits.max.wall_clock.per.job.number, 1440)
                self.assertTrue(rows["normal"].limits.max.wall_clock.per.job.infinite)
                self.assertEqual(rows["high"].flags, ["DENY_LIMIT"])
                self.assertEqual(rows["high"].preempt.list, ["normal"])

    def test_associations_are_read_with_their_limits(self):
        for name, version, _, slurmdb in self.each():
            with self.subTest(name):
                answer = getattr(slurmdb, f"slurmdb_v00{version}_get_associations")(account="a")
                rows = {(row.account, row.user): row for row in answer.associations}
                self.assertEqual(set(rows), {("a", ""), ("a", "amy"), ("a", "ben")})
                self.assertEqual(rows["a", "amy"].shares_raw, 2)
                self.assertEqual(rows["a", ""].max.jobs.active.number, 5)
                self.assertEqual(rows["a", "amy"].max.jobs.active.number, 5)  # Inherited.
                self.assertEqual([(tres.type, tres.count) for tres in rows["a", ""].max.tres.group.minutes], [("cpu", 1000)])
