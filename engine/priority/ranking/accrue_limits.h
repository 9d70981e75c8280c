// MaxJobsAccrue and GrpJobsAccrue: which jobs wait without gaining age.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_ACCRUE_LIMITS_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_ACCRUE_LIMITS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// The pending jobs that would accrue age but exceed a limit: MaxJobsAccrue of their
// association (inherited from the nearest account that sets one), or GrpJobsAccrue of it or of
// an account above it. Places go to jobs in order of submit time, then job id; jobs beyond the
// limit have age 0. A job array counts once. Empty under ACCRUE_ALWAYS.
struct AccrueLimited {
  struct Place {
    uint32_t table;
    uint32_t job;
  };
  std::vector<Place> jobs;
  // The result holds for every time in [from_us, until_us), in microseconds since 1970.
  int64_t from_us = std::numeric_limits<int64_t>::min();
  int64_t until_us = std::numeric_limits<int64_t>::max();
};
// Whether there are any such limits, so that the age of some jobs depends on the others.
bool HasAccrueLimits(const Snapshot& snapshot);

// Finds them among the jobs of all `tables` together. Places in `jobs` are indices into `tables`
// and into the jobs of that table.
AccrueLimited FindAccrueLimited(const Snapshot& snapshot, absl::Time as_of,
                                absl::Span<const JobTable* const> tables);

// Sets kNoAccrual on the rows of the jobs in one table that exceed a limit.
void ApplyAccrueLimits(const Snapshot& snapshot, absl::Time as_of, JobTable& table);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_ACCRUE_LIMITS_H_
