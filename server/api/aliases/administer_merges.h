// ListUserMerges, MergeUsers and UnmergeUsers.
#ifndef PRIORITYD_SERVER_API_ALIASES_ADMINISTER_MERGES_H_
#define PRIORITYD_SERVER_API_ALIASES_ADMINISTER_MERGES_H_

#include "absl/status/status.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/user_merge.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations. NOT_FOUND (UNKNOWN_CLUSTER).
absl::Status ListUserMerges(const AdministrationCall& call,
                            const ::priority::v1::ListUserMergesRequest& request,
                            ::priority::v1::ListUserMergesResponse* response);

// With with_members, the caller must have the right in every member too. INVALID_ARGUMENT with the
// violations; errors of administration::MergeUsers, CheckMerges and MakeChange.
absl::Status MergeUsers(const AdministrationCall& call,
                        const ::priority::v1::MergeUsersRequest& request,
                        ::priority::v1::ChangeResponse* response);

// INVALID_ARGUMENT with the violations; errors of administration::UnmergeUsers and MakeChange.
absl::Status UnmergeUsers(const AdministrationCall& call,
                          const ::priority::v1::UnmergeUsersRequest& request,
                          ::priority::v1::ChangeResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ALIASES_ADMINISTER_MERGES_H_
