"""Which roles a collector needs where the service asks who is calling."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import pathlib
import tempfile
import time
import unittest

import priorityd
from priorityd import v1
from priorityd_collect.marks import Marks
from priorityd_collect.recorded import last_recorded
from site_of_tests import Site

KEY = b"0123456789abcdef0123456789abcdef"
JOB = "1|amy|a|p||1000000|1000100|00:00:00|cpu=2,node=1"
HEADING = "JobIDRaw|User|Account|Partition|QOS|Start|End|Suspended|AllocTRES"


def token(user: str) -> str:
    """What `scontrol token` would print."""

    def part(content: bytes) -> bytes:
        return base64.urlsafe_b64encode(content).rstrip(b"=")

    now = int(time.time())
    claims = {"iat": now, "exp": now + 3600, "sun": user}
    signed = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    return (signed + b"." + part(hmac.new(KEY, signed, hashlib.sha256).digest())).decode()


class RolesTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "key").write_bytes(KEY)
        (self.folder / "key").chmod(0o600)
        (self.folder / "auth").write_text(
            f"AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key={self.folder}/key\nSlurmUser=slurm\n"
            "Principal=user:collectd Role=collector\nPrincipal=user:both Role=collector,dashboard\n"
            "Principal=user:bound Role=collector Source=pbs,lsf\n"
        )
        self.site = Site(f"--auth_file={self.folder}/auth", authorize=lambda: "Bearer " + token("slurm"))
        self.addCleanup(self.site.close)
        self.cluster = self.site.add_cluster("roles", {"amy": "a"})
        (self.cluster.folder / "log").write_text(f"{HEADING}\n{JOB}\n")

    def collect(self, user: str, *arguments: str) -> tuple[int, str, str]:
        (self.folder / user).write_text(token(user))
        return self.cluster.run("sacct", "log", "--token-file", self.folder / user, *arguments)

    def mark(self, user: str) -> float:
        options = priorityd.Options(self.site.address, cluster="roles", authorize=lambda: "Bearer " + token(user))
        with priorityd.Client(options) as client:
            return Marks(client, "sacct", "sacct", "root").latest()

    def last_of(self, user: str) -> float:
        options = priorityd.Options(self.site.address, cluster="roles", authorize=lambda: "Bearer " + token(user))
        with priorityd.Client(options) as client:
            return last_recorded(client, "sacct")

    def hide_usage(self) -> None:
        admin = self.site.client.admin
        admin.ApplyPolicy(v1.ApplyPolicyRequest(cluster="roles", text="PrivateData=usage"))
        admin.Recalculate(v1.RecalculateRequest(cluster="roles"))

    def test_a_collector_records_and_finds_its_mark_where_usage_is_not_hidden_from_it(self):
        status, out, err = self.collect("collectd")
        self.assertEqual((status, out, err), (0, "1 accepted, 0 duplicate, 0 rejected", ""))
        self.assertEqual(self.collect("collectd", "--since", "mark")[:2], (0, "0 accepted, 1 duplicate, 0 rejected"))
        self.assertEqual((self.mark("collectd"), self.mark("both")), (1000100, 1000100))
        self.hide_usage()
        self.assertEqual((self.mark("collectd"), self.mark("both")), (0, 1000100))
        self.assertEqual((self.last_of("collectd"), self.last_of("bound")), (1000100, 0))
        self.assertEqual(
            self.collect("collectd", "--since", "recorded", "--overlap", "0s")[:2],
            (0, "0 accepted, 1 duplicate, 0 rejected"),
        )
        status, _, err = self.cluster.run("sacct", "--token-file", self.folder / "collectd")
        self.assertEqual(status, 1)
        self.assertIn(
            "got no mark of the source sacct, want --since TIME the first time, or, where PrivateData hides", err
        )
        status, _, err = self.collect("amy")
        self.assertEqual(status, 1)
        self.assertIn("PERMISSION_DENIED", err)


if __name__ == "__main__":
    unittest.main()
