#include "client/usage_batcher.h"

#include <utility>

namespace priorityd::client {

absl::Status UsageBatcher::Add(v1::UsageRecord record) {
  *pending_.add_records() = std::move(record);
  if (pending_.records_size() < batch_size_) return absl::OkStatus();
  return stream_.Send(std::exchange(pending_, v1::RecordUsageRequest()));
}

absl::Status UsageBatcher::Flush() {
  if (!pending_.records().empty()) {
    absl::Status sent = stream_.Send(std::exchange(pending_, v1::RecordUsageRequest()));
    if (!sent.ok()) return sent;
  }
  return stream_.Flush();
}

}  // namespace priorityd::client
