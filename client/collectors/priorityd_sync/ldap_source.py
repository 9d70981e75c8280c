"""People and groups of an LDAP server, in pages (RFC 2696)."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import threading
import unicodedata
import uuid
import warnings
from collections.abc import Iterator
from typing import Any

from priorityd_collect.items import Fault, unexpected
from priorityd_sync.directory import Directory, Group, Person
from priorityd_sync.tables import Table, flag, host_of, known, secret, text, whole

_PAGED = "1.2.840.113556.1.4.319"
_MOST_PAGES = 100_000
_SUCCESS = 0
_KEYS = {"kind", "url", "tls", "ca", "bind_dn", "password_file", "page_size", "timeout", "ignore_referrals"}
_KEYS |= {"users", "groups"}
_USER_KEYS = {"base", "filter", "login", "id", "default"}
_GROUP_KEYS = {"base", "filter", "name", "id", "members", "members_are"}
_TLS = ("yes", "start", "none")
#: A part of a DN, with what ends it: a comma or a plus, unless in quotes or after a backslash.
_PART = re.compile(r'((?:\\.|"(?:\\.|[^"\\])*"|[^,+"\\])+)([,+]|$)', re.DOTALL)
_QUOTED = re.compile(r'\s*"(.*)"\s*', re.DOTALL)
#: UTF-8 as `\C3\BC`, and any other character as `\,`.
_ESCAPED = re.compile(r"((?:\\[0-9A-Fa-f]{2})+)|\\(.)", re.DOTALL)

#: DN, and the values of each attribute by its name in lower case.
_Entry = tuple[str, dict[str, list[bytes]]]


def read_ldap(source: Table) -> Directory:
    """All entries of both searches, or a fault."""
    known(source, _KEYS, "source.")
    try:
        import ldap3
    except ImportError as error:
        raise Fault(f"source.kind: got ldap and {error}, want python3-ldap3 or the extra [ldap]") from None
    server = _Server(source, ldap3)
    try:
        return server.read()
    except Fault:
        raise
    except Exception as error:  # Of an answer that is not LDAP the library raises any.
        found = server.late or f"{type(error).__name__}: {error}"
        raise Fault(f"{server.url}: got {found}, want a server that answers") from None
    finally:
        server.close()


class _Server:
    def __init__(self, source: Table, ldap3: Any) -> None:
        self._source = source
        self._ldap3 = ldap3
        self.url = text(source, "url", place="source.")
        self._users = _search(source, "users", _USER_KEYS)
        self._groups = _search(source, "groups", _GROUP_KEYS)
        self._page = whole(source, "page_size", 500, 100_000, "source.")
        self._ignores_referrals = flag(source, "ignore_referrals", False, "source.")
        self._seconds = whole(source, "timeout", 60, 3600, "source.")
        self._connection: Any = None
        #: Set once the time of an answer is up.
        self.late = ""

    def read(self) -> Directory:
        self._connect()
        directory = Directory()
        by_dn: dict[str, str] = {}
        by_login: dict[str, str] = {}
        login, key = (text(self._users, name, default) for name, default in (("login", "uid"), ("id", "entryUUID")))
        default = text(self._users, "default", "")
        for dn, values in self._entries("users", self._users, [login, key, default]):
            person = Person(_id(values, key, dn), _one(values, login, dn), _one(values, default, dn) if default else "")
            directory.add_person(person)
            by_dn[_plain(dn)] = by_login[person.login] = person.id
        self._add_groups(directory, by_dn, by_login)
        return directory.check()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.strategy.close()

    def _connect(self) -> None:
        tls = text(self._source, "tls", "yes", "source.")
        if tls not in _TLS:
            raise unexpected("source.tls", tls, ", ".join(_TLS))
        parts = host_of(self.url, "source.url", ("ldaps", "ldap"), tls != "yes")
        ldap3 = self._ldap3
        check = ldap3.Tls(validate=ssl.CERT_REQUIRED, ca_certs_file=text(self._source, "ca", "", "source.") or None)
        secured = parts.scheme == "ldaps"
        server = ldap3.Server(
            parts.hostname,
            parts.port or (636 if secured else 389),
            use_ssl=secured,
            tls=check,
            connect_timeout=self._seconds,
            get_info=ldap3.NONE,
        )
        user = text(self._source, "bind_dn", "", "source.") or None
        path = text(self._source, "password_file", "", "source.")
        if user and not path:
            raise Fault("source.password_file: got none with bind_dn, want the file of the password")
        password = secret(path, "source.password_file") if user else None
        self._connection = ldap3.Connection(
            server,
            user,
            password,
            receive_timeout=self._seconds,
            auto_referrals=False,
            auto_range=False,  # It would keep half of a list of which the rest cannot be read.
            read_only=True,
            return_empty_attributes=False,
            check_names=False,
        )
        with warnings.catch_warnings():
            # ldap3 checks the name of the server by ssl.match_hostname, or by its own copy where Python has none.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._connection.open()
            with self._in_time():
                if tls == "start" and not secured and not self._connection.start_tls(read_server_info=False):
                    raise unexpected(f"{self.url}: StartTLS", self._connection.result["description"], "success")
        with self._in_time():
            bound = self._connection.bind(read_server_info=False)
        if not bound:
            raise unexpected(f"{self.url}: bind", self._connection.result["description"], "success")

    def _entries(self, what: str, search: Table, attributes: list[str]) -> Iterator[_Entry]:
        """Every entry of every page; each page must say that it is whole."""
        cookie: Any = None
        for _ in range(_MOST_PAGES):
            with self._in_time():
                self._connection.search(
                    text(search, "base", place=f"source.{what}."),
                    text(search, "filter", place=f"source.{what}."),
                    attributes=[name for name in attributes if name],
                    paged_size=self._page,
                    paged_criticality=True,
                    paged_cookie=cookie,
                )
            result = self._connection.result
            if result["result"] != _SUCCESS:
                raise unexpected(f"{self.url}: {what}", result["description"], "success: the list is incomplete")
            for entry in self._connection.response:
                if entry["type"] == "searchResEntry":
                    found = entry["raw_attributes"].items()  # None = an attribute without values.
                    yield entry["dn"], {name.lower(): list(values or ()) for name, values in found}
                elif not self._ignores_referrals:
                    raise unexpected(f"{self.url}: {what}", "a referral", "all entries, or ignore_referrals = true")
            control = result.get("controls", {}).get(_PAGED)
            if control is None:
                raise Fault(f"{self.url}: {what}: got a page that names no next one, want the control of RFC 2696")
            cookie = control["value"]["cookie"]
            if not cookie:
                return
        raise Fault(f"{self.url}: {what}: got more than {_MOST_PAGES} pages, want at most that many")

    @contextlib.contextmanager
    def _in_time(self) -> Iterator[None]:
        """End the connection if the answer takes longer, however steadily it comes."""
        timer = threading.Timer(self._seconds, self._end)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _end(self) -> None:
        self.late = f"no whole answer in {self._seconds} seconds"
        with contextlib.suppress(OSError, TypeError):  # It has ended already.
            # As a plain socket: TLS is in use by the thread that reads.
            socket.socket.shutdown(self._connection.socket, socket.SHUT_RDWR)

    def _add_groups(self, directory: Directory, by_dn: dict[str, str], by_login: dict[str, str]) -> None:
        name, key = (text(self._groups, word, default) for word, default in (("name", "cn"), ("id", "entryUUID")))
        members, are = text(self._groups, "members", "member"), text(self._groups, "members_are", "dn")
        if are not in ("dn", "login"):
            raise unexpected("source.groups.members_are", are, "dn or login")
        listed: list[tuple[Group, list[str]]] = []
        groups: dict[str, str] = {}
        for dn, values in self._entries("groups", self._groups, [name, key, members]):
            if any(one.startswith(members.lower() + ";range=") for one in values):
                raise unexpected(f"{dn}: {members}", "a range of the members", "all of them")
            group = Group(_id(values, key, dn), _one(values, name, dn))
            found = values.get(members.lower(), [])
            directory.add_group(group, len(found))
            groups[_plain(dn)] = group.id
            listed.append((group, [_text(one, dn) for one in found]))
        for group, named in listed:
            for one in named:
                _add_member(
                    group, one if are == "login" else _plain(one), by_login if are == "login" else by_dn, groups
                )


def _add_member(group: Group, one: str, people: dict[str, str], groups: dict[str, str]) -> None:
    if one in people:
        group.people.add(people[one])
    elif one in groups:
        group.groups.add(groups[one])
    else:
        group.unknown += 1


def _search(source: Table, name: str, keys: set[str]) -> Table:
    found = source.get(name)
    if not isinstance(found, dict):
        raise unexpected(f"source.{name}", found, "a table with base and filter")
    known(found, keys, f"source.{name}.")
    for key in keys & set(found):
        text(found, key, place=f"source.{name}.")
    return found


def _one(values: dict[str, list[bytes]], name: str, dn: str) -> str:
    """The first of several values, as the server orders them; empty = none."""
    found = values.get(name.lower(), [])
    return _text(found[0], dn) if found else ""


def _id(values: dict[str, list[bytes]], name: str, dn: str) -> str:
    found = values.get(name.lower(), [])
    if len(found) != 1:
        raise unexpected(f"{dn}: {name}", f"{len(found)} values", "one, which stays when the entry is renamed")
    if name.lower() == "objectguid" and len(found[0]) == 16:
        return str(uuid.UUID(bytes_le=found[0]))
    return _text(found[0], dn)


def _text(value: bytes, dn: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise unexpected(dn, value, "UTF-8") from None


def _plain(dn: str) -> str:
    """One spelling of the same DN: case, blanks, escapes and the ways to compose a character mean nothing."""
    parts = _PART.findall(dn)
    if "".join(map("".join, parts)) != dn:
        raise unexpected("member", dn, "a DN")
    pairs = [(part.partition("="), end) for part, end in parts]
    plain = "".join(f"{name.strip()}={_value(value)}{end}" for (name, _, value), end in pairs)
    return unicodedata.normalize("NFKC", plain.lower())


def _value(text: str) -> str:
    """With only those escapes without which it would be another DN."""

    def character(found: re.Match[str]) -> str:
        return bytes.fromhex(found[1].replace("\\", "")).decode(errors="surrogateescape") if found[1] else found[2]

    quoted = _QUOTED.fullmatch(text)
    words = _ESCAPED.sub(character, quoted[1] if quoted else text).split()
    return re.sub(r'([\\,+"])', r"\\\1", " ".join(words))
