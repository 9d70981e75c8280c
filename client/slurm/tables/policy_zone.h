// The time zone in which a cluster's times are read and printed.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_POLICY_ZONE_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_POLICY_ZONE_H_

#include <string>

#include "absl/time/time.h"
#include "client/priority_client.h"
#include "priority/v1/policy.pb.h"

namespace priorityd::tables {

// The policy's time zone; this machine's where that has no name that is known here.
absl::TimeZone ZoneOf(const ::priority::v1::PolicyParameters& policy);

// The time zone of the cluster's policy, requested from the service; this machine's if it has none.
// `cluster` empty = the cluster of the client.
absl::TimeZone PolicyZone(const client::PriorityClient& client, const std::string& cluster = "");

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_POLICY_ZONE_H_
