#include "client/slurm/tables/policy_zone.h"

#include <utility>

namespace priorityd::tables {

absl::TimeZone ZoneOf(const ::priority::v1::PolicyParameters& policy) {
  absl::TimeZone zone;
  const bool is_known =
      !policy.time_zone().empty() && absl::LoadTimeZone(policy.time_zone(), &zone);
  return is_known ? zone : absl::LocalTimeZone();
}

absl::TimeZone PolicyZone(const client::PriorityClient& client, const std::string& cluster) {
  ::priority::v1::GetPolicyRequest request;
  request.set_cluster(cluster);
  const auto policy = client.GetPolicy(std::move(request));
  return policy.ok() ? ZoneOf(policy->parameters()) : absl::LocalTimeZone();
}

}  // namespace priorityd::tables
