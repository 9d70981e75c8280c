#include "client/prioctl/replay/history_file.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

laboratory::HistoryJob JobOf(const std::string& id, int submit, int start) {
  laboratory::HistoryJob job;
  job.id = id;
  job.submit = job.eligible = absl::FromUnixSeconds(submit);
  job.start = absl::FromUnixSeconds(start);
  return job;
}

TEST(HistoryFileTest, WhatNoMachineWasIsRefused) {
  constexpr int kMostSeconds = 3660 * 86400;
  History history{.name = "a.txt"};
  history.nodes = 1'000'000;
  history.jobs = {JobOf("7", 100, 200), JobOf("8", 0, kMostSeconds)};
  EXPECT_TRUE(CheckBounds(history).ok());
  history.jobs[1].run_time = absl::Hours(24);
  EXPECT_EQ(CheckBounds(history).message(),
            "a.txt: job 8: got 3661 days from its submission to its end, want at most 3660");
  history.jobs[1].submit = absl::InfinitePast();
  EXPECT_FALSE(CheckBounds(history).ok());
  history.jobs.pop_back();
  ++history.nodes;
  EXPECT_THAT(std::string(CheckBounds(history).message()),
              HasSubstr("got a machine of 1000001 nodes, want at most 1000000"));
}

TEST(HistoryFileTest, OfRunsOfOneJobTheLastStays) {
  History history;
  history.jobs = {JobOf("7", 100, 300), JobOf("8", 50, 60), JobOf("7", 100, 200)};
  Settle(&history);
  ASSERT_EQ(history.jobs.size(), 2);
  EXPECT_EQ(history.jobs[0].id, "8");
  EXPECT_EQ(history.jobs[1].start, absl::FromUnixSeconds(300));
  EXPECT_THAT(history.left_out, ElementsAre(Pair("ran again later", 1)));
}

TEST(HistoryFileTest, ALoadFactorDividesTimesSinceTheFirstJob) {
  History history;
  history.jobs = {JobOf("1", 1000, 1500), JobOf("2", 1011, 1500)};
  Compress(4, &history);
  EXPECT_EQ(history.jobs[0].eligible, absl::FromUnixSeconds(1000));
  EXPECT_EQ(history.jobs[1].eligible, absl::FromUnixSeconds(1002));
  EXPECT_EQ(history.jobs[1].start, history.jobs[1].eligible);
}

TEST(HistoryFileTest, WhatComesAtTheEndOrLaterIsCut) {
  History history;
  history.jobs = {JobOf("1", 1000, 1500), JobOf("2", 1011, 1500), JobOf("3", 1012, 1500)};
  CutAt(absl::FromUnixSeconds(1011), &history);
  EXPECT_EQ(history.jobs.size(), 1);
}

TEST(HistoryFileTest, JobsOfAnAccountAloneAreLeftOutWithACount) {
  History history;
  for (const int number : {1, 2, 3, 4, 5}) {
    history.jobs.push_back(JobOf(absl::StrCat(number), 1000 + number, 1500));
  }
  history.jobs[0].user = "ann";
  history.jobs[0].account = "phys";
  history.jobs[1].account = history.jobs[4].account = "phys";
  history.jobs[2].user = "ann";
  LeaveOutWithoutUser(&history);
  ASSERT_EQ(history.jobs.size(), 3);
  EXPECT_EQ(history.jobs[0].id, "1");
  EXPECT_EQ(history.jobs[1].id, "3") << "of ann's default account";
  EXPECT_EQ(history.jobs[2].id, "4") << "of no association";
  EXPECT_THAT(history.left_out, ElementsAre(Pair("of an account without a user", 2)));
}

}  // namespace
}  // namespace priorityd::replay
