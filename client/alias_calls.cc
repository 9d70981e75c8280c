// The calls of PriorityClient about aliases and merges of users.
#include <utility>

#include "client/list_pages.h"
#include "client/priority_client.h"
#include "client/stubs.h"

namespace priorityd::client {

absl::StatusOr<v1::ListAliasesResponse> PriorityClient::ListAllAliases(
    v1::ListAliasesRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kPageSize);
  return AllConfigurationPages(std::move(request), [this](const auto& page) {
    return stubs_->Ask(&Admin::ListAliases, page);
  });
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateAliases(
    v1::UpdateAliasesRequest request) const {
  return stubs_->Do(&Admin::UpdateAliases, std::move(request));
}

absl::StatusOr<v1::ListUserMergesResponse> PriorityClient::ListUserMerges(
    v1::ListUserMergesRequest request) const {
  return stubs_->Ask(&Admin::ListUserMerges, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::MergeUsers(v1::MergeUsersRequest request) const {
  return stubs_->Do(&Admin::MergeUsers, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UnmergeUsers(
    v1::UnmergeUsersRequest request) const {
  return stubs_->Do(&Admin::UnmergeUsers, std::move(request));
}

}  // namespace priorityd::client
