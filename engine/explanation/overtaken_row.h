// A job that is behind another one only because the other has waited longer.
#ifndef PRIORITYD_ENGINE_EXPLANATION_OVERTAKEN_ROW_H_
#define PRIORITYD_ENGINE_EXPLANATION_OVERTAKEN_ROW_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

struct OvertakenRow {
  std::string job_id;
  double others = 0;  // Points of all factors but age.
  std::string ahead_job_id;
  double ahead_others = 0;
  absl::Duration longer;  // The additional age of the job ahead.
};

// Among the rows that can start, the one with the most points from factors other than age, and of
// the rows with a higher priority the one with the fewest such points. nullopt if the latter has no
// fewer such points, or if no row has a higher priority. Ignores rows with an administrator's
// priority.
std::optional<OvertakenRow> FindOvertakenByAge(const priority::Snapshot& snapshot,
                                               absl::Span<const priority::Job> jobs,
                                               absl::Time as_of);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_OVERTAKEN_ROW_H_
