// Computes priorities from the columns of a queue.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_SCORING_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_SCORING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/factors.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_table.h"

namespace priorityd::priority {

// Computes the priority of every row at `as_of`: 0 = held, else 1 to 4294967295. Under
// priority/basic all are 0. `flags`, by row, replace those of the table; empty = the table's.
void Score(const JobTable& table, const FactorScale& scale, absl::Time as_of,
           std::vector<uint32_t>& priorities, absl::Span<const uint8_t> flags = {});
// The same for the rows [begin, end) only; `priorities` has one entry for each row of the table.
void ScoreRows(const JobTable& table, const FactorScale& scale, absl::Time as_of, size_t begin,
               size_t end, absl::Span<uint32_t> priorities, absl::Span<const uint8_t> flags);

// An upper bound on the priority of a row at any time up to `as_of_us` (microseconds since 1970):
// its priority if its begin time had passed and no accrue limit applied.
uint32_t LargestPriority(const JobTable& table, const FactorScale& scale, size_t row,
                         double as_of_us);

// The factors and contributions of one row: the terms of its sum. All 0 if an administrator set the
// priority. A used up grant may reduce contributions; a band of one is not among them.
struct RowFactors {
  PriorityFactors factors;
  PriorityFactors contributions;
};
// REQUIRES: `job` is the row's job, as passed to BuildJobTable.
RowFactors FactorsOf(const JobTable& table, const FactorScale& scale, const Job& job, size_t row,
                     absl::Time as_of);

// The terms of a row's priority, in points.
enum class Term : uint8_t {
  kAge,
  kAssoc,
  kFairShare,
  kJobSize,
  kPartition,
  kQos,
  kTres,  // The sum.
  kSite,
  kNice,              // Negated.
  kAdminPriority,     // The priority that an administrator set; all other terms are then 0.
  kPreviousPriority,  // The points that INCR_ONLY adds to the sum.
  kBand,              // The points above the band of a used up grant, negated.
};
inline constexpr size_t kTerms = 12;
using RowTerms = std::array<double, kTerms>;  // By Term.
// `flags` as in Score.
RowTerms TermsOf(const JobTable& table, const FactorScale& scale, absl::Time as_of, size_t row,
                 absl::Span<const uint8_t> flags = {});

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_SCORING_H_
