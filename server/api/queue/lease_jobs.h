// UpdateJobs with `until`: leases of jobs, which keep their own values.
#ifndef PRIORITYD_SERVER_API_QUEUE_LEASE_JOBS_H_
#define PRIORITYD_SERVER_API_QUEUE_LEASE_JOBS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/queue.pb.h"
#include "server/api/shared/source_rights.h"
#include "server/configuration/alias_map.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/transport/caller.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Creates a lease of each job whose change would be accepted without an end; other jobs have the
// same results as without. Waits for locks. `source`, `snapshot`, `aliases`: see UpdateJobs; `now`:
// by the cluster's clock. REQUIRES: the request is valid and has `until`. Errors of
// TrackedQueues::Update, ReadLeasePeriod and administration::CreateJobLeases: then no lease is
// created.
absl::Status LeaseJobs(queue::TrackedQueues& queues, storage::Database& database,
                       const Caller& caller, const JobSource& source,
                       const priority::Snapshot& snapshot, const configuration::AliasMap& aliases,
                       const ::priority::v1::UpdateJobsRequest& request, absl::Time now,
                       absl::Time real_time, ::priority::v1::UpdateJobsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_QUEUE_LEASE_JOBS_H_
