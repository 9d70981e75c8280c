// Converts the engine's Ranking to RankJobsResponse.
#ifndef PRIORITYD_SERVER_API_SHARED_CONVERT_RANKING_H_
#define PRIORITYD_SERVER_API_SHARED_CONVERT_RANKING_H_

#include <string>

#include "absl/types/span.h"
#include "engine/priority/jobs/factors.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"
#include "priority/v1/ranking.pb.h"
#include "priority/v1/snapshot.pb.h"
#include "server/authorization/visibility.h"

namespace priorityd::rpc {

// Names the snapshot.
void ToProto(const priority::Snapshot& snapshot, ::priority::v1::Snapshot* proto);

// `factors.tres` is in the order of the policy's weight_tres.
void ToProto(const priority::Policy& policy, const priority::PriorityFactors& factors,
             ::priority::v1::PriorityFactors* proto);

// `factors.tres` is in the order of `tres`, their names.
void ToProto(absl::Span<const std::string> tres, const priority::PriorityFactors& factors,
             ::priority::v1::PriorityFactors* proto);

// Fills everything except as_of, running_total and the count of hidden rows. `jobs`: the ranked
// jobs; factors and figures are omitted for jobs whose shares the reader may not see.
void ToProto(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
             const priority::Ranking& ranking, ::priority::v1::RankView view,
             const authorization::Visibility& sees, ::priority::v1::RankJobsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_CONVERT_RANKING_H_
