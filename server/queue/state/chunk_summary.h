// What is known of a chunk without going over its rows.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_CHUNK_SUMMARY_H_
#define PRIORITYD_SERVER_QUEUE_STATE_CHUNK_SUMMARY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/factor_scale.h"
#include "server/priority/job.h"
#include "server/priority/job_table.h"
#include "server/priority/policy.h"
#include "server/priority/start_order.h"

namespace priorityd::queue {

// The moments for which rows are bounded: that of the snapshot, two more while age grows, and
// one after which none does.
class BoundMoments {
 public:
  static constexpr size_t kCount = 4;
  // By moment.
  using Bounds = std::array<priority::RowBound, kCount>;

  // What bounds rows at one time. From one of the moments to the next a row gains what age
  // adds in that time, at most; and never has more than at the next.
  class At {
   public:
    priority::RowBound Of(const Bounds& bounds) const;

   private:
    friend class BoundMoments;

    size_t before_ = 0;
    size_t after_ = 0;
    uint32_t growth_ = 0;  // In points, from one to the time.
  };

  BoundMoments(absl::Time computed_at, const priority::Policy& policy);

  // Microseconds since 1970, ascending.
  double at_us(size_t i) const { return at_us_[i]; }
  At For(absl::Time as_of) const;

 private:
  double points_per_us_;  // Of an age that grows.
  std::array<double, kCount> at_us_;
};

using RowBounds = BoundMoments::Bounds;

struct ChunkCounts {
  uint32_t ranked_rows = 0;
  uint32_t ranked_jobs = 0;  // That have such a row.
  uint32_t ineligible_jobs = 0;
  uint32_t running_jobs = 0;
};

// Of all rows of a chunk, as they are but for limits on usage and accrual.
struct ChunkSummary {
  RowBounds bounds;
  ChunkCounts counts;           // When all jobs have begun.
  int64_t latest_begin_us = 0;  // JobTable's.
};

// A summary with what it is the sum of. Immutable.
class ChunkDigest {
 public:
  // Jobs that have one bound together: few enough for one good row among them not to let
  // many others be scored.
  static constexpr uint32_t kBlockJobs = 32;

  // `table` was built from `jobs`; counts hold from `since` on.
  ChunkDigest(absl::Span<const priority::Job> jobs, const priority::JobTable& table,
              const priority::FactorScale& scale, const priority::StartOrder::Tiers& tiers,
              const BoundMoments& moments, absl::Time since);

  const ChunkSummary& summary() const { return summary_; }

  // Whether CountsAt knows the counts of that moment.
  bool HoldsAt(int64_t as_of_us) const {
    return as_of_us >= since_us_ || as_of_us >= summary_.latest_begin_us;
  }
  // REQUIRES: HoldsAt(as_of_us).
  ChunkCounts CountsAt(int64_t as_of_us) const;

  // Of each kBlockJobs jobs in turn.
  absl::Span<const RowBounds> blocks() const { return blocks_; }

 private:
  // A job that begins after `since_us_`, and what is ranked once it has begun.
  struct Beginning {
    int64_t begin_us;
    uint32_t rows;  // Also of all that begin later.
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
