#include "client/cluster_metadata.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "grpcpp/client_context.h"

namespace priorityd::client {

std::string ClusterValue(absl::string_view cluster) {
  std::string value;
  for (const char c : cluster) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || absl::string_view("-._~").find(c) != absl::string_view::npos) {
      value.push_back(c);
    } else {
      absl::StrAppendFormat(&value, "%%%02X", byte);
    }
  }
  return value;
}

void AddCluster(const std::string& cluster, grpc::ClientContext* context) {
  if (!cluster.empty()) context->AddMetadata(kClusterKey, ClusterValue(cluster));
}

}  // namespace priorityd::client
