"""The content of a source: people and groups, whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field

from priorityd_collect.items import Fault, unexpected

MOST_PEOPLE = 1_000_000
MOST_GROUPS = 100_000
MOST_MEMBERS = 5_000_000


@dataclass(frozen=True)
class Person:
    """A user of the source."""

    #: Stays when everything else changes.
    id: str
    login: str
    #: The account that the source wants as the default; empty = none.
    default: str = ""


@dataclass
class Group:
    """A group of the source."""

    #: Stays when everything else changes.
    id: str
    name: str
    #: Ids of people.
    people: set[str] = field(default_factory=set)
    #: Ids of groups.
    groups: set[str] = field(default_factory=set)
    #: Members that are neither: people that the source's filter leaves out, for instance.
    unknown: int = 0


@dataclass
class Directory:
    """All of a source, by id."""

    people: dict[str, Person] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    #: Of all groups, as the source names them.
    members: int = 0

    def add_person(self, person: Person) -> None:
        """Add one; an id that comes twice is a page that comes twice."""
        _identified("user", person.id, person.login)
        if person.id in self.people:
            raise twice("user", person.id)
        if len(self.people) >= MOST_PEOPLE:
            raise Fault(f"users: got more than {MOST_PEOPLE}, want at most that many")
        self.people[person.id] = person

    def add_group(self, group: Group, members: int) -> None:
        """Add one, of which the source has named so many members."""
        _identified("group", group.id, group.name)
        if group.id in self.groups:
            raise twice("group", group.id)
        if len(self.groups) >= MOST_GROUPS:
            raise Fault(f"groups: got more than {MOST_GROUPS}, want at most that many")
        self.members += members
        if self.members > MOST_MEMBERS:
            raise Fault(f"members of groups: got more than {MOST_MEMBERS}, want at most that many")
        self.groups[group.id] = group

    def check(self) -> Directory:
        """Refuse what no site's directory is; a source that lost its data looks like this."""
        if not self.people:
            raise Fault("users: got none, want one at least")
        if not any(person.login for person in self.people.values()):
            raise Fault("users: got none with a login, want its attribute as the source spells it")
        if not self.groups:
            raise Fault("groups: got none, want one at least")
        if not any(group.name for group in self.groups.values()):
            raise Fault("groups: got none with a name, want its attribute as the source spells it")
        return self


def twice(what: str, key: str) -> Fault:
    """The fault of a list with one id twice."""
    return unexpected(f"{what} id", key, "each id once: the list changed while it was read")


def _identified(what: str, key: str, name: str) -> None:
    if not key or len(key) > 1000:
        raise unexpected(f"{what} {name!r:.80}: id", key, "an id of at most 1000 characters")
