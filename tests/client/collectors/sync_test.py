"""Rules, a CSV and the state of priorityd-sync, with a real priorityd."""

from __future__ import annotations

import fcntl
import json
import pathlib
import shlex
import unittest

from priorityd import v1
from site_of_tests import shared_site
from synced import RULES, Synced, changes_of


class CsvTest(unittest.TestCase):
    def setting(self, name: str, text: str, rules: str = RULES) -> Synced:
        self.file = pathlib.Path(shared_site().folder) / f"{name}.csv"
        self.file.write_text(text)
        return Synced(name, f'[source]\nkind = "csv"\nfile = "{self.file}"\n', rules)

    def test_ids_of_a_csv_recognise_a_renamed_group(self):
        head = "Group,Login,GroupId,UserId,Default\n"
        site = self.setting("synccsv", head + "hpc-a,amy,1,7,\nhpc-b,amy,2,7,b\n# no entry\nhpc-empty,,3,,\n")
        site.apply()
        self.assertEqual((site.tree()["a"], site.tree()["b"], site.tree()["empty"]), ({"amy"}, {"amy"}, set()))
        self.assertEqual(site.user("amy").default_account, "b")
        self.file.write_text(head + "hpc-other,amy,1,7,b\nhpc-b,amy,2,7,b\nhpc-empty,,3,,\n")
        self.assertIn("account a keeps its name", site.apply("--delete"))
        self.assertIn("a", site.tree())
        self.assertNotIn("other", site.tree())

    def test_a_fault_of_a_csv_names_its_line(self):
        site = self.setting("synccsvfaults", "")
        for text, want in (
            ("", "users: got none"),
            ("Group\n", ":1: header: got 'Group', want Group and Login"),
            ("Group,Login,Colour\n", ":1: header: got 'colour'"),
            ("Group,Login\nhpc-a,amy\nhpc-a\n", ":3: got 1 cells, want 2"),
            ("Group,Login,GroupId\nhpc-a,amy,1\nhpc-b,bob,1\n", ":3: Group: got 'hpc-b'"),
            ("Group,Login,UserId\nhpc-a,amy,1\nhpc-b,bob,1\n", ":3: Login: got 'bob'"),
            ("Group,Login,UserId\nhpc-a,amy,1\nhpc-b,amy,2\n", "login: got 'amy', want it of one user"),
            ("Group,Login,Default\nhpc-a,amy,a\nhpc-b,amy,b\n", ":3: Default: got 'b', want 'a', as above"),
            ("Group,Login\nhpc-Root,amy\n", "group 'hpc-Root': account: got 'root', want another account"),
            ("Group,Login\nhpc-a b,amy\n", "group 'hpc-a b': account: got 'a b', want letters"),
            (
                "Group,Login\nhpc-a,amy\nHPC-a,amy\nhpc-A,amy\n",
                "account a: got it of group 'hpc-a' and of group 'hpc-A', want it of one",
            ),
        ):
            with self.subTest(text=text):
                self.file.write_text(text)
                status, out, err = site.run("apply", "--yes")
                self.assertEqual((status, out), (1, ""))
                self.assertIn(want, err)

    def test_names_of_the_source_cannot_add_a_command(self):
        rules = RULES.replace('group = "hpc-(?P<name>.+)"', 'group = "(?s)hpc-(?P<name>[a-z]+).*"')
        name = "hpc-a\nprioctl x\x1b[2J'; rm -rf $HOME #"
        site = self.setting("synccsvnames", "", rules)
        self.file.write_text(f'Group,Login\n"{name}",amy\nhpc-b,"bob\nprioctl x"\nhpc-b,bob\n')
        status, out, err = site.run("show")
        self.assertEqual((status, err), (0, ""))
        for line in out.splitlines():
            self.assertRegex(line, "^(prioctl sacctmgr -i add |# )")
            self.assertNotIn("\x1b", line)
        words = [shlex.split(line) for line in out.splitlines() if "account a " in line]
        self.assertEqual(len(words[0]), 9, words)
        self.assertIn("description=hpc-a\\nprioctl x\\x1b[2J'; rm -rf $HOME #", words[0])
        self.assertIn("# skipped: user 'bob\\\\nprioctl x'", out)

    def test_a_run_that_dies_continues_where_it_stopped(self):
        site = self.setting("synccsvdies", "Group,Login\nhpc-a,amy\nhpc-b,bob\n")
        bad = (
            RULES
            + '[[account]]\ngroup = "x(?P<name>.+)"\naccount = "{name}"\nparent = "science"\n'
            + 'settings = { Fairshare = "many" }\n'
        )
        self.file.write_text("Group,Login\nhpc-a,amy\nhpc-b,bob\nxz,amy\n")
        site.write(f'[source]\nkind = "csv"\nfile = "{self.file}"\n', bad)
        status, _, err = site.run("apply", "--yes")
        self.assertEqual(status, 1)
        self.assertIn('settings[0].value: got "many"', err)
        self.assertRegex(err, r"3 of 7 changes were made, want the command again")
        site.write(f'[source]\nkind = "csv"\nfile = "{self.file}"\n', bad.replace("many", "3"))
        site.apply()
        self.assertEqual((site.tree()["a"], site.tree()["z"]), ({"amy"}, {"amy"}))
        # The account of the first run is known to be made here.
        self.file.write_text("Group,Login\nhpc-b,bob\n")
        site.apply("--delete")
        self.assertNotIn("a", site.tree())
        self.assertNotIn("z", site.tree())

    def test_accounts_whose_parents_change_places_are_moved_in_an_order_that_the_service_takes(self):
        def rules(**parents: str) -> str:
            return RULES + "".join(f'[[fixed]]\naccount = "{a}"\nparent = "{b}"\n' for a, b in parents.items())

        site = self.setting("synccsvmoves", "Group,Login\nhpc-a,amy\n", rules(p="root", q="p", s="q"))
        site.apply()
        source = f'[source]\nkind = "csv"\nfile = "{self.file}"\n'
        site.write(source, rules(p="q", q="s", s="root"))
        site.apply()
        self.assertEqual([site.account(one).parent_account for one in "pqs"], ["q", "s", "root"])
        before = site.everything()
        site.write(source, rules(p="q", q="s", s="p"))
        status, out, err = site.run("apply", "--yes")
        self.assertEqual((status, out, site.everything()), (1, "", before))
        self.assertIn("parent: got an account that is below it, want another one", err)

    def test_an_operator_whose_associations_all_have_partitions_gets_the_level(self):
        operator = '[[admin]]\ngroup = "ops"\nlevel = "Operator"\n'
        site = self.setting("synccsvpartition", "Group,Login\nhpc-a,amy\nops,pat\n", RULES + operator)
        one = v1.NewAssociation(account="hand", user="pat", partition="p")
        request = v1.CreateAssociationsRequest(cluster=site.cluster.name, associations=[one])
        site.client.admin.CreateAssociations(request)
        site.apply()
        self.assertEqual(site.user("pat").admin_level, "Operator")

    def test_what_is_there_is_the_sites_unless_it_is_adopted(self):
        site = self.setting("synccsvadopt", "Group,Login\nhpc-hand,ann\nhpc-b,bob\n")
        site.apply()
        self.file.write_text("Group,Login\nhpc-b,bob\n")
        self.assertEqual(changes_of(site.apply("--delete")), [])
        self.file.write_text("Group,Login\nhpc-hand,ann\nhpc-b,bob\n")
        site.apply("--adopt")
        self.file.write_text("Group,Login\nhpc-b,bob\n")
        self.assertEqual(changes_of(site.apply("--delete")), ["- user ann account hand"])
        self.assertEqual(site.tree()["hand"], {"root"})

    def test_the_state_is_of_one_cluster_and_of_one_run(self):
        site = self.setting("synccsvstate", "Group,Login\nhpc-a,amy\n")
        site.apply()
        stored = json.loads(site.state.read_text())
        for text, want in (
            (json.dumps({**stored, "cluster": "other"}), "got 'that of cluster other', want that of synccsvstate"),
            (json.dumps({**stored, "version": 2}), "version: got '2', want 1"),
            (json.dumps({**stored, "accounts": []}), "got no state"),
            ("{", "got no state"),
        ):
            with self.subTest(text=text[:30]):
                site.state.write_text(text)
                status, _, err = site.run("apply", "--yes")
                self.assertEqual(status, 1)
                self.assertIn(want, err)
        with open(f"{site.state}.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("got another run that uses it", site.run("apply")[2])

    def test_a_fault_of_the_rules_names_its_key(self):
        site = self.setting("syncrules", "Group,Login\nhpc-a,amy\n")
        good = 'state = "s"\n[source]\nkind = "csv"\nfile = "f"\n[[account]]\ngroup = "g"\n'
        for text, want in (
            ("x = ", "want TOML"),
            ("x = " + "9" * 5000, "want TOML"),
            ("x = " + "[" * 10**5, "want TOML"),
            (good + "colour = 1\n", "account[1].colour: got 'an unknown key'"),
            (good + 'account = "{name}"\n', "account[1].account: got '{name}'"),
            (good.replace('"g"', '"("'), "account[1].group: got '(', want a regular expression"),
            (good + '[[fixed]]\naccount = "root"\n', "fixed[1].account: got 'root', want another"),
            (good + '[names]\ng = "root"\n', "names.g: got 'root', want another"),
            (good + "settings = { Fairshare = 1.5 }\n", "account[1].settings.Fairshare: got '1.5'"),
            (good + '[[admin]]\ngroup = "g"\nlevel = "God"\n', "admin[1].level: got 'God'"),
            (good.split("[[account]]")[0], "account: got 'none', want one [[account]] at least"),
            (good.replace('state = "s"\n', ""), "state: got 'nothing'"),
        ):
            with self.subTest(text=text):
                site.rules.write_text(text)
                status, _, err = site.run("apply")
                self.assertEqual(status, 1)
                self.assertIn(want, err)


if __name__ == "__main__":
    unittest.main()
