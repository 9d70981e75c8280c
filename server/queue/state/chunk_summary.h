// Summary of a chunk: bounds and counts that avoid a pass over its rows.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_CHUNK_SUMMARY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_CHUNK_SUMMARY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/ranking/start_order.h"
#include "engine/priority/site/policy.h"

namespace priorityd::queue {

// The moments for which rows are bounded: the snapshot's, two more while age grows, and one after
// which no age grows.
class BoundMoments {
 public:
  static constexpr size_t kCount = 4;
  // By moment.
  using Bounds = std::array<priority::RowBound, kCount>;

  // Bounds of rows at one time. Between two moments, a row gains at most the points that age adds
  // in that time, and never exceeds its bound at the later moment.
  class At {
   public:
    priority::RowBound Of(const Bounds& bounds) const;

   private:
    friend class BoundMoments;

    size_t before_ = 0;
    size_t after_ = 0;
    uint32_t growth_ = 0;  // In points, from the earlier moment to the time.
  };

  BoundMoments(absl::Time computed_at, const priority::Policy& policy);

  // Microseconds since 1970, ascending.
  double at_us(size_t i) const { return at_us_[i]; }
  At For(absl::Time as_of) const;

 private:
  double points_per_us_;  // Growth of an unsaturated age.
  std::array<double, kCount> at_us_;
};

using RowBounds = BoundMoments::Bounds;

struct ChunkCounts {
  uint32_t ranked_rows = 0;
  uint32_t ranked_jobs = 0;  // Jobs with such a row.
  uint32_t ineligible_jobs = 0;
  uint32_t running_jobs = 0;
};

// Of all rows of a chunk, without limits on usage and accrual.
struct ChunkSummary {
  RowBounds bounds;
  ChunkCounts counts;           // Once all begin times have passed.
  int64_t latest_begin_us = 0;  // JobTable's; INT64_MAX with jobs of reservations.
};

// A summary with its parts. Immutable.
class ChunkDigest {
 public:
  // Jobs per bound: few enough that one good row causes few other jobs to be scored.
  static constexpr uint32_t kBlockJobs = 32;

  // `table` was built from `jobs`; counts hold from `since` on.
  ChunkDigest(absl::Span<const priority::Job> jobs, const priority::JobTable& table,
              const priority::FactorScale& scale, const priority::StartOrder::Tiers& tiers,
              const BoundMoments& moments, absl::Time since);

  const ChunkSummary& summary() const { return summary_; }

  // Whether CountsAt is defined for that moment: never with jobs of reservations.
  bool HoldsAt(int64_t as_of_us) const {
    return as_of_us >= since_us_ || as_of_us >= summary_.latest_begin_us;
  }
  // REQUIRES: HoldsAt(as_of_us).
  ChunkCounts CountsAt(int64_t as_of_us) const;

  // The bounds of each block of kBlockJobs jobs.
  absl::Span<const RowBounds> blocks() const { return blocks_; }

 private:
  // A job whose begin time is after `since_us_`, and the rows ranked from then on.
  struct Beginning {
    int64_t begin_us;
    uint32_t rows;  // Including those of all later jobs.
  };

  void CountJob(const priority::Job& job, const priority::JobTable& table, uint32_t index);
  void SumBeginnings();

  int64_t since_us_;
  ChunkSummary summary_;
  std::vector<RowBounds> blocks_;
  std::vector<Beginning> beginnings_;  // By begin_us.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_CHUNK_SUMMARY_H_
