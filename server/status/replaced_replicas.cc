#include "server/status/replaced_replicas.h"

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"

namespace priorityd::status {
namespace {

// Names are `priorityd HOST:PID NUMBER`.
absl::string_view HostOf(absl::string_view name) { return name.substr(0, name.rfind(':')); }

bool Replaces(const storage::Replica& later, const storage::Replica& replica) {
  return later.address == replica.address && HostOf(later.name) == HostOf(replica.name) &&
         later.started_at > replica.started_at;
}

}  // namespace

std::vector<storage::Replica> WithoutReplaced(const std::vector<storage::Replica>& replicas) {
  std::vector<storage::Replica> left;
  for (const storage::Replica& replica : replicas) {
    const bool replaced = absl::c_any_of(
        replicas, [&](const storage::Replica& other) { return Replaces(other, replica); });
    if (!replaced) left.push_back(replica);
  }
  return left;
}

}  // namespace priorityd::status
