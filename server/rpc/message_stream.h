// A server stream that tells how far something is.
#ifndef PRIORITYD_SERVER_RPC_MESSAGE_STREAM_H_
#define PRIORITYD_SERVER_RPC_MESSAGE_STREAM_H_

#include <grpcpp/support/server_callback.h>

#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/rpc/admission.h"
#include "server/rpc/call_report.h"
#include "server/rpc/status.h"

namespace priorityd::rpc {

// Made with new for each call; deletes itself when the call is over. One thread sends, and
// calls End once. Nothing here waits for the reader: one who is slow gets the newest message, and
// not those before it.
template <typename Message>
class MessageStream : public grpc::ServerWriteReactor<Message> {
 public:
  MessageStream(OngoingCall call, Admission::Place place)
      : place_(std::move(place)), call_(std::move(call)) {}

  // For Boundary::Pass, before the first message.
  OngoingCall& call() { return call_; }

  // CANCELLED when the caller has gone.
  absl::Status Send(Message message) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (gone_) return absl::CancelledError("the caller has gone");
    next_ = std::move(message);
    GoOn();
    return absl::OkStatus();
  }

  // Ends the call after the newest message has left; the stream is not to be used afterwards.
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
    // Whoever called Finish may not have let go yet.
    mutex_.Lock();
    mutex_.Unlock();
    delete this;
  }

 private:
  // Starts what may be started now: a write, the end.
  void GoOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_) return;
    if (next_.has_value() && !gone_) {
      message_ = *std::exchange(next_, std::nullopt);
      writing_ = true;
      call_.AddRows(RowsOf(message_));
      this->StartWrite(&message_);
    } else if (end_.has_value()) {
      const absl::Status end = *std::exchange(end_, std::nullopt);
      call_.Ended(end);
      this->Finish(ToGrpcStatus(end));
    }
  }

  const Admission::Place place_;
  OngoingCall call_;
  absl::Mutex mutex_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Message> next_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  Message message_;  // What is being written.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_MESSAGE_STREAM_H_
