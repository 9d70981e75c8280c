// Decayed usage as (value, as_of), by association and by QOS, and the opening usage of
// associations.
#ifndef STORAGE_LEDGER_USAGE_STORE_H_
#define STORAGE_LEDGER_USAGE_STORE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/amount.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;

enum class UsageOf { kAssociation, kQos };

// All amounts hold at as_of and decay from there. An association's row is its
// own usage, without that of the associations below it and without its
// opening usage.
struct UsageRow {
  int64_t id = 0;    // of the association or the QOS
  double value = 0;  // billing seconds times UsageFactor
  absl::Time as_of = absl::InfinitePast();
  TresAmounts tres_seconds;
  double wall_seconds = 0;
  bool operator==(const UsageRow&) const = default;
};

// The columns of the table.
const ColumnTable<UsageRow>& UsageColumns(UsageOf of);

// An amount that counts `value` at as_of and decays from then on.
struct OpeningUsage {
  int64_t association_id = 0;
  double value = 0;
  absl::Time as_of;
  bool operator==(const OpeningUsage&) const = default;
};

// The columns of the table.
const ColumnTable<OpeningUsage>& OpeningUsageColumns();

// Lists are in the order of ids. Usage of deleted associations and QOS stays
// and is listed too.
class UsageStore {
 public:
  explicit UsageStore(Transaction& transaction) : transaction_(transaction) {}

  // Rows written by transactions that were not yet visible to the one that
  // returned `since` from Watermark(); 0 = all rows. May list a row again that
  // was seen then, never leaves one out.
  absl::StatusOr<std::vector<UsageRow>> List(UsageOf of, int32_t cluster_id, int64_t since = 0);
  absl::StatusOr<std::vector<OpeningUsage>> ListOpening(int32_t cluster_id, int64_t since = 0);

  // The number of rows.
  absl::StatusOr<int64_t> Count(UsageOf of, int32_t cluster_id);

  // The newest as_of of any row; InfinitePast() = no rows.
  absl::StatusOr<absl::Time> Latest(int32_t cluster_id);

  // The value to pass as `since` next time. REQUIRES: called in the Database::Read that also lists.
  absl::StatusOr<int64_t> Watermark();

  // Locks the rows of `ids` (ascending, different) until the end of the
  // transaction, after creating those that are missing, and returns them in
  // that order. FAILED_PRECONDITION for an id that is not of this cluster.
  absl::StatusOr<std::vector<UsageRow>> Lock(UsageOf of, int32_t cluster_id,
                                             const std::vector<int64_t>& ids);

  // Overwrites rows of the cluster that are there. REQUIRES: they are locked.
  absl::Status Write(UsageOf of, int32_t cluster_id, absl::Span<const UsageRow> rows);

  // Inserts or overwrites by association_id, which must differ among `rows`. A
  // value of 0 is how opening usage ends.
  absl::Status SetOpening(int32_t cluster_id, absl::Span<const OpeningUsage> rows);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_USAGE_STORE_H_
