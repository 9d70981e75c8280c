"""Groups of a real OpenLDAP and of a SCIM server become accounts of a real priorityd; nothing is lost."""

from __future__ import annotations

import pathlib
import shlex
import subprocess
import time
import unittest

from directory_servers import Cutter, OpenLdap, Scim
from site_of_tests import binary
from synced import RULES, Synced, changes_of

PEOPLE = ["amy", "bob", "eve", "dan", "joe", "kim", "liz", "max", "sue", "tom", "uma", "zoe"]
GROUPS = {
    "hpc-chem": ["amy", "bob", "eve"],
    "hpc-phys": ["bob", "dan", "joe", "kim"],
    "hpc-bio": ["liz", "max", "sue"],
    "staff": PEOPLE,
    "operators": ["eve", "dan"],
    "hpc-geo": ["tom"],
    "hpc-math": ["uma"],
}
WANTED = {name.removeprefix("hpc-"): set(users) for name, users in GROUPS.items() if name.startswith("hpc-")}


class Servers:
    """The tests that hold for each server; `server` starts one."""

    kind = ""

    def setting(self, name: str, rules: str = RULES) -> Synced:
        self.directory = self.start()
        self.addCleanup(self.directory.close)
        return Synced(f"sync{self.kind}{name}", self.directory.source(), rules)

    def test_groups_become_accounts_and_the_second_time_changes_nothing(self):
        site = self.setting("first")
        before = site.everything()
        status, dry, err = site.run("apply")
        self.assertEqual((status, err, site.everything()), (0, "", before))
        # 6 accounts, 12 users in accounts, 2 levels.
        self.assertIn("20 changes to make, and none was made: --yes makes them", dry)
        made = site.apply()
        self.assertEqual(changes_of(made), changes_of(dry))
        self.assertEqual(site.tree(), {"root": set(), "hand": {"ann", "root"}, "science": set(), **WANTED})
        chem = site.account("chem")
        self.assertEqual((chem.parent_account, chem.attributes["Description"]), ("science", "hpc-chem"))
        self.assertEqual(chem.attributes["Fairshare"], "10")
        self.assertEqual((site.user("bob").default_account, site.user("eve").admin_level), ("chem", "Operator"))
        self.assertEqual(site.user("bob").admin_level, "None")
        got = site.everything()
        self.assertIn("0 changes made", site.apply("--delete"))
        self.assertEqual(site.everything(), got)

    def test_only_what_changed_is_changed_and_what_is_set_by_hand_stays(self):
        site = self.setting("changed")
        site.apply()
        site.set("chem", Fairshare="77", Description="by hand", MaxSubmitJobs="9")
        site.set_user("amy", Coordinators="chem")
        site.set_user("bob", DefaultAccount="phys")
        site.create("mine", parent="chem")
        site.create("chem", "ann")
        self.directory.add_person("new")
        self.directory.add_member("hpc-chem", "new")
        self.directory.remove_member("hpc-chem", "eve")
        self.directory.add_group("hpc-law", ["amy"])
        out = site.apply("--delete")
        self.assertEqual(
            changes_of(out),
            ["+ account law: parent=science description=hpc-law fairshare=10", "+ user new account chem",
             "+ user amy account law", "- user eve account chem"],
        )  # fmt: skip
        wanted = {"amy", "bob", "new", "ann"}
        self.assertEqual((site.tree()["chem"], site.tree()["law"], site.tree()["mine"]), (wanted, {"amy"}, set()))
        chem = site.account("chem").attributes
        self.assertEqual((chem["Fairshare"], chem["Description"], chem["MaxSubmitJobs"]), ("77", "by hand", "9"))
        self.assertEqual(list(site.user("amy").coordinated_accounts), ["chem"])
        self.assertEqual((site.user("amy").default_account, site.user("bob").default_account), ("chem", "phys"))

    def test_a_renamed_group_keeps_its_account_and_its_usage(self):
        site = self.setting("renamed")
        site.apply()
        site.use("chem", "amy")
        usage = site.usage()
        self.assertGreater(usage["chem", "amy"], 0)
        tree = site.tree()
        self.directory.rename_group("hpc-chem", "hpc-chemistry")
        out = site.apply("--delete")
        self.assertEqual(changes_of(out), ["~ account chem: Description=hpc-chem -> Description=hpc-chemistry"])
        self.assertIn("account chem keeps its name and its usage, the service cannot rename it", out)
        self.assertEqual((site.tree(), site.cluster.seconds()), (tree, {"amy": 600}))
        self.assertEqual(set(site.usage()), set(usage))
        self.assertGreater(site.usage()["chem", "amy"], 0)
        self.assertIn("0 changes made", site.apply("--delete"))
        # A new group with the earlier name is another one, and may not have the account.
        self.directory.add_group("hpc-chem", ["zoe"])
        status, _, err = site.run("apply", "--yes", "--delete")
        self.assertEqual(status, 1)
        self.assertIn("account chem: got it of group ", err)
        self.assertEqual(site.tree(), tree)
        site.write(self.directory.source(), RULES + '[names]\n"hpc-chem" = "newchem"\n')
        site.apply("--delete")
        self.assertEqual(site.tree(), {**tree, "newchem": {"zoe"}})

    def test_a_user_with_another_login_is_not_replaced_silently(self):
        site = self.setting("logins")
        site.apply()
        got = site.everything()
        self.directory.rename_person("amy", "amelie", ["hpc-chem", "staff"])
        out = site.apply("--delete")
        self.assertEqual(changes_of(out), [])
        self.assertIn("# ? user amy is amelie in the source: the service cannot rename a user", out)
        self.assertEqual(site.everything(), got)
        site.apply("--new-logins", "--delete")
        self.assertEqual(site.tree()["chem"], {"amelie", "bob", "eve"})
        self.assertIn("0 changes made", site.apply("--delete"))

    def test_what_the_source_lacks_goes_only_where_that_is_wanted_and_only_if_it_was_made_here(self):
        site = self.setting("deleted")
        site.create("bio")
        site.create("bio", "sue")
        self.directory.add_group("hpc-law", ["kim"])
        site.apply()
        site.create("law", "ann")
        site.use("geo", "tom")
        site.create("under", parent="math")
        for group in ("hpc-geo", "hpc-math", "hpc-bio", "hpc-law"):
            self.directory.remove_group(group)
        self.directory.remove_member("hpc-chem", "bob")
        tree = site.tree()
        out = site.apply()
        self.assertIn("? --delete: user bob account chem\n", out)
        self.assertIn("? --delete: account geo\n", out)
        self.assertIn("account math: the source lacks it, and it stays", out)
        self.assertEqual(site.tree(), tree)
        out = site.apply("--delete")
        self.assertIn("- account geo\n", out)
        after = {**tree, "math": set(), "bio": {"sue"}, "chem": {"amy", "eve"}, "law": {"ann"}}
        del after["geo"]
        self.assertEqual(site.tree(), after)
        # The default account of bob was chem.
        self.assertEqual(site.user("bob").default_account, "phys")
        self.assertEqual(site.cluster.seconds(), {"tom": 600})
        self.assertIn("0 changes made", site.apply("--delete"))
        # And who comes back has the earlier usage.
        self.directory.add_group("hpc-geo", ["tom"])
        site.apply()
        self.assertGreater(site.usage()["geo", "tom"], 0)

    def test_a_level_is_taken_away_only_where_deletions_are_wanted_and_never_one_by_hand(self):
        site = self.setting("levels")
        site.apply()
        site.set_user("amy", AdminLevel="Administrator")
        self.directory.remove_member("operators", "eve")
        self.directory.add_member("operators", "amy")
        self.assertIn("user amy: AdminLevel=Administrator was set by hand", site.apply())
        self.assertEqual(site.user("eve").admin_level, "Operator")
        site.apply("--delete")
        levels = [site.user(login).admin_level for login in ("amy", "eve", "dan")]
        self.assertEqual(levels, ["Administrator", "None", "Operator"])

    def test_groups_in_groups_give_their_people(self):
        site = self.setting("nested")
        self.directory.add_group("inner", ["zoe"])
        self.directory.add_inner_group("hpc-chem", "inner")
        self.directory.add_inner_group("inner", "hpc-geo")
        self.directory.add_inner_group("hpc-geo", "inner")
        site.write(self.directory.source(), "nested = false\n" + RULES)
        site.apply()
        self.assertEqual(site.tree()["chem"], WANTED["chem"])
        site.write(self.directory.source())
        site.apply()
        self.assertEqual(site.tree()["chem"], WANTED["chem"] | {"zoe", "tom"})
        self.assertEqual(site.tree()["geo"], {"zoe", "tom"})

    def test_a_source_that_lacks_much_is_not_followed(self):
        site = self.setting("implausible")
        site.apply()
        for login in ("amy", "bob", "eve"):
            self.directory.remove_member("hpc-chem", login)
        for login in ("bob", "dan", "joe", "kim"):
            self.directory.remove_member("hpc-phys", login)
        for group in ("hpc-bio", "hpc-geo"):
            self.directory.remove_group(group)
        self.directory.add_group("hpc-law", ["zoe"])
        got = site.everything()
        for words in (("--yes",), ("--yes", "--delete"), ()):
            status, out, err = site.run("apply", *words)
            self.assertEqual((status, out), (1, ""))
            self.assertIn("users in accounts: the source lacks 11 of 12, want at most 10, or --allow-deletions 11", err)
            self.assertEqual(site.everything(), got)
        site.apply("--allow-deletions", "11")
        self.assertIn("zoe", site.tree()["law"])
        # What was borne once is not refused each time, but a deletion of all of it is.
        self.assertIn("0 changes made", site.apply())
        self.assertEqual(site.run("apply", "--yes", "--delete")[0], 1)
        site.apply("--allow-deletions", "11", "--delete")
        self.assertEqual({name for name, users in site.tree().items() if users}, {"law", "math", "hand"})

    def test_the_commands_that_are_shown_make_the_same_tree(self):
        site = self.setting("shown")
        status, shown, err = site.run("show")
        self.assertEqual((status, err), (0, ""))
        where = ["--server", site.cluster.site.address, "--cluster", site.cluster.name]
        for line in shown.splitlines():
            words = shlex.split(line, comments=True)
            if words:
                self.assertEqual(words[0], "prioctl")
                subprocess.run([prioctl(), *where, *words[1:]], check=True, capture_output=True)
        self.assertEqual({name: site.tree()[name] for name in WANTED}, WANTED)
        self.assertNotIn("prioctl", site.run("show")[1])
        self.assertEqual(site.user("bob").default_account, "chem")


class LdapTest(Servers, unittest.TestCase):
    kind = "ldap"

    def start(self) -> OpenLdap:
        return OpenLdap(PEOPLE, GROUPS)

    def refused(self, site: Synced, source: str, want: str) -> None:
        got = site.everything()
        site.write(source)
        status, out, err = site.run("apply", "--yes", "--delete")
        self.assertEqual((status, out), (1, ""))
        self.assertIn(want, err)
        self.assertEqual(site.everything(), got)

    def test_a_list_that_is_not_whole_changes_nothing(self):
        site = self.setting("half")
        site.apply()
        ldap = self.directory
        self.refused(site, ldap.limited(), "users: got 'sizeLimitExceeded', want success: the list is incomplete")
        plain = {"url": f"ldap://127.0.0.1:{ldap.port}", "tls": "none"}
        for most in (20, 300, 1500, 3000):
            cutter = Cutter(ldap.port, most)
            self.addCleanup(cutter.close)
            source = ldap.source(**plain, timeout=3).replace(f":{ldap.port}", f":{cutter.port}")
            self.refused(site, source, f"ldap://127.0.0.1:{cutter.port}: got ")
        empty = ldap.source().replace("(objectClass=groupOfNames)", "(objectClass=groupOfUniqueNames)")
        self.refused(site, empty, "groups: got none, want one at least")
        self.refused(site, ldap.source().replace("ou=groups", "ou=nowhere"), "groups: got 'noSuchObject'")

    def test_the_server_must_prove_who_it_is(self):
        site = self.setting("tls")
        ldap = self.directory
        site.write(ldap.source(url=f"ldap://localhost:{ldap.port}", tls="start"))
        site.apply()
        self.refused(site, ldap.source(ca=None), "want a server that answers")
        self.refused(site, ldap.source(url=f"ldaps://127.0.0.1:{ldap.tls_port}"), "want a server that answers")
        self.refused(site, ldap.source(url=f"ldap://localhost:{ldap.port}"), 'or `tls = "none"`')
        (ldap.folder / "secret").write_text("wrong\n")
        self.refused(site, ldap.source(), "bind: got 'invalidCredentials'")


class ScimTest(Servers, unittest.TestCase):
    kind = "scim"

    def start(self) -> Scim:
        return Scim(PEOPLE, GROUPS)

    def refused(self, site: Synced, want: str) -> None:
        got = site.everything()
        status, out, err = site.run("apply", "--yes", "--delete")
        self.assertEqual((status, out), (1, ""))
        self.assertIn(want, err)
        self.assertEqual(site.everything(), got)

    def test_a_list_that_is_not_whole_changes_nothing(self):
        site = self.setting("half")
        site.apply()
        scim = self.directory

        def second(**changes: object):
            return lambda path, start, page: {**page, **changes} if start > 5 else page

        def groups(**changes: object):
            return lambda path, start, page: {**page, **changes} if path.endswith("/Groups") else page

        for lie, want in (
            (second(Resources=[]), "Users from 6: Resources: got '5', want 12, as totalResults says"),
            (second(totalResults=6), "Users from 6: totalResults: got '6', want 12, as on the first page"),
            (groups(Resources=[], totalResults=0), "groups: got none, want one at least"),
            (groups(schemas=[]), "Groups from 1: schemas: got '[]'"),
            (groups(totalResults="7"), "Groups from 1: totalResults: got '7'"),
            (groups(totalResults=10**9), "want 0 to 100000"),
            (lambda path, start, page: {**page, "Resources": [page["Resources"][0]] * len(page["Resources"])},
             "want each id once: the list changed while it was read"),
            (lambda path, start, page: {**page, "Resources": page["Resources"] * 3}, "the list is incomplete"),
        ):  # fmt: skip
            with self.subTest(want=want):
                scim.lie = lie
                self.refused(site, want)
        scim.lie = lambda path, start, page: page
        scim.raw_lie = lambda path, start, body: body[:-9] if start > 5 else body
        self.refused(site, "got IncompleteRead: ")
        scim.raw_lie = lambda path, start, body: (time.sleep(2 if start > 5 else 0), body)[1]
        site.write(scim.source(timeout=1))
        self.refused(site, "TimeoutError")
        scim.raw_lie = lambda path, start, body: body
        site.write(scim.source())
        (scim.folder / "token").write_text("another\n")
        self.refused(site, "got '401', want 200")

    def test_a_user_who_is_not_active_is_none(self):
        site = self.setting("active")
        user = next(one for one in self.directory.users.values() if one["userName"] == "amy")
        user["active"] = None
        self.refused(site, "active: got 'None', want true or false")
        for value in (False, "False"):
            user["active"] = value
            site.apply("--delete")
            self.assertEqual(site.tree()["chem"], {"bob", "eve"})
            user["active"] = "true"
            site.apply()
            self.assertEqual(site.tree()["chem"], {"amy", "bob", "eve"})


def prioctl() -> pathlib.Path:
    return binary("client/prioctl")


if __name__ == "__main__":
    unittest.main()
