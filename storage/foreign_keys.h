// Rows that refer to others.
#ifndef STORAGE_FOREIGN_KEYS_H_
#define STORAGE_FOREIGN_KEYS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/parameter.h"
#include "storage/transaction.h"

namespace priorityd::storage {

// As Transaction::Execute, for a statement that inserts rows with foreign keys. PostgreSQL plans
// the look-up of a foreign key once in a session: where the other table was tiny then, it would
// be read whole for each row, however large it has become.
absl::StatusOr<int64_t> ExecuteWithForeignKeys(Transaction& transaction,
                                               const std::string& statement,
                                               absl::Span<const Parameter> parameters);

}  // namespace priorityd::storage

#endif  // STORAGE_FOREIGN_KEYS_H_
