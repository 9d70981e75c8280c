"""The API serves clients of the last release, and each kind of breach is found."""

import unittest

from seeded_tree import ROOT, SeededTree

PROTO = """syntax = "proto3";
package a.v1;
enum State { STATE_UNKNOWN = 0; STATE_PENDING = 1; }
message Job {
  string id = 1;
  repeated string users = 2;
  optional int64 nice = 3;
  oneof place { string node = 4; string rack = 5; }
  map<string, double> tres = 6;
  State state = 7;
  message Task { int32 number = 1; }
  Task task = 8;
}
message Answer {}
service Queue {
  rpc Rank(Job) returns (Answer);
  rpc Watch(Job) returns (stream Answer);
}"""

# What becomes of a line, and what is said of it.
SEEDS = [
    ("  string id = 1;", "", "message a.v1.Job: field 1 LABEL_OPTIONAL TYPE_STRING id is gone"),
    ("string id = 1;", "string id = 9;", "message a.v1.Job: field 1"),
    ("string id = 1;", "string name = 1;", "message a.v1.Job: field 1: got"),
    ("string id = 1;", "bytes id = 1;", "message a.v1.Job: field 1: got"),
    ("repeated string users", "string users", "message a.v1.Job: field 2: got"),
    ("optional int64 nice", "int64 nice", "message a.v1.Job: field 3: got"),
    ("oneof place { string node = 4; string rack = 5; }",
     "string node = 4; oneof place { string rack = 5; }", "message a.v1.Job: field 4: got"),
    ("map<string, double>", "map<string, int64>", "TresEntry: field 2: got"),
    ("State state = 7", "Task state = 7", "message a.v1.Job: field 7: got"),
    ("int32 number = 1", "int64 number = 1", "message a.v1.Job.Task: field 1: got"),
    ("STATE_PENDING = 1;", "", "enum a.v1.State: value 1 STATE_PENDING is gone"),
    ("STATE_PENDING = 1;", "STATE_PENDING = 2;", "enum a.v1.State: value 1 STATE_PENDING is gone"),
    ("rpc Rank(Job) returns (Answer);", "", "method Rank .a.v1.Job -> .a.v1.Answer is gone"),
    ("rpc Rank(Job)", "rpc Order(Job)", "method Rank .a.v1.Job -> .a.v1.Answer is gone"),
    ("rpc Rank(Job)", "rpc Rank(Answer)", "method Rank: got"),
    ("returns (stream Answer)", "returns (Answer)", "method Watch: got"),
    ("package a.v1;", "package a.v2;", "service a.v1.Queue is gone"),
]


class ProtoBreakingTest(SeededTree):
    def setUp(self):
        super().setUp()
        self.write("proto/a.proto", PROTO)
        self.assertEqual(self.run_tool("proto_breaking.py", "--keep"), (0, ""))

    def test_the_api_serves_clients_of_the_last_release(self):
        self.assert_finds_nothing("proto_breaking.py", tree=ROOT)

    def test_what_breaks_a_client_is_found(self):
        for before, after, breach in SEEDS:
            with self.subTest(before=before, after=after):
                self.assertIn(before, PROTO)
                self.write("proto/a.proto", PROTO.replace(before, after))
                self.assert_finds(breach, "proto_breaking.py")

    def test_what_is_new_is_in_order(self):
        self.write("proto/a.proto", PROTO.replace("string id = 1;", "string id = 1; string host = 9;"),
                   "message New {}", "enum Kind { KIND_UNKNOWN = 0; }")
        self.assert_finds_nothing("proto_breaking.py")

    def test_a_file_that_is_gone_is_found(self):
        (self.tree / "proto/a.proto").unlink()
        self.write("proto/b.proto", 'syntax = "proto3";')
        self.assert_finds("message a.v1.Job is gone", "proto_breaking.py")


if __name__ == "__main__":
    unittest.main()
