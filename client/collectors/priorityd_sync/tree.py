"""The accounts and users of a cluster, as one configuration has them."""

from __future__ import annotations

from dataclasses import dataclass, field

import priorityd
from priorityd import v1
from priorityd_collect.items import Fault

_ATTEMPTS = 3


@dataclass
class Tree:
    """The data that a comparison needs."""

    cluster: str
    etag: str
    #: Name to parent.
    parents: dict[str, str] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    #: Account and login, without a partition.
    members: set[tuple[str, str]] = field(default_factory=set)
    #: The same of associations with a partition, which are the site's.
    partitioned: set[tuple[str, str]] = field(default_factory=set)
    #: Login to default account.
    defaults: dict[str, str] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)


def read_tree(client: priorityd.Client, cluster: str) -> Tree:
    """Read it; again if the configuration changes meanwhile."""
    for _ in range(_ATTEMPTS):
        tree = _read(client, cluster)
        if tree is not None:
            return tree
    raise Fault(f"got a configuration that changed {_ATTEMPTS} times while it was read, want the command again")


def _read(client: priorityd.Client, cluster: str) -> Tree | None:
    tree: Tree | None = None
    for page in priorityd.pages(client.admin.ListAssociations, v1.ListAssociationsRequest(cluster=cluster)):
        if tree is None:
            tree = Tree(page.cluster, page.etag)
        if page.etag != tree.etag:
            return None
        for one in page.associations:
            _add(tree, one)
    if tree is None:
        return None
    for users in priorityd.pages(client.admin.ListUsers, v1.ListUsersRequest(cluster=cluster)):
        if users.etag != tree.etag:
            return None
        for user in users.users:
            tree.defaults[user.name] = user.default_account
            tree.levels[user.name] = user.admin_level or "None"
    return tree


def _add(tree: Tree, one: v1.Association) -> None:
    if not one.user:
        tree.parents[one.account] = one.parent_account
        tree.descriptions[one.account] = one.attributes.get("Description", "")
    elif one.partition:
        tree.partitioned.add((one.account, one.user))
    else:
        tree.members.add((one.account, one.user))
