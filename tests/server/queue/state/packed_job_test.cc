#include "server/queue/state/packed_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "server/queue/state/job_members.h"
#include "tests/engine/priority/draw.h"
#include "tests/server/queue/state/full_job.h"

namespace priorityd::queue {
namespace {

// Members without a column are of requests only.
void ExpectEqual(const TrackedJob& job, const TrackedJob& want) {
  ForEachJobMember([&](const auto& member, size_t number) {
    const TrackedJob none;
    EXPECT_TRUE(member.Of(job) == member.Of(member.column == nullptr ? none : want))
        << "member " << number << ", column " << (member.column ? member.column : "none");
  });
}

TEST(PackedJob, ComesBackAsItWas) {
  priority::Draw draw(5);
  const FullJob full({"", "render", "afterok:7", "1-7", "maintenance"}, 0);
  ExpectEqual(UnpackJob(PackJob(full.job())), full.job());
  for (int i = 0; i < 2000; ++i) {
    TrackedJob job;
    job.job = draw.NextJob();
    std::sort(job.job.tres.begin(), job.job.tres.end());
    ForEachJobMember([&](const auto& member, size_t) {
      if (draw.OneIn(3)) member.Of(job) = member.Of(full.job());
    });
    const std::string packed = PackJob(job);
    const TrackedJob back = UnpackJob(packed);
    EXPECT_EQ(PackJob(back), packed);
    ExpectEqual(back, job);
  }
}

TEST(PackedJob, TheOrderOfTresDoesNotMatter) {
  TrackedJob job;
  job.job.tres = {{"cpu", 1}, {"mem", 2}};
  TrackedJob other = job;
  std::reverse(other.job.tres.begin(), other.job.tres.end());
  EXPECT_EQ(PackJob(job), PackJob(other));
}

}  // namespace
}  // namespace priorityd::queue
