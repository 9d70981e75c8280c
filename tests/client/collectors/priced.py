"""A cluster whose usage is priced, and the same prices applied to the records themselves, quarter by quarter of an hour."""

from __future__ import annotations

import datetime
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import zoneinfo
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from google.protobuf.timestamp_pb2 import Timestamp
from priorityd import v1
from site_of_tests import ENVIRONMENT, PATIENCE, Cluster, shared_site

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
BOOK = """
currency = "EUR"
time_zone = "Europe/Berlin"
free = ["billing", "node"]
[[price]]
tres = "cpu"
partition = "big"
per_hour = 0.0307
[[price]]
tres = "cpu"
hours = "20-8"
days = ["mon", "tue", "wed", "thu", "fri"]
per_hour = 0.0113
[[price]]
tres = "cpu"
per_hour = 0.0201
[[price]]
tres = "gres/gpu"
until = 2026-10-25
per_hour = 1.17
[[price]]
tres = "gres/gpu"
per_hour = 1.31
"""


@dataclass(frozen=True)
class Run:
    job: str
    user: str
    partition: str
    start: int
    end: int
    tres: dict[str, int]


def second(text: str) -> int:
    return int(datetime.datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp())


def naive_price(tres: str, partition: str, at: int) -> Fraction:
    """BOOK, written a second time."""
    local = datetime.datetime.fromtimestamp(at, BERLIN)
    if tres == "gres/gpu":
        return Fraction("1.17") if at < second("2026-10-25") else Fraction("1.31")
    if partition == "big":
        return Fraction("0.0307")
    night = local.weekday() < 5 and (local.hour >= 20 or local.hour < 8)
    return Fraction("0.0113") if night else Fraction("0.0201")


def naive_cost(runs: list[Run], begin: int, end: int) -> Fraction:
    total = Fraction()
    for run in runs:
        for at in range(begin // 900 * 900, end, 900):
            length = min(at + 900, run.end, end) - max(at, run.start, begin)
            if length > 0:
                rates = (count * naive_price(tres, run.partition, at) for tres, count in run.tres.items())
                total += sum(rates, Fraction()) * length / 3600
    return total


def cents(exact: Fraction) -> Decimal:
    return Decimal(math.floor(exact * 100 + Fraction(1, 2))) / 100


class PricedCase(unittest.TestCase):
    def setUp(self):
        self.site = shared_site()
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.site.folder))

    def cluster(self, name: str) -> Cluster:
        cluster = self.site.add_cluster(name, {"amy": "chem", "bob": "phys"})
        conf = f"ClusterName={name}\nNodeName=n1 CPUs=100000\nPartitionName=p Nodes=n1 Default=YES\n"
        conf += "PartitionName=big Nodes=n1\n"
        file = v1.File(kind=v1.FILE_KIND_SLURM_CONF, name="slurm.conf", content=conf)
        self.site.client.admin.Import(v1.ImportRequest(cluster=name, files=[file]))
        return cluster

    def record(self, cluster: Cluster, runs: list[Run]) -> None:
        records = [
            v1.UsageRecord(
                source="money",
                record_id=run.job,
                job_id=run.job,
                user=run.user,
                partition=run.partition,
                start_time=Timestamp(seconds=run.start),
                end_time=Timestamp(seconds=run.end),
                tres=run.tres,
            )
            for run in runs
        ]
        answer = self.site.client.priority.RecordUsage(v1.RecordUsageRequest(cluster=cluster.name, records=records))
        self.assertNotIn("error", str(answer).lower())

    def money(self, cluster: Cluster, verb: str, *arguments: object) -> tuple[int, str, str]:
        where = ["--server", self.site.address, "--cluster", cluster.name]
        command = [sys.executable, "-m", "priorityd_money", verb, *map(str, arguments), *where]
        done = subprocess.run(command, env=ENVIRONMENT, text=True, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout, done.stderr

    def book(self, text: str = BOOK) -> pathlib.Path:
        path = self.folder / "prices.toml"
        path.write_text(text)
        return path

    def statement(self, cluster: Cluster, begin: str, end: str, book: str = BOOK, *more: str):
        where = ("--prices", self.book(book), "--from", begin, "--to", end)
        code, out, err = self.money(cluster, "statement", *where, "--json", *more)
        self.assertEqual(code, 0, err)
        return json.loads(out), err

    def random_runs(self) -> list[Run]:
        draw = random.Random(37)
        runs = []
        for number in range(60):
            start = second("2026-10-22") + draw.randrange(12 * 86400)
            tres = {"cpu": draw.randrange(1, 64)} | ({"gres/gpu": draw.randrange(1, 5)} if number % 3 == 0 else {})
            length = draw.randrange(1, 20 * 3600)
            user, partition = draw.choice(("amy", "bob")), draw.choice(("p", "big"))
            runs.append(Run(str(number + 1), user, partition, start, start + length, tres))
        return runs
