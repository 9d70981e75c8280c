#include "engine/priority/jobs/default_qos.h"

namespace priorityd::priority {

absl::string_view DefaultQos(const AssociationTree& tree, AssociationIndex association,
                             bool normal_exists) {
  constexpr AssociationIndex kRoot = 0;
  const absl::string_view inherited = tree.default_qos(association);
  const absl::string_view of_root = tree.default_qos(kRoot);
  if (!inherited.empty() && inherited != of_root) return inherited;
  const auto allowed = tree.allowed_qos(association);
  if (allowed.size() == 1) return allowed.front();
  if (!of_root.empty()) return of_root;
  return normal_exists ? kNormalQos : absl::string_view();
}

}  // namespace priorityd::priority
