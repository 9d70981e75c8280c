// Sends usage records in batches, as a collector does.
#ifndef PRIORITYD_CLIENT_USAGE_BATCHER_H_
#define PRIORITYD_CLIENT_USAGE_BATCHER_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "client/priority_client.h"
#include "client/usage_stream.h"

namespace priorityd::client {

// Gathers records and sends every `batch_size` of them over a UsageStream. Not
// thread-safe. After an error the unanswered records are kept: the next Add or Flush sends
// them again. The service counts each once.
class UsageBatcher {
 public:
  // Called for each answered batch, in order, with the number of its first record (the
  // first record added is 0) and the answer.
  using OnBatch = std::function<void(int64_t first, const v1::RecordUsageResponse&)>;

  // `max_kept`: the maximum of records in memory that are not known to be durable, while the
  // service cannot be reached; 0 = the greater of 100,000 and five batches. REQUIRES: batch_size is
  // 1 to 100,000; max_kept is 0 or room for kMinInFlight + 1 batches; `client` outlives this.
  UsageBatcher(const PriorityClient* client, int batch_size, OnBatch on_batch,
               int64_t max_kept = 0);

  // Adds a record; sends the batch when it is full, and waits while too many are in
  // flight. With an error that IsSpoolFull the record was not taken; with any other it was, and is
  // kept.
  absl::Status Add(v1::UsageRecord record);

  // Sends the waiting records, and waits until all are answered. Records are durable
  // only when this has returned OK or they were answered before.
  absl::Status Flush();

  // The number of records that were added and not answered.
  int64_t kept() const { return added_ - answered_; }

 private:
  absl::Status Send();

  const int batch_size_;
  const int64_t max_kept_;
  const OnBatch on_batch_;
  v1::RecordUsageRequest pending_;
  int64_t added_ = 0;
  int64_t answered_ = 0;
  UsageStream stream_;
};

// Whether a UsageBatcher holds its maximum of records and rejected another one: Flush it.
bool IsSpoolFull(const absl::Status& status);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_USAGE_BATCHER_H_
