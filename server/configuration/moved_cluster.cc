#include "server/configuration/moved_cluster.h"

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/errors/error_details.h"

namespace priorityd::configuration {
namespace {

constexpr char kCell[] = "priorityd.configuration/cell";
// The load balancer knows the new place as soon as it has read the error.
constexpr absl::Duration kRetryDelay = absl::Milliseconds(100);

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
  return status;
}

std::string CellOf(const absl::Status& status) {
  const auto cell = status.GetPayload(kCell);
  return cell.has_value() ? std::string(*cell) : "";
}

}  // namespace priorityd::configuration
