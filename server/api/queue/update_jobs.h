// UpdateJobs: changes of the tracked queue.
#ifndef PRIORITYD_SERVER_API_QUEUE_UPDATE_JOBS_H_
#define PRIORITYD_SERVER_API_QUEUE_UPDATE_JOBS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/queue.pb.h"
#include "server/api/shared/source_rights.h"
#include "server/configuration/alias_map.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/queue/state/job_rights.h"
#include "server/transport/caller.h"
#include "server/usage/usage_recorder.h"

namespace priorityd::rpc {

// Users act only for themselves, whatever a request names.
queue::JobRights JobRightsOf(const Caller& caller, const JobSource& source,
                             const priority::AssociationTree& tree);

// Waits for locks only for a moment. REQUIRES: the request is valid. Errors of
// TrackedQueues::Update; PERMISSION_DENIED (ROLE_REQUIRED) for a full_sync by a caller who does not
// act for all users. `snapshot`: the cluster's; `recorder` may know jobs' names that it lacks.
// `source`: replaces the request's. `aliases`: of the cluster; the jobs belong to the users that
// their names are aliases of, also for the caller's rights. `runs_changed`: see queue::QueueAnswer;
// set on success.
absl::Status UpdateJobs(queue::TrackedQueues& queues, usage::UsageRecorder& recorder,
                        const Caller& caller, const JobSource& source,
                        const priority::Snapshot& snapshot, const configuration::AliasMap& aliases,
                        const ::priority::v1::UpdateJobsRequest& request, absl::Time now,
                        ::priority::v1::UpdateJobsResponse* response, bool* runs_changed);

// Puts jobs of one user first; otherwise the same. `tree`: for the accounts below those that the
// caller coordinates.
absl::Status TopJobs(queue::TrackedQueues& queues, const Caller& caller, const JobSource& source,
                     const priority::AssociationTree& tree,
                     const ::priority::v1::TopJobsRequest& request, absl::Time now,
                     ::priority::v1::TopJobsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_QUEUE_UPDATE_JOBS_H_
