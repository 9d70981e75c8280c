// Voids: records that an operator excluded from the ledger, and the progress of a void.
#ifndef STORAGE_LEDGER_USAGE_VOID_STORE_H_
#define STORAGE_LEDGER_USAGE_VOID_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/transaction.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::storage {

// Selects records. Empty lists and infinite times select all.
struct VoidFilter {
  std::vector<std::string> sources;
  std::vector<std::string> job_ids;
  std::vector<std::string> users;
  std::vector<std::string> accounts;  // Charged, also deleted ones.
  absl::Time ended_from = absl::InfinitePast();
  absl::Time ended_before = absl::InfiniteFuture();
  absl::Time recorded_from = absl::InfinitePast();
  absl::Time recorded_before = absl::InfiniteFuture();
  bool operator==(const VoidFilter&) const = default;
};

struct UsageVoid {
  int64_t id = 0;  // From 1, of each cluster.
  VoidFilter filter;
  int64_t last_seq = 0;  // Of the ledger when the void was made: nothing later is voided.
  std::string state;     // voiding, voided, restoring, restored
  int64_t done_seq = 0;  // Up to it the ledger has been gone through in this state.
  int64_t voided_records = 0;
  int64_t restored_records = 0;
  double voided_usage = 0;  // Billing seconds times UsageFactor, not decayed.
  bool operator==(const UsageVoid&) const = default;
};

// A record and its place in the ledger.
struct PlacedRecord {
  int64_t seq = 0;
  UsageRecord record;
};

// A record that a void replaced by one without usage.
struct VoidedRecord {
  int64_t seq = 0;      // Of that record,
  std::string void_id;  // and its record_id.
  UsageRecord record;   // The record that it replaces.
};

// The record_id of the record that replaces `seq` in void `id`, and of the record that restores it.
std::string VoidRecordId(int64_t id, int64_t seq);
std::string RestoreRecordId(int64_t id, int64_t seq);
// No record_id that a client chooses may begin so.
inline constexpr absl::string_view kVoidPrefix = "usage-void:";
inline constexpr absl::string_view kRestorePrefix = "usage-restore:";

class UsageVoidStore {
 public:
  explicit UsageVoidStore(Transaction& transaction) : transaction_(transaction) {}

  // Writes a new void and returns its id; that of `row` is ignored.
  // REQUIRES: the cluster is locked by ClusterStore::Lock.
  absl::StatusOr<int64_t> Insert(int32_t cluster_id, const UsageVoid& row);

  // Locks the void until the end of the transaction; nullopt if there is none.
  absl::StatusOr<std::optional<UsageVoid>> Lock(int32_t cluster_id, int64_t id);

  // Writes state, done_seq, counts and usage. REQUIRES: it is locked.
  absl::Status Update(int32_t cluster_id, const UsageVoid& row);

  // The first `limit` records that count, fit and end at the horizon or later, of those that were
  // appended after `after` and not after `upto`, in the order of appending. Replacements of voided
  // records are not among them.
  absl::StatusOr<std::vector<PlacedRecord>> Fitting(int32_t cluster_id, const VoidFilter& filter,
                                                    int64_t after, int64_t upto, int64_t limit);

  // The first `limit` records that void `id` replaced and that are still replaced, by the seq of
  // the replacement.
  absl::StatusOr<std::vector<VoidedRecord>> Voided(int32_t cluster_id, int64_t id, int64_t after,
                                                   int64_t limit);

  // The number of records of these accounts and users in that time that were rolled up. Buckets
  // have neither the sources and jobs of their records nor the times at which they were recorded.
  absl::StatusOr<int64_t> CountRolledUp(int32_t cluster_id, const VoidFilter& filter);

  // Copies the accounting data of the job from record `from` to record `to` of `source`.
  struct Copy {
    std::string source;
    std::string from;
    std::string to;
  };
  absl::Status CopyJobAccounting(int32_t cluster_id, absl::Span<const Copy> copies);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_USAGE_VOID_STORE_H_
