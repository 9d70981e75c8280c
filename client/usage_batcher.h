// Sends usage records in batches, as a collector does.
#ifndef PRIORITYD_CLIENT_USAGE_BATCHER_H_
#define PRIORITYD_CLIENT_USAGE_BATCHER_H_

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "client/priority_client.h"

namespace priorityd::client {

// Gathers records and sends every `batch_size` of them in one RecordUsage call.
// Not thread-safe. After an error the batch is kept: a further Flush sends the
// same records again, which counts none of them twice.
class UsageBatcher {
 public:
  // Called after each batch that was answered, with the number of its first
  // record (the first one added is 0) and the answer.
  using OnBatch = std::function<void(int64_t first, const v1::RecordUsageResponse&)>;

  // REQUIRES: batch_size is 1 to 100,000; `client` outlives this.
  UsageBatcher(const PriorityClient* client, int batch_size, OnBatch on_batch)
      : client_(client), batch_size_(batch_size), on_batch_(std::move(on_batch)) {}

  // Adds a record; sends the batch when it is full.
  absl::Status Add(v1::UsageRecord record);

  // Sends what is waiting, if anything is. Records are durable, and only then,
  // when the call that sent them answered OK.
  absl::Status Flush();

 private:
  const PriorityClient* const client_;
  const int batch_size_;
  const OnBatch on_batch_;
  v1::RecordUsageRequest pending_;
  int64_t sent_ = 0;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_USAGE_BATCHER_H_
