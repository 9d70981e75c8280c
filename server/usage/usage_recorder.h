// Records usage: validates, resolves, prices, commits.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_
#define PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_

#include <memory>
#include <utility>
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
#include "server/usage/job_end_charge.h"
#include "server/usage/ledger_commit.h"
#include "server/usage/price_books.h"
#include "server/usage/priced_batch.h"
#include "server/usage/submitted_batch.h"
#include "storage/database/database.h"

namespace priorityd::usage {

// Writes new records to the ledger and adds them to the usage of their associations and QOS.
// Waiting batches share one transaction and are answered when it is on disk; an invalid record is
// rejected alone. Thread-safe.
class UsageRecorder {
 public:
  // `database` must outlive the recorder. `parts`: see PriceBooks.
  UsageRecorder(storage::Database* database, threads::Clocks clocks,
                GroupCommitter::Options options = {}, const quotas::Parts& parts = {});

  // The running time of the oldest commit, including reading prices for it; 0 if none is running.
  absl::Duration CommittingFor() const { return commits_.Longest(); }

  // The cluster's stored names and prices; see PriceBooks::AsStored.
  absl::StatusOr<std::shared_ptr<const PriceBook>> StoredBook(const std::string& cluster) {
    return books_.AsStored(cluster);
  }

  // Waiting batches, and measures of the commits.
  GroupCommitter::Waiting waiting() const { return committer_.waiting(); }
  const IngestMeasures& measures() const { return measures_; }
  const JobEndMeasures& job_end_measures() const { return job_ends_; }
  quotas::Usage tres_usage() const { return books_.tres_usage(); }

  // For a request of this frontend that ends jobs. The recorder must outlive it.
  JobEndCharge ChargeEnds(Recorder frontend) {
    return JobEndCharge(&books_, clocks_.site, &job_ends_, std::move(frontend));
  }

  // RESOURCE_EXHAUSTED if too many records wait; see GroupCommitter::Reserve.
  absl::StatusOr<GroupCommitter::Place> Reserve(size_t records) {
    return committer_.Reserve(records);
  }

  // Validates and prices on the calling thread, then queues the batch; batches of one caller are
  // written in the order of its calls. The texts of the submissions must live until `done` is
  // called. After an error, nothing is known to be written and the same batch may be sent again:
  // NOT_FOUND for an unknown cluster, UNAVAILABLE for the database.
  void Record(SubmittedBatch batch, GroupCommitter::Place place);

 private:
  absl::StatusOr<PricedBatch> Price(const SubmittedBatch& batch);
  absl::StatusOr<std::vector<RecordResults>> CommitMeasured(Group group);
  // Writes repeatedly until no configuration has changed meanwhile and the outcome is known.
  absl::StatusOr<std::vector<RecordResults>> Commit(Group group);
  // Prices batches with an outdated book again.
  absl::Status PriceAgain(Group group);

  const threads::Clocks clocks_;
  storage::Database* const database_;
  PriceBooks books_;
  CommitsAtWork commits_;
  IngestMeasures measures_;
  JobEndMeasures job_ends_;
  GroupCommitter committer_;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_RECORDER_H_
