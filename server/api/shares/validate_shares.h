// Validation of ListShares and ListShareHistory, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_SHARES_VALIDATE_SHARES_H_
#define PRIORITYD_SERVER_API_SHARES_VALIDATE_SHARES_H_

#include "absl/status/status.h"
#include "priority/v1/share.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ListSharesRequest& request);
absl::Status Validate(const ::priority::v1::ListShareHistoryRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARES_VALIDATE_SHARES_H_
