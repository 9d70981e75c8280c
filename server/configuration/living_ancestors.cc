#include "server/configuration/living_ancestors.h"

namespace priorityd::configuration {

LivingAncestors::LivingAncestors(const std::vector<storage::Association>& deleted) {
  for (const storage::Association& association : deleted) {
    parent_of_deleted_[association.id] = association.parent_id.value_or(0);
  }
}

int64_t LivingAncestors::Of(int64_t association_id) const {
  for (auto deleted = parent_of_deleted_.find(association_id); deleted != parent_of_deleted_.end();
       deleted = parent_of_deleted_.find(association_id)) {
    association_id = deleted->second;
  }
  return association_id;
}

}  // namespace priorityd::configuration
