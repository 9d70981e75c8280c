// ListUsageSources.
#ifndef PRIORITYD_SERVER_API_USAGE_LIST_USAGE_SOURCES_H_
#define PRIORITYD_SERVER_API_USAGE_LIST_USAGE_SOURCES_H_

#include "absl/status/status.h"
#include "priority/v1/recovery.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// The sources that the caller may see: a caller with the role collector only, bound to sources,
// sees these. INVALID_ARGUMENT for a field, and (INVALID_PAGE_TOKEN) for a token of another
// request; UNAVAILABLE: the database.
absl::Status ListUsageSources(const AdministrationCall& call,
                              const ::priority::v1::ListUsageSourcesRequest& request,
                              ::priority::v1::ListUsageSourcesResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_LIST_USAGE_SOURCES_H_
