#include "storage/database/foreign_keys.h"

namespace priorityd::storage {
namespace {

// A look-up in a table of fewer rows than that is cheap by any plan.
constexpr size_t kManyRows = 1000;

absl::Status SetSequentialScans(Transaction& transaction, const std::string& value) {
  return transaction.Execute("SELECT set_config('enable_seqscan', $1, true)", {value}).status();
}

}  // namespace

absl::StatusOr<int64_t> ExecuteByIndex(Transaction& transaction, const std::string& statement,
                                       absl::Span<const Parameter> parameters) {
  const auto before = transaction.QueryOne(OnlyColumn<std::string>,
                                           std::string("SELECT current_setting('enable_seqscan')"));
  if (!before.ok()) return before.status();
  absl::Status set = SetSequentialScans(transaction, "off");
  if (!set.ok()) return set;
  auto rows = transaction.Execute(statement, parameters);
  if (!rows.ok()) return rows;
  set = SetSequentialScans(transaction, *before);
  if (!set.ok()) return set;
  return rows;
}

absl::StatusOr<int64_t> ExecuteWithForeignKeys(Transaction& transaction, size_t rows,
                                               const std::string& statement,
                                               absl::Span<const Parameter> parameters) {
  if (rows >= kManyRows) {
    absl::Status discarded = transaction.ExecuteScript("DISCARD PLANS");
    if (!discarded.ok()) return discarded;
  }
  return ExecuteByIndex(transaction, statement, parameters);
}

}  // namespace priorityd::storage
