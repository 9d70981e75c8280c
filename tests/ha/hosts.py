"""The hosts of a site: three of the database, two of priorityd. Their files are those of deploy/."""

import json
import os
import pathlib
import secrets
import subprocess
import urllib.request

import network
import processes

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
PASSWORD = secrets.token_hex(16)
DATABASES = {f"db{i}": f"10.77.0.{i}" for i in (1, 2, 3)}
SERVICES = {f"app{i}": f"10.77.0.{10 + i}" for i in (1, 2)}


def _environment(file, **values):
    """The variables of an example file of deploy/, with the values of this site; a name that the file lacks is an error."""
    names = [line.partition("=")[0] for line in file.read_text(encoding="utf-8").splitlines() if line[:1].isalpha()]
    unknown = set(values) - set(names)
    if unknown or len(values) < len(names):
        raise ValueError(f"{file}: got {sorted(values)}, want {names}")
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **values}


class Database(network.Host):
    """etcd, Patroni and PostgreSQL."""

    def __init__(self, name, folder, certificates):
        super().__init__(name, DATABASES[name])
        self.authority, self.certificate, self.key = (str(certificates / file) for file in ("ca.crt", f"{name}.crt", f"{name}.key"))
        self.folder = folder / name
        self.run = self.folder / "run"
        self.run.mkdir(parents=True)
        subprocess.run(["chown", "postgres:postgres", self.folder, self.run], check=True)
        self.data = self.folder / "data"
        self.etcd = self.patroni = None

    def start(self):
        """Starts those that do not run."""
        if not self.etcd or self.etcd.poll() is not None:
            self.etcd = super().start(["etcd", "--logger=zap", "--log-level=warn"], self.folder / "etcd.log", "postgres", self._etcd_environment())
        if not self.patroni or self.patroni.poll() is not None:
            self.patroni = super().start(["patroni", DEPLOY / "ha" / "patroni.yml"], self.folder / "patroni.log", "postgres", self.patroni_environment(), self.run)

    def postgres_pids(self):
        """Those of PostgreSQL; none if it does not run."""
        try:
            postmaster = int((self.data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        except (OSError, IndexError):
            return []
        return processes.family(postmaster)

    def pids(self):
        return [self.etcd.pid, *processes.family(self.patroni.pid), *self.postgres_pids()]

    def kill(self):
        """As a power cut."""
        processes.kill(self.pids())
        self.etcd.wait()
        self.patroni.wait()

    def cluster(self):
        """What Patroni says of all members, name to member; OSError if it does not answer."""
        with urllib.request.urlopen(f"http://{self.address}:8008/cluster", timeout=2) as answer:
            return {member["name"]: member for member in json.load(answer)["members"]}

    def _etcd_environment(self):
        url = f"https://{self.address}"
        certificates = {f"ETCD_{part}{name}": path for part in ("", "PEER_")
                        for name, path in {"CLIENT_CERT_AUTH": "true", "TRUSTED_CA_FILE": self.authority, "CERT_FILE": self.certificate, "KEY_FILE": self.key}.items()}
        return _environment(DEPLOY / "ha" / "etcd.env", ETCD_NAME=self.name, ETCD_DATA_DIR=str(self.folder / "etcd"),
                            ETCD_LISTEN_PEER_URLS=f"{url}:2380", ETCD_INITIAL_ADVERTISE_PEER_URLS=f"{url}:2380",
                            ETCD_LISTEN_CLIENT_URLS=f"{url}:2379,https://127.0.0.1:2379", ETCD_ADVERTISE_CLIENT_URLS=f"{url}:2379",
                            ETCD_INITIAL_CLUSTER=",".join(f"{name}=https://{address}:2380" for name, address in DATABASES.items()),
                            ETCD_INITIAL_CLUSTER_TOKEN="priorityd", ETCD_INITIAL_CLUSTER_STATE="new", ETCD_ENABLE_V2="true", **certificates)

    def patroni_environment(self):
        return _environment(DEPLOY / "ha" / "patroni.env", PATRONICTL_CONFIG_FILE=str(DEPLOY / "ha" / "patroni.yml"), PATRONI_NAME=self.name,
                            PATRONI_RESTAPI_LISTEN=f"{self.address}:8008", PATRONI_RESTAPI_CONNECT_ADDRESS=f"{self.address}:8008",
                            PATRONI_POSTGRESQL_LISTEN=f"{self.address},127.0.0.1:5432", PATRONI_POSTGRESQL_CONNECT_ADDRESS=f"{self.address}:5432",
                            PATRONI_POSTGRESQL_DATA_DIR=str(self.data), PATRONI_POSTGRESQL_PGPASS=str(self.folder / "pgpass"),
                            PATRONI_ETCD_PROTOCOL="https", PATRONI_ETCD_CACERT=self.authority, PATRONI_ETCD_CERT=self.certificate, PATRONI_ETCD_KEY=self.key,
                            PATRONI_RESTAPI_USERNAME="priorityd", PATRONI_RESTAPI_PASSWORD=PASSWORD, PATRONI_ETCD_HOSTS=",".join(f"{address}:2379" for address in DATABASES.values()),
                            PATRONI_SUPERUSER_PASSWORD=PASSWORD, PATRONI_REPLICATION_PASSWORD=PASSWORD, PATRONI_REWIND_PASSWORD=PASSWORD)


class Service(network.Host):
    """HAProxy and priorityd. `files`: the folder of auth.conf and proxy.secret."""

    def __init__(self, name, folder, files, binary):
        super().__init__(name, SERVICES[name])
        self.folder = folder / name
        self.folder.mkdir()
        self.files = files
        self.binary = binary
        self.haproxy = self.priorityd = None
        url = self.folder / "database_url"
        url.write_text(f"postgresql://priorityd:{PASSWORD}@127.0.0.1:5432/priorityd\n", encoding="utf-8")
        url.chmod(0o600)

    def start(self):
        """Starts those that do not run."""
        if not self.haproxy or self.haproxy.poll() is not None:
            self.haproxy = super().start(["haproxy", "-f", DEPLOY / "haproxy" / "haproxy.cfg", "-f", DEPLOY / "ha" / "database.cfg"],
                                         self.folder / "haproxy.log", environment=self._haproxy_environment())
        if not self.priorityd or self.priorityd.poll() is not None:
            (self.folder / "grpc.socket").unlink(missing_ok=True)
            self.priorityd = super().start([self.binary, f"--database_url_file={self.folder / 'database_url'}", f"--auth_file={self.files / 'auth.conf'}",
                                            f"--listen=unix:{self.folder / 'grpc.socket'}", "--socket_mode=0660",
                                            f"--proxy_secret_file={self.files / 'proxy.secret'}", "--http_listen=127.0.0.1:7412", "--http_metrics_only"],
                                           self.folder / "priorityd.log")

    def pids(self):
        return [self.haproxy.pid, self.priorityd.pid]

    def kill_priorityd(self):
        processes.kill([self.priorityd.pid])
        self.priorityd.wait()

    def kill_haproxy(self):
        processes.kill([self.haproxy.pid])
        self.haproxy.wait()

    def _haproxy_environment(self):
        values = {"PROXY_SECRET": (self.files / "proxy.secret").read_text(encoding="utf-8").strip(), "PROXY_LISTEN": ":7411",
                  "PROXY_SOCKET": self.folder / "grpc.socket", "PROXY_READYZ": "127.0.0.1:7412", "PROXY_RELAY": f"{self.address}:7413",
                  "PROXY_PEER": next(f"{address}:7413" for name, address in SERVICES.items() if name != self.name), "PROXY_USER": "root", "PROXY_GROUP": "root",
                  "DATABASE_LISTEN": "127.0.0.1:5432", **{f"DATABASE_{i}": f"{address}:5432" for i, address in enumerate(DATABASES.values(), 1)}}
        return {"PATH": os.environ["PATH"], **{f"PRIORITYD_{name}": str(value) for name, value in values.items()}}
