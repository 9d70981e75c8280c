// Sends batches of usage records over one stream, several in flight at once.
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

// Not thread-safe. Opens the stream on first use. When the stream breaks, or the service
// reports that it is busy or stopping, opens another one by the client's RetryPolicy and
// sends the unacknowledged batches again: no record is lost, and none counts twice. Does the same
// with the current token when the token of a stream has expired. With a service that has no
// StreamUsage, calls RecordUsage.
class UsageStream {
 public:
  // Called for each acknowledged batch, in the order sent.
  using OnAnswer = std::function<void(const v1::RecordUsageResponse&)>;

  // Batches in flight at once: so many of any size, and up to kMaxInFlight as long as
  // they hold fewer than kManyRecords, or than the constructor's argument.
  static constexpr int kMinInFlight = 4;
  static constexpr int kMaxInFlight = 16;
  static constexpr int64_t kManyRecords = 16'000;

  // REQUIRES: `client` outlives this.
  UsageStream(const PriorityClient* client, OnAnswer on_answer,
              int64_t many_records = kManyRecords);
  // Ends the stream, without waiting for batches in flight.
  ~UsageStream();

  // Sends a batch, then waits until another one has room. After an error the batch is
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

  // The condition to wait for.
  enum class Until { kRoom, kAllAnswered };
  bool IsReached(Until until) const;
  // Sends and waits.
  absl::Status Drive(Until until);
  // Like Drive, on the present stream, which an error ends.
  absl::Status DriveOnce(Until until, absl::Time deadline);
  absl::Status SendUnsent(absl::Time deadline);
  absl::Status ReceiveOne(absl::Time deadline);
  // Takes the acknowledgements before the stream's end; then returns the reason of the end.
  absl::Status ReceiveRest(absl::Time deadline);
  absl::Status CallUnary();
  absl::Status HandleResponse(const v1::StreamUsageResponse& response);

  const PriorityClient* const client_;
  const OnAnswer on_answer_;
  const int64_t many_records_;
  std::deque<Batch> batches_;  // In the order given; the first has no acknowledgement.
  int64_t next_batch_id_ = 1;
  bool unary_ = false;
  bool proved_ = false;    // The present stream has acknowledged something.
  bool expired_ = false;   // An earlier stream of this attempt had, and its token has expired.
  bool progress_ = false;  // An acknowledgement arrived since Drive began an attempt.
  std::unique_ptr<Connection> connection_;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_USAGE_STREAM_H_
