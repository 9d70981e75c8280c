// Inserts into tables with foreign keys.
#ifndef STORAGE_DATABASE_FOREIGN_KEYS_H_
#define STORAGE_DATABASE_FOREIGN_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/database/parameter.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// As Transaction::Execute, without sequential scans where an index can be used: for a statement
// whose plan must not depend on the statistics of its tables, which may be missing or old.
absl::StatusOr<int64_t> ExecuteByIndex(Transaction& transaction, const std::string& statement,
                                       absl::Span<const Parameter> parameters);

// As Transaction::Execute, for a statement that inserts `rows` rows with foreign keys. PostgreSQL
// plans the look-up of a foreign key once per session: if the referenced table was tiny then, it
// would be read completely for each row, even after it has grown, by a sequential scan or by an
// index on other columns. Many rows discard the plans of the session.
absl::StatusOr<int64_t> ExecuteWithForeignKeys(Transaction& transaction, size_t rows,
                                               const std::string& statement,
                                               absl::Span<const Parameter> parameters);

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_FOREIGN_KEYS_H_
