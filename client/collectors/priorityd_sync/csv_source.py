"""People and groups of a CSV: a line for each member of each group."""

from __future__ import annotations

import csv
import io

from priorityd_allocations.json_file import read_text
from priorityd_collect.items import Fault, unexpected
from priorityd_sync.directory import Directory, Group, Person
from priorityd_sync.tables import Table, known, text

_COLUMNS = ("group", "login", "groupid", "userid", "default")


def read_csv(source: Table) -> Directory:
    """Without ids the names are the ids, and nothing is ever renamed."""
    known(source, {"kind", "file"}, "source.")
    path = text(source, "file", place="source.")
    rows = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    directory, columns = Directory(), list[str]()
    try:
        for cells in rows:
            if not any(map(str.strip, cells)) or cells[0].startswith("#"):
                continue
            if not columns:
                columns = _columns(cells)
                continue
            if len(cells) != len(columns):
                raise Fault(f"got {len(cells)} cells, want {len(columns)}, as in the header")
            _add(directory, dict(zip(columns, map(str.strip, cells), strict=True)))
    except csv.Error as error:
        raise Fault(f"{path}:{rows.line_num}: got {error}, want CSV") from None
    except Fault as fault:
        raise fault.at(f"{path}:{rows.line_num}", "") from None
    try:
        return directory.check()
    except Fault as fault:
        raise fault.at(path, "") from None


def _columns(cells: list[str]) -> list[str]:
    found = [cell.strip().lower() for cell in cells]
    for name in found:
        if name not in _COLUMNS or found.count(name) > 1:
            raise unexpected("header", name, "each once of Group, Login, GroupId, UserId, Default")
    if not {"group", "login"} <= set(found):
        raise unexpected("header", ",".join(cells), "Group and Login")
    return found


def _add(directory: Directory, row: dict[str, str]) -> None:
    name, login = row["group"], row["login"]
    if not name:
        raise Fault("Group: got none, want its name")
    key = row.get("groupid") or name
    if key not in directory.groups:
        directory.add_group(Group(key, name), 0)
    group = directory.groups[key]
    if group.name != name:
        raise unexpected("Group", name, f"{group.name!r:.80}, as above with the same GroupId")
    if not login:
        return
    person = Person(row.get("userid") or login, login, row.get("default", ""))
    known_as = directory.people.get(person.id)
    if known_as is None:
        directory.add_person(person)
    elif known_as.login != login:
        raise unexpected("Login", login, f"{known_as.login!r:.80}, as above with the same UserId")
    elif person.default and person.default != known_as.default:
        if known_as.default:
            raise unexpected("Default", person.default, f"{known_as.default!r:.80}, as above for this user")
        directory.people[person.id] = person
    group.people.add(person.id)
