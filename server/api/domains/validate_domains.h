// Validation of requests on usage domains, without knowing any cluster.
#ifndef PRIORITYD_SERVER_API_DOMAINS_VALIDATE_DOMAINS_H_
#define PRIORITYD_SERVER_API_DOMAINS_VALIDATE_DOMAINS_H_

#include "absl/status/status.h"
#include "priority/v1/domain.pb.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations.
absl::Status Validate(const ::priority::v1::ListDomainsRequest& request);
absl::Status Validate(const ::priority::v1::UpdateDomainRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_DOMAINS_VALIDATE_DOMAINS_H_
