"""Three database hosts, two hosts of priorityd, and a small site."""

import os
import pathlib
import secrets
import subprocess
import tempfile
import time

import hosts
import network
import processes
import small_site

import priorityd
from priorityd import v1

START_SECONDS = 120
def _leader_of(members):
    return next((name for name, member in members.items() if member["role"] == "leader"), None)


class Site:
    """Runs until `end`. `binaries`: the folder of server/priorityd and client/prioctl."""

    def __init__(self, binaries):
        network.begin()
        self.binaries = binaries
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="priorityd-ha-"))
        self.folder.chmod(0o755)
        self._write_secrets()
        certificates = self._write_certificates()
        self.databases = [hosts.Database(name, self.folder, certificates) for name in hosts.DATABASES]
        self.services = [hosts.Service(name, self.folder, self.folder, binaries / "server" / "priorityd") for name in hosts.SERVICES]
        self.address = ",".join(f"{address}:7411" for address in hosts.SERVICES.values())
        self._clients = {name: priorityd.Client(self.options(f"{address}:7411")) for name, address in hosts.SERVICES.items()}

    def _write_secrets(self):
        key = secrets.token_bytes(32)
        for name, content in (("jwt.key", key), ("proxy.secret", secrets.token_hex(32).encode()), ("token", small_site.token(key).encode()),
                              ("auth.conf", f"AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key={self.folder / 'jwt.key'}\n".encode())):
            (self.folder / name).write_bytes(content)
            (self.folder / name).chmod(0o600)

    def _write_certificates(self):
        """The folder of the certificates of etcd's hosts."""
        folder = self.folder / "etcd-ca"
        subprocess.run([hosts.DEPLOY / "ha" / "certificates", folder, *(f"{name}={address}" for name, address in hosts.DATABASES.items())], check=True)
        subprocess.run(["chown", "--recursive", "postgres:postgres", folder], check=True)
        return folder

    def start(self):
        """Returns when the site ranks its queue."""
        self.start_all()
        processes.await_true("a primary with a synchronous standby", START_SECONDS, self.database_is_whole)
        self.sql(f"CREATE ROLE priorityd LOGIN PASSWORD '{hosts.PASSWORD}'", "postgres")
        self.sql("CREATE DATABASE priorityd OWNER priorityd", "postgres")
        processes.await_true("priorityd on each host", START_SECONDS, self.is_whole)
        small_site.load_into(self._clients["app1"])

    def start_all(self):
        """Starts each process that does not run."""
        for host in [*self.databases, *self.services]:
            host.start()

    def options(self, address=""):
        return priorityd.Options(address=address or self.address, cluster="orc", authorize=priorityd.credentials.token_file(self.folder / "token"))

    def cluster(self):
        """What Patroni says of the members on all hosts but one at most; {} while they do not agree."""
        views = self._views()
        for view in views:
            if _leader_of(view) and sum(_leader_of(other) == _leader_of(view) for other in views) >= 2:
                return view
        return {}

    def _views(self):
        views = []
        for host in self.databases:
            try:
                views.append(host.cluster())
            except (OSError, ValueError):
                views.append({})
        return views

    def primary(self):
        """The host that holds Patroni's lease; None without one."""
        return self._with_role("leader")

    def synchronous(self):
        """The host of the synchronous standby."""
        return self._with_role("sync_standby")

    def _with_role(self, role):
        members = self.cluster()
        return next((host for host in self.databases if members.get(host.name, {}).get("role") == role and members[host.name]["state"] in ("running", "streaming")), None)

    def is_whole(self):
        """Starts each process that does not run, as systemd does; whether every part works."""
        self.start_all()
        return self.database_is_whole() and self._serves()

    def database_is_whole(self):
        """One primary, and two standbys that follow it, one synchronously."""
        if len({_leader_of(view) for view in self._views()}) != 1:
            return False
        members = self.cluster().values()
        roles = sorted(member["role"] for member in members if member["state"] in ("running", "streaming") and member.get("lag", 0) == 0)
        return roles == ["leader", "replica", "sync_standby"] and len({member.get("timeline") for member in members}) == 1

    def restart_stuck(self):
        """Restarts Patroni where its PostgreSQL does not follow the primary; the names of these hosts."""
        primary, members = self.primary(), self.cluster()
        timeline = members.get(primary.name, {}).get("timeline") if primary else None
        stuck = [host for host in self.databases if host is not primary and
                 (members.get(host.name, {}).get("state") not in ("running", "streaming") or members[host.name].get("timeline") != timeline
                  or members[host.name].get("lag"))]
        for host in stuck:
            processes.kill([host.patroni.pid])
            host.patroni.wait()
            host.start()
        return [host.name for host in stuck]

    def _serves(self):
        """Whether each priorityd answers and records through its HAProxy."""
        try:
            return all(client.serving() and client.serving("priorityd.recording") for client in self._clients.values())
        except priorityd.PriorityError:
            return False

    def sql(self, statement, database="priorityd"):
        """The rows that the primary answers, each a list of texts."""
        primary = self.primary()
        if primary is None:
            raise ConnectionError("no primary")
        done = subprocess.run(["psql", "-XAtq", "-F\t", "-v", "ON_ERROR_STOP=1", "-h", primary.address, "-U", "postgres", "-d", database, "-c", statement],
                              env={**os.environ, "PGPASSWORD": hosts.PASSWORD, "PGCONNECT_TIMEOUT": "3"}, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            raise ConnectionError(done.stderr.strip())
        return [line.split("\t") for line in done.stdout.splitlines()]

    def prioctl(self, *words):
        """Runs prioctl as root of the cluster; the completed process."""
        return subprocess.run([self.binaries / "client" / "prioctl", "--server", self.address, "--cluster", "orc", "--token-file", self.folder / "token", *words],
                              capture_output=True, text=True, check=False, timeout=300)

    def usage_of(self, host):
        """Billing seconds of account root, as this host's priorityd shows them after a recalculation."""
        client = self._clients[host.name]
        computed = client.admin.Recalculate(v1.RecalculateRequest(cluster="orc")).generation
        while True:
            shares = client.all_shares(v1.ListSharesRequest(cluster="orc"))
            if shares.snapshot.generation >= computed:
                return shares.shares[0].raw_usage
            time.sleep(0.1)

    def leading_service(self):
        """The host of the priorityd that leads."""
        holders = []

        def found():
            holders[:] = [host for host in self.services if f":{host.priorityd.pid}" in self.sql("SELECT holder FROM priorityd.leader_lease")[0][0]]
            return bool(holders)

        processes.await_true("a leading priorityd", START_SECONDS, found)
        return holders[0]

    def end(self):
        for host in [*self.databases, *self.services]:
            processes.kill(host.pids())
