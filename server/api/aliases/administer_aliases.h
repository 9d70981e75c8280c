// ListAliases and UpdateAliases.
#ifndef PRIORITYD_SERVER_API_ALIASES_ADMINISTER_ALIASES_H_
#define PRIORITYD_SERVER_API_ALIASES_ADMINISTER_ALIASES_H_

#include "absl/status/status.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/alias.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations, or INVALID_PAGE_TOKEN. NOT_FOUND (UNKNOWN_CLUSTER).
absl::Status ListAliases(const AdministrationCall& call,
                         const ::priority::v1::ListAliasesRequest& request,
                         ::priority::v1::ListAliasesResponse* response);

// INVALID_ARGUMENT with the violations; errors of administration::UpdateAliases and MakeChange. On
// return, this replica resolves names by the new aliases; the others soon do.
absl::Status UpdateAliases(const AdministrationCall& call,
                           const ::priority::v1::UpdateAliasesRequest& request,
                           ::priority::v1::ChangeResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ALIASES_ADMINISTER_ALIASES_H_
