// Sends usage records in batches, as a collector does.
#ifndef PRIORITYD_CLIENT_USAGE_BATCHER_H_
#define PRIORITYD_CLIENT_USAGE_BATCHER_H_

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "client/priority_client.h"
#include "client/usage_stream.h"

namespace priorityd::client {

// Gathers records and sends every `batch_size` of them over a UsageStream. Not
// thread-safe. After an error what was not answered is kept: a further Flush sends
// the same records again, which counts none of them twice.
class UsageBatcher {
 public:
  // Called for each batch that was answered, in their order, with the number of its
  // first record (the first one added is 0) and the answer.
  using OnBatch = std::function<void(int64_t first, const v1::RecordUsageResponse&)>;

  // REQUIRES: batch_size is 1 to 100,000; `client` outlives this.
  UsageBatcher(const PriorityClient* client, int batch_size, OnBatch on_batch)
      : batch_size_(batch_size),
        on_batch_(std::move(on_batch)),
        stream_(client, [this](const v1::RecordUsageResponse& answer) {
          on_batch_(answered_, answer);
          answered_ += answer.results_size();
        }) {}

  // Adds a record; sends the batch when it is full, and waits while several are on
  // their way.
  absl::Status Add(v1::UsageRecord record);

  // Sends what is waiting, and waits until everything is answered. Records are
  // durable, and only then, when this returns OK or they were answered before.
  absl::Status Flush();

 private:
  const int batch_size_;
  const OnBatch on_batch_;
  v1::RecordUsageRequest pending_;
  int64_t answered_ = 0;
  UsageStream stream_;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_USAGE_BATCHER_H_
