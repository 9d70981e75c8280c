#include "server/queue/state/ended_jobs.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::queue {
namespace {

using Naive = std::map<std::string, std::string>;

Naive AllOf(const EndedJobs& jobs) {
  Naive all;
  jobs.ForEach([&](absl::string_view packed) {
    const std::string text(packed);
    all[text.substr(0, text.find('='))] = text;
  });
  EXPECT_EQ(all.size(), jobs.size());
  return all;
}

TEST(EndedJobsTest, IsAMapWhoseCopiesStayAsTheyWere) {
  std::minstd_rand random(7);
  EndedJobs jobs;
  Naive naive;
  std::vector<std::pair<EndedJobs, Naive>> copies;
  for (int round = 0; round < 200; ++round) {
    Naive drawn;
    for (int i = 0; i < 20; ++i) {
      const std::string id = absl::StrCat(random() % 500);
      drawn[id] = random() % 3 == 0 ? "" : absl::StrCat(id, "=", round);
    }
    std::vector<EndedJobs::Change> changes(drawn.begin(), drawn.end());
    jobs.Apply(changes);
    for (const auto& [id, packed] : drawn) {
      if (packed.empty()) {
        naive.erase(id);
      } else {
        naive[id] = packed;
      }
      EXPECT_EQ(jobs.Find(id), packed);
    }
    ASSERT_EQ(AllOf(jobs), naive);
    if (round % 50 == 0) copies.emplace_back(jobs, naive);
  }
  for (const auto& [copy, was] : copies) EXPECT_EQ(AllOf(copy), was);
}

}  // namespace
}  // namespace priorityd::queue
