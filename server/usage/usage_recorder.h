// RecordUsage's path: validate, resolve, price, commit.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_
#define PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/usage/group_committer.h"
#include "server/usage/price_books.h"
#include "server/usage/usage_batch.h"
#include "storage/database.h"

namespace priorityd::usage {

// Writes the records that are new to the ledger and adds them to the usage of
// their associations and QOS. Batches that wait at the same time share one
// transaction; each is answered when that is on disk, and a bad record is
// rejected by itself. Thread-safe.
class UsageRecorder {
 public:
  using Clock = std::function<absl::Time()>;

  // `database` must outlive the recorder.
  UsageRecorder(storage::Database* database, Clock clock, GroupCommitter::Options options = {});

  // RESOURCE_EXHAUSTED when too many records wait; see GroupCommitter::Reserve.
  absl::StatusOr<GroupCommitter::Place> Reserve(size_t records) {
    return committer_.Reserve(records);
  }

  // Validates and prices on the calling thread, then queues the batch; batches of
  // one caller are written in the order of its calls. What the submissions view
  // must live until `done` is called. On an error nothing is known to be written,
  // and the same batch may be sent again: NOT_FOUND no such cluster, UNAVAILABLE
  // the database.
  void Record(std::unique_ptr<UsageBatch> batch, GroupCommitter::Place place);

 private:
  using Group = absl::Span<const std::unique_ptr<UsageBatch>>;

  // Commits until no configuration changed meanwhile and the outcome is known.
  absl::Status Commit(Group group);
  // Sets `stale` where a batch is priced by a book that is out of date.
  absl::Status Write(storage::Transaction& transaction, Group group, bool* stale);
  absl::Status WriteCluster(storage::Transaction& transaction, int32_t cluster_id,
                            absl::Span<UsageBatch* const> batches, bool* stale);
  absl::Status PrepareAgain(Group group);

  const Clock clock_;
  storage::Database* const database_;
  PriceBooks books_;
  GroupCommitter committer_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_
