// Calls by method and code.
#ifndef PRIORITYD_SERVER_METRICS_CALL_METRICS_H_
#define PRIORITYD_SERVER_METRICS_CALL_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "server/authorization/rights_table.h"
#include "server/measures/distribution.h"
#include "server/metrics/families.h"
#include "server/transport/call_report.h"

namespace priorityd::metrics {

// Counts calls as they end, without a lock. Thread-safe.
class CallMetrics : public rpc::CallObserver {
 public:
  void CallEnded(const rpc::CallReport& report) override;

  void AddTo(Families* families) const;

 private:
  static constexpr size_t kMethods = std::size(authorization::kRightsTable);
  static constexpr size_t kCodes = 17;  // gRPC's.

  struct Method {
    std::array<std::atomic<int64_t>, kCodes> calls = {};
    std::atomic<int64_t> rows = 0;
    measures::Distribution seconds{measures::SecondsBounds()};
  };

  std::array<Method, kMethods> methods_;
};

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_CALL_METRICS_H_
