// UpdateGrants, RevokeGrants and TransferGrant.
#ifndef PRIORITYD_SERVER_API_GRANTS_ADMINISTER_GRANTS_H_
#define PRIORITYD_SERVER_API_GRANTS_ADMINISTER_GRANTS_H_

#include "absl/status/status.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/grant.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// Errors of administration::UpdateGrants, RevokeGrants and TransferGrant, and of MakeChange.
absl::Status UpdateGrants(const AdministrationCall& call,
                          const ::priority::v1::UpdateGrantsRequest& request,
                          ::priority::v1::ChangeResponse* response);
absl::Status RevokeGrants(const AdministrationCall& call,
                          const ::priority::v1::RevokeGrantsRequest& request,
                          ::priority::v1::ChangeResponse* response);
absl::Status TransferGrant(const AdministrationCall& call,
                           const ::priority::v1::TransferGrantRequest& request,
                           ::priority::v1::ChangeResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_GRANTS_ADMINISTER_GRANTS_H_
