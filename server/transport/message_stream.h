// A server stream that reports progress.
#ifndef PRIORITYD_SERVER_TRANSPORT_MESSAGE_STREAM_H_
#define PRIORITYD_SERVER_TRANSPORT_MESSAGE_STREAM_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/transport/boundary.h"
#include "server/transport/call_report.h"
#include "server/transport/caller.h"
#include "server/transport/message_bytes.h"
#include "server/transport/request_call.h"
#include "server/transport/status.h"

namespace priorityd::rpc {

// Created with new for each call; deletes itself at the end of the call. One thread sends and calls
// End once. Never waits for the reader: a slow reader gets the newest message and misses earlier
// ones.
template <typename Request, typename Message>
class MessageStream : public RequestCall {
 public:
  // Does the work, now or later; ends the stream.
  using Work = std::function<void(MessageStream* stream, const Caller& caller)>;

  MessageStream(const RequestType& type, Boundary& boundary, grpc::CallbackServerContext* context,
                Work work)
      : RequestCall(type, boundary, context), work_(std::move(work)) {}

  // Valid once the work has started.
  const Request& request() const { return request_; }

  // CANCELLED if the caller has gone.
  absl::Status Send(Message message) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (gone_) return absl::CancelledError("the caller has gone");
    next_ = std::move(message);
    GoOn();
    return absl::OkStatus();
  }

  // Ends the call after the newest message was sent; do not use the stream afterwards.
  void End(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    end_ = status;
    GoOn();
  }

  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    gone_ |= !ok;
    GoOn();
  }
  void OnCancel() override ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    gone_ = true;
  }
  void OnDone() override {
    // The caller of Finish may still hold the lock.
    mutex_.Lock();
    mutex_.Unlock();
    delete this;
  }

 protected:
  void Passed(const Caller& caller) override {
    const absl::Status parsed = ParseRequest(&request_);
    if (!parsed.ok()) return End(parsed);
    work_(this, caller);
  }
  void Refused(const absl::Status& status) override { End(status); }

 private:
  // Starts the next operation if possible: a write, or the end.
  void GoOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_) return;
    if (next_.has_value() && !gone_) {
      const Message message = *std::exchange(next_, std::nullopt);
      bytes_.Clear();
      Encode(message, &bytes_).IgnoreError();  // Fails only without memory.
      writing_ = true;
      call().AddRows(RowsOf(message));
      StartWrite(&bytes_);
    } else if (end_.has_value()) {
      const absl::Status end = *std::exchange(end_, std::nullopt);
      call().Ended(end);
      AnnounceCell(end, context());
      Finish(ToGrpcStatus(end));
    }
  }

  const Work work_;
  Request request_;
  absl::Mutex mutex_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Message> next_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  grpc::ByteBuffer bytes_;  // The message being written.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_MESSAGE_STREAM_H_
