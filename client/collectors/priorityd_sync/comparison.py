"""The differences between the accounts of a cluster and those that a directory wants. Nothing is changed here."""

from __future__ import annotations

import copy
import dataclasses
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from priorityd import printable
from priorityd_collect.items import Fault
from priorityd_sync.rules import Wanted, WantedAccount
from priorityd_sync.state import Account, State
from priorityd_sync.tree import Tree

#: Deletions that need no bound of their own: so many, or so many of a hundred that this program has made.
_FEW = 10
_PERCENT = 10


@dataclass
class Plan:
    """The changes, in the order in which they are made."""

    #: With the settings of each; parents first.
    accounts: list[WantedAccount] = field(default_factory=list)
    #: Account and login; the first of a new user is the default account.
    members: list[tuple[str, str]] = field(default_factory=list)
    #: Account, name of the setting, present value, value.
    settings: list[tuple[str, str, str, str]] = field(default_factory=list)
    #: Login and AdminLevel.
    levels: list[tuple[str, str]] = field(default_factory=list)
    #: Logins that lose the AdminLevel that this program has set.
    gone_levels: list[str] = field(default_factory=list)
    #: Login and default account, of users whose present one goes.
    defaults: list[tuple[str, str]] = field(default_factory=list)
    gone_members: list[tuple[str, str]] = field(default_factory=list)
    #: Login to default account, of users of gone_members who keep none.
    last_defaults: dict[str, str] = field(default_factory=dict)
    #: Children first.
    gone_accounts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: The changes that need an option.
    questions: list[str] = field(default_factory=list)
    #: Logins of new people, of which the default account is the first of `members`.
    new_defaults: dict[str, str] = field(default_factory=dict)
    #: After all changes but deletions.
    state: State = field(default_factory=lambda: State(""))

    def is_last(self, account: str, login: str) -> bool:
        """Whether the other associations of the user must go before."""
        return self.last_defaults.get(login) == account

    def changes(self) -> int:
        """The number of changes, without deletions."""
        return len(self.accounts) + len(self.members) + len(self.settings) + len(self.levels)

    def deletions(self) -> int:
        """The number of deletions."""
        return len(self.gone_levels) + len(self.gone_members) + len(self.gone_accounts)

    def after_deletions(self) -> State:
        """The state once they are made."""
        state = copy.deepcopy(self.state)
        state.members -= set(self.gone_members)
        state.lacking = set()
        state.admins = {login: level for login, level in state.admins.items() if login not in self.gone_levels}
        state.accounts = {key: one for key, one in state.accounts.items() if one.name not in self.gone_accounts}
        return state

    def refuse_many_deletions(self, before: State, allowed: int, deletes: bool) -> None:
        """Do not follow a source that has lost a part of its data. What an earlier run bore, and left, is fine."""
        borne = set() if deletes else before.lacking
        accounts = {(name, "") for name in self.gone_accounts}
        for what, gone, made in (
            ("users in accounts", set(self.gone_members) - borne, len(before.members)),
            ("accounts", accounts - borne, sum(one.made for one in before.accounts.values())),
        ):
            bound = max(_FEW, made * _PERCENT // 100, allowed)
            if len(gone) > bound:
                want = f"at most {bound}, or --allow-deletions {len(gone)}"
                raise Fault(f"{what}: the source lacks {len(gone)} of {made}, want {want}; nothing was changed")

    def commands(self, deletes: bool) -> Iterator[str]:
        """The changes as commands."""
        manage = ["prioctl", "sacctmgr", "-i"]
        for one in self.accounts:
            yield shlex.join([*manage, "add", "account", one.name, f"parent={one.parent}", *_words(one)])
        for account, login in self.members:
            default = [f"defaultaccount={account}"] if self.new_defaults.get(login) == account else []
            yield shlex.join([*manage, "add", "user", login, f"account={account}", *default])
        for account, name, _, value in self.settings:
            yield shlex.join([*manage, "modify", "account", account, "set", f"{name.lower()}={value}"])
        for login, level in self.levels:
            yield shlex.join([*manage, "modify", "user", login, "set", f"adminlevel={level}"])
        if deletes:
            for login in self.gone_levels:
                yield shlex.join([*manage, "modify", "user", login, "set", "adminlevel=None"])
            for login, account in self.defaults:
                yield shlex.join([*manage, "modify", "user", login, "set", f"defaultaccount={account}"])
            for account, login in sorted(self.gone_members, key=lambda pair: self.is_last(*pair)):
                yield shlex.join([*manage, "delete", "user", login, f"account={account}"])
            for account in self.gone_accounts:
                yield shlex.join([*manage, "delete", "account", account])

    def lines(self) -> Iterator[str]:
        """The changes without deletions, for a reader."""
        for one in self.accounts:
            yield " ".join([f"+ account {one.name}: parent={one.parent}", *map(printable, _words(one))])
        for account, login in self.members:
            yield f"+ user {login} account {account}"
        for account, name, before, value in self.settings:
            yield f"~ account {account}: {name}={printable(before)} -> {name}={printable(value)}"
        for login, level in self.levels:
            yield f"~ user {login}: AdminLevel={level}"

    def deletion_lines(self, sign: str) -> Iterator[str]:
        """The deletions, for a reader."""
        for login in self.gone_levels:
            yield f"{sign} user {login}: AdminLevel"
        for account, login in self.gone_members:
            yield f"{sign} user {login} account {account}"
        for account in self.gone_accounts:
            yield f"{sign} account {account}"


def _words(one: WantedAccount) -> list[str]:
    described = [f"description={one.description}"] if one.description else []
    return [*described, *(f"{name.lower()}={value}" for name, value in one.settings.items())]


def compare(wanted: Wanted, state: State, tree: Tree, new_logins: bool, adopts: bool) -> Plan:
    """Compare; `new_logins`: a user with another login is a new user, `adopts`: what is there was made here."""
    return _Comparison(wanted, state, tree, new_logins, adopts).plan()


class _Comparison:
    def __init__(self, wanted: Wanted, state: State, tree: Tree, new_logins: bool, adopts: bool) -> None:
        self._wanted = wanted
        self._before = state
        self._tree = tree
        self._new_logins = new_logins
        self._adopts = adopts
        self._plan = Plan(notes=list(wanted.notes), state=State(state.cluster, admins=dict(state.admins)))
        self._held: set[str] = set()
        #: After the changes.
        self._parents = dict(tree.parents)
        ids = {one.id for one in wanted.accounts}
        self._heirs = {one.name: one for key, one in state.accounts.items() if key not in ids}

    def plan(self) -> Plan:
        logins = self._logins()
        members = self._accounts(logins)
        self._members(members)
        self._levels(logins)
        self._deletions(members)
        return self._plan

    def _logins(self) -> dict[str, str]:
        """Id to login, of those that are kept in agreement."""
        found = {}
        earlier = {login: key for key, login in self._before.logins.items() if key not in self._wanted.logins}
        for key, login in sorted(self._wanted.logins.items(), key=lambda pair: pair[1]):
            known = self._before.logins.get(key, login)
            if known != login and not self._new_logins:
                self._plan.questions.append(
                    f"user {known} is {login} in the source: the service cannot rename a user; with --new-logins "
                    f"{login} is a new user, without the usage of {known}"
                )
                # Nothing of either name is created or deleted.
                self._held |= {known, login}
                self._plan.state.logins[key] = known
                continue
            if key not in self._before.logins and login in earlier:
                self._plan.notes.append(
                    f"user {login}: has a new id in the source, and the usage of the earlier {login}"
                )
            found[key] = login
            self._plan.state.logins[key] = login
        return found

    def _accounts(self, logins: dict[str, str]) -> dict[str, list[str]]:
        """Id of a group to its logins; plans the accounts."""
        taken: dict[str, WantedAccount] = {}
        waiting = []
        for one in self._wanted.accounts:
            named = self._named(one)
            if (other := taken.setdefault(named.name, named)) is not named:
                raise Fault(
                    f"account {named.name}: got it of group {printable(other.group)!r} and of group "
                    f"{printable(one.group)!r}, want it of one; [names] gives a group another account"
                )
            waiting.append(named)
        self._create(waiting)
        for one in waiting:
            self._settle(one)
        self._order_moves()
        return {
            self._name_of(one.id): sorted(
                logins[person] for person in self._wanted.members.get(one.id, ()) if person in logins
            )
            for one in waiting
        }

    def _name_of(self, key: str) -> str:
        return self._plan.state.accounts[key].name

    def _named(self, one: WantedAccount) -> WantedAccount:
        """With the name that the account has: the service cannot rename it, and its usage is under that name."""
        known = self._before.accounts.get(one.id)
        if known is None or known.name == one.name:
            return one
        if known.name not in self._tree.parents:
            return one
        self._plan.notes.append(
            f"group {printable(known.group)!r} is {printable(one.group)!r} now: account {known.name} keeps its name "
            "and its usage, the service cannot rename it"
        )
        return dataclasses.replace(one, name=known.name)

    def _create(self, waiting: list[WantedAccount]) -> None:
        left = [one for one in waiting if one.name not in self._parents]
        while left:
            ready = [one for one in left if one.parent in self._parents]
            if not ready:
                raise Fault(
                    f"account {left[0].name}: parent: got {left[0].parent!r}, want an account, or a [[fixed]] one"
                )
            for one in ready:
                self._parents[one.name] = one.parent
                self._plan.accounts.append(one)
            left = [one for one in left if one.name not in self._parents]

    def _settle(self, one: WantedAccount) -> None:
        """The settings of an account that is there, and what is remembered."""
        known = self._before.accounts.get(one.id) or self._heir(one)
        exists = one.name in self._tree.parents
        made = not exists or self._adopts or bool(known and known.made)
        after = Account(one.name, one.group, made, one.parent, one.description or one.name)
        self._plan.state.accounts[one.id] = after
        if not exists:
            return
        present = {"Parent": self._tree.parents[one.name], "Description": self._tree.descriptions.get(one.name, "")}
        wrote = {"Parent": known.parent, "Description": known.description} if known and known.made else {}
        for name, want in (("Parent", one.parent), ("Description", one.description)):
            kept = wrote.get(name, present[name])
            if not wrote or not want or present[name] not in (want, kept):
                # By hand, or of nobody: it stays, as the value that would not be by hand does.
                setattr(after, name.lower(), kept)
            elif present[name] != want:
                self._refuse_unknown_parent(one.name, name, want)
                self._plan.settings.append((one.name, name, present[name], want))

    def _order_moves(self) -> None:
        """The later parents first: an account can then go below one that was below it."""
        for account, name, _, value in self._plan.settings:
            if name == "Parent":
                self._parents[account] = value
        self._plan.settings.sort(key=lambda setting: self._depth(setting[0]))

    def _depth(self, account: str) -> int:
        depth, above = 0, account
        while above := self._parents.get(above, ""):
            depth += 1
            if depth > len(self._parents):
                raise Fault(f"account {account}: parent: got an account that is below it, want another one")
        return depth

    def _refuse_unknown_parent(self, account: str, name: str, value: str) -> None:
        if name == "Parent" and value not in self._parents:
            raise Fault(f"account {account}: parent: got {value!r}, want an account, or a [[fixed]] one")

    def _heir(self, one: WantedAccount) -> Account | None:
        """The account that was known under an id that the source no longer has: the group was created again."""
        known = self._heirs.get(one.name)
        if known is not None:
            self._plan.notes.append(f"group {printable(one.group)!r}: has a new id in the source, the same account")
        return known

    def _members(self, members: dict[str, list[str]]) -> None:
        firsts: dict[str, str] = {}
        for account, logins in members.items():
            for login in logins:
                firsts.setdefault(login, account)
        inside = {account: set(logins) for account, logins in members.items()}
        for key, login in self._plan.state.logins.items():
            want = self._wanted.defaults.get(key, "")
            if login in inside.get(want, ()):
                firsts[login] = want
        new: list[tuple[str, str]] = []
        later: list[tuple[str, str]] = []
        for account, logins in members.items():
            for login in logins:
                pair = (account, login)
                if pair in self._tree.members:
                    if self._adopts or pair in self._before.members:
                        self._plan.state.members.add(pair)
                elif login not in self._held:
                    self._plan.state.members.add(pair)
                    is_first = firsts[login] == account and not self._tree.defaults.get(login)
                    (new if is_first else later).append(pair)
                    if is_first:
                        self._plan.new_defaults[login] = account
        self._plan.members = new + later

    def _levels(self, logins: dict[str, str]) -> None:
        known = {login for _, login in self._tree.members | self._tree.partitioned | self._plan.state.members}
        wanted = {logins[key]: level for key, level in self._wanted.admins.items() if key in logins}
        for login, level in sorted(wanted.items()):
            if login not in known:
                self._plan.notes.append(f"user {login}: AdminLevel={level}: is in no account of the cluster")
                continue
            present = self._tree.levels.get(login, "None")
            if present == level:
                continue
            if present != self._before.admins.get(login, "None"):
                self._plan.notes.append(f"user {login}: AdminLevel={present} was set by hand, and stays")
                continue
            self._plan.levels.append((login, level))
            self._plan.state.admins[login] = level
        for login, level in sorted(self._before.admins.items()):
            if login not in wanted and login not in self._held:
                del self._plan.state.admins[login]  # Unless it is to be taken away.
                if self._tree.levels.get(login) == level:
                    self._plan.gone_levels.append(login)
                    self._plan.state.admins[login] = level

    def _deletions(self, members: dict[str, list[str]]) -> None:
        plan = self._plan
        wanted = {(account, login) for account, logins in members.items() for login in logins}
        gone = {pair for pair in self._before.members & self._tree.members - wanted if pair[1] not in self._held}
        plan.gone_members = sorted(gone)
        plan.state.members |= (self._before.members & self._tree.members) - wanted
        for key, one in self._before.accounts.items():
            if key not in plan.state.accounts and one.name not in members and one.name in self._tree.parents:
                plan.state.accounts[key] = one
        plan.gone_accounts = self._gone_accounts(gone, members)
        plan.state.lacking = gone | {(account, "") for account in plan.gone_accounts}
        self._defaults(gone)

    def _gone_accounts(self, gone: set[tuple[str, str]], members: dict[str, list[str]]) -> list[str]:
        """Accounts below which all goes."""
        candidates = {
            one.name
            for one in self._plan.state.accounts.values()
            if one.made and one.name not in members and one.name in self._tree.parents
        }
        full = {account for account, login in (self._tree.members | self._tree.partitioned) - gone}
        full |= {account for account, _ in self._plan.members}
        children: dict[str, list[str]] = {}
        for name, parent in self._parents.items():
            children.setdefault(parent, []).append(name)
        found: list[str] = []
        while True:
            more = sorted(
                name
                for name in candidates - set(found)
                if name not in full and all(child in found for child in children.get(name, ()))
            )
            if not more:
                break
            found += more
        for name in sorted(candidates - set(found)):
            self._plan.notes.append(f"account {name}: the source lacks it, and it stays: others are in it or below it")
        return found

    def _defaults(self, gone: set[tuple[str, str]]) -> None:
        left: dict[str, list[str]] = {}
        for account, login in sorted((self._tree.members | self._tree.partitioned | set(self._plan.members)) - gone):
            left.setdefault(login, []).append(account)
        for login in sorted({login for _, login in gone}):
            others = left.get(login, [])
            if not others:
                self._plan.last_defaults[login] = self._tree.defaults.get(login, "")
            elif self._tree.defaults.get(login) not in others:
                self._plan.defaults.append((login, others[0]))
