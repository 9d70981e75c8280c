"""A real priorityd, collectors as processes, and what the ledger has."""

from __future__ import annotations

import atexit
import functools
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable

import grpc
import priorityd
from google.protobuf.timestamp_pb2 import Timestamp
from priorityd import v1

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGES = (ROOT / "client" / "python", ROOT / "client" / "collectors")
ENVIRONMENT = {**os.environ, "PYTHONPATH": ":".join(map(str, PACKAGES)), "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}
PATIENCE = 180.0


_KEPT: list[socket.socket] = []


def free_port() -> int:
    """A port of 127.0.0.1 that no other program is given meanwhile: a socket that does not listen keeps it."""
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # As the server that will listen does.
    kept.bind(("127.0.0.1", 0))
    _KEPT.append(kept)
    return int(kept.getsockname()[1])


def binary(name: str) -> pathlib.Path:
    """One that Bazel has built."""
    return pathlib.Path(os.environ.get("PRIORITYD_BIN", ROOT / "bazel-bin")) / name


class Site:
    """One priorityd, with as many clusters as there are tests."""

    def __init__(self, *flags: str, authorize: Callable[[], str] | None = None) -> None:
        self.folder = tempfile.mkdtemp(prefix="collectors", dir="/tmp")
        os.chmod(self.folder, 0o755)  # PostgreSQL runs as an ordinary user where priorityd runs as root.
        command = [binary("server/priorityd"), "--listen=127.0.0.1:0", f"--data_dir={self.folder}/data", *flags]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.address = self._address()
        self.client = priorityd.Client(priorityd.Options(self.address, authorize=authorize))

    def close(self) -> None:
        self.client.close()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def add_cluster(self, cluster: str, users: dict[str, str], limits: str = "", more: str = "") -> Cluster:
        """Make a cluster of users, each of an account with these limits; `more` are lines of its slurm.conf."""
        accounts = sorted(set(users.values()))
        dump = f"Cluster - '{cluster}':Fairshare=1\nParent - 'root'\n"
        dump += "".join(f"Account - '{account}':Fairshare=1{limits}\n" for account in accounts)
        for account in accounts:
            dump += f"Parent - '{account}'\n"
            dump += "".join(f"User - '{u}':DefaultAccount='{a}'\n" for u, a in users.items() if a == account)
        conf = f"ClusterName={cluster}\nNodeName=n1 CPUs=100000\nPartitionName=p Nodes=n1 Default=YES\n{more}"
        files = [
            v1.File(kind=v1.FILE_KIND_SLURM_CONF, name="slurm.conf", content=conf),
            v1.File(kind=v1.FILE_KIND_SACCTMGR_DUMP, name="dump", content=dump),
        ]
        self.client.admin.Import(v1.ImportRequest(cluster=cluster, files=files))
        self._await_snapshot(cluster)
        return Cluster(self, cluster)

    def _await_snapshot(self, cluster: str) -> None:
        """Wait until a cluster is recalculated, soon after its first import: without that it takes no jobs."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.client.priority.ListShares(v1.ListSharesRequest(cluster=cluster))
                return
            except priorityd.PriorityError as error:
                if error.code != grpc.StatusCode.FAILED_PRECONDITION or time.monotonic() > end:
                    raise
            time.sleep(0.02)

    def _address(self) -> str:
        assert self._process.stderr is not None
        output = ""
        for line in self._process.stderr:
            output += line
            if found := re.search(r"listening on (\S+)", line):
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return found[1]
        raise AssertionError(f"priorityd does not listen:\n{output}")


@functools.cache
def shared_site() -> Site:
    """The one of all tests of a process."""
    site = Site()
    atexit.register(site.close)
    return site


class Cluster:
    """Where one test records."""

    def __init__(self, site: Site, name: str) -> None:
        self.site = site
        self.name = name
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=name, dir=site.folder))

    def start(self, *arguments: object, path: str = "") -> subprocess.Popen[str]:
        """Start a collector; `path` comes before PATH."""
        environment = {**ENVIRONMENT, "PATH": f"{path}:{os.environ['PATH']}"}
        where = ["--server", self.site.address, "--cluster", self.name]
        command = [sys.executable, "-m", "priorityd_collect", *map(str, arguments), *where]
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def run(self, *arguments: object, path: str = "") -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        collector = self.start(*arguments, path=path)
        out, err = collector.communicate(timeout=PATIENCE)
        return collector.returncode, out.strip(), err.strip()

    def report(self, *group_by: v1.ReportGrouping, until: float = 0) -> list[v1.UsageReportRow]:
        request = v1.ReportUsageRequest(
            cluster=self.name,
            start_time=Timestamp(seconds=1),
            end_time=Timestamp(seconds=int(until or time.time())),
            group_by=group_by,
        )
        return [row for page in priorityd.pages(self.site.client.priority.ReportUsage, request) for row in page.rows]

    def seconds(self, tres: str = "cpu") -> dict[str, float]:
        """TRES-seconds of each user in the ledger."""
        return {row.user: row.tres_seconds[tres] for row in self.report(v1.REPORT_GROUPING_USER) if row.user}

    def jobs(self) -> int:
        return sum(bool(row.job_id) for row in self.report(v1.REPORT_GROUPING_JOB))

    def recorded(self) -> float:
        """CPU-seconds of all users."""
        return sum(self.seconds().values())

    def await_recorded(self, least: float) -> None:
        """Wait until so much is in the ledger."""
        end = time.monotonic() + PATIENCE
        while self.recorded() < least:
            if time.monotonic() > end:
                raise AssertionError(f"got {self.recorded()} CPU-seconds in the ledger, want {least}")


def kill(processes: Iterable[subprocess.Popen[str]]) -> None:
    for process in processes:
        process.kill()
        process.communicate()
