// RecordUsage's path: validate, resolve, price, commit.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_
#define PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/threads/clock.h"
#include "server/usage/commits_at_work.h"
#include "server/usage/group_committer.h"
#include "server/usage/ingest_measures.h"
#include "server/usage/ledger_commit.h"
#include "server/usage/price_books.h"
#include "server/usage/priced_batch.h"
#include "server/usage/submitted_batch.h"
#include "storage/database.h"

namespace priorityd::usage {

// Writes the records that are new to the ledger and adds them to the usage of
// their associations and QOS. Batches that wait at the same time share one
// transaction; each is answered when that is on disk, and a bad record is
// rejected by itself. Thread-safe.
class UsageRecorder {
 public:
  // `database` must outlive the recorder. `parts`: see PriceBooks.
  UsageRecorder(storage::Database* database, threads::Clocks clocks,
                GroupCommitter::Options options = {}, const quotas::Parts& parts = {});

  // How long a commit, or the reading of prices for one, has been at work; 0 if none is.
  absl::Duration CommittingFor() const { return commits_.Longest(); }

  // Names and prices of the cluster as they are stored now; see PriceBooks::AsStored.
  absl::StatusOr<std::shared_ptr<const PriceBook>> StoredBook(const std::string& cluster) {
    return books_.AsStored(cluster);
  }

  // What waits to be committed, and what was.
  GroupCommitter::Waiting waiting() const { return committer_.waiting(); }
  const IngestMeasures& measures() const { return measures_; }
  quotas::Usage tres_usage() const { return books_.tres_usage(); }

  // RESOURCE_EXHAUSTED when too many records wait; see GroupCommitter::Reserve.
  absl::StatusOr<GroupCommitter::Place> Reserve(size_t records) {
    return committer_.Reserve(records);
  }

  // Validates and prices on the calling thread, then queues the batch; batches of
  // one caller are written in the order of its calls. What the submissions view
  // must live until `done` is called. On an error nothing is known to be written,
  // and the same batch may be sent again: NOT_FOUND no such cluster, UNAVAILABLE
  // the database.
  void Record(SubmittedBatch batch, GroupCommitter::Place place);

 private:
  absl::StatusOr<PricedBatch> Price(const SubmittedBatch& batch);
  absl::StatusOr<std::vector<RecordResults>> CommitMeasured(Group group);
  // Writes until no configuration changed meanwhile and the outcome is known.
  absl::StatusOr<std::vector<RecordResults>> Commit(Group group);
  // Prices those again whose book is out of date.
  absl::Status PriceAgain(Group group);

  const threads::Clocks clocks_;
  storage::Database* const database_;
  PriceBooks books_;
  CommitsAtWork commits_;
  IngestMeasures measures_;
  GroupCommitter committer_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_
