// From the columns of a queue to priorities.
#ifndef PRIORITYD_SERVER_PRIORITY_SCORING_H_
#define PRIORITYD_SERVER_PRIORITY_SCORING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/factor_scale.h"
#include "server/priority/factors.h"
#include "server/priority/job.h"
#include "server/priority/job_table.h"

namespace priorityd::priority {

// The priority of every row at `as_of`: 0 = held, else 1 to 4294967295. Under
// priority/basic all 0. `flags`, by row, stand for those of the table; empty = the
// table's own.
void Score(const JobTable& table, const FactorScale& scale, absl::Time as_of,
           std::vector<uint32_t>& priorities, absl::Span<const uint8_t> flags = {});
// The same for the rows from `begin` to before `end` alone; `priorities` has one entry for
// each row of the table.
void ScoreRows(const JobTable& table, const FactorScale& scale, absl::Time as_of, size_t begin,
               size_t end, absl::Span<uint32_t> priorities, absl::Span<const uint8_t> flags);

// What Score gives a row at any moment up to `as_of_us` (microseconds since 1970), at
// most: as if it had begun, and no accrue limit kept it from accruing.
uint32_t LargestPriority(const JobTable& table, const FactorScale& scale, size_t row,
                         double as_of_us);

// One row's factors and contributions, the terms of the sum that Score makes;
// all 0 where an administrator set the priority.
struct RowFactors {
  PriorityFactors factors;
  PriorityFactors contributions;
};
// `job` is the row's job, as it was given to BuildJobTable.
RowFactors FactorsOf(const JobTable& table, const FactorScale& scale, const Job& job, size_t row,
                     absl::Time as_of);

// What a row's priority is made of, in points.
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
  kAdminPriority,     // That of a row that has one; its other terms are 0.
  kPreviousPriority,  // What INCR_ONLY puts on top.
};
inline constexpr size_t kTerms = 11;
using RowTerms = std::array<double, kTerms>;  // By Term.
// `flags` as in Score.
RowTerms TermsOf(const JobTable& table, const FactorScale& scale, absl::Time as_of, size_t row,
                 absl::Span<const uint8_t> flags = {});

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_SCORING_H_
