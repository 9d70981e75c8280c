"""What differs between the grants of a cluster and a file, and the changes that remove the difference."""

from __future__ import annotations

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


class Grants:
    """The grants of a cluster."""

    def __init__(self, client: priorityd.Client, cluster: str, comment: str) -> None:
        """Change them with this reason."""
        self._client = client
        self._cluster = cluster
        self._comment = comment

    def plan(self, wanted: list[Wanted], prefix: str, revokes: bool) -> Plan:
        """Compare; nothing is changed. The service validates each change, and the revocation if it is wanted."""
        listed = self._client.priority.ListGrants(v1.ListGrantsRequest(cluster=self._cluster, include_past=True))
        plan = Plan(listed.etag)
        known = {grant.name for grant in listed.grants}
        for one in wanted:
            self._compare(one, one.name in known, plan)
        names = {one.name for one in wanted}
        plan.missing = [
            grant.name
            for grant in listed.grants
            if prefix and grant.name.startswith(prefix) and grant.name not in names and grant.state not in _PAST
        ]
        if revokes:
            self._revoke(plan.missing, plan.etag, validate_only=True)
        return plan

    def apply(self, plan: Plan, revokes: bool) -> Iterator[str]:
        """Make the changes; yields what was done. Each call fails if anybody else has changed the configuration."""
        etag = plan.etag
        for one, line in plan.changes:
            etag = self._update(one, etag, validate_only=False).etag
            yield line
        if revokes:
            self._revoke(plan.missing, etag, validate_only=False)
            yield from (revoked(name) for name in plan.missing)

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
        plan.unchanged += not answer.changes

    def _update(self, one: Wanted, etag: str, validate_only: bool) -> v1.ChangeResponse:
        request = v1.UpdateGrantsRequest(
            cluster=self._cluster,
            names=[one.name],
            settings=[v1.Setting(name=name, value=text) for name, text in one.settings.items()],
            allow_missing=True,
            options=self._options(etag, validate_only),
        )
        return self._client.admin.UpdateGrants(request)

    def _revoke(self, names: list[str], etag: str, validate_only: bool) -> None:
        for first in range(0, len(names), _MOST_OF_CALL):
            request = v1.RevokeGrantsRequest(
                cluster=self._cluster,
                names=names[first : first + _MOST_OF_CALL],
                options=self._options(etag, validate_only),
            )
            answer = self._client.admin.RevokeGrants(request)
            etag = etag if validate_only else answer.etag

    def _options(self, etag: str, validate_only: bool) -> v1.ChangeOptions:
        return v1.ChangeOptions(validate_only=validate_only, etag=etag, comment=self._comment)


def revoked(name: str) -> str:
    """The line of a grant that is revoked."""
    return f"- {name}: revoked, the file does not have it"
