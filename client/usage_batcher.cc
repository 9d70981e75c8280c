#include "client/usage_batcher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace priorityd::client {
namespace {

constexpr int64_t kDefaultMaxKept = 100'000;
// Distinguishes this RESOURCE_EXHAUSTED from those of the service.
constexpr char kSpoolFull[] = "priorityd.client.SpoolFull";

int64_t MaxKept(int64_t asked, int64_t batch_size) {
  if (asked > 0) return asked;
  return std::max(kDefaultMaxKept, batch_size * (UsageStream::kMinInFlight + 1));
}

absl::Status SpoolFull(int64_t kept) {
  absl::Status status = absl::ResourceExhaustedError(
      absl::StrCat("usage batcher: got ", kept, " unanswered records, want fewer: flush"));
  status.SetPayload(kSpoolFull, absl::Cord());
  return status;
}

}  // namespace

UsageBatcher::UsageBatcher(const PriorityClient* client, int batch_size, OnBatch on_batch,
                           int64_t max_kept)
    : batch_size_(batch_size),
      max_kept_(MaxKept(max_kept, batch_size)),
      on_batch_(std::move(on_batch)),
      stream_(
          client,
          [this](const v1::RecordUsageResponse& answer) {
            const int64_t first = answered_;
            answered_ += answer.results_size();
            on_batch_(first, answer);
          },
          // The unanswered batches leave room for the batch that is being filled.
          std::min(UsageStream::kManyRecords, max_kept_ - batch_size + 1)) {}

absl::Status UsageBatcher::Add(v1::UsageRecord record) {
  if (kept() >= max_kept_) return SpoolFull(kept());
  ++added_;
  *pending_.add_records() = std::move(record);
  return pending_.records_size() < batch_size_ ? absl::OkStatus() : Send();
}

absl::Status UsageBatcher::Flush() {
  if (!pending_.records().empty()) {
    if (absl::Status sent = Send(); !sent.ok()) return sent;
  }
  return stream_.Flush();
}

absl::Status UsageBatcher::Send() {
  return stream_.Send(std::exchange(pending_, v1::RecordUsageRequest()));
}

bool IsSpoolFull(const absl::Status& status) { return status.GetPayload(kSpoolFull).has_value(); }

}  // namespace priorityd::client
