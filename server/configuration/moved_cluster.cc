#include "server/configuration/moved_cluster.h"

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/errors/error_details.h"

namespace priorityd::configuration {
namespace {

constexpr char kCell[] = "priorityd.configuration/cell";
constexpr char kCluster[] = "priorityd.configuration/moved-cluster";
// The load balancer knows the new place as soon as it has read the error.
constexpr absl::Duration kRetryDelay = absl::Milliseconds(100);

std::string Payload(const absl::Status& status, const char* key) {
  const auto payload = status.GetPayload(key);
  return payload.has_value() ? std::string(*payload) : "";
}

}  // namespace

absl::Status MovedError(const std::string& cluster, const std::string& cell) {
  absl::Status status = errors::WithRetryDelay(
      errors::WithReason(
          absl::UnavailableError(absl::StrCat("cluster: got \"", absl::Utf8SafeCEscape(cluster),
                                              "\", which has moved to cell ", cell,
                                              ", want a connection to that cell")),
          "CLUSTER_MOVED"),
      kRetryDelay);
  status.SetPayload(kCell, absl::Cord(cell));
  status.SetPayload(kCluster, absl::Cord(cluster));
  return status;
}

std::string CellOf(const absl::Status& status) { return Payload(status, kCell); }

std::string MovedClusterOf(const absl::Status& status) { return Payload(status, kCluster); }

}  // namespace priorityd::configuration
