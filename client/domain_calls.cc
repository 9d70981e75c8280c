// The calls of PriorityClient about usage domains.
#include <utility>

#include "client/priority_client.h"
#include "client/stubs.h"

namespace priorityd::client {

absl::StatusOr<v1::ListDomainsResponse> PriorityClient::ListDomains(
    v1::ListDomainsRequest request) const {
  return stubs_->Ask(&Admin::ListDomains, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateDomain(
    v1::UpdateDomainRequest request) const {
  return stubs_->Do(&Admin::UpdateDomain, std::move(request));
}

}  // namespace priorityd::client
