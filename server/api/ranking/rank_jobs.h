// RankJobs: the start order, as far as the caller may see it.
#ifndef PRIORITYD_SERVER_API_RANKING_RANK_JOBS_H_
#define PRIORITYD_SERVER_API_RANKING_RANK_JOBS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/ranking.pb.h"
#include "server/queue/state/queue_state.h"
#include "server/transport/caller.h"

namespace priorityd::rpc {

// Ranks the jobs in the request, all of which the caller may see. REQUIRES: the request is valid.
// PERMISSION_DENIED as CheckInlineJobs.
absl::Status RankInline(const Caller& caller, const priority::Snapshot& snapshot, absl::Time as_of,
                        const ::priority::v1::RankJobsRequest& request,
                        ::priority::v1::RankJobsResponse* response);

// Ranks the tracked queue; see queue::RankShown. REQUIRES: the request is valid.
void RankTracked(const Caller& caller, std::shared_ptr<const queue::QueueState> state,
                 absl::Time as_of, const ::priority::v1::RankJobsRequest& request,
                 ::priority::v1::RankJobsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_RANKING_RANK_JOBS_H_
