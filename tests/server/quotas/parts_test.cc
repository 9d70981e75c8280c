#include "server/quotas/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace priorityd::quotas {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(PartsTest, APartIsANumberOrAPercentage) {
  Parts parts;
  EXPECT_EQ(parts.Of(kWatchedRows, 1'000'000), 100'000u);
  ASSERT_TRUE(parts.Set("watched_rows=7").ok());
  EXPECT_EQ(parts.Of(kWatchedRows, 1'000'000), 7u);
  EXPECT_EQ(parts.Of(kWatchedRows, 5), 5u);
  ASSERT_TRUE(parts.Set("watched_rows=7%").ok());
  EXPECT_EQ(parts.Of(kWatchedRows, 250), 17u);
}

TEST(PartsTest, OfASmallPoolACallerMayHoldOneAndNothingIsKept) {
  const Parts parts;
  EXPECT_EQ(parts.Of(kWatchedRows, 3), 1u);
  EXPECT_EQ(parts.Of(kWatchedRows, 0), 0u);
  EXPECT_EQ(parts.Reserve(3), 0u);
  EXPECT_EQ(parts.Reserve(50), 5u);
}

TEST(PartsTest, APercentageOfTheLargestPoolDoesNotOverflow) {
  EXPECT_EQ(Parts().Of(kHttpRequests, kUnbounded), kUnbounded / 2);
}

TEST(PartsTest, WhatIsNoPartIsRefusedWithWhatIsWanted) {
  Parts parts;
  for (const char* text : {"watched_rows", "watched_rows=", "watched_rows=0", "watched_rows=101%",
                           "watched_rows=-1", "watched_rows=5%%", "watched_rows=1.5"}) {
    const absl::Status refused = parts.Set(text);
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(refused.message()), StartsWith(std::string("got ") + text));
    EXPECT_THAT(std::string(refused.message()), HasSubstr("want watched_rows=N from 1"));
  }
  EXPECT_THAT(std::string(parts.Set("rows=5").message()),
              HasSubstr("want NAME=N or NAME=N%, NAME one of all_tracked_jobs, calls,"));
  EXPECT_TRUE(parts == Parts());
  EXPECT_TRUE(parts.Set("services=0").ok());
  EXPECT_EQ(parts.Reserve(1000), 0u);
}

}  // namespace
}  // namespace priorityd::quotas
