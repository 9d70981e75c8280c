// MaxJobsAccrue and GrpJobsAccrue: which jobs wait without gaining age.
#ifndef PRIORITYD_SERVER_PRIORITY_ACCRUE_LIMITS_H_
#define PRIORITYD_SERVER_PRIORITY_ACCRUE_LIMITS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/job_table.h"
#include "server/priority/snapshot.h"

namespace priorityd::priority {

// The pending jobs that would accrue at a moment but exceed MaxJobsAccrue of
// their association (inherited from the nearest account that has one) or
// GrpJobsAccrue of it or an account above it: those later by submit time, then
// by job id, wait with age 0. An array counts once. None under ACCRUE_ALWAYS.
struct AccrueLimited {
  struct Place {
    uint32_t table;
    uint32_t job;
  };
  std::vector<Place> jobs;
  // The moments for which the answer is the same: from the first to before the
  // second, microseconds since 1970.
  int64_t from_us = std::numeric_limits<int64_t>::min();
  int64_t until_us = std::numeric_limits<int64_t>::max();
};
// Of all jobs in `tables` together.
AccrueLimited FindAccrueLimited(const Snapshot& snapshot, absl::Time as_of,
                                absl::Span<const JobTable* const> tables);

// Marks those of one table (kNoAccrual).
void ApplyAccrueLimits(const Snapshot& snapshot, absl::Time as_of, JobTable& table);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_ACCRUE_LIMITS_H_
