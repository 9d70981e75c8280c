"""A cluster that priorityd-sync brings into agreement with a source."""

from __future__ import annotations

import contextlib
import io
import re
import time

import priorityd
from google.protobuf.timestamp_pb2 import Timestamp
from priorityd import v1
from priorityd_sync.main import main
from site_of_tests import Cluster, shared_site

RULES = """
[[fixed]]
account = "science"
description = "all of science"

[[account]]
group = "hpc-(?P<name>.+)"
account = "{name}"
parent = "science"
description = "{group}"
settings = { Fairshare = 10 }

[[admin]]
group = "operators"
level = "Operator"
"""


class Synced:
    """A cluster, and rules of a source for it."""

    def __init__(self, name: str, source: str, rules: str = RULES) -> None:
        self.cluster: Cluster = shared_site().add_cluster(name, {"root": "hand", "ann": "hand"})
        self.client = self.cluster.site.client
        self.state = self.cluster.folder / "state.json"
        self.rules = self.cluster.folder / "rules.toml"
        self.write(source, rules)

    def write(self, source: str, rules: str = RULES) -> None:
        self.rules.write_text(f'state = "{self.state}"\n{_first(rules)}{source}{_rest(rules)}')

    def run(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        where = ["--server", self.cluster.site.address, "--cluster", self.cluster.name]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([words[0], str(self.rules), *words[1:], *where])
        return status, out.getvalue(), err.getvalue()

    def apply(self, *words: str) -> str:
        status, out, err = self.run("apply", *words, "--yes")
        assert (status, err) == (0, ""), (out, err)
        return out

    def associations(self) -> list[v1.Association]:
        request = v1.ListAssociationsRequest(cluster=self.cluster.name)
        return [
            one for page in priorityd.pages(self.client.admin.ListAssociations, request) for one in page.associations
        ]

    def tree(self) -> dict[str, set[str]]:
        """Users of each account."""
        found: dict[str, set[str]] = {}
        for one in self.associations():
            users = found.setdefault(one.account, set())
            if one.user:
                users.add(one.user)
        return found

    def account(self, name: str) -> v1.Association:
        return next(one for one in self.associations() if one.account == name and not one.user)

    def user(self, name: str) -> v1.ClusterUser:
        request = v1.ListUsersRequest(cluster=self.cluster.name, where=v1.UserFilter(names=[name]))
        return self.client.admin.ListUsers(request).users[0]

    def everything(self) -> tuple[list[str], str]:
        """All that a run could change, as text."""
        request = v1.ListUsersRequest(cluster=self.cluster.name)
        users = [one for page in priorityd.pages(self.client.admin.ListUsers, request) for one in page.users]
        state = self.state.read_text() if self.state.exists() else ""
        return [str(one) for one in [*self.associations(), *users]], state

    def set(self, account: str, **settings: str) -> None:
        self.client.admin.UpdateAssociations(
            v1.UpdateAssociationsRequest(
                cluster=self.cluster.name,
                where=v1.AssociationFilter(accounts=[account], users=[""]),
                settings=[v1.Setting(name=name, value=value) for name, value in settings.items()],
            )
        )

    def set_user(self, login: str, **settings: str) -> None:
        self.client.admin.UpdateUsers(
            v1.UpdateUsersRequest(
                cluster=self.cluster.name,
                where=v1.UserFilter(names=[login]),
                settings=[v1.Setting(name=name, value=value) for name, value in settings.items()],
            )
        )

    def create(self, account: str, user: str = "", parent: str = "") -> None:
        one = v1.NewAssociation(account=account, user=user, parent_account=parent)
        self.client.admin.CreateAssociations(
            v1.CreateAssociationsRequest(cluster=self.cluster.name, associations=[one])
        )

    def use(self, account: str, user: str) -> None:
        """Record 600 CPU-seconds."""
        self.client.admin.Recalculate(v1.RecalculateRequest(cluster=self.cluster.name))
        now = int(time.time())
        record = v1.UsageRecord(
            source="sync",
            record_id=f"{account}{user}",
            job_id=f"{account}{user}",
            user=user,
            account=account,
            start_time=Timestamp(seconds=now - 700),
            end_time=Timestamp(seconds=now - 100),
            tres={"cpu": 1},
        )
        answer = self.client.priority.RecordUsage(v1.RecordUsageRequest(cluster=self.cluster.name, records=[record]))
        assert answer.accepted == 1, answer

    def usage(self) -> dict[tuple[str, str], float]:
        """What fair-share counts, of each account and user."""
        self.client.admin.Recalculate(v1.RecalculateRequest(cluster=self.cluster.name))
        shares = self.client.all_shares(v1.ListSharesRequest(cluster=self.cluster.name)).shares
        return {(one.account, one.user): one.raw_usage for one in shares}


def _first(rules: str) -> str:
    """Keys before the first table."""
    return rules[: rules.index("[")]


def _rest(rules: str) -> str:
    return rules[rules.index("[") :]


def changes_of(text: str) -> list[str]:
    """The lines of an output that are changes."""
    return re.findall(r"^[+~-] .*$", text, re.MULTILINE)
