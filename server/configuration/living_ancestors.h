// Which association has the usage of a deleted one.
#ifndef PRIORITYD_SERVER_CONFIGURATION_LIVING_ANCESTORS_H_
#define PRIORITYD_SERVER_CONFIGURATION_LIVING_ANCESTORS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "storage/association_store.h"

namespace priorityd::configuration {

// A deleted user leaves its usage to its account, a deleted account to its
// nearest living ancestor. Immutable.
class LivingAncestors {
 public:
  explicit LivingAncestors(const std::vector<storage::Association>& deleted);

  // The association itself where it was not deleted.
  int64_t Of(int64_t association_id) const;

 private:
  absl::flat_hash_map<int64_t, int64_t> parent_of_deleted_;
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_LIVING_ANCESTORS_H_
