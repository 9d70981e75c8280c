// A log line for each recalculation.
#ifndef PRIORITYD_SERVER_RECALCULATION_LOG_H_
#define PRIORITYD_SERVER_RECALCULATION_LOG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "server/recalculation/recalculation_report.h"

namespace priorityd {

// Writes `recalculated cluster=c generation=7 ms=12.10 read_ms=... associations=...`. Level info;
// debug where neither usage nor the configuration had changed, and for one that failed, which the
// recalculation loop and the call tell. Thread-safe.
class RecalculationLog : public recalculation::RecalculationObserver {
 public:
  // How many jobs are tracked of a cluster. To be given before the first recalculation.
  void CountJobsBy(std::function<int64_t(const std::string& cluster)> jobs) {
    jobs_ = std::move(jobs);
  }

  void Recalculated(const recalculation::RecalculationReport& report) override;

 private:
  std::function<int64_t(const std::string&)> jobs_ = [](const std::string&) { return 0; };
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_RECALCULATION_LOG_H_
