// Converts usage records from the API, and their results to it.
#ifndef PRIORITYD_SERVER_API_USAGE_CONVERT_USAGE_H_
#define PRIORITYD_SERVER_API_USAGE_CONVERT_USAGE_H_

#include <vector>

#include "priority/v1/usage.pb.h"
#include "server/usage/usage_submission.h"

namespace priorityd::rpc {

// The submissions point into the request, which must outlive them.
std::vector<usage::UsageSubmission> ToSubmissions(
    const ::priority::v1::RecordUsageRequest& request);

void ToProto(const std::vector<usage::RecordResult>& results,
             ::priority::v1::RecordUsageResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_CONVERT_USAGE_H_
