// What a server reported of its calls.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_REPORTED_CALLS_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_REPORTED_CALLS_H_

#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/transport/call_report.h"

namespace priorityd::rpc {

// Thread-safe.
class ReportedCalls : public CallObserver {
 public:
  void CallEnded(const CallReport& report) override ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    reports_.push_back(report);
  }

  // Those since the last time, once there is one.
  std::vector<CallReport> Take() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const auto reported = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !reports_.empty(); };
    mutex_.AwaitWithTimeout(absl::Condition(&reported), absl::Seconds(30));
    return std::exchange(reports_, {});
  }

 private:
  absl::Mutex mutex_;
  std::vector<CallReport> reports_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_REPORTED_CALLS_H_
