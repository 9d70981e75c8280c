// A job that stands behind another one only because that has waited for longer.
#ifndef PRIORITYD_SERVER_EXPLANATION_OVERTAKEN_ROW_H_
#define PRIORITYD_SERVER_EXPLANATION_OVERTAKEN_ROW_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/job.h"
#include "server/priority/snapshot.h"

namespace priorityd::explanation {

struct OvertakenRow {
  std::string job_id;
  double others = 0;  // Points of all factors but age.
  std::string ahead_job_id;
  double ahead_others = 0;
  absl::Duration longer;  // By how much the job ahead has aged longer.
};

// The row that can start with the most points from factors other than age, and of the rows of a
// higher priority that with the fewest such points; nullopt where that one has as many, or where
// none has a higher priority. Rows with a priority of an administrator do not count.
std::optional<OvertakenRow> FindOvertakenByAge(const priority::Snapshot& snapshot,
                                               absl::Span<const priority::Job> jobs,
                                               absl::Time as_of);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_OVERTAKEN_ROW_H_
