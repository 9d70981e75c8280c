"""Rules from groups of a directory to accounts of a cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from priorityd import printable
from priorityd_collect.files import read_toml
from priorityd_collect.items import Fault, unexpected
from priorityd_sync.directory import Directory, Group
from priorityd_sync.tables import Table, flag, known, pattern, settings, tables, text, texts

_KEYS = {"source", "state", "nested", "exclude_users", "exclude_groups", "account", "fixed", "admin", "names"}
_ACCOUNT_KEYS = {"group", "account", "parent", "description", "settings"}
_FIXED_KEYS = {"account", "parent", "description", "settings"}
_MOST_RULES = 10_000
_LEVELS = ("Operator", "Administrator")
#: A name that is one word for a shell, for prioctl and for a list of names.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+$-]{0,254}")
_HOLE = re.compile(r"\{(\w+)\}")
_ROOT = "root"


@dataclass(frozen=True)
class Rule:
    """A kind of groups that are accounts; texts with {group}, and with what the pattern names."""

    group: re.Pattern[str]
    account: str
    parent: str
    description: str
    settings: dict[str, str]


@dataclass(frozen=True)
class WantedAccount:
    """An account as the rules want it."""

    #: Of the group.
    id: str
    group: str
    name: str
    parent: str
    #: Empty = that of the service.
    description: str
    settings: dict[str, str]


@dataclass
class Wanted:
    """The result of the rules for a directory."""

    #: Fixed ones first, then by rule and name.
    accounts: list[WantedAccount] = field(default_factory=list)
    #: Id of the group to the ids of people, with the people of groups within it.
    members: dict[str, set[str]] = field(default_factory=dict)
    #: Id of a person to the login.
    logins: dict[str, str] = field(default_factory=dict)
    #: Id of a person to the account that the source names as the default.
    defaults: dict[str, str] = field(default_factory=dict)
    #: Id of a person to AdminLevel.
    admins: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Rules:
    """A file of rules."""

    source: Table
    state: str
    nested: bool
    exclude_users: tuple[re.Pattern[str], ...]
    exclude_groups: tuple[re.Pattern[str], ...]
    accounts: tuple[Rule, ...]
    fixed: tuple[WantedAccount, ...]
    #: Group to level.
    admins: tuple[tuple[re.Pattern[str], str], ...]
    #: Name of a group to the name of its account, before any template.
    names: dict[str, str]

    def apply(self, directory: Directory) -> Wanted:
        """The accounts, members and levels."""
        wanted = Wanted(list(self.fixed))
        self._add_people(directory, wanted)
        unknown = 0
        order: dict[str, int] = {}
        kept = [group for group in directory.groups.values() if not _fits(self.exclude_groups, group.name)]
        for group in kept:
            self._add_admins(directory, group, wanted)
            if found := self._account(group):
                unknown += group.unknown
                wanted.members[group.id] = self._people(directory, group) & wanted.logins.keys()
                wanted.accounts.append(found[1])
                order[group.id] = found[0]
        if unknown:
            wanted.notes.append(f"{unknown} members of groups are no users of the source")
        wanted.accounts.sort(key=lambda one: (order.get(one.id, -1), one.name))
        return wanted

    def _add_people(self, directory: Directory, wanted: Wanted) -> None:
        taken: set[str] = set()
        for person in directory.people.values():
            if _fits(self.exclude_users, person.login):
                continue
            if not _NAME.fullmatch(person.login):
                wanted.notes.append(f"skipped: user {printable(person.login)!r:.100}: want letters, digits and _.@+$-")
                continue
            if person.login in taken:
                raise unexpected("login", person.login, "it of one user: two have it")
            taken.add(person.login)
            wanted.logins[person.id] = person.login
            if person.default:
                wanted.defaults[person.id] = person.default

    def _add_admins(self, directory: Directory, group: Group, wanted: Wanted) -> None:
        for pattern_of, level in self.admins:
            if pattern_of.fullmatch(group.name):
                for person in self._people(directory, group) & wanted.logins.keys():
                    # Of two levels the higher one: Administrator is before Operator.
                    wanted.admins[person] = min(level, wanted.admins.get(person, level))

    def _account(self, group: Group) -> tuple[int, WantedAccount] | None:
        """With the place of its rule."""
        for place, rule in enumerate(self.accounts):
            if match := rule.group.fullmatch(group.name):
                words = {"group": group.name, **{key: value or "" for key, value in match.groupdict().items()}}
                what = f"group {printable(group.name)!r:.100}"
                name = self.names.get(group.name) or _fill(rule.account, words).lower()
                parent = _fill(rule.parent, words)
                return place, WantedAccount(
                    group.id,
                    group.name,
                    _account_name(name, f"{what}: account"),
                    _name(parent, f"{what}: parent"),
                    printable(_fill(rule.description, words))[:500],
                    rule.settings,
                )
        return None

    def _people(self, directory: Directory, group: Group) -> set[str]:
        """The people of the group and of the groups within it; a group within itself adds nothing."""
        if not self.nested or not group.groups:
            return group.people
        found, seen, left = set(group.people), {group.id}, list(group.groups)
        while left:
            inner = directory.groups[left.pop()]
            if inner.id not in seen:
                seen.add(inner.id)
                found |= inner.people
                left += inner.groups
        return found


def read_rules(path: str) -> Rules:
    """Read and check a file; a fault names the file and the key."""
    table = read_toml(path)
    try:
        return _rules(table)
    except Fault as fault:
        raise fault.at(path, "") from None


def _rules(table: Table) -> Rules:
    known(table, _KEYS, "")
    source = table.get("source")
    if not isinstance(source, dict):
        raise unexpected("source", source, "a table [source]")
    fixed = tuple(_fixed(row, f"fixed[{n}].") for n, row in enumerate(tables(table, "fixed", _MOST_RULES), 1))
    accounts = tuple(_rule(row, f"account[{n}].") for n, row in enumerate(tables(table, "account", _MOST_RULES), 1))
    if not accounts:
        raise unexpected("account", "none", "one [[account]] at least")
    return Rules(
        source,
        text(table, "state"),
        flag(table, "nested", True),
        tuple(pattern(one, "exclude_users") for one in texts(table, "exclude_users")),
        tuple(pattern(one, "exclude_groups") for one in texts(table, "exclude_groups")),
        accounts,
        fixed,
        tuple(_admin(row, f"admin[{n}].") for n, row in enumerate(tables(table, "admin", _MOST_RULES), 1)),
        _names(table.get("names", {})),
    )


def _rule(row: Table, place: str) -> Rule:
    known(row, _ACCOUNT_KEYS, place)
    group = pattern(text(row, "group", place=place), f"{place}group")
    defaults = {"account": "{group}", "parent": _ROOT, "description": ""}
    words = {key: text(row, key, default, place) for key, default in defaults.items()}
    for key, template in words.items():
        for hole in _HOLE.findall(template):
            if hole != "group" and hole not in group.groupindex:
                raise unexpected(f"{place}{key}", f"{{{hole}}}", f"{{group}}, or a name of {group.pattern!r:.80}")
    return Rule(group, words["account"], words["parent"], words["description"], settings(row, place))


def _fixed(row: Table, place: str) -> WantedAccount:
    known(row, _FIXED_KEYS, place)
    name = _account_name(text(row, "account", place=place), f"{place}account")
    parent = _name(text(row, "parent", _ROOT, place), f"{place}parent")
    return WantedAccount(f"fixed:{name}", "", name, parent, text(row, "description", "", place), settings(row, place))


def _admin(row: Table, place: str) -> tuple[re.Pattern[str], str]:
    known(row, {"group", "level"}, place)
    level = text(row, "level", place=place)
    if level not in _LEVELS:
        raise unexpected(f"{place}level", level, " or ".join(_LEVELS))
    return pattern(text(row, "group", place=place), f"{place}group"), level


def _names(found: Any) -> dict[str, str]:
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise unexpected("names", found, "a table of group = account")
    return {group: _account_name(account, f"names.{group}") for group, account in found.items()}


def _fill(template: str, words: dict[str, str]) -> str:
    return _HOLE.sub(lambda hole: words[hole[1]], template)


def _name(text: str, what: str) -> str:
    if not _NAME.fullmatch(text):
        raise unexpected(what, text, "letters, digits and _.@+$-")
    return text


def _account_name(text: str, what: str) -> str:
    """Root stands above all accounts: its members would compete with these."""
    if text.lower() == _ROOT:
        raise unexpected(what, text, "another account than root")
    return _name(text, what)


def _fits(patterns: tuple[re.Pattern[str], ...], name: str) -> bool:
    return any(one.fullmatch(name) for one in patterns)
