// A cluster's usage between two recalculations.
#ifndef PRIORITYD_SERVER_RECALCULATION_KEPT_USAGE_H_
#define PRIORITYD_SERVER_RECALCULATION_KEPT_USAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "storage/cluster_state.h"
#include "storage/packed_usage.h"

namespace priorityd::recalculation {

// Usage rows and opening usage of the associations, and the parents of deleted associations,
// packed as they are published: less than half of what the rows take.
class KeptUsage {
 public:
  KeptUsage() = default;
  // Takes them out of `state`; of deleted associations nothing is left but id and parent.
  explicit KeptUsage(storage::ClusterState* state);

  // Puts them into `state`. INTERNAL if that is not possible.
  absl::Status PutBack(storage::ClusterState* state) const;

  // Those of the entries (see PackUsage).
  absl::StatusOr<storage::EntryHashes> Hashes() const;

 private:
  std::vector<std::string> parts_;
  std::vector<int64_t> unused_;  // Rows without usage, which are not packed.
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_KEPT_USAGE_H_
