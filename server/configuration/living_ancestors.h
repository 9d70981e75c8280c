// Maps deleted associations to those that take over their usage.
#ifndef PRIORITYD_SERVER_CONFIGURATION_LIVING_ANCESTORS_H_
#define PRIORITYD_SERVER_CONFIGURATION_LIVING_ANCESTORS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "storage/configuration/association_store.h"

namespace priorityd::configuration {

// Usage of a deleted user belongs to its account, that of a deleted account to its nearest existing
// ancestor. Immutable.
class LivingAncestors {
 public:
  explicit LivingAncestors(const std::vector<storage::Association>& deleted);

  // The association itself if it is not deleted.
  int64_t Of(int64_t association_id) const;

 private:
  absl::flat_hash_map<int64_t, int64_t> parent_of_deleted_;
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_LIVING_ANCESTORS_H_
