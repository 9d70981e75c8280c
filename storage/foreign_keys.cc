#include "storage/foreign_keys.h"

namespace priorityd::storage {

absl::StatusOr<int64_t> ExecuteWithForeignKeys(Transaction& transaction,
                                               const std::string& statement,
                                               absl::Span<const Parameter> parameters) {
  absl::Status set = transaction.ExecuteScript("SET LOCAL enable_seqscan = off");
  if (!set.ok()) return set;
  auto rows = transaction.Execute(statement, parameters);
  if (!rows.ok()) return rows;
  set = transaction.ExecuteScript("SET LOCAL enable_seqscan = on");
  if (!set.ok()) return set;
  return rows;
}

}  // namespace priorityd::storage
