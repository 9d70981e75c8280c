// RecordUsage's path: validate, resolve, price, commit.
#ifndef PRIORITYD_SERVER_INGEST_USAGE_RECORDER_H_
#define PRIORITYD_SERVER_INGEST_USAGE_RECORDER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/ingest/price_book.h"
#include "server/ingest/usage_submission.h"
#include "storage/database.h"
#include "storage/ledger_store.h"

namespace priorityd::ingest {

// Thread-safe.
class UsageRecorder {
 public:
  using Clock = std::function<absl::Time()>;

  // `database` must outlive the recorder.
  UsageRecorder(storage::Database* database, Clock clock)
      : database_(database), clock_(std::move(clock)) {}

  // Writes the records that are new to the ledger and adds them to the usage of
  // their associations and QOS, in one transaction that is on disk when this
  // returns. One result per record, in their order; a bad record is rejected by
  // itself. On an error nothing is known to be written, and the same records may
  // be sent again: NOT_FOUND no such cluster, UNAVAILABLE, ABORTED the database.
  absl::StatusOr<std::vector<RecordResult>> Record(const std::string& cluster,
                                                   absl::Span<const UsageSubmission> records);

 private:
  // What tells one configuration from another.
  struct Revision {
    int64_t audit_event = 0;
    int64_t policy_version = 0;
    bool operator==(const Revision&) const = default;
  };
  struct CachedBook {
    Revision revision;
    std::shared_ptr<const PriceBook> book;
  };

  // REQUIRES: the cluster is locked, shared at least.
  absl::StatusOr<std::shared_ptr<const PriceBook>> BookOf(storage::Transaction& transaction,
                                                          int32_t cluster_id,
                                                          const std::string& cluster)
      ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  const Clock clock_;
  absl::Mutex mutex_;
  absl::flat_hash_map<int32_t, CachedBook> books_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::ingest

#endif  // PRIORITYD_SERVER_INGEST_USAGE_RECORDER_H_
