"""Makes the changes of a plan, in few calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import grpc

import priorityd
from priorityd import v1
from priorityd_collect.items import Fault
from priorityd_sync.comparison import Plan

#: Associations of one call.
_MOST_OF_CALL = 10_000
_ATTEMPTS = 5
#: Seconds.
_WAIT = 2.0


class Application:
    """Each call fails if anybody else has changed the configuration since the plan was made."""

    def __init__(self, client: priorityd.Client, cluster: str, etag: str, comment: str) -> None:
        """Change the configuration with this etag, with this reason."""
        self._admin = client.admin
        self._cluster = cluster
        self._etag = etag
        self._comment = comment
        self.made = 0

    def change(self, plan: Plan) -> None:
        """All but deletions."""
        self._create_accounts(plan)
        for first in range(0, len(plan.members), _MOST_OF_CALL):
            part = plan.members[first : first + _MOST_OF_CALL]
            self._create([v1.NewAssociation(account=account, user=login) for account, login in part], {})
        for account, name, _, value in plan.settings:
            request = v1.UpdateAssociationsRequest(
                cluster=self._cluster,
                where=v1.AssociationFilter(accounts=[account], users=[""]),
                settings=[v1.Setting(name=name, value=value)],
                options=self._options(),
            )
            self._make(self._admin.UpdateAssociations, request, 1)
        self._update_users("AdminLevel", plan.levels)

    def delete(self, plan: Plan) -> None:
        """The deletions; users that keep an account get another default first."""
        self._update_users("AdminLevel", [(login, "None") for login in plan.gone_levels])
        self._update_users("DefaultAccount", plan.defaults)
        # The default account of a user may go only when no other one is left.
        for is_default in (False, True):
            part = [
                (account, login) for account, login in plan.gone_members if plan.is_last(account, login) == is_default
            ]
            for account, logins in _grouped(part).items():
                self._delete(v1.AssociationFilter(accounts=[account], users=logins, partitions=[""]), len(logins))
        if plan.gone_accounts:
            where = v1.AssociationFilter(accounts=plan.gone_accounts, users=[""])
            self._delete(where, len(plan.gone_accounts))

    def _create_accounts(self, plan: Plan) -> None:
        """Accounts with the same settings that follow each other are one call."""
        part: list[v1.NewAssociation] = []
        settings: dict[str, str] = {}
        for one in plan.accounts:
            wants = {**({"Description": one.description} if one.description else {}), **one.settings}
            if part and (wants != settings or len(part) == _MOST_OF_CALL):
                self._create(part, settings)
                part = []
            settings = wants
            part.append(v1.NewAssociation(account=one.name, parent_account=one.parent))
        if part:
            self._create(part, settings)

    def _create(self, associations: list[v1.NewAssociation], settings: dict[str, str]) -> None:
        request = v1.CreateAssociationsRequest(
            cluster=self._cluster,
            associations=associations,
            settings=[v1.Setting(name=name, value=value) for name, value in settings.items()],
            options=self._options(),
        )
        self._make(self._admin.CreateAssociations, request, len(associations))

    def _update_users(self, name: str, values: Iterable[tuple[str, str]]) -> None:
        for value, logins in _grouped((value, login) for login, value in values).items():
            request = v1.UpdateUsersRequest(
                cluster=self._cluster,
                where=v1.UserFilter(names=logins),
                settings=[v1.Setting(name=name, value=value)],
                options=self._options(),
            )
            self._make(self._admin.UpdateUsers, request, len(logins))

    def _delete(self, where: v1.AssociationFilter, count: int) -> None:
        request = v1.DeleteAssociationsRequest(cluster=self._cluster, where=where, options=self._options())
        self._make(self._admin.DeleteAssociations, request, count)

    def _options(self) -> v1.ChangeOptions:
        return v1.ChangeOptions(etag=self._etag, comment=self._comment)

    def _make(self, call: Callable[[Any], v1.ChangeResponse], request: Any, count: int) -> None:
        """Retry where the service is busy: the etag keeps a change from being made twice."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                self._etag = call(request).etag
                break
            except priorityd.PriorityError as error:
                if error.code != grpc.StatusCode.UNAVAILABLE or not left:
                    raise
                time.sleep(_WAIT)
        self.made += count


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def stopped(error: priorityd.PriorityError, made: int, planned: int) -> Fault:
    """The fault of a plan of which a part was made."""
    return Fault(f"{error}; {made} of {planned} changes were made, want the command again")
