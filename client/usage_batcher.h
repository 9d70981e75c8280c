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
// thread-safe. After an error what was not answered is kept: a further Add or Flush sends
// the same records again, which counts none of them twice.
class UsageBatcher {
 public:
  // Called for each batch that was answered, in their order, with the number of its
  // first record (the first one added is 0) and the answer.
  using OnBatch = std::function<void(int64_t first, const v1::RecordUsageResponse&)>;

  // `max_kept`: records kept in memory at most that are not known to be durable, while the service
  // is out of reach; 0 = 100,000, or five batches where those are more. REQUIRES: batch_size is 1
  // to 100,000; max_kept is 0 or room for kMinInFlight + 1 batches; `client` outlives this.
  UsageBatcher(const PriorityClient* client, int batch_size, OnBatch on_batch,
               int64_t max_kept = 0);

  // Adds a record; sends the batch when it is full, and waits while several are on
  // their way. With an error that IsSpoolFull the record was not taken; with any other it was, and
  // is kept.
  absl::Status Add(v1::UsageRecord record);

  // Sends what is waiting, and waits until everything is answered. Records are
  // durable, and only then, when this returns OK or they were answered before.
  absl::Status Flush();

  // How many records were added and not answered.
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

// Whether a UsageBatcher holds as many records as it may and took no further one: Flush it.
bool IsSpoolFull(const absl::Status& status);

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_USAGE_BATCHER_H_
