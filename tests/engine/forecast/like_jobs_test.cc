#include "engine/forecast/like_jobs.h"

#include <ctime>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

std::string NameOf(int i) { return absl::StrCat("u", i); }

TEST(LikeJobsByNameTest, NamesWithoutJobsAreForgottenFromTheOldestAndOthersAreKept) {
  LikeJobsByName names(100);
  for (int i = 0; i < 150; ++i) names.Get(NameOf(i))->Submit(1, i);
  EXPECT_EQ(names.size(), 150u);
  for (int i = 0; i < 140; ++i) names.Get(NameOf(i))->Cancel(1, i);
  for (int i = 150; i < 200; ++i) names.Get(NameOf(i));
  EXPECT_LT(names.size(), 180u);
  EXPECT_EQ(names.Find(NameOf(0)).SinceSubmission(200), LikeJobs().SinceSubmission(200));
  EXPECT_EQ(names.Find(NameOf(145)).waiting(), 1u);
}

// Of names that all have a job that waits.
double SecondsOfNames(size_t most) {
  constexpr int kNames = 30'000;
  LikeJobsByName names(most);
  const std::clock_t begin = std::clock();
  for (int i = 0; i < kNames; ++i) names.Get(NameOf(i))->Submit(1, i);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(LikeJobsByNameTest, ManyNamesWithJobsAreNotLookedThroughForEachNewOne) {
  EXPECT_LT(SecondsOfNames(100), 30 * SecondsOfNames(1'000'000));
}

}  // namespace
}  // namespace priorityd::forecast
