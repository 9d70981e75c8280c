// A log line for each recalculation.
#ifndef PRIORITYD_SERVER_LOGGING_RECALCULATION_LOG_H_
#define PRIORITYD_SERVER_LOGGING_RECALCULATION_LOG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "server/recalculation/recalculation_report.h"

namespace priorityd::logging {

// Writes `recalculated cluster=c generation=7 ms=12.10 read_ms=... associations=...`. Level info;
// debug if neither usage nor configuration changed, and for a failed recalculation, which the
// recalculation loop and the call report. Thread-safe.
class RecalculationLog : public recalculation::RecalculationObserver {
 public:
  // Sets the function that counts a cluster's tracked jobs. Call before the first recalculation.
  void CountJobsBy(std::function<int64_t(const std::string& cluster)> jobs) {
    jobs_ = std::move(jobs);
  }

  void Recalculated(const recalculation::RecalculationReport& report) override;

 private:
  std::function<int64_t(const std::string&)> jobs_ = [](const std::string&) { return 0; };
};

}  // namespace priorityd::logging

#endif  // PRIORITYD_SERVER_LOGGING_RECALCULATION_LOG_H_
