// A cluster's usage, packed between two recalculations.
#ifndef PRIORITYD_SERVER_RECALCULATION_KEPT_USAGE_H_
#define PRIORITYD_SERVER_RECALCULATION_KEPT_USAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "storage/snapshots/cluster_state.h"
#include "storage/snapshots/packed_usage.h"

namespace priorityd::recalculation {

// Usage rows and opening usage of the associations, and the parents of deleted associations, packed
// as for publication: less than half the size of the rows.
class KeptUsage {
 public:
  KeptUsage() = default;
  // Moves them out of `state`; deleted associations keep only id and parent.
  explicit KeptUsage(storage::ClusterState* state) : KeptUsage(storage::PackWhole(*state), state) {}
  // The same of a state that was packed as a whole before.
  KeptUsage(std::vector<std::string> whole, storage::ClusterState* state);

  // Unpacks them into `state`. INTERNAL on invalid data.
  absl::Status PutBack(storage::ClusterState* state) const;

  // The hashes of the entries (see PackUsage).
  absl::StatusOr<storage::EntryHashes> Hashes() const;

 private:
  std::vector<std::string> parts_;
  std::vector<int64_t> unused_;  // Rows without usage, which are not packed.
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_KEPT_USAGE_H_
