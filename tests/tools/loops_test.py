"""No loop goes over what is gone before its first round."""

import unittest

from seeded_tree import SeededTree
from rules import loops


class LoopsTest(SeededTree):
    def test_a_loop_over_an_accessor_of_an_answer_is_found(self):
        for loop in ["for (int x : Answer(1).rows()) {}", "for (auto& [a, b] : fake.Answer()->rows().all()) {}",
                     "for (int x :\n     Answer(Wanted(\"a:b\"))\n         .rows()) {}"]:
            with self.subTest(loop=loop):
                self.write("tests/a_test.cc", "int x;", *loop.split("\n"))
                self.assert_breach("tests/a_test.cc:2: ", loops)

    def test_what_lives_on_is_in_order(self):
        self.write("server/a.cc", "for (int x : Answer(1)) {}", "for (int x : Answer(1).rows) {}",
                   "for (int x : tree.nodes().all()) {}", "for (int i = 0; i < Size().get(); ++i) {}",
                   "for (int x : a::List(Answer().rows())) {}")
        self.assert_no_breach(loops)


if __name__ == "__main__":
    unittest.main()
