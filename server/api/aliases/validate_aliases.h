// Checks of requests on aliases and merges that need no cluster.
#ifndef PRIORITYD_SERVER_API_ALIASES_VALIDATE_ALIASES_H_
#define PRIORITYD_SERVER_API_ALIASES_VALIDATE_ALIASES_H_

#include "absl/status/status.h"
#include "priority/v1/alias.pb.h"
#include "priority/v1/user_merge.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT (INVALID_FIELD) with the violations.
absl::Status Validate(const ::priority::v1::ListAliasesRequest& request);
absl::Status Validate(const ::priority::v1::UpdateAliasesRequest& request);
absl::Status Validate(const ::priority::v1::ListUserMergesRequest& request);
absl::Status Validate(const ::priority::v1::MergeUsersRequest& request);
absl::Status Validate(const ::priority::v1::UnmergeUsersRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ALIASES_VALIDATE_ALIASES_H_
