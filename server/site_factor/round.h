// One round of queries for the site factors of a queue's pending jobs.
#ifndef PRIORITYD_SERVER_SITE_FACTOR_ROUND_H_
#define PRIORITYD_SERVER_SITE_FACTOR_ROUND_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/queue/state/queue_state.h"
#include "server/site_factor/site_factor_service.h"

namespace priorityd::site_factor {

struct RoundResult {
  bool answered = false;  // At least one batch was answered successfully.
  std::string failure;    // The first failure, as a sentence; empty = none.
};

// Queries jobs in batches, a few in parallel; stores every answer on arrival. An invalid answer is
// refused as a whole, and the round continues; a failed call ends it. Thread-compatible.
class Round {
 public:
  static constexpr size_t kBatchJobs = 1000;
  static constexpr int kCallsAtOnce = 4;

  // All must outlive it.
  Round(queue::TrackedQueues* queues, SiteFactorService* service,
        const priority::Snapshot* snapshot);

  // Call once.
  RoundResult Run();

 private:
  using JobIds = absl::flat_hash_set<absl::string_view>;
  struct Batch {
    JobIds job_ids;
    Answer answer;
  };

  // The jobs of the next batch; empty = none are left.
  std::vector<queue::TrackedJob> NextJobs();
  void Send(std::vector<queue::TrackedJob> jobs);
  // Waits for answers; empty = no call is running.
  std::vector<std::unique_ptr<Batch>> AwaitAnswers();
  void HandleAnswer(const Batch& batch);
  void Fail(std::string failure);

  queue::TrackedQueues* const queues_;
  SiteFactorService* const service_;
  const priority::Snapshot& snapshot_;
  std::shared_ptr<const queue::QueueState> state_;
  // The next job to query.
  uint32_t chunk_ = 0;
  uint32_t job_ = 0;
  bool continues_ = true;
  RoundResult result_;

  absl::Mutex mutex_;
  absl::CondVar answered_;
  int at_work_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<Batch>> answers_ ABSL_GUARDED_BY(mutex_);
};

// Validates the answer to a question: INVALID_ARGUMENT if it names a job that was not in the
// question, names one twice, or has a factor out of range.
absl::Status CheckAnswer(const absl::flat_hash_set<absl::string_view>& job_ids,
                         const std::vector<queue::SiteFactor>& factors);

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_ROUND_H_
