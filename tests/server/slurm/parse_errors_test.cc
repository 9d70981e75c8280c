#include "server/slurm/parse_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace priorityd::slurm {
namespace {

TEST(ParseErrorsTest, NoErrorsAreOk) { EXPECT_TRUE(ParseErrors().ToStatus().ok()); }

TEST(ParseErrorsTest, AStatusCarriesEveryErrorWithItsPlace) {
  ParseErrors errors;
  errors.Add("slurm.conf", 14, "PriorityFlags: got \"FOO\"");
  errors.Add("a\tb\nc.conf", 0, "tab\there, line\nbreak, Universität");
  const absl::Status status = errors.ToStatus();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "slurm.conf line 14: PriorityFlags: got \"FOO\" (and 1 more error)");
  EXPECT_THAT(
      ParseErrorsOf(status),
      testing::ElementsAre(ParseError{"slurm.conf", 14, "PriorityFlags: got \"FOO\""},
                           ParseError{"a\tb\nc.conf", 0, "tab?here, line?break, Universität"}));
}

TEST(ParseErrorsTest, ThePlaceIsFileAndLine) {
  EXPECT_EQ((ParseError{"slurm.conf", 14, ""}).Where(), "slurm.conf line 14");
  EXPECT_EQ((ParseError{"qos.txt", 0, ""}).Where(), "qos.txt");
}

TEST(ParseErrorsTest, OfManyErrors32AreKeptAndAllAreCounted) {
  ParseErrors errors;
  for (int i = 1; i <= 40; ++i) errors.Add("f", i, "bad");
  const absl::Status status = errors.ToStatus();
  EXPECT_EQ(ParseErrorsOf(status).size(), 32u);
  EXPECT_EQ(ParseErrorCountOf(status), 40);
  EXPECT_EQ(status.message(), "f line 1: bad (and 39 more errors)");
}

TEST(ParseErrorsTest, AMessageIsCutBetweenCharacters) {
  ParseErrors errors;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "€";
  errors.Add("f", 1, text);
  EXPECT_EQ(ParseErrorsOf(errors.ToStatus())[0].message, text.substr(0, 498) + "...");
}

TEST(ParseErrorsTest, WarningsAreLimited) {
  std::vector<std::string> few(100, "x");
  LimitWarnings(few);
  EXPECT_EQ(few.back(), "x");
  std::vector<std::string> many(250, "x");
  LimitWarnings(many);
  EXPECT_EQ(many.size(), 100u);
  EXPECT_EQ(many.back(), "151 more warnings");
}

TEST(ParseErrorsTest, TheSameErrorCountsOnce) {
  ParseErrors errors;
  errors.Add("f", 1, "bad");
  errors.Add("f", 1, "bad");
  EXPECT_EQ(errors.total(), 1);
  EXPECT_EQ(errors.ToStatus().message(), "f line 1: bad");
}

TEST(ParseErrorsTest, OtherStatusesCarryNone) {
  EXPECT_TRUE(ParseErrorsOf(absl::InvalidArgumentError("x")).empty());
  EXPECT_EQ(ParseErrorCountOf(absl::OkStatus()), 0);
}

TEST(QuotedTest, ControlCharactersAreEscapedAndLettersKept) {
  EXPECT_EQ(Quoted("a\"b\x01\n ä"), "\"a\\\"b\\001\\n ä\"");
  EXPECT_EQ(Quoted("it's \\'"), "\"it's \\\\'\"");
}

TEST(QuotedTest, LongTextIsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "ä";
  EXPECT_EQ(Quoted("x" + text), "\"x" + text.substr(0, 58) + "...\"");
}

}  // namespace
}  // namespace priorityd::slurm
