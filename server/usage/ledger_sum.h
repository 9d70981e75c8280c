// Sums usage rows up from the ledger.
#ifndef PRIORITYD_SERVER_USAGE_LEDGER_SUM_H_
#define PRIORITYD_SERVER_USAGE_LEDGER_SUM_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/usage/decayed_row.h"
#include "server/usage/row_decay.h"
#include "storage/database/database.h"
#include "storage/ledger/ledger_scan.h"
#include "storage/ledger/usage_store.h"

namespace priorityd::usage {

// The progress of a sum.
struct Progress {
  int64_t records = 0;  // Read so far.
  double fraction = 0;  // Of the ledger, 0..1.
};
// Receives the progress; an error that it returns ends the work with that error.
using ProgressReport = absl::FunctionRef<absl::Status(const Progress&)>;

// A difference between a stored row and the ledger.
struct RowDifference {
  storage::UsageOf of = storage::UsageOf::kAssociation;
  int64_t id = 0;
  double stored = 0;   // Usage in billing-seconds, both at one time.
  double rebuilt = 0;  // Equal to `stored` if only TRES or wall seconds differ.
};

// The difference up to which a stored row agrees with the ledger.
struct Tolerance {
  double relative = 0;
  // Whether to tolerate the error of rolling up: a bucket does not contain when in its hour the
  // records used their resources.
  bool rolled_up = false;
};

// The rows of one cluster by the ledger and the decay rules. A sum is read in pages while usage is
// being recorded (ReadAhead), and completed under the cluster's lock with the few records that
// arrived meanwhile (ReadRest): each record counts exactly once.
class LedgerSum {
 public:
  LedgerSum(int32_t cluster_id, DecayRules rules)
      : cluster_id_(cluster_id), decay_(std::move(rules)) {}

  const RowDecay& decay() const { return decay_; }

  // Reads up to the present end of the ledger, each page in its own transaction; locks are held
  // only for moments. Another call continues.
  absl::Status ReadAhead(storage::Database& database, ProgressReport progress);

  // Whether the ledger's horizon has moved since the first call of ReadAhead: then records may have
  // moved while they were read, and a new sum is needed. REQUIRES: the cluster is locked by
  // ClusterStore::Lock in `transaction`.
  absl::StatusOr<bool> IsStale(storage::Transaction& transaction) const;

  // Reads all remaining records. REQUIRES: the cluster is locked by ClusterStore::Lock in
  // `transaction`, and the sum is not stale; or nothing was read yet, called in a Database::Read,
  // which reads one moment. Call twice on one sum only if the first transaction committed.
  absl::Status ReadRest(storage::Transaction& transaction);

  // Compares every row with the stored one at `at`, or for a newer row at its own time; returns
  // differences beyond `tolerance`. A missing row counts as 0. REQUIRES: ReadRest was called in
  // `transaction`.
  absl::StatusOr<std::vector<RowDifference>> Compare(storage::Transaction& transaction,
                                                     absl::Time at,
                                                     const Tolerance& tolerance) const;

  // The rows named by `differences`, by id. REQUIRES: as Compare.
  std::vector<storage::UsageRow> RowsOf(storage::UsageOf of,
                                        const std::vector<RowDifference>& differences) const;

  // Overwrites the stored rows named by `differences`. REQUIRES: as Compare.
  absl::Status Write(storage::Transaction& transaction,
                     const std::vector<RowDifference>& differences) const;

  // Records that count, including rolled up ones.
  int64_t records() const { return records_; }
  int64_t rows() const {
    return static_cast<int64_t>(rows_.associations.size() + rows_.qos.size());
  }

 private:
  using Rows = absl::btree_map<int64_t, storage::UsageRow>;
  struct RowsOfBoth {
    Rows associations;
    Rows qos;
    Rows& Of(storage::UsageOf of) {
      return of == storage::UsageOf::kAssociation ? associations : qos;
    }
    const Rows& Of(storage::UsageOf of) const {
      return of == storage::UsageOf::kAssociation ? associations : qos;
    }
  };

  // The unread rest of the ledger. REQUIRES: the cluster is locked.
  absl::StatusOr<storage::LedgerRange> NextRange(storage::Transaction& transaction) const;
  absl::StatusOr<storage::LedgerRange> LockAndFindRange(storage::Transaction& transaction) const;
  // Reads what precedes `range`: everything the first time, later the records replaced since.
  absl::Status ReadChanged(storage::Transaction& transaction, const storage::LedgerRange& range);
  absl::Status ReadPage(storage::Transaction& transaction, const storage::LedgerRange& range);
  // Reads the usage that is or will be rolled up; this must be read first.
  absl::Status ReadBeforeHorizon(storage::Transaction& transaction, absl::Time horizon);
  void Add(const std::vector<storage::UsageRecord>& records);
  void Apply(RecordSpan added, RecordSpan removed);
  void AddBuckets(const std::vector<storage::UsageBucket>& buckets);
  // Removes added records that have been replaced since.
  void TakeOut(const std::vector<storage::UsageRecord>& records);
  // The row; one without usage if there is none.
  storage::UsageRow RowOf(storage::UsageOf of, int64_t id) const;
  absl::Status CompareRows(storage::Transaction& transaction, storage::UsageOf of, absl::Time at,
                           const Tolerance& tolerance,
                           std::vector<RowDifference>* differences) const;
  // nullopt if the row agrees with the stored one.
  std::optional<RowDifference> Difference(storage::UsageOf of, int64_t id,
                                          const storage::UsageRow& stored, absl::Time at,
                                          const Tolerance& tolerance) const;

  int32_t cluster_id_;
  RowDecay decay_;
  RowsOfBoth rows_;
  RowsOfBoth losses_;  // Their possible error due to rolling up.
  // The horizon when reading started.
  std::optional<absl::Time> horizon_;
  int64_t read_upto_ = 0;
  int64_t records_ = 0;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_LEDGER_SUM_H_
