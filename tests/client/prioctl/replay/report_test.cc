#include "client/prioctl/replay/report.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/prioctl/replay/policy_text.h"
#include "client/prioctl/replay/site_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Jobs of a minute on one node each, eligible one second after the other.
History MinuteJobs(int jobs) {
  History history{.name = "minutes"};
  for (int i = 0; i < jobs; ++i) {
    laboratory::HistoryJob job;
    job.id = absl::StrCat(i);
    job.user = "ann";
    job.account = "lab";
    job.eligible = absl::FromUnixSeconds(1'800'000'000 + i);
    job.submit = job.eligible;
    job.start = job.eligible;
    job.run_time = absl::Minutes(1);
    job.nodes = 1;
    history.jobs.push_back(std::move(job));
  }
  return history;
}

TEST(ReportTest, ProgressCountsTheJobsOfAllPlays) {
  History history = MinuteJobs(2);
  std::vector<std::string> notes;
  const auto site = MakeSite({.nodes = 1}, &history, &notes);
  ASSERT_TRUE(site.ok()) << site.status();
  const Trial fifo = FifoTrial({}, absl::InfinitePast());
  std::vector<std::pair<int64_t, int64_t>> progress;
  MakeReport(*site, history, {fifo, fifo}, {}, nullptr,
             [&](int64_t started, int64_t all) { progress.emplace_back(started, all); });
  EXPECT_THAT(progress,
              ElementsAre(Pair(1, 4), Pair(2, 4), Pair(2, 4), Pair(3, 4), Pair(4, 4), Pair(4, 4)));
}

}  // namespace
}  // namespace priorityd::replay
