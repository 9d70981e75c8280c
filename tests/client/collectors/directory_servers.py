"""Directories for tests: a real OpenLDAP, and a SCIM server by RFC 7643 and 7644, with the same verbs."""

from __future__ import annotations

import contextlib
import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable

from site_of_tests import PATIENCE, free_port

TOKEN = "a-token-of-the-test"
_BASE = "dc=example,dc=org"
_ADMIN = f"cn=admin,{_BASE}"
_LIMITED = f"cn=limited,{_BASE}"
_CONF = """\
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile {folder}/pid
modulepath /usr/lib/ldap
moduleload back_mdb
sizelimit unlimited
TLSCertificateFile {folder}/server.pem
TLSCertificateKeyFile {folder}/server.key
database mdb
suffix "{base}"
rootdn "{admin}"
rootpw secret
directory {folder}/data
maxsize 1073741824
dbnosync
limits dn.exact="{limited}" size.soft=unlimited size.hard=unlimited size.prtotal=7
"""


class OpenLdap:
    """slapd as an ordinary process, with a certificate of its own authority."""

    def __init__(self, people: list[str], groups: dict[str, list[str]]) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="openldap", dir="/tmp"))
        (self.folder / "data").mkdir()
        self._certify()
        conf = self.folder / "slapd.conf"
        conf.write_text(_CONF.format(folder=self.folder, base=_BASE, admin=_ADMIN, limited=_LIMITED))
        (self.folder / "secret").write_text("secret\n")
        (self.folder / "first.ldif").write_text(self._ldif(people, groups))
        subprocess.run(
            [shutil.which("slapadd", path="/usr/sbin:/usr/bin"), "-q", "-f", conf, "-l", self.folder / "first.ldif"],
            check=True,
            capture_output=True,
        )
        self.port, self.tls_port = free_port(), free_port()
        urls = f"ldap://127.0.0.1:{self.port} ldaps://127.0.0.1:{self.tls_port}"
        slapd = shutil.which("slapd", path="/usr/sbin:/usr/bin")
        self._process = subprocess.Popen([slapd, "-f", conf, "-h", urls, "-d", "0"], stderr=subprocess.DEVNULL)
        self._connection = self._connect()

    def close(self) -> None:
        self._connection.unbind()
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self.folder)

    def source(self, **changes: object) -> str:
        """The [source] of the rules; `changes` replaces keys."""
        keys = {
            "kind": "ldap",
            "url": f"ldaps://localhost:{self.tls_port}",
            "ca": f"{self.folder}/ca.pem",
            "bind_dn": _ADMIN,
            "password_file": f"{self.folder}/secret",
            "page_size": 5,
            **changes,
        }
        lines = [f"{name} = {json.dumps(value)}" for name, value in keys.items() if value is not None]
        users = f'users = {{ base = "ou=people,{_BASE}", filter = "(objectClass=inetOrgPerson)" }}'
        groups = f'groups = {{ base = "ou=groups,{_BASE}", filter = "(objectClass=groupOfNames)" }}'
        return "\n".join(["[source]", *lines, users, groups, ""])

    def limited(self) -> str:
        """The source of a caller who gets 7 entries."""
        return self.source(bind_dn=_LIMITED)

    def add_person(self, login: str) -> None:
        self._connection.add(self._person(login), "inetOrgPerson", {"cn": login, "sn": login})

    def add_entry(self, dn: str, kind: str, **attributes: object) -> None:
        self._connection.add(dn, kind, attributes)

    def remove_person(self, login: str) -> None:
        self._connection.delete(self._person(login))

    def rename_person(self, login: str, after: str, groups: list[str]) -> None:
        self._connection.modify_dn(self._person(login), f"uid={after}")
        for group in groups:
            self._change(group, "MODIFY_ADD", self._person(after))
            self._change(group, "MODIFY_DELETE", self._person(login))

    def add_group(self, name: str, logins: list[str]) -> None:
        members = [_ADMIN, *map(self._person, logins)]
        self._connection.add(self._group(name), "groupOfNames", {"member": members})

    def remove_group(self, name: str) -> None:
        self._connection.delete(self._group(name))

    def rename_group(self, name: str, after: str) -> None:
        self._connection.modify_dn(self._group(name), f"cn={after}")

    def add_member(self, group: str, login: str) -> None:
        self._change(group, "MODIFY_ADD", self._person(login))

    def add_inner_group(self, group: str, inner: str) -> None:
        self._change(group, "MODIFY_ADD", self._group(inner))

    def remove_member(self, group: str, login: str) -> None:
        self._change(group, "MODIFY_DELETE", self._person(login))

    def _change(self, group: str, verb: str, dn: str) -> None:
        self._connection.modify(self._group(group), {"member": [(verb, [dn])]})

    @staticmethod
    def _person(login: str) -> str:
        return f"uid={login},ou=people,{_BASE}"

    @staticmethod
    def _group(name: str) -> str:
        return f"cn={name},ou=groups,{_BASE}"

    def _ldif(self, people: list[str], groups: dict[str, list[str]]) -> str:
        entries = [
            f"dn: {_BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: example\n",
            f"dn: {_LIMITED}\nobjectClass: person\ncn: limited\nsn: limited\nuserPassword: secret\n",
        ]
        entries += [f"dn: ou={ou},{_BASE}\nobjectClass: organizationalUnit\nou: {ou}\n" for ou in ("people", "groups")]
        for login in people:
            entries.append(f"dn: {self._person(login)}\nobjectClass: inetOrgPerson\nuid: {login}\ncn: x\nsn: x\n")
        for name, logins in groups.items():
            # A groupOfNames has a member always: this one is no user. The case of a DN means nothing.
            members = [_ADMIN, *(self._person(login).replace("ou=people", "OU=People") for login in logins)]
            lines = "".join(f"member: {dn}\n" for dn in members)
            entries.append(f"dn: {self._group(name)}\nobjectClass: groupOfNames\ncn: {name}\n{lines}")
        return "\n".join(entries)

    def _certify(self) -> None:
        def openssl(*words: object) -> None:
            subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, cwd=self.folder)

        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", 2)
        openssl("req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        (self.folder / "names").write_text("subjectAltName=DNS:localhost\n")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", 2, "-extfile", "names")
        openssl("x509", "-req", "-in", "server.csr", *signed, "-out", "server.pem")

    def _connect(self) -> object:
        import ldap3

        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.05)
        server = ldap3.Server("127.0.0.1", self.port, get_info=ldap3.NONE)
        return ldap3.Connection(server, _ADMIN, "secret", auto_bind=True, raise_exceptions=True)


class Cutter:
    """Passes bytes to a server, and ends the connection once the server has sent so many."""

    def __init__(self, port: int, most: int) -> None:
        self._port = port
        self._most = most
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._port))
            threading.Thread(target=self._pass, args=(near, far, 1 << 62), daemon=True).start()
            threading.Thread(target=self._pass, args=(far, near, self._most), daemon=True).start()

    @staticmethod
    def _pass(near: socket.socket, far: socket.socket, left: int) -> None:
        try:
            while left > 0 and (part := near.recv(min(left, 4096))):
                far.sendall(part)
                left -= len(part)
        except OSError:
            pass
        for one in (near, far):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def ber(tag: int, *parts: bytes) -> bytes:
    """A value of LDAP's encoding."""
    body = b"".join(parts)
    return bytes([tag, 0x84]) + len(body).to_bytes(4, "big") + body


def ldap_entry(dn: str, attributes: dict[str, list[str]]) -> bytes:
    """A searchResEntry."""
    found = [
        ber(0x30, ber(4, name.encode()), ber(0x31, *(ber(4, value.encode()) for value in values)))
        for name, values in attributes.items()
    ]
    return ber(0x64, ber(4, dn.encode()), ber(0x30, *found))


class LyingLdap:
    """Sends to each search what `answers` has for it; the last one to all later ones."""

    #: A searchResDone with success, and the controls of the last page and of one before it.
    DONE = ber(0x65, ber(0x0A, b"\0"), ber(4), ber(4))
    LAST = ber(0xA0, ber(0x30, ber(4, b"1.2.840.113556.1.4.319"), ber(4, ber(0x30, ber(2, b"\0"), ber(4)))))
    MORE = ber(0xA0, ber(0x30, ber(4, b"1.2.840.113556.1.4.319"), ber(4, ber(0x30, ber(2, b"\0"), ber(4, b"x")))))

    def __init__(self, *answers: Callable[[Callable[[bytes], None], int], None]) -> None:
        self._answers = answers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    @staticmethod
    def message(number: int, *parts: bytes) -> bytes:
        return ber(0x30, ber(2, number.to_bytes(2, "big")), *parts)

    @classmethod
    def page(cls, *entries: bytes, done: bytes = DONE, control: bytes = LAST) -> Callable[..., None]:
        """An answer of these entries that claims to be whole."""

        def send(sends: Callable[[bytes], None], number: int) -> None:
            sends(b"".join(cls.message(number, entry) for entry in entries) + cls.message(number, done, control))

        return send

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with near, contextlib.suppress(OSError):
                self._answer(near)

    def _answer(self, near: socket.socket) -> None:
        searches = 0
        while asked := near.recv(1 << 16):
            # The number of the message, an INTEGER, follows the length; the tag of the request follows it.
            place = 4 + (asked[1] & 0x7F if asked[1] & 0x80 else 0)
            end = place + asked[place - 1]
            number, request = int.from_bytes(asked[place:end], "big"), asked[end]
            if request == 0x60:
                near.sendall(self.message(number, ber(0x61, ber(0x0A, b"\0"), ber(4), ber(4))))
            elif request == 0x63:
                self._answers[min(searches, len(self._answers) - 1)](near.sendall, number)
                searches += 1


class Scim:
    """Users and groups in pages. `lie` changes what a page says: path, startIndex and page, to page."""

    def __init__(self, people: list[str], groups: dict[str, list[str]]) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scim", dir="/tmp"))
        (self.folder / "token").write_text(TOKEN + "\n")
        self.users: dict[str, dict] = {}
        self.groups: dict[str, dict] = {}
        for login in people:
            self.add_person(login)
        self._ids = {user["userName"]: key for key, user in self.users.items()}
        for name, logins in groups.items():
            self.add_group(name, logins)
        self.lie = lambda path, start, page: page
        self.raw_lie = lambda path, start, body: body
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        shutil.rmtree(self.folder)

    def source(self, **changes: object) -> str:
        url = f"http://127.0.0.1:{self._server.server_port}/scim/v2"
        keys = {
            "kind": "scim",
            "url": url,
            "tls": "none",
            "token_file": f"{self.folder}/token",
            "page_size": 5,
            **changes,
        }
        return "\n".join(["[source]", *(f"{name} = {json.dumps(value)}" for name, value in keys.items()), ""])

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        parts = urllib.parse.urlsplit(handler.path)
        asked = dict(urllib.parse.parse_qsl(parts.query))
        if handler.headers.get("Authorization") != f"Bearer {TOKEN}":
            handler.send_error(401)
            return
        start, count = int(asked["startIndex"]), int(asked["count"])
        found = list((self.users if parts.path.endswith("/Users") else self.groups).values())
        part = found[start - 1 : start - 1 + count]
        page = {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": len(found),
            "startIndex": start,
            "itemsPerPage": len(part),
            "Resources": part,
        }
        body = json.dumps(self.lie(parts.path, start, page)).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/scim+json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(self.raw_lie(parts.path, start, body))
        if self.raw_lie(parts.path, start, body) != body:
            handler.close_connection = True

    def add_person(self, login: str) -> None:
        key = str(uuid.uuid4())
        self.users[key] = {"id": key, "userName": login, "active": True}
        self._ids = {user["userName"]: one for one, user in self.users.items()}

    def remove_person(self, login: str) -> None:
        del self.users[self._ids[login]]

    def rename_person(self, login: str, after: str, _groups: list[str]) -> None:
        self.users[self._ids[login]]["userName"] = after

    def add_group(self, name: str, logins: list[str]) -> None:
        key = str(uuid.uuid4())
        members = [{"value": self._ids[login], "type": "User"} for login in logins]
        self.groups[key] = {"id": key, "displayName": name, "members": members}

    def remove_group(self, name: str) -> None:
        del self.groups[self._group(name)["id"]]

    def rename_group(self, name: str, after: str) -> None:
        self._group(name)["displayName"] = after

    def add_member(self, group: str, login: str) -> None:
        self._group(group)["members"].append({"value": self._ids[login]})

    def add_inner_group(self, group: str, inner: str) -> None:
        self._group(group)["members"].append({"value": self._group(inner)["id"], "type": "Group"})

    def remove_member(self, group: str, login: str) -> None:
        one = self._group(group)
        one["members"] = [member for member in one["members"] if member["value"] != self._ids[login]]

    def _group(self, name: str) -> dict:
        return next(group for group in self.groups.values() if group["displayName"] == name)
