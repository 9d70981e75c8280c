#include "client/usage_batcher.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace priorityd::client {

absl::Status UsageBatcher::Add(v1::UsageRecord record) {
  *pending_.add_records() = std::move(record);
  return pending_.records_size() < batch_size_ ? absl::OkStatus() : Flush();
}

absl::Status UsageBatcher::Flush() {
  if (pending_.records().empty()) return absl::OkStatus();
  const absl::StatusOr<v1::RecordUsageResponse> response = client_->RecordUsage(pending_);
  if (!response.ok()) return response.status();
  if (response->results_size() != pending_.records_size()) {
    return absl::InternalError(absl::StrCat("RecordUsage: got ", response->results_size(),
                                            " results, want ", pending_.records_size()));
  }
  on_batch_(sent_, *response);
  sent_ += pending_.records_size();
  pending_.clear_records();
  return absl::OkStatus();
}

}  // namespace priorityd::client
