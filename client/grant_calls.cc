// The calls of PriorityClient about grants.
#include <utility>

#include "client/priority_client.h"
#include "client/stubs.h"

namespace priorityd::client {

absl::StatusOr<v1::ListGrantsResponse> PriorityClient::ListGrants(
    v1::ListGrantsRequest request) const {
  return stubs_->Ask(&Priority::ListGrants, std::move(request));
}

absl::StatusOr<v1::GetGrantStatementResponse> PriorityClient::GetGrantStatement(
    v1::GetGrantStatementRequest request) const {
  return stubs_->Ask(&Priority::GetGrantStatement, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateGrants(
    v1::UpdateGrantsRequest request) const {
  return stubs_->Do(&Admin::UpdateGrants, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::RevokeGrants(
    v1::RevokeGrantsRequest request) const {
  return stubs_->Do(&Admin::RevokeGrants, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::TransferGrant(
    v1::TransferGrantRequest request) const {
  return stubs_->Do(&Admin::TransferGrant, std::move(request));
}

}  // namespace priorityd::client
