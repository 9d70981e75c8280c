// A server stream that a worker thread writes to.
#ifndef PRIORITYD_SERVER_RPC_MESSAGE_STREAM_H_
#define PRIORITYD_SERVER_RPC_MESSAGE_STREAM_H_

#include <grpcpp/support/server_callback.h>

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/rpc/status.h"

namespace priorityd::rpc {

// Made with new for each call; deletes itself when the call is over. One thread
// sends, and calls End once.
template <typename Message>
class MessageStream : public grpc::ServerWriteReactor<Message> {
 public:
  // Sends after the last message has left. CANCELLED when the caller has gone.
  absl::Status Send(Message message) ABSL_LOCKS_EXCLUDED(mutex_) {
    AwaitIdle();
    {
      absl::MutexLock lock(&mutex_);
      if (gone_) return absl::CancelledError("the caller has gone");
      message_ = std::move(message);
      writing_ = true;
    }
    // Outside the lock: gRPC may answer from within.
    this->StartWrite(&message_);
    return absl::OkStatus();
  }

  // Ends the call; the stream is not to be used afterwards.
  void End(const absl::Status& status) {
    AwaitIdle();
    this->Finish(ToGrpcStatus(status));
  }

  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    gone_ |= !ok;
    idle_.Signal();
  }
  void OnCancel() override ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    gone_ = true;
  }
  void OnDone() override { delete this; }

 private:
  void AwaitIdle() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    while (writing_) idle_.Wait(&mutex_);
  }

  absl::Mutex mutex_;
  absl::CondVar idle_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
  Message message_;  // What is being written.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_MESSAGE_STREAM_H_
