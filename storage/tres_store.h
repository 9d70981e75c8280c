// The registry of TRES names.
#ifndef STORAGE_TRES_STORE_H_
#define STORAGE_TRES_STORE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/transaction.h"

namespace priorityd::storage {

// Numbers are for ever and the same in every cluster. Slurm's own eight are
// there from the start: cpu 1, mem 2, energy 3, node 4, billing 5, fs/disk 6,
// vmem 7, pages 8.
class TresStore {
 public:
  explicit TresStore(Transaction& transaction) : transaction_(transaction) {}

  // Every known name, lower-case, with its number.
  absl::StatusOr<std::map<std::string, int32_t>> List();

  // As List, after registering those of `names` (lower-case, not empty) that
  // are new.
  absl::StatusOr<std::map<std::string, int32_t>> Register(const std::vector<std::string>& names);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_TRES_STORE_H_
