// The usage ledger: appended to, never changed, until old records are rolled up
// into hourly buckets (RetentionStore).
//
// The rule of reading it: a record counts unless the ledger holds another one of the same cluster
// and source whose replaces_record_id is its record_id; a record that is replaced counts nothing.
// At most one record replaces another, and replaced records may be corrections themselves. In SQL,
// the records that count are the view priorityd.counted_usage.
#ifndef STORAGE_LEDGER_LEDGER_STORE_H_
#define STORAGE_LEDGER_LEDGER_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/amount.h"
#include "storage/database/transaction.h"
#include "storage/ledger/usage_store.h"

namespace priorityd::storage {

template <typename Row>
class ColumnTable;
struct JobAccounting;

// A usage record as it was submitted. Two are the same record if they agree in
// (source, record_id), and the same content if they are equal.
struct SubmittedUsage {
  std::string source;
  std::string record_id;  // not empty
  std::string job_id;
  std::string user_name;
  std::string account;
  std::string partition;
  std::string qos;
  absl::Time start_time;           // whole microseconds
  absl::Time end_time;             // whole microseconds, not before start_time
  std::vector<TresAmount> tres;    // allocated counts, ascending by tres_id, none 0
  std::optional<double> billing;   // overrides the weights
  std::string replaces_record_id;  // of the same source; empty = none
  bool operator==(const SubmittedUsage&) const = default;
};

// With its price, which is fixed for ever.
struct UsageRecord {
  SubmittedUsage submitted;
  int64_t association_id = 0;  // 0 = none; only of what is not inserted
  std::optional<int64_t> qos_id;
  double billing_rate = 0;  // billing TRES; usage per second is billing_rate * usage_factor
  double usage_factor = 1;
  // Wall seconds per second: 1, or more for a bucket of several records.
  double wall_rate = 1;
  // The PrincipalStore's number of the principal that recorded it; unset = unknown.
  std::optional<int32_t> recorded_by = std::nullopt;
  // The accounting data of its job; null = none. Written by JobAccountingStore and
  // read by ListRecords; null in all that is read here. Equal records have the same one.
  std::shared_ptr<const JobAccounting> job;
  bool operator==(const UsageRecord&) const = default;
};

// The columns of the table.
const ColumnTable<UsageRecord>& UsageRecordColumns();

struct LedgerEntry {
  int64_t seq = 0;  // ascending in the order of appending, with gaps
  UsageRecord record;
  bool operator==(const LedgerEntry&) const = default;
};

// Identifies a record within a cluster: its source and its record_id.
using RecordKey = std::pair<absl::string_view, absl::string_view>;

inline RecordKey KeyOf(const SubmittedUsage& usage) { return {usage.source, usage.record_id}; }

// A record that the ledger holds.
struct HeldRecord {
  UsageRecord record;
  bool replaced = false;  // By another record of the ledger.
  bool operator==(const HeldRecord&) const = default;
};

class LedgerStore {
 public:
  explicit LedgerStore(Transaction& transaction) : transaction_(transaction) {}

  // The existing records of `keys`, in no particular order. REQUIRES: the keys are distinct.
  absl::StatusOr<std::vector<HeldRecord>> Find(int32_t cluster_id,
                                               absl::Span<const RecordKey> keys);

  // Writes records that the ledger does not hold, in any order. ABORTED, which
  // Database::Write tries again, if another transaction wrote one of them since
  // Find; it waits for such a transaction to end. REQUIRES: their keys differ, each
  // has an association, and the rows of their usage are locked and written
  // (UsageStore) in the same transaction; with several clusters in one transaction,
  // in ascending order of cluster_id.
  absl::Status Insert(int32_t cluster_id, std::vector<const UsageRecord*> records);

  // The records of these associations, or of jobs under these QOS, that count and end after
  // `time`, and the averages of the buckets that do (usage_bucket.h), in no particular order.
  // Reads all records of the cluster that end then.
  // REQUIRES: in Database::Read, or the cluster is locked by ClusterStore::Lock.
  absl::StatusOr<std::vector<UsageRecord>> ListEndingAfter(UsageOf of, int32_t cluster_id,
                                                           absl::Time time,
                                                           const std::vector<int64_t>& ids);

  // At most `limit` entries with a seq above `after`, ascending by seq.
  absl::StatusOr<std::vector<LedgerEntry>> List(int32_t cluster_id, int64_t after, int64_t limit);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_LEDGER_STORE_H_
