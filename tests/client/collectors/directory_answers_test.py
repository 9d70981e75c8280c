"""What priorityd-sync reads of odd answers of directories; nothing of a wrong one is believed."""

from __future__ import annotations

import pathlib
import random
import time
import tomllib
import unittest
from collections.abc import Callable
from unittest import mock

from directory_servers import LyingLdap, OpenLdap, Scim, ldap_entry
from priorityd_collect.items import Fault
from priorityd_sync import directory
from priorityd_sync.directory import Directory
from priorityd_sync.ldap_source import read_ldap
from priorityd_sync.scim_source import read_scim
from priorityd_sync.tables import secret

AMY = ldap_entry("uid=amy,ou=people", {"uid": ["amy"], "entryUUID": ["1"]})
BOB = ldap_entry("uid=bob,ou=people", {"uid": ["bob"], "entryUUID": ["2"]})


def chem(**members: list[str]) -> bytes:
    return ldap_entry("cn=chem,ou=groups", {"cn": ["chem"], "entryUUID": ["9"], **members})


def logins(found: Directory) -> dict[str, list[str]]:
    return {group.name: sorted(found.people[key].login for key in group.people) for group in found.groups.values()}


class LyingLdapTest(unittest.TestCase):
    def read(self, *answers: Callable[..., None], timeout: int = 60) -> Directory:
        server = LyingLdap(*answers)
        self.addCleanup(server.close)
        search = {"base": "dc=example", "filter": "(cn=*)"}
        url = f"ldap://127.0.0.1:{server.port}"
        return read_ldap(
            {"kind": "ldap", "url": url, "tls": "none", "timeout": timeout, "users": search, "groups": search}
        )

    def test_members_in_ranges_are_refused_also_where_their_rest_cannot_be_read(self):
        page = LyingLdap.page
        whole = self.read(page(AMY, BOB), page(chem(member=["uid=amy,ou=people", "uid=bob,ou=people"])))
        self.assertEqual(logins(whole), {"chem": ["amy", "bob"]})
        # As Active Directory: the attribute without a range has no values.
        part = chem(**{"member": [], "member;range=0-0": ["uid=amy,ou=people"]})
        with self.assertRaisesRegex(Fault, "cn=chem,ou=groups: member: got 'a range of the members', want all"):
            self.read(page(AMY, BOB), page(part), page())

    def test_an_answer_that_comes_slowly_ends_in_time(self):
        def drip(sends: Callable[[bytes], None], number: int) -> None:
            while True:
                sends(LyingLdap.message(number, ldap_entry("cn=x", {})))
                time.sleep(0.01)

        with self.assertRaisesRegex(Fault, "got no whole answer in 1 seconds, want a server that answers"):
            self.read(drip, timeout=1)

    def test_no_page_is_asked_for_beyond_the_bound_of_members(self):
        more = LyingLdap.page(chem(member=[f"uid={n}" for n in range(11)]), control=LyingLdap.MORE)
        with mock.patch.object(directory, "MOST_MEMBERS", 10), self.assertRaisesRegex(Fault, "got more than 10, want"):
            self.read(LyingLdap.page(AMY), more, lambda sends, number: self.fail("it was"))

    def test_an_answer_that_is_no_ldap_is_a_fault(self):
        draw = random.Random(7)
        good = LyingLdap.message(2, AMY) + LyingLdap.message(2, LyingLdap.DONE, LyingLdap.LAST)
        for _ in range(100):
            bad = bytearray(good)
            for _ in range(3):
                bad[draw.randrange(len(bad))] = draw.randrange(256)

            def damaged(sends: Callable[[bytes], None], _: int, sent: bytes = bytes(bad)) -> None:
                sends(sent)
                raise OSError  # The end of the connection.

            with self.subTest(sent=bytes(bad)), self.assertRaises(Fault):
                self.read(damaged)


class OddEntriesTest(unittest.TestCase):
    def test_a_member_is_found_by_each_spelling_of_its_dn(self):
        people = {"smith": r"cn=Smith\, John", "jo": "cn=two  blanks", "zoe": "cn=Zoe\u0301", "plus": r"cn=a\+b=c"}
        spelled = {
            "hpc-smith": [r"CN=Smith\2C  John ", 'cn="Smith, John"'],
            "hpc-jo": ["cn=two blanks", r"cn=\20Two Blanks\20"],
            "hpc-zoe": ["cn=zo\u00e9", r"cn=Zo\C3\A9"],
            "hpc-plus": [r"cn=a\2Bb=c"],
        }
        page = LyingLdap.page
        users = [ldap_entry(f"{dn},ou=people", {"uid": [login], "entryUUID": [login]}) for login, dn in people.items()]
        # A name with a comma is another DN than two parts.
        users.append(ldap_entry("cn=Smith,ou=John,ou=people", {"uid": ["other"], "entryUUID": ["other"]}))
        for name, dns in spelled.items():
            for dn in dns:
                with self.subTest(dn=dn):
                    group = ldap_entry("cn=g", {"cn": [name], "entryUUID": ["9"], "member": [f"{dn}, OU=People"]})
                    found = LyingLdapTest.read(self, page(*users), page(group))
                    self.assertEqual(logins(found), {name: [name.removeprefix("hpc-")]})

    def test_openldaps_own_spellings_of_a_member_are_found(self):
        server = OpenLdap(["amy"], {"hpc-x": ["amy"]})
        self.addCleanup(server.close)
        base = "dc=example,dc=org"
        server.add_entry(f"cn=two  blanks,ou=people,{base}", "inetOrgPerson", sn="x", uid="jo")
        server.add_entry(f"cn=Zoe\u0301,ou=people,{base}", "inetOrgPerson", sn="x", uid="zoe")
        members = [f"cn=two blanks,ou=people,{base}", f"cn=zo\u00e9,ou=people,{base}", f"userid=amy,ou=people,{base}"]
        server.add_entry(f"cn=hpc-y,ou=groups,{base}", "groupOfNames", member=members)
        source = tomllib.loads(server.source())["source"]
        self.assertEqual(logins(read_ldap(source)), {"hpc-x": ["amy"], "hpc-y": ["amy", "jo", "zoe"]})
        # OpenLDAP sends `uid` to a client that asks for its other name.
        source["users"]["login"] = "userid"
        with self.assertRaisesRegex(Fault, "users: got none with a login, want its attribute"):
            read_ldap(source)
        source["users"]["login"] = "uid"
        source["groups"]["name"] = "commonName"
        with self.assertRaisesRegex(Fault, "groups: got none with a name, want its attribute"):
            read_ldap(source)

    def test_blanks_of_a_password_are_kept(self):
        server = OpenLdap(["amy"], {"hpc-x": ["amy"]})
        self.addCleanup(server.close)
        path = pathlib.Path(server.folder) / "secret"
        for text, want in ((" a b \r\nsecond\n", " a b "), ("a\u2028b", "a\u2028b")):
            path.write_text(text, newline="")
            self.assertEqual(secret(str(path), "source.password_file"), want)


class OddScimTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Scim(["amy", "bob"], {"chem": ["amy"]})
        self.addCleanup(self.server.close)
        self.source = tomllib.loads(self.server.source())["source"]

    def test_schemas_that_are_no_array_are_a_fault(self):
        for schemas in (1, True, "urn:ietf:params:scim:api:messages:2.0:ListResponse", {}, None):
            self.server.lie = lambda path, start, page, found=schemas: {**page, "schemas": found}
            with self.subTest(schemas=schemas), self.assertRaisesRegex(Fault, "schemas: got"):
                read_scim(self.source)

    def test_a_user_who_is_not_active_must_not_come_twice_either(self):
        for user in self.server.users.values():
            user["active"] = False
        self.server.add_person("eve")
        first = next(iter(self.server.users.values()))
        # A user was added in front while the list was read: eve is on no page.
        self.server.lie = lambda path, start, page: (
            {**page, "Resources": [first]} if path.endswith("Users") and start > 1 else page
        )
        with self.assertRaisesRegex(Fault, "user id: got .*, want each id once: the list changed"):
            read_scim({**self.source, "page_size": 2})

    def test_the_type_of_a_member_decides_between_a_user_and_a_group_with_one_id(self):
        bob = next(key for key, user in self.server.users.items() if user["userName"] == "bob")
        (chem,) = self.server.groups.values()
        self.server.groups = {"chem": chem, "bio": {"id": bob, "displayName": "bio", "members": []}}
        for kind, people, groups in (("Group", set(), {bob}), ("User", {bob}, set())):
            chem["members"] = [{"value": bob, "type": kind}]
            found = read_scim(self.source).groups[chem["id"]]
            self.assertEqual((found.people, found.groups), (people, groups))

    def test_a_url_with_a_password_is_refused_and_not_printed(self):
        for url in ("https://reader:hidden@scim.example.org/v2", "reader:hidden@scim.example.org"):
            with self.assertRaisesRegex(Fault, "source.url: got 'one with a user or a password'"):
                read_scim({**self.source, "url": url})


if __name__ == "__main__":
    unittest.main()
