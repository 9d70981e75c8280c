// The numbers of the principals that record usage; each name is stored once.
#ifndef STORAGE_CONFIGURATION_PRINCIPAL_STORE_H_
#define STORAGE_CONFIGURATION_PRINCIPAL_STORE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// Numbers are never reused; there are as many as principals that have recorded usage.
class PrincipalStore {
 public:
  explicit PrincipalStore(Transaction& transaction) : transaction_(transaction) {}

  // The number of `name`, assigned if it has none. REQUIRES: it is not empty.
  absl::StatusOr<int32_t> Register(const std::string& name);

  // The names of these numbers, without unknown ones.
  absl::StatusOr<std::map<int32_t, std::string>> NamesOf(const std::vector<int32_t>& ids);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_PRINCIPAL_STORE_H_
