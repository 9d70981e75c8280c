"""Files of allocations become grants of a real priorityd: exactly, once, and all of a file or nothing."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import unittest

from priorityd import v1
from priorityd_allocations.agreement import Grants
from priorityd_allocations.entries import SETTINGS, Wanted
from site_of_tests import ENVIRONMENT, PATIENCE, Cluster, shared_site

DATA = pathlib.Path(__file__).parent / "data"
CHEM = "0f1c2d3e4a5b46778899aabbccddeeff"
UNITS = ("--component", "cpu=cpu:60000", "--component", "mem=mem:61440", "--component", "storage=")


class AllocationsTest(unittest.TestCase):
    def cluster(self, name: str) -> Cluster:
        site = shared_site()
        cluster = site.add_cluster(name, {"amy": "chem", "bob": "phys"})
        site.client.admin.CreateQos(v1.CreateQosRequest(cluster=name, names=["low"]))
        site.client.admin.Recalculate(v1.RecalculateRequest(cluster=name))
        return cluster

    def command(self, cluster: Cluster, *arguments: object) -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        where = ["--server", cluster.site.address, "--cluster", cluster.name]
        done = subprocess.run(
            [sys.executable, "-m", "priorityd_allocations", *map(str, arguments), *where],
            cwd=cluster.folder,
            env=ENVIRONMENT,
            text=True,
            capture_output=True,
            timeout=PATIENCE,
        )
        return done.returncode, done.stdout, done.stderr

    def apply(self, cluster: Cluster, *arguments: object) -> str:
        status, out, err = self.command(cluster, "apply", *arguments)
        self.assertEqual((status, err), (0, ""), out)
        return out

    def refused(self, cluster: Cluster, *arguments: object) -> str:
        status, out, err = self.command(cluster, "apply", *arguments)
        self.assertEqual((status, out), (1, ""), err)
        return err

    def show(self, *arguments: object) -> list[str]:
        command = [sys.executable, "-m", "priorityd_allocations", "show", *map(str, arguments)]
        done = subprocess.run(command, cwd=DATA, env=ENVIRONMENT, text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def grants(self, cluster: Cluster) -> dict[str, dict[str, str]]:
        """The settings of each grant that is not revoked, by its name."""
        cluster.site.client.admin.Recalculate(v1.RecalculateRequest(cluster=cluster.name))
        request = v1.ListGrantsRequest(cluster=cluster.name, include_past=True)
        listed = cluster.site.client.priority.ListGrants(request).grants
        return {one.name: dict(one.attributes) for one in listed if one.state != v1.GRANT_STATE_REVOKED}

    def versions(self, cluster: Cluster, name: str) -> list[float]:
        request = v1.GetGrantStatementRequest(cluster=cluster.name, name=name)
        answer = cluster.site.client.priority.GetGrantStatement(request)
        return [version.amount_minutes for version in answer.grant.versions]

    def file(self, cluster: Cluster, text: str) -> pathlib.Path:
        path = cluster.folder / "allocations"
        path.write_text(text)
        return path

    def test_a_csv_becomes_grants_and_the_second_time_changes_nothing(self):
        cluster = self.cluster("allocationscsv")
        file = DATA / "allocations.csv"
        dry = self.apply(cluster, "--format", "csv", file)
        self.assertIn("3 changes to make, and none was made", dry)
        self.assertIn("! Consequence", dry)
        self.assertEqual(self.grants(cluster), {})
        made = self.apply(cluster, "--format", "csv", file, "--yes")
        self.assertEqual(made.count("\n+ ") + made.startswith("+ "), 3)
        chem = {"Accounts": "chem", "TRES": "cpu", "Amount": "120000", "Window": "quarter", "CarryOver": "10%"}
        chem |= {"Begin": "2026-10-01T00:00:00Z", "Consequence": "demote:low"}
        gpu = {"Accounts": "chem,phys", "TRES": "gres/gpu", "Amount": "1200.5", "Window": "fixed"}
        gpu |= {"Begin": "2026-11-01T08:00:00Z", "End": "2028-01-01T00:00:00Z"}
        got = self.grants(cluster)
        self.assertEqual(got["chem-2026"], chem)
        self.assertEqual(got["phys-gpu"], gpu)
        self.assertEqual(got["phys-all"]["TRES"], "billing")
        again = self.apply(cluster, "--format", "csv", file, "--yes")
        self.assertEqual(again, "0 changes made; 3 grants unchanged, 0 limits or entries skipped\n")
        self.assertEqual(self.grants(cluster), got)

    def test_a_changed_amount_is_a_new_version_and_an_empty_end_removes_it(self):
        cluster = self.cluster("allocationsamount")
        begin = "2026-10-01T00:00:00Z"
        before = self.file(cluster, f"name,accounts,amount,begin,end\nq,chem,100,{begin},2030-01-01\n")
        self.apply(cluster, "--format", "csv", before, "--yes")
        after = self.file(cluster, f"name,accounts,amount,begin,end\nq,chem,2.5h,{begin},\n")
        dry = self.apply(cluster, "--format", "csv", after)
        self.assertIn("~ q: ", dry)
        self.assertIn("Amount=150", dry)
        self.apply(cluster, "--format", "csv", after, "--yes")
        self.assertEqual(self.versions(cluster, "q"), [100, 150])
        self.assertNotIn("End", self.grants(cluster)["q"])

    def test_an_export_creates_the_same_grants_in_another_cluster_and_changes_nothing_there_again(self):
        first, second = self.cluster("allocationsexport"), self.cluster("allocationsimport")
        self.apply(first, "--format", "csv", DATA / "allocations.csv", "--yes")
        every = 'a-all,chem,amy,"cpu=1,gres/gpu=20",7.5,2026-10-01,2030-01-01T12:00:00Z,month,'
        every += "12.5%,50%,3,15-0,10%,20%,-3,demote:FairShare=10%"
        self.apply(first, "--format", "csv", self.file(first, f"Name,{','.join(SETTINGS)}\n{every}\n"), "--yes")
        status, out, err = self.command(first, "export")
        self.assertEqual((status, err), (0, ""))
        file = self.file(second, out)
        self.assertIn("4 changes to make, and none was made", self.apply(second, "--format", "csv", file))
        self.apply(second, "--format", "csv", file, "--yes")
        self.assertEqual(self.grants(second), self.grants(first))
        self.assertEqual(self.command(second, "export"), (0, out, ""))
        self.assertIn("0 changes made; 4 grants unchanged", self.apply(second, "--format", "csv", file, "--yes"))
        changed = self.file(second, out.replace("7.5", "8"))
        self.assertIn("Amount=7.5 -> ", self.apply(second, "--format", "csv", changed))

    def test_an_export_leaves_out_the_limits_by_coordinators_with_their_number(self):
        cluster = self.cluster("allocationslimits")
        begin = "Begin='2026-10-01T00:00:00Z'"
        own = "".join(
            f"Grant - '{name}':Accounts='chem':{begin}:TRES='{tres}'{more}\n"
            f"Amount - '100':Effective='2026-10-01T00:00:00Z'\n"
            for name, tres, more in [
                ("chem/a", "cpu", ":ByCoordinator='yes'"),
                ("chem/b", "mem", ":ByCoordinator='yes'"),
                ("ByCoordinator=", "node", ""),
            ]
        )
        file = v1.File(kind=v1.FILE_KIND_PRIORITYD, name="own", content=own)
        cluster.site.client.admin.Import(v1.ImportRequest(cluster=cluster.name, files=[file]))
        status, out, err = self.command(cluster, "export")
        names = [line.split(",")[0] for line in out.splitlines()]
        self.assertEqual((status, names), (0, ["Name", "ByCoordinator="]))
        self.assertEqual(err, "priorityd-allocations: 2 limits by coordinators are not in the file\n")

    def test_an_export_by_prefix_is_what_apply_reads_with_it_and_transfers_are_reported(self):
        cluster = self.cluster("allocationsprefix")
        text = "Name,Accounts,Amount,TRES,Begin\na,chem,100,cpu,2026-10-01\nb,phys,100,cpu,2026-10-01\n"
        self.apply(cluster, "--format", "csv", self.file(cluster, text), "--prefix", "call-", "--yes")
        self.apply(cluster, "--format", "csv", self.file(cluster, text.replace("cpu", "mem")), "--yes")
        request = v1.TransferGrantRequest(cluster=cluster.name, to="call-b", amount_minutes=30)
        setattr(request, "from", "call-a")
        cluster.site.client.admin.TransferGrant(request)
        cluster.site.client.admin.Recalculate(v1.RecalculateRequest(cluster=cluster.name))
        status, out, err = self.command(cluster, "export", "--prefix", "call-")
        self.assertEqual((status, [line.split(",")[0] for line in out.splitlines()]), (0, ["Name", "a", "b"]))
        self.assertIn("grant call-a: -30 TRES-minutes of transfers are not in the file", err)
        self.assertIn("grant call-b: 30 TRES-minutes of transfers are not in the file", err)
        options = ("--format", "csv", self.file(cluster, out), "--prefix", "call-")
        self.assertIn("0 changes to make", self.apply(cluster, *options))

    def test_what_is_fixed_is_named_and_nothing_of_the_file_is_changed(self):
        cluster = self.cluster("allocationsfixed")
        begin = "2026-10-01T00:00:00Z"
        self.apply(
            cluster, "--format", "csv", self.file(cluster, f"Name,Accounts,Amount,Begin\nq,chem,1,{begin}\n"), "--yes"
        )
        got = self.grants(cluster)
        text = f"Name,Accounts,Amount,Begin\nnew,chem,5,{begin}\nq,phys,2,{begin}\nx,nobody,2,{begin}\n"
        err = self.refused(cluster, "--format", "csv", self.file(cluster, text), "--yes")
        self.assertIn("allocations:3: grant q: ", err)
        self.assertIn("Accounts: got a change of a grant that has begun", err)
        self.assertIn("allocations:4: grant x: ", err)
        self.assertIn('got "nobody", want an existing account', err)
        self.assertIn("nothing was changed", err)
        self.assertEqual(self.grants(cluster), got)
        file = self.file(cluster, "Name,Accounts,Amount\nx1,chem,-5\nx2,nosuch,5\nx3,chem,nan\n")
        together = r"(?s):4: Amount.*:2: grant x1.*:3: grant x2.*nothing was done"
        self.assertRegex(self.refused(cluster, "--format", "csv", file), together)

    def test_missing_grants_are_listed_and_revoked_only_where_that_is_wanted(self):
        cluster = self.cluster("allocationsmissing")
        head = "Name,Accounts,Amount\n"
        other = self.file(cluster, "Name,Accounts,Amount,TRES\nother,chem,1,node\n")
        self.apply(cluster, "--format", "csv", other, "--yes")
        both = self.file(cluster, head + "a,chem,1\nb,phys,1\n")
        self.apply(cluster, "--format", "csv", both, "--prefix", "call-", "--yes")
        one = self.file(cluster, head + "a,chem,1\n")
        kept = self.apply(cluster, "--format", "csv", one, "--prefix", "call-", "--yes")
        self.assertIn("? call-b: the file does not have it", kept)
        self.assertEqual(set(self.grants(cluster)), {"other", "call-a", "call-b"})
        options = ("--format", "csv", one, "--prefix", "call-", "--revoke-missing")
        self.assertIn("- call-b: revoked", self.apply(cluster, *options))
        self.assertEqual(set(self.grants(cluster)), {"other", "call-a", "call-b"})
        self.assertIn("- call-b: revoked", self.apply(cluster, *options, "--yes"))
        self.assertIn("0 changes made; 1 grants unchanged", self.apply(cluster, *options, "--yes"))
        self.assertEqual(set(self.grants(cluster)), {"other", "call-a"})
        err = self.refused(cluster, *options[:2], self.file(cluster, head), *options[3:], "--yes")
        self.assertIn("got no entry", err)
        self.assertEqual(set(self.grants(cluster)), {"other", "call-a"})
        both = self.file(cluster, head + "a,chem,1\nb,phys,1\n")
        back = self.refused(cluster, "--format", "csv", both, "--prefix", "call-", "--yes")
        self.assertIn("call-b, which was revoked at", back)

    def test_a_change_of_somebody_else_in_between_stops_it(self):
        cluster = self.cluster("allocationsetag")
        client = cluster.site.client
        grants = Grants(client, cluster.name, "")
        wanted = [Wanted(name, {"Accounts": "chem", "Amount": "1"}, "") for name in ("a", "b")]
        plan = grants.plan(wanted, "")
        made = grants.apply(plan, revokes=False)
        self.assertIn("+ a: ", next(made))
        client.admin.CreateQos(v1.CreateQosRequest(cluster=cluster.name, names=["new"]))
        with self.assertRaisesRegex(Exception, "ABORTED"):
            next(made)
        self.assertEqual(set(self.grants(cluster)), {"a"})

    def test_allocations_of_waldur_are_grants_of_their_limits(self):
        cluster = self.cluster("allocationswaldur")
        options = ("--format", "waldur", DATA / "waldur_allocations.json", "--set", "Window=year", "--yes")
        out = self.apply(cluster, *options)
        cpu = {"Accounts": "chem", "TRES": "cpu", "Amount": "120000", "Window": "year"}
        cpu |= {"Begin": "2026-09-01T08:15:30.123456Z"}
        memory = {**cpu, "TRES": "mem", "Amount": "61440000"}
        self.assertEqual(self.grants(cluster), {f"waldur-{CHEM}-cpu": cpu, f"waldur-{CHEM}-ram": memory})
        self.assertIn("gpu_limit: no limit", out)
        self.assertIn("entry 2 (phys-allocation): is_active is false", out)
        self.assertIn("entry 3 (new-allocation): state Creating", out)
        self.assertIn("0 changes made; 2 grants unchanged", self.apply(cluster, *options))

    def test_resources_of_waldur_are_converted_by_the_factors_of_their_components(self):
        cluster = self.cluster("allocationsresources")
        file = DATA / "waldur_resources.json"
        options = ("--format", "waldur", file, "--resource", "Cluster")
        err = self.refused(cluster, *options)
        self.assertIn("entry 1 (phys-2026): limits.cpu: got a component without a unit", err)
        out = self.apply(cluster, *options, *UNITS, "--yes")
        cpu = {"Accounts": "phys", "TRES": "cpu", "Amount": "120000", "Window": "fixed"}
        cpu |= {"Begin": "2026-10-01T00:00:00Z", "End": "2028-03-31T00:00:00Z"}
        got = {f"waldur-44556677889940019122334455667788-{name}": cpu for name in ("cpu", "mem")}
        got["waldur-44556677889940019122334455667788-mem"] = {**cpu, "TRES": "mem", "Amount": "614400"}
        self.assertEqual(self.grants(cluster), got)
        for why in ("limits.storage", "(old): state Terminated", "(machines): is not of Cluster"):
            self.assertIn(why, out)
        self.assertIn("0 changes made", self.apply(cluster, *options, *UNITS, "--yes"))

    def test_a_page_of_coldfront_and_its_attributes_are_grants(self):
        cluster = self.cluster("allocationscoldfront")
        file = DATA / "coldfront_api.json"
        self.assertIn("allocation 9: slurm_account_name: got ''", self.refused(cluster, "--format", "coldfront", file))
        options = ("--format", "coldfront", file, "--resource", "University HPC", "--yes")
        out = self.apply(cluster, *options)
        got = {name: (one["TRES"], one["Amount"]) for name, one in self.grants(cluster).items()}
        self.assertEqual(got, {"coldfront-7-cpu": ("cpu", "120000"), "coldfront-7-gpu": ("gres/gpu", "1200")})
        self.assertIn("allocation 8: status Expired", out)
        self.assertIn("allocation 9: is not of University HPC", out)
        self.assertIn("0 changes made; 2 grants unchanged", self.apply(cluster, *options))

    def test_a_dump_of_coldfront_has_dates_and_its_last_day_is_granted(self):
        cluster = self.cluster("allocationsdump")
        options = ("--format", "coldfront", DATA / "coldfront_dump.json", "--resource", "University HPC", "--yes")
        out = self.apply(cluster, *options)
        wanted = {"Accounts": "chem", "TRES": "cpu", "Amount": "90000", "Window": "fixed"}
        wanted |= {"Begin": "2026-10-01T00:00:00Z", "End": "2027-10-01T00:00:00Z"}
        self.assertEqual(self.grants(cluster), {"coldfront-12-2026-10-01-cpu": wanted})
        self.assertIn("allocation 13: status Revoked", out)
        self.assertIn("0 changes made", self.apply(cluster, *options))

    def test_the_commands_that_are_shown_create_the_same_grants(self):
        lines = self.show("--format", "csv", "allocations.csv")
        self.assertEqual(
            lines[0],
            "prioctl grant create chem-2026 Accounts=chem TRES=cpu Amount=2000h Begin=2026-10-01 Window=quarter "
            "CarryOver=10% Consequence=demote:low",
        )
        self.assertEqual(lines[1].split()[4], "Accounts=phys,chem")
        shown = self.show("--format", "waldur", "waldur_allocations.json")
        self.assertEqual(len([line for line in shown if line.startswith("prioctl ")]), 2)
        self.assertEqual(len([line for line in shown if line.startswith("# skipped: ")]), 3)


if __name__ == "__main__":
    unittest.main()
