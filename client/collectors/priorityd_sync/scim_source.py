"""People and groups of a SCIM 2.0 server (RFC 7644), in pages."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

from priorityd_collect.files import sent_in_header
from priorityd_collect.items import Fault, unexpected
from priorityd_collect.web import NoRedirect, body_of
from priorityd_sync.directory import MOST_GROUPS, MOST_PEOPLE, Directory, Group, Person, twice
from priorityd_sync.tables import Table, host_of, known, secret, text, whole

_KEYS = {"kind", "url", "tls", "ca", "token_file", "page_size", "timeout", "login", "default"}
_LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
_MOST_BYTES_OF_PAGE = 64 << 20
Resource = dict[str, Any]


def read_scim(source: Table) -> Directory:
    """All users and groups, or a fault. A user with `active` false is none."""
    known(source, _KEYS, "source.")
    server = _Server(source)
    login, default = text(source, "login", "userName", "source."), text(source, "default", "", "source.")
    directory = Directory()
    known_ids: set[str] = set()
    for user in server.all("Users", MOST_PEOPLE):
        if _id(user) in known_ids:
            raise twice("user", _id(user))
        known_ids.add(_id(user))
        if _is_active(user):
            directory.add_person(Person(_id(user), _at(user, login), _at(user, default) if default else ""))
    listed = []
    for found in server.all("Groups", MOST_GROUPS):
        group = Group(_id(found), _at(found, "displayName"))
        members = found.get("members") or []
        if not isinstance(members, list):
            raise unexpected(f"group {group.id}: members", members, "an array")
        directory.add_group(group, len(members))
        listed.append((group, members))
    for group, members in listed:
        for member in members:
            _add_member(directory, known_ids, group, _id(member, "value"), member.get("type"))
    return directory.check()


def _add_member(directory: Directory, known_ids: set[str], group: Group, member: str, kind: object) -> None:
    """Some servers count users and groups from 1 each: where `type` is given, it decides."""
    if member in directory.people and kind != "Group":
        group.people.add(member)
    elif member in directory.groups and kind != "User":
        group.groups.add(member)
    elif member not in known_ids or kind == "Group":
        group.unknown += 1


class _Server:
    def __init__(self, source: Table) -> None:
        self._url = text(source, "url", place="source.").rstrip("/")
        tls = text(source, "tls", "yes", "source.")
        if tls not in ("yes", "none"):
            raise unexpected("source.tls", tls, "yes or none")
        host_of(self._url, "source.url", ("https", "http"), tls == "none")
        self._page = whole(source, "page_size", 500, 100_000, "source.")
        self._seconds = whole(source, "timeout", 60, 3600, "source.")
        self._headers = {"Accept": "application/scim+json, application/json"}
        if path := text(source, "token_file", "", "source."):
            token = sent_in_header("source.token_file", secret(path, "source.token_file").strip())
            self._headers["Authorization"] = "Bearer " + token
        try:
            trusted = ssl.create_default_context(cafile=text(source, "ca", "", "source.") or None)
        except OSError as error:
            raise Fault(f"source.ca: {error}") from None
        self._opener = urllib.request.build_opener(NoRedirect, urllib.request.HTTPSHandler(context=trusted))

    def all(self, kind: str, most: int) -> Iterator[Resource]:
        """Every resource of a kind: as many as the first page promised, which each later one must repeat."""
        total, got = -1, 0
        while total < 0 or got < total:
            page = self._get(f"/{kind}?{urllib.parse.urlencode({'startIndex': got + 1, 'count': self._page})}")
            place = f"{self._url}/{kind} from {got + 1}"
            schemas = page.get("schemas")
            if not isinstance(schemas, list) or _LIST not in schemas:
                raise unexpected(f"{place}: schemas", schemas, _LIST)
            promised, resources = page.get("totalResults"), page.get("Resources") or []
            if type(promised) is not int or not 0 <= promised <= most:
                raise unexpected(f"{place}: totalResults", promised, f"0 to {most}")
            if total not in (-1, promised):
                raise unexpected(f"{place}: totalResults", promised, f"{total}, as on the first page")
            total = promised
            if not isinstance(resources, list) or not all(isinstance(one, dict) for one in resources):
                raise unexpected(f"{place}: Resources", resources, "an array of objects")
            got += len(resources)
            if (total and not resources) or got > total:
                raise unexpected(f"{place}: Resources", got, f"{total}, as totalResults says: the list is incomplete")
            yield from resources

    def _get(self, path: str) -> Resource:
        request = urllib.request.Request(self._url + path, headers=self._headers)
        try:
            with self._opener.open(request, timeout=self._seconds) as answer:
                if answer.status != http.client.OK:
                    raise unexpected(self._url + path, answer.status, "200")
                body = body_of(answer, _MOST_BYTES_OF_PAGE, self._seconds)
        except Fault as fault:
            raise fault.at(self._url + path, "") from None
        except urllib.error.HTTPError as error:
            error.close()
            raise unexpected(self._url + path, error.code, "200") from None
        except (OSError, http.client.HTTPException) as error:
            raise Fault(f"{self._url}{path}: got {type(error).__name__}: {error}, want an answer") from None
        try:
            page = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Fault(f"{self._url}{path}: got {error}, want JSON") from None
        if not isinstance(page, dict):
            raise Fault(f"{self._url}{path}: got no object, want a ListResponse")
        return page


def _is_active(user: Resource) -> bool:
    """Some servers write the value as a text."""
    found = user.get("active", True)
    if isinstance(found, str) and found.lower() in ("true", "false"):
        return found.lower() == "true"
    if not isinstance(found, bool):
        raise unexpected(f"user {user.get('id')}: active", found, "true or false")
    return found


def _id(resource: object, name: str = "id") -> str:
    found = resource.get(name) if isinstance(resource, dict) else None
    if not isinstance(found, str) or not found:
        raise unexpected(name, found, "the id of a resource")
    return found


def _at(resource: Resource, path: str) -> str:
    """The text at `name.familyName`; a whole name with a URN first counts as one step."""
    found: Any = resource
    schema, colon, rest = path.rpartition(":")
    for step in [schema, *rest.split(".")] if colon else path.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    if found is None:
        return ""
    if not isinstance(found, str):
        raise unexpected(f"{resource.get('id')}: {path}", found, "a text")
    return found
