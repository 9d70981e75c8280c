// The numbers of those who record usage: names of principals, once each.
#ifndef STORAGE_PRINCIPAL_STORE_H_
#define STORAGE_PRINCIPAL_STORE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/transaction.h"

namespace priorityd::storage {

// Who has recorded usage under some name keeps the number; there are as many as principals with
// the right to record.
class PrincipalStore {
 public:
  explicit PrincipalStore(Transaction& transaction) : transaction_(transaction) {}

  // The number of `name`, which gets one if it has none. REQUIRES: it is not empty.
  absl::StatusOr<int32_t> Register(const std::string& name);

  // The names of these numbers; those that nobody has are not there.
  absl::StatusOr<std::map<int32_t, std::string>> NamesOf(const std::vector<int32_t>& ids);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_PRINCIPAL_STORE_H_
