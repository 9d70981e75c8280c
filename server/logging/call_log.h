// A log line for each RPC.
#ifndef PRIORITYD_SERVER_LOGGING_CALL_LOG_H_
#define PRIORITYD_SERVER_LOGGING_CALL_LOG_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/authorization/rights_table.h"
#include "server/threads/clock.h"
#include "server/transport/call_report.h"

namespace priorityd::logging {

// Writes `call method=RankJobs code=OK principal=amy cluster=c rows=100 ms=0.84`, with trace_id
// where the caller sent one, slow=true for a slow call, and error for a failed one. Level:
//   error  INTERNAL, UNKNOWN, DATA_LOSS
//   warn   UNAUTHENTICATED, PERMISSION_DENIED, RESOURCE_EXHAUSTED, UNAVAILABLE,
//          DEADLINE_EXCEEDED, ABORTED, UNIMPLEMENTED; calls that took `slow`, but for streams
//   info   all others: OK, and errors that the caller can fix
// At most kLines lines a second for each method and level, kHotLines for calls of PriorityService
// at level info; the next line states how many were left out. At level debug, none is left out.
// Thread-safe.
class CallLog : public rpc::CallObserver {
 public:
  static constexpr int kHotLines = 1;
  static constexpr int kLines = 10;

  // `clock`: measures the seconds of these limits.
  explicit CallLog(absl::Duration slow, threads::Clock clock = threads::RunningTime)
      : slow_(slow), clock_(std::move(clock)) {}

  void CallEnded(const rpc::CallReport& report) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  enum Outcome { kFine, kRefused, kFailed, kOutcomes };
  // Lines of one method and outcome.
  struct Budget {
    absl::Time second = absl::InfinitePast();
    int lines = 0;  // In that second.
    int64_t left_out = 0;
  };

  static Outcome OutcomeOf(const absl::Status& status, bool is_slow);
  bool IsSlow(const rpc::CallReport& report) const;
  // The number of lines left out before this one; nullopt = this line is left out too.
  std::optional<int64_t> Admit(authorization::Rpc rpc, Outcome outcome) ABSL_LOCKS_EXCLUDED(mutex_);

  const absl::Duration slow_;
  const threads::Clock clock_;
  absl::Mutex mutex_;
  std::array<std::array<Budget, kOutcomes>, std::size(authorization::kRightsTable)> budgets_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::logging

#endif  // PRIORITYD_SERVER_LOGGING_CALL_LOG_H_
