// Until when the result of a thread's reads is needed.
#ifndef STORAGE_DATABASE_READ_CONTEXT_H_
#define STORAGE_DATABASE_READ_CONTEXT_H_

#include <chrono>
#include <functional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace priorityd::storage {

// The deadline of a caller that waits for reads, and whether it still waits. Thread-safe.
class ReadContext {
 public:
  // `left`: until the deadline, infinite = none. `has_gone`: whether the caller has gone; called
  // by any thread, several times a second, with a lock held. Once true it must stay so.
  ReadContext(absl::Duration left, std::function<bool()> has_gone);

  // Until the deadline; at least 0.
  absl::Duration Left() const;
  // OK while the result is needed; DEADLINE_EXCEEDED, CANCELLED.
  absl::Status Check() const;

  // Of this thread; null = none: what it reads is for several callers, or for the service.
  static const ReadContext* Current();
  // OK without a context.
  static absl::Status CheckCurrent();

  // Makes a context, or none (null), that of this thread. Database::Read of the thread then ends
  // soon after the result is no longer needed; writes continue.
  class Scope {
   public:
    explicit Scope(const ReadContext* context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const ReadContext* const outer_;
  };

 private:
  using Time = std::chrono::steady_clock::time_point;

  const Time deadline_;
  const std::function<bool()> has_gone_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_READ_CONTEXT_H_
