"""No loop goes over what is gone before its first round."""

import unittest

from seeded_tree import ROOT, SeededTree


class LoopsTest(SeededTree):
    def test_no_loop_of_the_tree_goes_over_what_is_gone(self):
        self.assert_finds_nothing("loops.py", tree=ROOT)

    def test_a_loop_over_an_accessor_of_an_answer_is_found(self):
        for loop in ["for (int x : Answer(1).rows()) {}", "for (auto& [a, b] : fake.Answer()->rows().all()) {}",
                     "for (int x :\n     Answer(Wanted(\"a:b\"))\n         .rows()) {}"]:
            with self.subTest(loop=loop):
                self.write("tests/a_test.cc", "int x;", *loop.split("\n"))
                self.assert_finds("tests/a_test.cc:2: ", "loops.py")

    def test_what_lives_on_is_in_order(self):
        self.write("server/a.cc", "for (int x : Answer(1)) {}", "for (int x : Answer(1).rows) {}",
                   "for (int x : tree.nodes().all()) {}", "for (int i = 0; i < Size().get(); ++i) {}",
                   "for (int x : a::List(Answer().rows())) {}")
        self.assert_finds_nothing("loops.py")


if __name__ == "__main__":
    unittest.main()
