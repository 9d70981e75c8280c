// Which fields of a job an update changes.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELDS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELDS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// A set of the fields of a job, by their names in the API. What the service keeps of a job, its
// job_id and its submit_time are none of them.
class JobFields {
 public:
  // INVALID_ARGUMENT, `got X, want Y`, if there is no such field.
  absl::Status Add(absl::string_view name);

  bool empty() const { return bits_ == 0; }
  bool Has(absl::string_view name) const;

  // `old` with these fields as `told` has them; points into both. array_task_ids bring
  // their number with them.
  TrackedJob Merge(const TrackedJob& old, const TrackedJob& told) const;

 private:
  uint64_t bits_ = 0;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELDS_H_
