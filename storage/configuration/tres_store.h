// The registry of TRES names.
#ifndef STORAGE_CONFIGURATION_TRES_STORE_H_
#define STORAGE_CONFIGURATION_TRES_STORE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// Numbers are for ever and the same in every cluster. Slurm's own eight are
// there from the start and every cluster has them: cpu 1, mem 2, energy 3, node 4,
// billing 5, fs/disk 6, vmem 7, pages 8.
inline constexpr size_t kSlurmsOwnTres = 8;

class TresStore {
 public:
  explicit TresStore(Transaction& transaction) : transaction_(transaction) {}

  // Every name known to any cluster, lower-case, with its number.
  absl::StatusOr<std::map<std::string, int32_t>> List();

  // The names that the cluster has, with their numbers.
  absl::StatusOr<std::map<std::string, int32_t>> ListOf(int32_t cluster_id);

  // As ListOf, after adding to the cluster the `names` (lower-case, not empty) that it lacks, in
  // their order, as long as it has fewer than `most` besides Slurm's own. Of several callers at
  // once each waits for the one before it.
  absl::StatusOr<std::map<std::string, int32_t>> Register(int32_t cluster_id,
                                                          const std::vector<std::string>& names,
                                                          size_t most);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_TRES_STORE_H_
