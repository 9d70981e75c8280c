// The calls of PriorityClient about leases.
#include <utility>

#include "client/priority_client.h"
#include "client/stubs.h"

namespace priorityd::client {

absl::StatusOr<v1::ListLeasesResponse> PriorityClient::ListLeases(
    v1::ListLeasesRequest request) const {
  return stubs_->Ask(&Admin::ListLeases, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::EndLeases(v1::EndLeasesRequest request) const {
  return stubs_->Do(&Admin::EndLeases, std::move(request));
}

}  // namespace priorityd::client
