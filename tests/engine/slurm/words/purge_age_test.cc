#include "engine/slurm/words/purge_age.h"

#include <gtest/gtest.h>

#include <tuple>

namespace priorityd::slurm {
namespace {

using Unit = priority::PurgeAge::Unit;

TEST(PurgeAgeTest, EveryUnitIsReadANumberAloneIsMonths) {
  const std::tuple<const char*, Unit, int64_t> cases[] = {
      {"48hours", Unit::kHours, 48}, {"1hour", Unit::kHours, 1},       {"30days", Unit::kDays, 30},
      {"1DAY", Unit::kDays, 1},      {"12months", Unit::kMonths, 12},  {"1Month", Unit::kMonths, 1},
      {"12", Unit::kMonths, 12},     {"120000", Unit::kMonths, 120000}};
  for (const auto& [text, unit, count] : cases) {
    const absl::StatusOr<priority::PurgeAge> age = ParsePurgeAge(text);
    ASSERT_TRUE(age.ok()) << text << ": " << age.status();
    EXPECT_EQ(age->unit, unit) << text;
    EXPECT_EQ(age->count, count) << text;
  }
}

TEST(PurgeAgeTest, WithoutEndIsForEver) {
  for (const char* text : {"INFINITE", "unlimited", "-1"}) {
    const absl::StatusOr<priority::PurgeAge> age = ParsePurgeAge(text);
    ASSERT_TRUE(age.ok()) << text;
    EXPECT_EQ(age->count, 0) << text;
  }
}

TEST(PurgeAgeTest, AnythingElseIsRefused) {
  for (const char* text : {"", "0", "0days", "days", "1.5days", "-1days", "12 months", "1year",
                           "120001", "1daysdays", "7-0"}) {
    EXPECT_EQ(ParsePurgeAge(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(ParsePurgeAge("soon").status().message(),
            "got \"soon\", want a number of months or an age such as 48hours, 30days or 12months, "
            "or INFINITE");
}

}  // namespace
}  // namespace priorityd::slurm
