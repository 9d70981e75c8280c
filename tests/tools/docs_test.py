"""What tools/docs makes of links and of --help."""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))

import command_pages  # noqa: E402
import links  # noqa: E402
import pictures  # noqa: E402

SITE = {"index.md", "operations.md", "adr/0001-one.md", "page/queue.webp", "flags.md"}

HELP = """priorityd does this.

Options:
  --help                      Print this and exit
  --listen HOST:PORT [127.0.0.1:7411]
                              Where to serve, more than once
                              for more (docs/operations.md)
  --contract Needs: --migrate_only
                              Take away | what is old
  --quota NAME=N[%]           The most that one caller holds

First steps:
  priorityd --data_dir=D
"""


class LinksTest(unittest.TestCase):
    def rewritten(self, text, source, page):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "server").mkdir()
            (root / "server" / "flags.cc").touch()
            return links.rewritten(text, source, page, SITE, root)

    def test_a_link_of_the_front_page_is_one_within_the_site(self):
        self.assertEqual(self.rewritten("[a](docs/operations.md#x) ![b](docs/page/queue.webp)", "README.md", "index.md"),
                         ("[a](operations.md#x) ![b](page/queue.webp)", []))

    def test_a_link_between_pages_stays(self):
        self.assertEqual(self.rewritten("[a](../operations.md) [b](#here)", "docs/adr/0001-one.md", "adr/0001-one.md"),
                         ("[a](../operations.md) [b](#here)", []))

    def test_a_link_to_a_source_becomes_its_text_and_one_to_nothing_a_fault(self):
        text, faults = self.rewritten("[a](../server/flags.cc) [b](../server/gone.cc)", "docs/operations.md", "operations.md")
        self.assertEqual(text, "a b")
        self.assertEqual(len(faults), 1)
        self.assertIn("../server/gone.cc", faults[0])

    def test_a_link_over_two_lines_is_one(self):
        self.assertEqual(self.rewritten("so [a\nb](docs/operations.md) is", "README.md", "index.md"),
                         ("so [a\nb](operations.md) is", []))

    def test_code_and_other_hosts_are_left_alone(self):
        text = "```\n[a](gone.md)\n```\n\n```\nx\n```\n[b](https://host.example/x)\n"
        self.assertEqual(self.rewritten(text, "docs/operations.md", "operations.md"), (text, []))


class CommandPagesTest(unittest.TestCase):
    def test_options_are_read_over_several_lines(self):
        self.assertEqual(command_pages.options(HELP), [
            ["--help", "", "Print this and exit"],
            ["--listen", "HOST:PORT [127.0.0.1:7411]", "Where to serve, more than once for more (docs/operations.md)"],
            ["--contract", "Needs: --migrate_only", "Take away | what is old"],
            ["--quota", "NAME=N[%]", "The most that one caller holds"],
        ])

    def test_a_command_is_described_by_its_usage_its_tables_and_the_rest(self):
        self.assertEqual(command_pages.described("Does a_b\nUsage: x [OPTIONS]\n\n" + HELP.split("\n\n", 1)[1], ["x"])[:6],
                         ["Does a\\_b", "", "```text", "x [OPTIONS]", "```", ""])

    def test_defaults_and_needs_are_distinguished(self):
        self.assertEqual(command_pages.value_and_default("HOST:PORT [127.0.0.1:7411]"), ("HOST:PORT", "127.0.0.1:7411", ""))
        self.assertEqual(command_pages.value_and_default("NAME=N[%]"), ("NAME=N[%]", "", ""))
        self.assertEqual(command_pages.value_and_default("Needs: --migrate_only"), ("", "", "--migrate_only"))

    def test_a_cell_has_no_bar_and_links_to_pages(self):
        self.assertEqual(command_pages.cell("a | b (docs/operations.md)"), "a \\| b ([operations](operations.md))")

    def test_a_flag_without_a_group_is_an_error(self):
        self.assertEqual(command_pages.group_of("--http_listen"), "HTTP, the page and metrics")
        with self.assertRaises(ValueError):
            command_pages.group_of("--new_flag")


class PicturesTest(unittest.TestCase):
    def test_after_one_half_life_half_is_left(self):
        x, y = pictures.at(7, 2 ** -1)
        self.assertIn(f"{x:.1f},{y:.1f}", pictures.decay())

    def test_the_pictures_of_the_docs_are_what_is_drawn(self):
        for name, picture in pictures.all_pictures().items():
            self.assertEqual((pictures.FOLDER / name).read_text(encoding="utf-8"), picture,
                             "to draw them again: python3 tools/docs/pictures.py")

    def test_the_tree_has_every_user_of_the_example(self):
        dump = (ROOT / "deploy" / "example" / "sacctmgr.dump").read_text(encoding="utf-8")
        users = [line.split("'")[1] for line in dump.splitlines() if line.startswith("User - ")]
        drawn = pictures.tree()
        for user in users:
            if user != "root":
                self.assertIn(f">{user}</text>", drawn)


class RunbookTest(unittest.TestCase):
    def test_every_alert_has_a_section(self):
        # The chart's copy of the server's rules is a link.
        files = [path for folder in ("deploy", "client/kubernetes/charts") for path in (ROOT / folder).rglob("*.y*ml") if not path.is_symlink()]
        texts = [path.read_text(encoding="utf-8") for path in files]
        alerts = [alert for text in texts for alert in re.findall(r"- alert: (\w+)", text)]
        sections = re.findall(r"^## (Priorityd\w+)$", (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8"), re.MULTILINE)
        for wanted in ("PrioritydDown", "PrioritydAbsent", "PrioritydKubernetesUsageLost"):
            self.assertIn(wanted, alerts)
        self.assertEqual(sorted(sections), sorted(alerts))


if __name__ == "__main__":
    unittest.main()
