"""A real priorityd with a small site, and a token for each role."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "deploy" / "example"
KEY = b"a key of the test's own, of thirty-two bytes and some"
CLUSTER = "orc"
# Who each role is played by. `amy` is in the tree below; the services have their roles by the auth file.
ROLES = {"nobody": None, "user": "amy", "operator": "ope", "administrator": "root", "collector": "collectd", "frontend": "frontend", "dashboard": "dashboard"}
START_SECONDS = 120

AUTH = """AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key={key}
Principal=user:ope Role=operator
Principal=user:collectd Role=collector
Principal=user:frontend Role=frontend
Principal=user:dashboard Role=dashboard
"""
SLURM_CONF = """ClusterName=orc
PriorityType=priority/multifactor
PriorityWeightFairshare=1000
PriorityWeightAge=100
NodeName=n[1-10] CPUs=10 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES
"""
DUMP = """Cluster - 'orc':Fairshare=1:QOS='normal,high'
Parent - 'root'
Account - 'a':Fairshare=3:GrpTRESMins='cpu=1000':MaxJobs=5
Account - 'b':Fairshare=2147483647
Parent - 'a'
User - 'amy':DefaultAccount='a':Fairshare=2
User - 'ben':DefaultAccount='a':Fairshare=1
Parent - 'b'
User - 'cat':DefaultAccount='b':Fairshare=1
"""
QOS = "Name|Priority|UsageFactor|MaxWall|Flags|Preempt\nnormal|0|1|||\nhigh|100|2|1-00:00:00|DenyOnLimit|normal\n"


def _part(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def token_of(user):
    """As `scontrol token` makes it."""
    head = _part(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    body = _part(json.dumps({"sun": user, "exp": int(time.time()) + 86400}).encode())
    return (head + b"." + body + b"." + _part(hmac.new(KEY, head + b"." + body, hashlib.sha256).digest())).decode()


class Site:
    """Runs until it is left. The server is that of `binary`, with the embedded PostgreSQL."""

    def __init__(self, binary):
        self.binary = binary

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="priorityd-http-"))
        self.folder.chmod(0o755)
        key = self.folder / "jwt.key"
        key.write_bytes(KEY)
        key.chmod(0o600)
        auth = self.folder / "auth.conf"
        auth.write_text(AUTH.format(key=key))
        auth.chmod(0o600)
        self.log = self.folder / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([self.binary, f"--data_dir={self.folder / 'data'}", "--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                                             f"--auth_file={auth}"], stdout=log, stderr=subprocess.STDOUT)
        try:
            self.url = "http://" + self._await(r"metrics on http://([0-9.:]+)")
            self._import()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def is_alive(self):
        return self.process.poll() is None

    def headers(self, role):
        return {} if ROLES[role] is None else {"X-SLURM-USER-TOKEN": token_of(ROLES[role])}

    def call(self, path, request, role="administrator"):
        """Posts to an RPC, as `AdminService/Import`; what it answered."""
        asked = urllib.request.Request(f"{self.url}/v1/{path}", json.dumps(request).encode(), {"Content-Type": "application/json", **self.headers(role)})
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return json.load(answer)

    def _await(self, pattern):
        until = time.time() + START_SECONDS
        while time.time() < until and self.is_alive():
            found = re.search(pattern, self.log.read_text(errors="replace"))
            if found:
                return found.group(1)
            time.sleep(0.1)
        raise RuntimeError(f"priorityd did not start:\n{self.log.read_text(errors='replace')}")

    def _import(self):
        until = time.time() + START_SECONDS
        files = [("FILE_KIND_SLURM_CONF", "slurm.conf", SLURM_CONF), ("FILE_KIND_QOS", "qos", QOS), ("FILE_KIND_SACCTMGR_DUMP", "dump", DUMP)]
        request = {"cluster": CLUSTER, "files": [{"kind": kind, "name": name, "content": content} for kind, name, content in files]}
        while True:
            try:
                self.call("AdminService/Import", request)
                break
            except urllib.error.HTTPError as error:
                if error.code != 503 or time.time() > until:
                    raise RuntimeError(error.read().decode()) from error
                time.sleep(0.2)
        jobs = [{"jobId": "17", "user": "amy", "cpus": 4, "nodes": 2, "timeLimit": "3600s", "name": "train"},
                {"jobId": "18", "user": "ben", "state": "JOB_STATE_RUNNING", "startTime": "2026-01-05T00:00:00Z", "timeLimit": "3600s"},
                {"jobId": "20", "user": "cat", "arrayTaskIds": "0-9%2"}, {"jobId": "pod-<b>", "user": "cat", "hold": "HOLD_USER"}]
        self.call("PriorityService/UpdateJobs", {"cluster": CLUSTER, "upserts": jobs})


def binary():
    """PRIORITYD_BIN is the folder of server/priorityd, as Bazel has it."""
    return str(pathlib.Path(os.environ.get("PRIORITYD_BIN", ROOT / "bazel-bin")) / "server" / "priorityd")
