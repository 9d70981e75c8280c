"""A small cluster whose usage does not decay: its sums are exact. And its root's token."""

import base64
import hashlib
import hmac
import json
import time

import load

from priorityd import v1

CLUSTER = "orc"
SLURM_CONF = """ClusterName=orc
PriorityType=priority/multifactor
PriorityWeightFairshare=1000
PriorityWeightAge=100
PriorityDecayHalfLife=0
PriorityUsageResetPeriod=NONE
PriorityCalcPeriod=1
NodeName=n[1-10] CPUs=10 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES
"""
DUMP = "Cluster - 'orc':Fairshare=1\nParent - 'root'\nAccount - 'lab':Fairshare=1\nParent - 'lab'\n" + "".join(
    f"User - 'user{i}':DefaultAccount='lab':Fairshare=1\n" for i in range(load.USERS))


def _part(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def token(key):
    """Root's, as `scontrol token` makes it."""
    head = _part(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()) + b"." + _part(json.dumps({"sun": "root", "exp": int(time.time()) + 86400}).encode())
    return (head + b"." + _part(hmac.new(key, head, hashlib.sha256).digest())).decode()


def load_into(client):
    """Imports the cluster, and fills its queue."""
    kinds = ((v1.FILE_KIND_SLURM_CONF, "slurm.conf", SLURM_CONF), (v1.FILE_KIND_SACCTMGR_DUMP, "dump", DUMP))
    client.admin.Import(v1.ImportRequest(cluster=CLUSTER, files=[v1.File(kind=kind, name=name, content=text.encode()) for kind, name, text in kinds]))
    client.admin.Recalculate(v1.RecalculateRequest(cluster=CLUSTER))
    jobs = [v1.Job(job_id=str(i), user=f"user{i % load.USERS}", cpus=1 + i % 4, nodes=1) for i in range(1, load.JOBS + 1)]
    client.priority.UpdateJobs(v1.UpdateJobsRequest(cluster=CLUSTER, upserts=jobs))
