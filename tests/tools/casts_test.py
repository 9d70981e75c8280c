"""No double is cast to 64 bits by itself."""

import unittest

from seeded_tree import SeededTree
from rules import casts


class CastsTest(SeededTree):
    def test_a_cast_of_a_field_of_a_message_is_found(self):
        self.write("proto/a.proto", "message A {", "  double raw_usage = 1;", "  map<string, double> tres = 2;", "}")
        self.write("client/a.cc", "Print(static_cast<uint64_t>(share.raw_usage()));")
        self.assert_breach("client/a.cc:1: ", casts)

    def test_a_cast_of_a_variable_or_a_member_is_found(self):
        self.write("client/a.h", "struct A { double amount = 0; };")
        self.write("client/a.cc", "int64_t F(double given) {", "  G(static_cast<int64_t>(a.amount));",
                   "  return static_cast<std::int64_t>(60 * given);", "}")
        self.assert_breach("client/a.cc:2: ", casts)
        self.assert_breach("client/a.cc:3: ", casts)

    def test_functions_of_cmath_are_found(self):
        for text in ["static_cast<long long>(std::floor(x))", "std::llround(x)", "lround(x)"]:
            with self.subTest(text=text):
                self.write("server/a.cc", f"Print({text});")
                self.assert_breach("server/a.cc:1: ", casts)

    def test_whole_numbers_are_cast_as_ever(self):
        self.write("server/a.cc", "double amount = 0;", "Print(static_cast<int64_t>(rows.size()));",
                   "Print(static_cast<int64_t>(amounts.size()), static_cast<uint64_t>(amount.bits()));",
                   "double d = static_cast<double>(count);", "numbers::WholePart(amount);")
        self.assert_no_breach(casts)


if __name__ == "__main__":
    unittest.main()
