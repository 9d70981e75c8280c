#include "server/metrics/call_metrics.h"

#include <string>

namespace priorityd::metrics {
void CallMetrics::CallEnded(const rpc::CallReport& report) {
  Method& method = methods_[static_cast<size_t>(report.rpc)];
  const auto code = static_cast<size_t>(report.status.code());
  method.calls[code < kCodes ? code : 0].fetch_add(1, std::memory_order_relaxed);
  method.rows.fetch_add(report.rows, std::memory_order_relaxed);
  method.seconds.Add(absl::ToDoubleSeconds(report.duration));
}

void CallMetrics::AddTo(Families* families) const {
  Family calls = families->Counter("priorityd_rpcs_total", "Finished calls by gRPC status code");
  Family rows =
      families->Counter("priorityd_rpc_rows_total", "Jobs, records or other rows handled by calls");
  Family seconds = families->Histogram("priorityd_rpc_duration_seconds",
                                       "Time from the arrival of a call to its answer");
  for (size_t i = 0; i < kMethods; ++i) {
    const Method& method = methods_[i];
    const std::string name(authorization::NameOf(static_cast<authorization::Rpc>(i)));
    for (size_t code = 0; code < kCodes; ++code) {
      const int64_t count = method.calls[code].load(std::memory_order_relaxed);
      calls.Add(static_cast<double>(count),
                {{"method", name},
                 {"code", absl::StatusCodeToString(static_cast<absl::StatusCode>(code))}});
    }
    rows.Add(static_cast<double>(method.rows.load(std::memory_order_relaxed)), {{"method", name}});
    seconds.Add(method.seconds.Read(), {{"method", name}});
  }
}

}  // namespace priorityd::metrics
