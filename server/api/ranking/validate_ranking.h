// Validation of RankJobs and WatchRanking, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_RANKING_VALIDATE_RANKING_H_
#define PRIORITYD_SERVER_API_RANKING_VALIDATE_RANKING_H_

#include "absl/status/status.h"
#include "priority/v1/ranking.pb.h"
#include "priority/v1/watch.pb.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations. Single jobs and records are not checked: a wrong
// one never fails the others.
absl::Status Validate(const ::priority::v1::RankJobsRequest& request, const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::WatchRankingRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_RANKING_VALIDATE_RANKING_H_
