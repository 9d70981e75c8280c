// StreamUsage: batches in, acknowledgements out.
#ifndef PRIORITYD_SERVER_API_USAGE_USAGE_STREAM_H_
#define PRIORITYD_SERVER_API_USAGE_USAGE_STREAM_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "priority/v1/usage.pb.h"
#include "server/transport/admission.h"
#include "server/transport/boundary.h"
#include "server/transport/call_report.h"
#include "server/transport/caller.h"
#include "server/transport/message_bytes.h"
#include "server/transport/raw_service.h"
#include "server/transport/request_limits.h"
#include "server/transport/worker_pool.h"
#include "server/usage/submitted_batch.h"
#include "server/wire/message_scan.h"

namespace priorityd::rpc {

// The maximum of unacknowledged batches per stream, beyond which it is not read: this many of any
// size, and up to kMaxBatchesInFlight while they contain fewer than kManyRecordsInFlight records.
inline constexpr int kMinBatchesInFlight = 8;
inline constexpr int kMaxBatchesInFlight = 32;
inline constexpr int kManyRecordsInFlight = 16'000;

class UsageStream;

// The open streams. Thread-safe.
class UsageStreams {
 public:
  // Prices and queues a batch on the calling thread. `done`, `earlier_failed`: as in
  // SubmittedBatch; `done` is also called with the violations of the whole batch.
  using Record =
      std::function<void(const ::priority::v1::RecordUsageRequest& batch, const Caller& caller,
                         std::shared_ptr<const std::atomic<bool>> earlier_failed,
                         std::function<void(absl::StatusOr<usage::RecordResults>)>)>;

  // `pool` and `boundary` must outlive this. Each stream has a place in addition to those of its
  // batches.
  UsageStreams(WorkerPool* pool, Boundary* boundary, Record record, const RequestLimits& limits)
      : pool_(pool),
        boundary_(boundary),
        record_(std::move(record)),
        scan_(ScanOf(*::priority::v1::StreamUsageRequest::descriptor(), limits)) {}

  // A new stream, which deletes itself at its end. It is read only after the boundary has
  // authorized its caller; each batch must be for a cluster in which the caller may record.
  RawReactor* Open(grpc::CallbackServerContext* context);

  // Stops reading all streams, acknowledges what was read, then ends each with UNAVAILABLE; new
  // ones end at once. Does not wait.
  void Drain() ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the streams of callers whose credential has expired or whose role is gone, as after an
  // error: once everything read is answered. Call periodically.
  void CheckProofs() ABSL_LOCKS_EXCLUDED(mutex_);

  // The number of open streams.
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend class UsageStream;

  // A message with its room, until the last copy is destroyed.
  struct Batch {
    ::priority::v1::StreamUsageRequest message;
    Admission::Room room;
  };

  absl::StatusOr<std::shared_ptr<Batch>> TakeBatch(const Caller& caller,
                                                   grpc::ByteBuffer* bytes) const;
  absl::Status CheckBatch(const Caller& caller,
                          const ::priority::v1::RecordUsageRequest& batch) const;
  void Forget(UsageStream* stream) ABSL_LOCKS_EXCLUDED(mutex_);

  WorkerPool* const pool_;
  Boundary* const boundary_;
  const Record record_;
  const wire::MessageScan scan_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_set<UsageStream*> streams_ ABSL_GUARDED_BY(mutex_);
  bool drains_ ABSL_GUARDED_BY(mutex_) = false;
};

// One stream. Batches are queued in order of arrival: the next one is read once the previous one is
// queued and there is room among those in flight, that is read but not acknowledged. The first
// error ends the stream after the batches before the failed one are answered; later batches are not
// written.
class UsageStream : public RawReactor {
 public:
  UsageStream(UsageStreams* streams, OngoingCall call, grpc::CallbackServerContext* context)
      : streams_(streams), call_(std::move(call)), context_(context) {}

  // For the boundary; called before Begin.
  OngoingCall& call() { return call_; }

  // Ends the stream at once if there is no place for it or for the caller. The stream does not end
  // before this call.
  void Begin(absl::StatusOr<Admission::Place> place, absl::StatusOr<Caller> caller)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Drain() ABSL_LOCKS_EXCLUDED(mutex_);
  void CheckProof() ABSL_LOCKS_EXCLUDED(mutex_);

  void OnReadDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnCancel() override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnDone() override;

 private:
  using Request = std::shared_ptr<UsageStreams::Batch>;
  struct Response {
    Request request;
    grpc::ByteBuffer bytes;
  };

  // Prices and queues a batch, then reads the next one.
  void Take(Request request) ABSL_LOCKS_EXCLUDED(mutex_);
  void Answer(const Request& request, const absl::StatusOr<usage::RecordResults>& results)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Fail(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A batch with this many records is no longer in flight.
  void Land(int records) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts the next operations if possible: a read, a write, or the end.
  void GoOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  UsageStreams* const streams_;
  OngoingCall call_;
  grpc::CallbackServerContext* const context_;
  Admission::Place place_;
  Caller caller_;     // Set in Begin, as the following.
  std::string lane_;  // In the pool.
  const std::shared_ptr<std::atomic<bool>> failed_ = std::make_shared<std::atomic<bool>>(false);
  absl::Mutex mutex_;
  bool is_reading_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::ByteBuffer read_ ABSL_GUARDED_BY(mutex_);
  std::deque<Response> answers_ ABSL_GUARDED_BY(mutex_);  // The first is being written.
  bool writes_ ABSL_GUARDED_BY(mutex_) = false;
  bool queues_ ABSL_GUARDED_BY(mutex_) = false;   // A batch is being queued.
  bool reads_on_ ABSL_GUARDED_BY(mutex_) = true;  // Until the client's end or an error.
  bool begun_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  int in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int records_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_USAGE_STREAM_H_
