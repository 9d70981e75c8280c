// Usage rows summed up from the ledger.
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
#include "storage/database.h"
#include "storage/ledger_scan.h"
#include "storage/usage_store.h"

namespace priorityd::usage {

// How far a sum has come.
struct Progress {
  int64_t records = 0;  // Read so far.
  double fraction = 0;  // Of the ledger, 0..1.
};
// Told of progress; an error it returns ends the work with that error.
using ProgressReport = absl::FunctionRef<absl::Status(const Progress&)>;

// Where a stored row and the ledger disagree.
struct RowDifference {
  storage::UsageOf of = storage::UsageOf::kAssociation;
  int64_t id = 0;
  double stored = 0;   // Usage in billing-seconds, both at one time.
  double rebuilt = 0;  // Equal to `stored` where only TRES or wall seconds differ.
};

// How far a stored row may be from the ledger's before the two disagree.
struct Tolerance {
  double relative = 0;
  // Whether it is no difference either what may come of rolling up: of records that
  // are gone, a bucket does not tell when in its hour they used what they did.
  bool rolled_up = false;
};

// The rows of one cluster as the ledger and the decay rules give them. A sum is
// read in pages while usage is being recorded (ReadAhead), and completed with the
// few records that arrived meanwhile under the cluster's lock (ReadRest): what
// arrives at any time is counted once.
class LedgerSum {
 public:
  LedgerSum(int32_t cluster_id, DecayRules rules)
      : cluster_id_(cluster_id), decay_(std::move(rules)) {}

  const RowDecay& decay() const { return decay_; }

  // Reads up to the ledger's end of now, page by page, each in a transaction of
  // its own; no lock is held but for moments. May be called again: it goes on.
  absl::Status ReadAhead(storage::Database& database, ProgressReport progress);

  // Whether the ledger's horizon has moved since the first call of ReadAhead: then
  // records may have been moved while they were read, and a new sum is wanted.
  // REQUIRES: the cluster is locked by ClusterStore::Lock in `transaction`.
  absl::StatusOr<bool> IsStale(storage::Transaction& transaction) const;

  // Reads all that is left. REQUIRES: the cluster is locked by ClusterStore::Lock
  // in `transaction`, and the sum is not stale; or nothing was read yet, in a
  // Database::Read, and what is read is of one moment. Twice on one sum only if the
  // first transaction committed.
  absl::Status ReadRest(storage::Transaction& transaction);

  // Compares every row with what is stored, at `at` or, of a newer row, at its own
  // time; differences beyond `tolerance`. A row that is missing on one side counts
  // 0. REQUIRES: ReadRest was called in `transaction`.
  absl::StatusOr<std::vector<RowDifference>> Compare(storage::Transaction& transaction,
                                                     absl::Time at,
                                                     const Tolerance& tolerance) const;

  // The rows that `differences` name, by id. REQUIRES: as Compare.
  std::vector<storage::UsageRow> RowsOf(storage::UsageOf of,
                                        const std::vector<RowDifference>& differences) const;

  // Overwrites the stored rows that `differences` name. REQUIRES: as Compare.
  absl::Status Write(storage::Transaction& transaction,
                     const std::vector<RowDifference>& differences) const;

  // Those that count, rolled up ones too.
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

  // From what was read so far to the ledger's end. REQUIRES: the cluster is locked.
  absl::StatusOr<storage::LedgerRange> NextRange(storage::Transaction& transaction) const;
  absl::StatusOr<storage::LedgerRange> LockAndFindRange(storage::Transaction& transaction) const;
  // What is before `range`: all of it the first time, later what was replaced since.
  absl::Status ReadChanged(storage::Transaction& transaction, const storage::LedgerRange& range);
  absl::Status ReadPage(storage::Transaction& transaction, const storage::LedgerRange& range);
  // What is rolled up or will be, as the first of all that is read.
  absl::Status ReadBeforeHorizon(storage::Transaction& transaction, absl::Time horizon);
  void Add(const std::vector<storage::UsageRecord>& records);
  void Apply(RecordSpan added, RecordSpan removed);
  void AddBuckets(const std::vector<storage::UsageBucket>& buckets);
  // Takes out what was added and has been replaced since.
  void TakeOut(const std::vector<storage::UsageRecord>& records);
  // The row, one without usage where there is none.
  storage::UsageRow RowOf(storage::UsageOf of, int64_t id) const;
  absl::Status CompareRows(storage::Transaction& transaction, storage::UsageOf of, absl::Time at,
                           const Tolerance& tolerance,
                           std::vector<RowDifference>* differences) const;
  // nullopt where the row agrees with the stored one.
  std::optional<RowDifference> Difference(storage::UsageOf of, int64_t id,
                                          const storage::UsageRow& stored, absl::Time at,
                                          const Tolerance& tolerance) const;

  int32_t cluster_id_;
  RowDecay decay_;
  RowsOfBoth rows_;
  RowsOfBoth losses_;  // How far those may be off for what is rolled up.
  // The horizon when reading began.
  std::optional<absl::Time> horizon_;
  int64_t read_upto_ = 0;
  int64_t records_ = 0;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_LEDGER_SUM_H_
