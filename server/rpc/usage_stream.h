// StreamUsage: batches in, acknowledgements out.
#ifndef PRIORITYD_SERVER_RPC_USAGE_STREAM_H_
#define PRIORITYD_SERVER_RPC_USAGE_STREAM_H_

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
#include "server/rpc/admission.h"
#include "server/rpc/boundary.h"
#include "server/rpc/call_report.h"
#include "server/rpc/caller.h"
#include "server/rpc/message_bytes.h"
#include "server/rpc/raw_service.h"
#include "server/rpc/validate.h"
#include "server/rpc/worker_pool.h"
#include "server/usage/submitted_batch.h"
#include "server/wire/message_scan.h"

namespace priorityd::rpc {

// Batches of one stream that are not acknowledged yet; no more is read from it
// meanwhile: so many whatever their size, and up to kMaxBatchesInFlight as long as they hold
// fewer than kManyRecordsInFlight records.
inline constexpr int kMinBatchesInFlight = 8;
inline constexpr int kMaxBatchesInFlight = 32;
inline constexpr int kManyRecordsInFlight = 16'000;

class UsageStream;

// The streams that are open. Thread-safe.
class UsageStreams {
 public:
  // Prices and queues a batch on the calling thread; `done` and `earlier_failed` are
  // as SubmittedBatch says, `done` is called also with the violations of the whole batch.
  using Record =
      std::function<void(const ::priority::v1::RecordUsageRequest& batch, const Caller& caller,
                         std::shared_ptr<const std::atomic<bool>> earlier_failed,
                         std::function<void(absl::StatusOr<usage::RecordResults>)>)>;

  // `pool` and `boundary` must outlive this. Each stream has a place of its own besides those of
  // its batches.
  UsageStreams(WorkerPool* pool, Boundary* boundary, Record record, const RequestLimits& limits)
      : pool_(pool),
        boundary_(boundary),
        record_(std::move(record)),
        scan_(ScanOf(*::priority::v1::StreamUsageRequest::descriptor(), limits)) {}

  // A new stream, which deletes itself at its end. Nothing is read from it before its caller has
  // passed the boundary; each batch must be for a cluster in which she may record.
  RawReactor* Open(grpc::CallbackServerContext* context);

  // Reads no more from any stream, acknowledges what was read, then ends each with
  // UNAVAILABLE; new ones end at once. Does not wait for that.
  void Drain() ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the streams of callers whose proof holds no more, or whose role is gone: as at an error,
  // after what was read is answered. To be called every now and then.
  void CheckProofs() ABSL_LOCKS_EXCLUDED(mutex_);

  // How many are open.
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend class UsageStream;

  // A message, with room for it until the last copy goes.
  struct Batch {
    ::priority::v1::StreamUsageRequest message;
    Admission::Room room;
  };

  absl::StatusOr<std::shared_ptr<Batch>> TakeBatch(grpc::ByteBuffer* bytes) const;
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

// One stream. Batches are queued in the order of their coming: the next one is
// read when the one before it is queued and there is room for it among those in
// flight, from being read to being acknowledged. The first error ends the stream,
// after the batches that were sent before the one at fault are answered; those after
// it are not written.
class UsageStream : public RawReactor {
 public:
  UsageStream(UsageStreams* streams, OngoingCall call)
      : streams_(streams), call_(std::move(call)) {}

  // For the boundary, before Begin.
  OngoingCall& call() { return call_; }

  // Ends it at once if there is no place for it, or for the caller. It does not end before this.
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
  // A batch of so many records has gone out of flight.
  void Land(int records) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts what may be started now: a read, a write, the end.
  void GoOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  UsageStreams* const streams_;
  OngoingCall call_;
  Admission::Place place_;
  Caller caller_;  // From Begin on.
  const std::shared_ptr<std::atomic<bool>> failed_ = std::make_shared<std::atomic<bool>>(false);
  absl::Mutex mutex_;
  bool is_reading_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::ByteBuffer read_ ABSL_GUARDED_BY(mutex_);
  std::deque<Response> answers_ ABSL_GUARDED_BY(mutex_);  // The first is being written.
  bool writes_ ABSL_GUARDED_BY(mutex_) = false;
  bool queues_ ABSL_GUARDED_BY(mutex_) = false;   // A batch is on its way to the queue.
  bool reads_on_ ABSL_GUARDED_BY(mutex_) = true;  // Until the client's end, or an error.
  bool begun_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  int in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  int records_in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_USAGE_STREAM_H_
