#include "client/prioctl/usage/account_grants.h"

#include <utility>

#include "absl/status/status.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// A service of the version before, or a caller without the right.
bool HidesGrants(const absl::Status& list) {
  return absl::IsUnimplemented(list) || absl::IsPermissionDenied(list);
}

}  // namespace

absl::StatusOr<AccountGrants> ListAccountGrants(v1::ListGrantsRequest request,
                                                const client::PriorityClient& client) {
  AccountGrants grants;
  auto own = client.ListGrants(request);
  if (!own.ok() && !HidesGrants(own.status())) return own.status();
  if (own.ok()) grants.own = *std::move(own);
  if (grants.own.domain().empty()) return grants;
  request.set_cluster(grants.own.domain());
  auto of_domain = client.ListGrants(std::move(request));
  const bool is_hidden = HidesGrants(of_domain.status()) || absl::IsNotFound(of_domain.status());
  if (!of_domain.ok() && !is_hidden) return of_domain.status();
  if (of_domain.ok()) grants.of_domain = *std::move(of_domain);
  return grants;
}

}  // namespace priorityd::prioctl
