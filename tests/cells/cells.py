"""Cells, HAProxy in front of them, and clusters with their load."""

import concurrent.futures
import itertools
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import time

import load
import priorityd
import processes
import small_site
from priorityd import v1

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECRET = "0123456789abcdef0123456789abcdef"
NAMES = "abcdefgh"
# Usage does not decay: sums are exact.
CONF = """ClusterName={name}
PriorityType=priority/multifactor
PriorityWeightFairshare=1000
PriorityDecayHalfLife=0
PriorityUsageResetPeriod=NONE
PriorityCalcPeriod={period}
AccountingStorageTRES={tres}
NodeName=n[1-10] CPUs=10 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES
"""
USERS = "".join(f"User - 'user{i}':DefaultAccount='lab':Fairshare={1 + i}\n" for i in range(load.USERS))
DUMP = "Cluster - '{name}':Fairshare=1\nParent - 'root'\nAccount - 'lab':Fairshare=1\nParent - 'lab'\n" + USERS


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Program:
    """A process with a log, started again after it was killed."""

    def __init__(self, folder, name, command, environment=None):
        self.name = name
        self._log = folder / f"{name}.log"
        self._command = command
        self._environment = environment
        self.process = None

    def start(self):
        with self._log.open("a") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log, env=self._environment, start_new_session=True)

    def kill(self):
        pids = processes.family(self.process.pid)
        processes.kill(pids)
        self.process.wait()
        # A PostgreSQL that nobody has waited for yet counts as running: another one does not start.
        processes.await_true(f"the end of {self.name}", 60, lambda: not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def freeze_for(self, seconds):
        """Only the process itself: its PostgreSQL goes on."""
        processes.freeze([self.process.pid])
        time.sleep(seconds)
        processes.thaw([self.process.pid])


class Cell:
    def __init__(self, folder, name):
        self.name = name
        self.port, self.http_port = free_port(), free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.program = Program(folder, f"cell-{name}", [
            str(folder / "priorityd"), f"--listen={self.address}", f"--http_listen=127.0.0.1:{self.http_port}",
            f"--data_dir={folder / ('data-' + name)}", f"--proxy_secret_file={folder / 'secret'}",
            f"--auth_file={folder / 'auth.conf'}"])

    def client(self, cluster=""):
        return priorityd.Client(priorityd.Options(address=self.address, cluster=cluster, authorize=priorityd.credentials.token_of_environment()))

    def await_ready(self):
        def answers():
            try:
                self.client().admin.ListClusters(v1.ListClustersRequest(), timeout=2)
            except priorityd.PriorityError:
                return False
            return True
        processes.await_true(f"cell {self.name}", 60, answers)


class Load:
    """What records to a cluster and ranks it, through HAProxy."""

    def __init__(self, cluster, address):
        self.cluster = cluster
        options = priorityd.Options(address=address, cluster=cluster, authorize=priorityd.credentials.token_of_environment())
        self.sender, self.ranker = load.Sender(f"s-{cluster}", options), load.Ranker(options)

    def start(self):
        self.sender.start()
        self.ranker.start()

    def end(self):
        self.sender.end()
        self.ranker.end()

    def sums(self):
        """The billing seconds of each user, of the acknowledged batches."""
        sums = {f"user{i}": 0 for i in range(load.USERS)}
        for number in range(1, self.sender.acknowledged + 1):
            for record in range(load.RECORDS):
                sums[f"user{(number + record) % load.USERS}"] += load.billing(number, record) * load.SECONDS
        return sums


class Site:
    def __init__(self, folder, options):
        self.folder = folder
        self._options = options
        self.cells = [Cell(folder, NAMES[i]) for i in range(options.cells)]
        self.port = free_port()
        self.haproxy = Program(folder, "haproxy", [
            "/usr/sbin/haproxy", "-f", str(ROOT / "deploy/cells/haproxy.cfg"), "-f", str(folder / "cells.cfg")], {
                "PRIORITYD_PROXY_SECRET": SECRET, "PRIORITYD_PROXY_LISTEN": f"127.0.0.1:{self.port}",
                "PRIORITYD_CELLS_MAP": str(folder / "cells.map"), "PRIORITYD_CELLS_ADMIN": str(folder / "admin.sock"),
                "PRIORITYD_PROXY_USER": "nobody", "PRIORITYD_PROXY_GROUP": "nogroup", "PRIORITYD_PROXY_CONNECTIONS": "1000"})
        self.loads = []
        self.place = {}  # Of each busy cluster, its cell.

    def start(self):
        (self.folder / "secret").write_text(SECRET)
        key = secrets.token_bytes(32)
        (self.folder / "jwt.key").write_bytes(key)
        (self.folder / "auth.conf").write_text(f"AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key={self.folder / 'jwt.key'}\n")
        for secret in ("secret", "jwt.key", "auth.conf"):
            (self.folder / secret).chmod(0o600)
        os.environ["SLURM_JWT"] = small_site.token(key)  # For prioctl and the Python client.
        (self.folder / "fleet.conf").write_text("".join(f"{cell.name} = {cell.address}\n" for cell in self.cells))
        self._write_backends()
        for cell in self.cells:
            cell.program.start()
        for cell in self.cells:
            cell.await_ready()
        for cell in self.cells:
            self.place |= {f"{cell.name}-{i}": cell.name for i in range(self._options.busy)}
        with concurrent.futures.ThreadPoolExecutor(len(self.cells)) as threads:
            list(threads.map(self._fill, self.cells))
        (self.folder / "cells.map").write_text(self.prioctl("fleet", "map").stdout)
        self.haproxy.start()
        for cluster in self.place:
            self.loads.append(Load(cluster, f"127.0.0.1:{self.port}"))
            self.loads[-1].start()
        processes.await_true("the load", 60, lambda: all(one.sender.acknowledged and one.ranker.answers for one in self.loads))

    def end(self):
        for program in [self.haproxy, *(cell.program for cell in self.cells)]:
            if program.process is not None and program.process.poll() is None:
                program.kill()

    def cell(self, name):
        return next(cell for cell in self.cells if cell.name == name)

    def command(self, *arguments):
        return [str(self.folder / "prioctl"), *arguments, "--fleet", str(self.folder / "fleet.conf")]

    def prioctl(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)

    def faults_at_end(self):
        """What differs from the account of the load; none if nothing does."""
        for one in self.loads:
            one.end()
        found = []
        for one in self.loads:
            found += self._faults_of(one)
        return found

    def late_clusters(self):
        """Clusters whose recalculation is more than a period late, in all cells."""
        late = 0
        for cell in self.cells:
            status = cell.client().admin.GetStatus(v1.GetStatusRequest())
            late += sum(cluster.late_by.ToTimedelta() > cluster.period.ToTimedelta() for cluster in status.clusters)
        return late

    def _write_backends(self):
        text = (ROOT / "deploy/cells/cells.cfg").read_text().partition("# Add `ssl verify")[0]
        for cell in self.cells:
            text += f"\nbackend {cell.name} from cell\n  server {cell.name}1 {cell.address} check check-proto h1 addr 127.0.0.1:{cell.http_port}\n"
        (self.folder / "cells.cfg").write_text(text)

    def _fill(self, cell):
        client = cell.client()
        # Cells number their TRES differently.
        tres = ",".join(f"gres/{cell.name}{i}" for i in range(1 + self.cells.index(cell))) + ",gres/gpu"
        for i in range(self._options.clusters):
            name, busy = f"{cell.name}-{i}", i < self._options.busy
            conf = CONF.format(name=name, period=1 if busy else self._options.period, tres=tres)
            kinds = ((v1.FILE_KIND_SLURM_CONF, "slurm.conf", conf), (v1.FILE_KIND_SACCTMGR_DUMP, "dump", DUMP.format(name=name)))
            client.admin.Import(v1.ImportRequest(cluster=name, files=[
                v1.File(kind=kind, name=file, content=text.encode()) for kind, file, text in kinds]))
            if busy:
                client.admin.Recalculate(v1.RecalculateRequest(cluster=name))
                jobs = [v1.Job(job_id=str(i), user=f"user{i % load.USERS}", cpus=1 + i % 4, nodes=1) for i in range(1, load.JOBS + 1)]
                client.priority.UpdateJobs(v1.UpdateJobsRequest(cluster=name, upserts=jobs))

    def _faults_of(self, one):
        cluster, sender = one.cluster, one.sender
        client = self.cell(self.place[cluster]).client(cluster)
        found = []
        client.admin.Recalculate(v1.RecalculateRequest(cluster=cluster))
        ids, token = [], ""
        while True:
            page = client.priority.ListUsageRecords(v1.ListUsageRecordsRequest(cluster=cluster, page_size=10000, page_token=token))
            ids += [row.record.record_id for row in page.records]
            token = page.next_page_token
            if not token:
                break
        want = sender.acknowledged * load.RECORDS
        if len(ids) != want or len(set(ids)) != want:
            found.append(f"{cluster}: got {len(ids)} records, {len(set(ids))} of them different, want {want}")
        shares = client.priority.ListShares(v1.ListSharesRequest(cluster=cluster)).shares
        usage = {share.user: share.raw_usage for share in shares if share.user}
        if usage != one.sums():
            found.append(f"{cluster}: got usage {usage}, want {one.sums()}")
        # The start order is that of fair-share, as nothing else counts: users with less usage for each share come first.
        ranked = client.priority.RankJobs(v1.RankJobsRequest(cluster=cluster, tracked=v1.TrackedQueue(), limit=load.JOBS)).ranked
        factors = {share.user: share.fair_share for share in shares if share.user}
        users = [f"user{int(row.job_id) % load.USERS}" for row in ranked]
        if len(users) != load.JOBS or any(factors[a] < factors[b] for a, b in itertools.pairwise(users)):
            found.append(f"{cluster}: got {len(users)} jobs in another order than that of fair-share")
        if sender.rejected:
            found.append(f"{cluster}: got {sender.rejected[0]} as a record was rejected")
        for cell in self.cells:
            names = [row.name for row in cell.client().admin.ListClusters(v1.ListClustersRequest()).clusters]
            if (cluster in names) != (cell.name == self.place[cluster]):
                found.append(f"{cluster}: got it in cell {cell.name}, want it in {self.place[cluster]} alone")
        return found
