"""The differences between the grants of a cluster and a file, and the changes that remove them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import grpc

import priorityd
from priorityd import v1
from priorityd_allocations.entries import Wanted
from priorityd_collect.items import Fault

_PAST = (v1.GRANT_STATE_ENDED, v1.GRANT_STATE_REVOKED)
#: Grants of one RevokeGrants.
_MOST_OF_CALL = 1000
#: Errors that are about a grant, and not about the call.
_REFUSALS = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND)

#: A line of Export's file of grants; a quoted text has a backslash before its quotes and backslashes.
_QUOTED = r"'((?:[^'\\]|\\.)*)'"
_BY_COORDINATOR = re.compile(rf"Grant - {_QUOTED}(?::\w+={_QUOTED})*?:ByCoordinator='yes'(?::|$)")


@dataclass
class Plan:
    """The changes, as the service would make them at the configuration with this etag."""

    etag: str
    #: With the lines that say what changes.
    changes: list[tuple[Wanted, str]] = field(default_factory=list)
    unchanged: int = 0
    #: Grants in force, or to come, with the prefix, that the file does not have.
    missing: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    #: Of the changes; each text once.
    warnings: list[str] = field(default_factory=list)


class Grants:
    """The grants of a cluster."""

    def __init__(self, client: priorityd.Client, cluster: str, comment: str) -> None:
        """Change them with this reason."""
        self._client = client
        self._cluster = cluster
        self._comment = comment

    def plan(self, wanted: list[Wanted], prefix: str) -> Plan:
        """Compare; nothing is changed. The service validates each change."""
        listed = self._client.priority.ListGrants(v1.ListGrantsRequest(cluster=self._cluster, include_past=True))
        plan = Plan(listed.etag)
        known = {grant.name for grant in listed.grants}
        for one in wanted:
            self._compare(one, one.name in known, plan)
        names = {one.name for one in wanted}
        others = [
            grant.name
            for grant in listed.grants
            if prefix and grant.name.startswith(prefix) and grant.name not in names and grant.state not in _PAST
        ]
        plan.missing = [name for name in others if self._can_revoke(name, plan.etag)]
        return plan

    def listed(self) -> list[v1.Grant]:
        """The grants in force, or to come."""
        return list(self._client.priority.ListGrants(v1.ListGrantsRequest(cluster=self._cluster)).grants)

    def by_coordinators(self) -> set[str]:
        """The names of limits by coordinators; for operators only, as only Export has them."""
        files = self._client.admin.Export(v1.ExportRequest(cluster=self._cluster)).files
        own = "".join(file.content for file in files if file.kind == v1.FILE_KIND_PRIORITYD)
        found = (_BY_COORDINATOR.match(line) for line in own.split("\n"))
        return {re.sub(r"\\(.)", r"\1", match[1]) for match in found if match}

    def apply(self, plan: Plan, revokes: bool) -> Iterator[str]:
        """Make the changes; yields what was done. Each call fails if anybody else has changed the configuration."""
        etag = plan.etag
        for one, line in plan.changes:
            etag = self._update(one, etag, validate_only=False).etag
            yield line
        if revokes:
            for first in range(0, len(plan.missing), _MOST_OF_CALL):
                names = plan.missing[first : first + _MOST_OF_CALL]
                etag = self._revoke(names, etag, validate_only=False).etag
                yield from map(revoked, names)

    def _compare(self, one: Wanted, exists: bool, plan: Plan) -> None:
        if exists and not one.settings.get("Begin", "now"):
            # The default of Begin is the time of the creation.
            one = Wanted(one.name, {name: text for name, text in one.settings.items() if name != "Begin"}, one.place)
        try:
            answer = self._update(one, plan.etag, validate_only=True)
        except priorityd.PriorityError as error:
            if error.code not in _REFUSALS:
                raise
            plan.faults.append(Fault(f"grant {one.name}: {error}", one.place))
            return
        for change in answer.changes:
            created = change.kind == v1.CHANGE_KIND_CREATED
            line = f"+ {one.name}: {change.after}" if created else f"~ {one.name}: {change.before} -> {change.after}"
            plan.changes.append((one, line))
        if answer.changes:
            plan.warnings += [text for text in answer.warnings if text not in plan.warnings]
        else:
            plan.unchanged += 1

    def _update(self, one: Wanted, etag: str, validate_only: bool) -> v1.ChangeResponse:
        request = v1.UpdateGrantsRequest(
            cluster=self._cluster,
            names=[one.name],
            settings=[v1.Setting(name=name, value=text) for name, text in one.settings.items()],
            allow_missing=True,
            options=self._options(etag, validate_only),
        )
        return self._client.admin.UpdateGrants(request)

    def _can_revoke(self, name: str, etag: str) -> bool:
        """Whether it is not revoked: the listed state is that of the last recalculation."""
        try:
            self._revoke([name], etag, validate_only=True)
        except priorityd.PriorityError as error:
            if error.reason != "GRANT_REVOKED":
                raise
            return False
        return True

    def _revoke(self, names: list[str], etag: str, validate_only: bool) -> v1.ChangeResponse:
        options = self._options(etag, validate_only)
        return self._client.admin.RevokeGrants(
            v1.RevokeGrantsRequest(cluster=self._cluster, names=names, options=options)
        )

    def _options(self, etag: str, validate_only: bool) -> v1.ChangeOptions:
        return v1.ChangeOptions(validate_only=validate_only, etag=etag, comment=self._comment)


def revoked(name: str) -> str:
    """The line of a grant that is revoked."""
    return f"- {name}: revoked, the file does not have it"
