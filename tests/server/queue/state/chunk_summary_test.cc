#include "server/queue/state/chunk_summary.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/priority/ranking/scoring.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

// Random jobs as a chunk has them.
class RandomChunk {
 public:
  explicit RandomChunk(priority::Draw& draw)
      : snapshot_(draw.Site().Build()),
        scale_(*snapshot_),
        tiers_(snapshot_->partitions()),
        moments_(snapshot_->computed_at(), snapshot_->policy()) {
    for (int n = draw.Below(120); n > 0; --n) {
      jobs_.push_back(draw.NextJob());
      if (!jobs_.back().submit_time.has_value()) jobs_.back().submit_time = priority::kNow;
    }
    table_ = priority::JobTableBuilder(scale_, absl::InfinitePast()).Build(jobs_);
    digest_ = std::make_unique<const ChunkDigest>(jobs_, table_, scale_, tiers_, moments_,
                                                  snapshot_->computed_at());
  }

  const ChunkDigest& digest() const { return *digest_; }

  // Rows that stand before what bounds them at that moment.
  int RowsOutOfBounds(absl::Time as_of) const {
    std::vector<uint32_t> priorities;
    priority::Score(table_, scale_, as_of, priorities);
    const BoundMoments::At bound = moments_.For(as_of);
    int out = 0;
    for (size_t row = 0; row < table_.rows(); ++row) {
      if (!Ranked(row, as_of)) continue;
      const priority::RowBound actual = {
          priority::StartOrder::KeyOf(tiers_, table_, row, priorities[row]), table_.submit_us[row]};
      const priority::RowBound block =
          bound.Of(digest_->blocks()[table_.job[row] / ChunkDigest::kBlockJobs]);
      out += actual < block || block < bound.Of(digest_->summary().bounds);
    }
    return out;
  }

  // Counted one by one.
  ChunkCounts Counts(absl::Time as_of) const {
    ChunkCounts counts;
    for (uint32_t job = 0; job < table_.jobs(); ++job) {
      uint32_t ranked = 0;
      for (uint32_t row = table_.first_row[job]; row < table_.first_row[job + 1]; ++row) {
        ranked += Ranked(row, as_of);
      }
      counts.ranked_rows += ranked;
      counts.ranked_jobs += ranked > 0;
      if (ranked > 0) continue;
      ++(jobs_[job].state == priority::JobState::kPending ? counts.ineligible_jobs
                                                          : counts.running_jobs);
    }
    return counts;
  }

 private:
  bool Ranked(size_t row, absl::Time as_of) const {
    return !table_.Running(row) &&
           table_.ReasonAt(row, absl::ToUnixMicros(as_of)) == priority::Reason::kNone;
  }

  std::shared_ptr<const priority::Snapshot> snapshot_;
  priority::FactorScale scale_;
  priority::StartOrder::Tiers tiers_;
  BoundMoments moments_;
  std::vector<priority::Job> jobs_;
  priority::JobTable table_;
  std::unique_ptr<const ChunkDigest> digest_;
};

// From microseconds to years before and after.
absl::Time SomeTime(priority::Draw& draw) {
  const absl::Duration unit = draw.Of<absl::Duration>(
      {absl::Microseconds(1), absl::Seconds(1), absl::Minutes(1), absl::Hours(1), absl::Hours(24)});
  const absl::Duration distance = draw.Below(100) * unit;
  return draw.OneIn(3) ? priority::kNow - distance : priority::kNow + distance;
}

TEST(ChunkSummary, BoundsHoldAtEveryMomentAndCountsWhereTheySaySo) {
  int held = 0;
  int later = 0;
  for (int seed = 0; seed < 400; ++seed) {
    priority::Draw draw(seed);
    const RandomChunk chunk(draw);
    for (int n = 0; n < 20; ++n) {
      const absl::Time as_of = SomeTime(draw);
      ASSERT_EQ(chunk.RowsOutOfBounds(as_of), 0) << "seed " << seed << " " << as_of;
      if (!chunk.digest().HoldsAt(absl::ToUnixMicros(as_of))) continue;
      const ChunkCounts got = chunk.digest().CountsAt(absl::ToUnixMicros(as_of));
      const ChunkCounts want = chunk.Counts(as_of);
      ASSERT_EQ(got.ranked_rows, want.ranked_rows) << "seed " << seed << " " << as_of;
      ASSERT_EQ(got.ranked_jobs, want.ranked_jobs) << "seed " << seed << " " << as_of;
      ASSERT_EQ(got.ineligible_jobs, want.ineligible_jobs) << "seed " << seed << " " << as_of;
      ASSERT_EQ(got.running_jobs, want.running_jobs) << "seed " << seed << " " << as_of;
      ++held;
      later += want.ranked_rows < chunk.digest().summary().counts.ranked_rows;
    }
  }
  EXPECT_GT(held, 4000);
  EXPECT_GT(later, 100);
}

// Of a row whose age is all of its priority: a point an hour.
TEST(ChunkSummary, ABoundRisesAsAgeDoes) {
  priority::SmallSite site;
  site.source.policy.weight_age = 168;
  site.source.policy.max_age = absl::Hours(168);
  const std::unique_ptr<const priority::Snapshot> snapshot = site.Build();
  const BoundMoments moments(snapshot->computed_at(), snapshot->policy());
  // Has waited for two hours, and will have 10 points of 168 in eight more.
  const auto key = [](uint32_t priority) { return ~uint64_t{priority}; };
  const RowBounds bounds = {{{key(2), 7}, {key(4), 7}, {key(44), 7}, {key(168), 7}}};
  const auto priority_at = [&](absl::Duration after) {
    return static_cast<uint32_t>(~moments.For(priority::kNow + after).Of(bounds).key);
  };
  EXPECT_EQ(priority_at(-absl::Hours(1)), 2);
  EXPECT_EQ(priority_at(absl::ZeroDuration()), 2);
  EXPECT_EQ(priority_at(absl::Hours(1)), 4);  // 2 + 1, and 2 for cuts, but 4 later on.
  EXPECT_EQ(priority_at(absl::Hours(10)), 4 + 8 + 2);
  EXPECT_EQ(priority_at(absl::Hours(42)), 44);
  EXPECT_EQ(priority_at(absl::Hours(1000)), 168);
}

}  // namespace
}  // namespace priorityd::queue
