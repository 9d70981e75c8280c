// Batches of usage records over one stream, several on their way at once.
#ifndef PRIORITYD_CLIENT_USAGE_STREAM_H_
#define PRIORITYD_CLIENT_USAGE_STREAM_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/priority_client.h"

namespace priorityd::client {

// Not thread-safe. Opens the stream when it is first used. When that breaks, or the
// service says that it is busy or stopping, opens another one as the client's
// RetryPolicy says and sends again what is not acknowledged: nothing is lost, and no
// record counts twice. The same when the token of a stream has expired, with the token that there
// is by then. Where the service has no StreamUsage, calls RecordUsage.
class UsageStream {
 public:
  // Called for each batch, in the order sent, once it is acknowledged.
  using OnAnswer = std::function<void(const v1::RecordUsageResponse&)>;

  // Batches on their way at once: so many whatever their size, and up to kMaxInFlight as
  // long as they hold fewer than kManyRecords, or what the constructor is given.
  static constexpr int kMinInFlight = 4;
  static constexpr int kMaxInFlight = 16;
  static constexpr int64_t kManyRecords = 16'000;

  // REQUIRES: `client` outlives this.
  UsageStream(const PriorityClient* client, OnAnswer on_answer,
              int64_t many_records = kManyRecords);
  // Ends the stream, without waiting for what is on its way.
  ~UsageStream();

  // Sends a batch, then waits until there is room for another one. After an error the batch is
  // kept, as are all without acknowledgement: Flush sends them again.
  absl::Status Send(v1::RecordUsageRequest batch);

  // Waits until every batch is acknowledged. Its records are durable then.
  absl::Status Flush();

 private:
  class Connection;
  struct Batch {
    v1::StreamUsageRequest request;
    bool sent = false;  // On the present stream.
    std::optional<v1::RecordUsageResponse> answer;
  };

  // What to wait for.
  enum class Until { kRoom, kAllAnswered };
  bool IsReached(Until until) const;
  // Sends and waits.
  absl::Status Drive(Until until);
  // As Drive, on the present stream, which an error ends.
  absl::Status DriveOnce(Until until, absl::Time deadline);
  absl::Status SendUnsent(absl::Time deadline);
  absl::Status ReceiveOne(absl::Time deadline);
  // What was acknowledged before the stream ended; then why it did.
  absl::Status ReceiveRest(absl::Time deadline);
  absl::Status CallUnary();
  absl::Status Take(const v1::StreamUsageResponse& response);

  const PriorityClient* const client_;
  const OnAnswer on_answer_;
  const int64_t many_records_;
  std::deque<Batch> batches_;  // In the order given; the first has no acknowledgement.
  int64_t next_batch_id_ = 1;
  bool unary_ = false;
  bool proved_ = false;    // The present stream has acknowledged something.
  bool expired_ = false;   // So had one whose token has expired since, in this attempt.
  bool progress_ = false;  // An acknowledgement came since Drive began an attempt.
  std::unique_ptr<Connection> connection_;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_USAGE_STREAM_H_
