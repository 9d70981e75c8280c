// A request to a tracked queue, and the changes that it makes.
#ifndef PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_REQUEST_H_
#define PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_REQUEST_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/queue/state/job_fields.h"
#include "server/queue/state/job_rights.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/top_jobs.h"
#include "server/queue/state/tracked_queue.h"
#include "server/usage/job_end_charge.h"

namespace priorityd::queue {

// One change of a queue. All texts must outlive the call.
struct QueueRequest {
  absl::string_view source;
  absl::Span<const absl::string_view> removals;
  absl::Span<const TrackedJob> upserts;
  // Also removes jobs of `source` that `upserts` does not name; the upserts mirror the source's
  // queue (Intake::mirrored).
  bool full_sync = false;
  // The fields that the upserts set on existing jobs; empty = each upsert is a whole job.
  JobFields fields;
  // Jobs to put first; see queue::PutFirst. The rest of the request is ignored then.
  absl::Span<const absl::string_view> put_first;
  JobRights rights;
  // Charges the jobs that the request ends; null = they are not charged.
  usage::JobEndCharge* charge = nullptr;
  // Computes the answer alone: nothing changes.
  bool checks_only = false;
  // See Intake.
  absl::flat_hash_set<absl::string_view> admitted;
};

struct QueueAnswer {
  // In the order of the request.
  std::vector<UpdateResult> removals;
  std::vector<UpdateResult> upserts;
  uint32_t removed_by_sync = 0;
  std::vector<TopResult> put_first;
  // Whether a job starts or stops running, or a running job's start or time limit changes; under
  // ChargeAtStart only.
  bool runs_changed = false;
};

// Computes the changes of `request`, none with checks_only, and overwrites the answer. Errors of
// threads::WorkScope::CheckCurrent, soon after the caller has gone or the service stops.
absl::StatusOr<std::vector<JobChange>> ComputeChanges(const TrackedQueue& jobs,
                                                      const QueueRequest& request, absl::Time now,
                                                      const QueueRoom& room, bool forget_ended,
                                                      QueueAnswer* answer);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_REPLICATION_QUEUE_REQUEST_H_
