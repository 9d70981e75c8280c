// The cluster of a call, for load balancers that send it to the cluster's cell.
#ifndef PRIORITYD_CLIENT_CLUSTER_METADATA_H_
#define PRIORITYD_CLIENT_CLUSTER_METADATA_H_

#include <string>

#include "absl/strings/string_view.h"

namespace grpc {
class ClientContext;
}  // namespace grpc

namespace priorityd::client {

// The key of the metadata.
inline constexpr char kClusterKey[] = "priorityd-cluster";

// Its value: the name, each byte other than a letter, a digit, '-', '.', '_' and '~' as %XX.
std::string ClusterValue(absl::string_view cluster);

// Adds it to the call; empty = none.
void AddCluster(const std::string& cluster, grpc::ClientContext* context);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_CLUSTER_METADATA_H_
