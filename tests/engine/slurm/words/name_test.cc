#include "engine/slurm/words/name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace priorityd::slurm {
namespace {

using ::testing::HasSubstr;

std::string Fault(const std::string& name) { return std::string(CheckName(name).message()); }

TEST(NameTest, NamesOfAllScriptsAreTaken) {
  for (const char* name :
       {"", "ann", "a b.c-d_e@f", "J\xc3\xbcrgen", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x98\x80",
        "\xd8\xb9\xd9\x84\xd9\x8a", "\xed\x95\x9c", "\xc3\x85ngstr\xc3\xb6m", "x\xcc\x82",
        "q\xcc\xa3\xcc\x87"}) {  // No single characters exist.
    EXPECT_TRUE(CheckName(name).ok()) << name << ": " << Fault(name);
  }
}

TEST(NameTest, WhatDoesNotLookLikeWhatItIsIsRefusedByItsCharacter) {
  struct Case {
    const char* name;
    const char* character;
    const char* want;
  };
  const Case cases[] = {
      {"a\x07", "U+0007", "control"},
      {"a\nb", "U+000A", "control"},
      {"\x7f", "U+007F", "control"},
      {"a\xc2\x9b"
       "31m",
       "U+009B", "control"},
      {"ann\xe2\x80\xae"
       "toor",
       "U+202E", "in its order"},
      {"\xe2\x81\xa6x", "U+2066", "in its order"},
      {"an\xe2\x80\x8bn", "U+200B", "in its order"},
      {"an\xc2\xadn", "U+00AD", "in its order"},
      {"\xef\xbb\xbf"
       "ann",
       "U+FEFF", "in its order"},
      {"ann\xd8\x9c", "U+061C", "in its order"},
      {"ann\xf3\xa0\x81\xa1", "U+E0061", "in its order"},
      {"ann\xcd\x8f", "U+034F", "in its order"},      // Joins graphemes.
      {"ann\xe3\x85\xa4", "U+3164", "in its order"},  // Fills Hangul.
      {"ann\xef\xb8\x8f", "U+FE0F", "in its order"},  // Selects a variant.
      {"ann\xf3\xa0\x84\x80", "U+E0100", "in its order"},
      {"ann\xc2\xa0", "U+00A0", "in its order"},  // Spaces of several widths.
      {"\xe2\x80\x89", "U+2009", "in its order"},
      {"ann\xe3\x80\x80", "U+3000", "in its order"},
      {"ann\xe2\xa0\x80", "U+2800", "in its order"},
      {"Ju\xcc\x88rgen", "U+0308", "NFC"},
      {"\xe2\x84\xabngstr\xc3\xb6m", "U+212B", "NFC"},            // The sign of the unit.
      {"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "U+1161", "NFC"},  // Hangul by its letters.
      {"q\xcc\x87\xcc\xa3", "U+0323", "NFC"},                     // Marks in another order.
  };
  for (const Case& one : cases) {
    EXPECT_THAT(Fault(one.name), HasSubstr(std::string("got a name with the character ") +
                                           one.character + ", want "));
    EXPECT_THAT(Fault(one.name), HasSubstr(one.want));
  }
}

}  // namespace
}  // namespace priorityd::slurm
