// Counts of usage records by outcome, and durations of their commits.
#ifndef PRIORITYD_SERVER_USAGE_INGEST_MEASURES_H_
#define PRIORITYD_SERVER_USAGE_INGEST_MEASURES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/measures/distribution.h"
#include "server/usage/priced_batch.h"

namespace priorityd::usage {

// Answered records by outcome.
struct RecordCounts {
  int64_t accepted = 0;
  int64_t duplicate = 0;
  int64_t rejected = 0;
};

// Thread-safe. A commit takes its lock once.
class IngestMeasures {
 public:
  static constexpr size_t kMaxSources = 100;
  static constexpr char kOtherSources[] = "other";

  // Records the commit of a cluster's group, successful or not, at `now`, from which lateness is
  // measured.
  void NoteCommit(absl::Span<const std::unique_ptr<QueuedBatch>> group,
                  const absl::StatusOr<std::vector<RecordResults>>& results, absl::Duration took,
                  absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  // By cluster.
  std::map<std::string, RecordCounts> records() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Rejected records by source: the first kMaxSources sources, and kOtherSources for all others.
  std::map<std::string, int64_t> rejected() const ABSL_LOCKS_EXCLUDED(mutex_);
  int64_t failed_commits() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Of all commits, including failed ones.
  const measures::Distribution& commit_seconds() const { return commit_seconds_; }
  // Of successful commits.
  const measures::Distribution& commit_records() const { return commit_records_; }
  // From the end of an accepted record to its commit.
  const measures::Distribution& lateness_seconds() const { return lateness_seconds_; }

 private:
  // The entry of `rejected_` that counts the source.
  std::map<std::string, int64_t>::iterator LabelOf(absl::string_view source)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountRejected(const SubmittedBatch& batch, const RecordResults& results)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteLateness(const SubmittedBatch& batch, const RecordResults& results, absl::Time now);

  measures::Distribution commit_seconds_{measures::SecondsBounds()};
  measures::Distribution commit_records_{{1, 3, 10, 30, 100, 300, 1000, 3000, 10'000, 30'000}};
  measures::Distribution lateness_seconds_{
      {1, 10, 60, 300, 900, 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600}};
  mutable absl::Mutex mutex_;
  std::map<std::string, RecordCounts> records_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> rejected_ ABSL_GUARDED_BY(mutex_);  // By source.
  int64_t failed_commits_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_INGEST_MEASURES_H_
