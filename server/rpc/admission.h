// Which calls are at work, and how much memory their requests take together.
#ifndef PRIORITYD_SERVER_RPC_ADMISSION_H_
#define PRIORITYD_SERVER_RPC_ADMISSION_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace priorityd::rpc {

// What a call takes besides its request, about.
inline constexpr size_t kCallBytes = 16 << 10;

// Admits calls until their requests have so many bytes together. Thread-safe.
class Admission {
 public:
  // A call at work, until the last copy goes.
  using Place = std::shared_ptr<void>;

  explicit Admission(size_t most_bytes) : most_bytes_(most_bytes) {}

  // RESOURCE_EXHAUSTED (MEMORY_BUDGET, with the time to wait) when the request finds no room
  // beside the others; while those take less than half, one is admitted whatever its size, so
  // that the largest message is taken by the smallest budget. This must outlive the place.
  absl::StatusOr<Place> Admit(const google::protobuf::Message& request) {
    return Admit(BytesOf(request));
  }
  absl::StatusOr<Place> Admit(size_t bytes);

  // Until no call is at work; false if there is one still at `deadline`.
  bool AwaitNone(absl::Time deadline);

  size_t bytes() const;
  size_t most_bytes() const { return most_bytes_; }
  size_t calls() const ABSL_LOCKS_EXCLUDED(mutex_);

  // About what a request takes in memory, with its call.
  static size_t BytesOf(const google::protobuf::Message& request);

 private:
  void Leave(size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsIdle() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return calls_ == 0; }

  const size_t most_bytes_;
  mutable absl::Mutex mutex_;
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_ADMISSION_H_
