// Usage records to ingest's terms, and their results back.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_USAGE_H_
#define PRIORITYD_SERVER_RPC_CONVERT_USAGE_H_

#include <vector>

#include "priority/v1/usage.pb.h"
#include "server/usage/usage_submission.h"

namespace priorityd::rpc {

// Views into the request, which must outlive them.
std::vector<usage::UsageSubmission> ToSubmissions(
    const ::priority::v1::RecordUsageRequest& request);

void ToProto(const std::vector<usage::RecordResult>& results,
             ::priority::v1::RecordUsageResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_USAGE_H_
