#include "engine/slurm/words/file_violations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace priorityd::slurm {
namespace {

TEST(FileViolationsTest, NoneAreOk) { EXPECT_TRUE(FileViolations().ToStatus().ok()); }

TEST(FileViolationsTest, AStatusCarriesEachWithItsPlace) {
  FileViolations violations;
  violations.Add("slurm.conf", 14, "PriorityFlags: got \"FOO\"");
  violations.Add("a\tb\nc.conf", 0, "tab\there, line\nbreak, Universität");
  const absl::Status status = violations.ToStatus();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "slurm.conf line 14: PriorityFlags: got \"FOO\" (and 1 more)");
  EXPECT_THAT(errors::ViolationsOf(status),
              testing::ElementsAre(
                  errors::FieldViolation{"slurm.conf line 14", "PriorityFlags: got \"FOO\""},
                  errors::FieldViolation{"a\tb\nc.conf", "tab?here, line?break, Universität"}));
}

TEST(FileViolationsTest, ThePlaceIsFileAndLine) {
  EXPECT_EQ(PlaceText("slurm.conf", 14), "slurm.conf line 14");
  EXPECT_EQ(PlaceText("qos.txt", 0), "qos.txt");
}

TEST(FileViolationsTest, OfMany32AreKeptAndAllAreCounted) {
  FileViolations violations;
  for (int i = 1; i <= 40; ++i) violations.Add("f", i, "bad");
  const absl::Status status = violations.ToStatus();
  EXPECT_EQ(errors::ViolationsOf(status).size(), 32u);
  EXPECT_EQ(errors::ViolationCountOf(status), 40u);
  EXPECT_EQ(status.message(), "f line 1: bad (and 39 more)");
}

TEST(FileViolationsTest, AMessageIsCutBetweenCharacters) {
  FileViolations violations;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "€";
  violations.Add("f", 1, text);
  EXPECT_EQ(errors::ViolationsOf(violations.ToStatus())[0].description,
            text.substr(0, 498) + "...");
}

TEST(FileViolationsTest, WarningsAreLimited) {
  std::vector<std::string> few(100, "x");
  LimitWarnings(few);
  EXPECT_EQ(few.back(), "x");
  std::vector<std::string> many(250, "x");
  LimitWarnings(many);
  EXPECT_EQ(many.size(), 100u);
  EXPECT_EQ(many.back(), "151 more warnings");
}

TEST(FileViolationsTest, TheSameCountsOnce) {
  FileViolations violations;
  violations.Add("f", 1, "bad");
  violations.Add("f", 1, "bad");
  EXPECT_EQ(violations.total(), 1);
  EXPECT_EQ(violations.ToStatus().message(), "f line 1: bad");
}

TEST(FileViolationsTest, OtherStatusesCarryNone) {
  EXPECT_TRUE(errors::ViolationsOf(absl::InvalidArgumentError("x")).empty());
  EXPECT_EQ(errors::ViolationCountOf(absl::OkStatus()), 0u);
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
