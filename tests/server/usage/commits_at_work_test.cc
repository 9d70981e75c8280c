#include "server/usage/commits_at_work.h"

#include <gtest/gtest.h>

namespace priorityd::usage {
namespace {

TEST(CommitsAtWorkTest, TheOldestOfThoseStillInProgressCounts) {
  absl::Time now = absl::UnixEpoch();
  CommitsAtWork commits([&] { return now; });
  EXPECT_EQ(commits.Longest(), absl::ZeroDuration());
  CommitsAtWork::Entry first = commits.Begin();
  now += absl::Seconds(1);
  const CommitsAtWork::Entry second = commits.Begin();
  now += absl::Seconds(2);
  EXPECT_EQ(commits.Longest(), absl::Seconds(3));
  first.reset();
  EXPECT_EQ(commits.Longest(), absl::Seconds(2));
}

}  // namespace
}  // namespace priorityd::usage
