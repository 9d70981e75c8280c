"""tools/count_tests.py counts each case of each shard once, and names those that failed."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSES = '<testcase classname="A" name="Passes" status="run"/>'
FAILS = '<testcase classname="A" name="Fails" status="run"><failure message="got 1"/></testcase>'
ELSEWHERE = '<testcase classname="A" name="Elsewhere" status="notrun"/>'


class CountTest(unittest.TestCase):
    def counted(self, summary, reports):
        """What is printed of reports: {path under the logs: cases}."""
        with tempfile.TemporaryDirectory() as folder:
            logs = pathlib.Path(folder)
            for path, cases in reports.items():
                (logs / path).parent.mkdir(parents=True)
                (logs / path).write_text(f"<testsuites>{''.join(cases)}</testsuites>")
            (logs / "output").write_text(summary)
            command = [sys.executable, ROOT / "tools/count_tests.py", logs, logs / "output", "0"]
            return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def test_the_cases_of_each_shard_count(self):
        printed = self.counted("//a:whole PASSED in 1s\n//a:shards FAILED in 1 out of 2 in 1s\n", {
            "a/whole/test.xml": [PASSES, PASSES],
            "a/shards/shard_1_of_2/test.xml": [PASSES, ELSEWHERE],
            "a/shards/shard_2_of_2/test.xml": [ELSEWHERE, FAILS],
        })
        self.assertEqual(printed, "FAILED //a:shards A.Fails: got 1\n3 passed, 1 failed\n")

    def test_a_target_that_crashed_is_one_failure(self):
        printed = self.counted("//a:shards FAILED in 1 out of 2 in 1s\n", {
            "a/shards/shard_1_of_2/test.xml": [PASSES],
        })
        self.assertEqual(printed, "FAILED //a:shards: no report of a failed case\n"
                                  "1 passed, 1 failed\n")

    def test_of_a_long_message_both_ends_are_printed(self):
        case = ('<testcase classname="A" name="Long" status="run">'
                f'<failure message="the cause {"x" * 9000} the end"/></testcase>')
        printed = self.counted("//a:long FAILED in 1s\n", {"a/long/test.xml": [case]})
        self.assertIn("A.Long: the cause ", printed)
        self.assertIn(" the end\n", printed)
        self.assertLess(len(printed), 4000)


if __name__ == "__main__":
    unittest.main()
