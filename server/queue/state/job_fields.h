// The set of job fields that an update changes.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELDS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELDS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// A set of job fields by their API names. Fields that the service maintains, job_id and submit_time
// are not in it.
class JobFields {
 public:
  // INVALID_ARGUMENT, `got X, want Y`, for an unknown field.
  absl::Status Add(absl::string_view name);

  bool empty() const { return bits_ == 0; }
  bool Has(absl::string_view name) const;

  // `old` with these fields taken from `change`; points into both. array_task_ids include their
  // number.
  TrackedJob Merge(const TrackedJob& old, const TrackedJob& change) const;

 private:
  uint64_t bits_ = 0;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_FIELDS_H_
