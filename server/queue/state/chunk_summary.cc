#include "server/queue/state/chunk_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/priority/ranking/scoring.h"

namespace priorityd::queue {
namespace {

// As parts of PriorityMaxAge.
constexpr double kMoments[] = {0, 1.0 / 64, 1.0 / 4};
// Finite, so that a job that never accrues has no age then either.
constexpr double kForever = std::numeric_limits<double>::max();

// If the terms of a sum are below this, their rounding error is less than a point.
constexpr double kSmall = double{uint64_t{1} << 40};
// Maximum error of truncating two sums to points, including rounding.
constexpr double kCut = 2;

bool Small(const priority::JobTable& table, const priority::FactorScale& scale, size_t row) {
  double size = scale.policy().weight_age;
  for (const double term : {table.assoc[row], table.fair_share[row], table.job_size[row],
                            scale.PartitionContribution(table.partition[row]),
                            scale.QosContribution(table.FactorQos()[row]), table.tres[row],
                            table.site[row], double{1} * table.nice[row]}) {
    size += std::abs(term);
  }
  return size < kSmall;
}

// The bound with its priority raised by `points`.
priority::RowBound Raised(const priority::RowBound& bound, uint32_t points) {
  constexpr uint64_t kMost = UINT32_MAX;
  if (points == 0) return bound;
  const uint64_t priority = (~bound.key & kMost) + points;
  // If all saturate at the maximum priority, any of them may have been submitted first.
  if (priority >= kMost) return {bound.key & ~kMost, INT64_MIN};
  return {bound.key - points, bound.submit_us};
}

bool CanStart(const priority::JobTable& table, size_t row) {
  return table.reason[row] == priority::Reason::kNone && !table.Running(row);
}

// A bound of both.
void Widen(RowBounds& bounds, const RowBounds& by) {
  for (size_t i = 0; i < bounds.size(); ++i) bounds[i] = std::min(bounds[i], by[i]);
}

RowBounds BoundsOf(const priority::JobTable& table, const priority::FactorScale& scale,
                   const priority::StartOrder::Tiers& tiers, const BoundMoments& moments,
                   size_t row) {
  RowBounds bounds;
  const bool small = Small(table, scale, row);
  for (size_t i = 0; i < bounds.size(); ++i) {
    const double until_us = moments.at_us(small ? i : BoundMoments::kCount - 1);
    const uint32_t priority = priority::LargestPriority(table, scale, row, until_us);
    bounds[i] = {priority::StartOrder::KeyOf(tiers, table, row, priority), table.submit_us[row]};
  }
  return bounds;
}

}  // namespace

priority::RowBound BoundMoments::At::Of(const Bounds& bounds) const {
  if (before_ == after_) return bounds[after_];
  return std::max(Raised(bounds[before_], growth_), bounds[after_]);
}

BoundMoments::BoundMoments(absl::Time computed_at, const priority::Policy& policy) {
  const double now_us = static_cast<double>(absl::ToUnixMicros(computed_at));
  const double max_age_us = absl::ToDoubleMicroseconds(policy.max_age);
  const bool basic = policy.priority_type == priority::PriorityType::kBasic;
  const double weight = basic ? 0 : policy.weight_age;
  points_per_us_ = weight > 0 ? weight / max_age_us : 0;
  at_us_[0] = now_us;
  for (size_t i = 1; i + 1 < kCount; ++i) {
    at_us_[i] = std::min(now_us + max_age_us * kMoments[i], kForever);
  }
  at_us_.back() = kForever;
}

BoundMoments::At BoundMoments::For(absl::Time as_of) const {
  At at;
  const double as_of_us = static_cast<double>(absl::ToUnixMicros(as_of));
  at.after_ = std::lower_bound(at_us_.begin(), at_us_.end() - 1, as_of_us) - at_us_.begin();
  if (at.after_ == 0) return at;
  at.before_ = at.after_ - 1;
  if (points_per_us_ == 0) return at;
  const double growth = std::ceil((as_of_us - at_us_[at.before_]) * points_per_us_) + kCut;
  at.growth_ = growth < UINT32_MAX ? static_cast<uint32_t>(growth) : UINT32_MAX;
  return at;
}

ChunkDigest::ChunkDigest(absl::Span<const priority::Job> jobs, const priority::JobTable& table,
                         const priority::FactorScale& scale,
                         const priority::StartOrder::Tiers& tiers, const BoundMoments& moments,
                         absl::Time since)
    : since_us_(absl::ToUnixMicros(since)), blocks_((table.jobs() + kBlockJobs - 1) / kBlockJobs) {
  summary_.latest_begin_us = table.latest_begin_us;
  // Reservations open and close: the counts hold at no time.
  if (!table.open_times.empty()) since_us_ = summary_.latest_begin_us = INT64_MAX;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (!CanStart(table, row)) continue;
    Widen(blocks_[table.job[row] / kBlockJobs], BoundsOf(table, scale, tiers, moments, row));
  }
  for (const RowBounds& block : blocks_) Widen(summary_.bounds, block);
  for (uint32_t job = 0; job < table.jobs(); ++job) CountJob(jobs[job], table, job);
  SumBeginnings();
}

void ChunkDigest::CountJob(const priority::Job& job, const priority::JobTable& table,
                           uint32_t index) {
  ChunkCounts& counts = summary_.counts;
  if (job.state != priority::JobState::kPending) {
    ++counts.running_jobs;
    return;
  }
  const uint32_t first = table.first_row[index];
  uint32_t rows = 0;
  for (uint32_t row = first; row < table.first_row[index + 1]; ++row) rows += CanStart(table, row);
  if (rows == 0) {
    ++counts.ineligible_jobs;
    return;
  }
  counts.ranked_rows += rows;
  ++counts.ranked_jobs;
  if (!table.BegunAt(first, since_us_)) beginnings_.push_back({table.begin_us[first], rows});
}

void ChunkDigest::SumBeginnings() {
  std::sort(beginnings_.begin(), beginnings_.end(),
            [](const Beginning& a, const Beginning& b) { return a.begin_us < b.begin_us; });
  uint32_t rows = 0;
  for (auto job = beginnings_.rbegin(); job != beginnings_.rend(); ++job) {
    rows += job->rows;
    job->rows = rows;
  }
}

ChunkCounts ChunkDigest::CountsAt(int64_t as_of_us) const {
  ChunkCounts counts = summary_.counts;
  const auto later = std::upper_bound(
      beginnings_.begin(), beginnings_.end(), as_of_us,
      [](int64_t moment, const Beginning& beginning) { return moment < beginning.begin_us; });
  if (later == beginnings_.end()) return counts;
  const uint32_t jobs = static_cast<uint32_t>(beginnings_.end() - later);
  counts.ranked_rows -= later->rows;
  counts.ranked_jobs -= jobs;
  counts.ineligible_jobs += jobs;
  return counts;
}

}  // namespace priorityd::queue
