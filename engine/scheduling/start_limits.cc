#include "engine/scheduling/start_limits.h"

#include <vector>

#include "absl/time/time.h"

namespace priorityd::scheduling {

StartLimits::StartLimits(const PlannedQueue& queue)
    : queue_(queue),
      scale_(queue.snapshot),
      builder_(scale_, queue.as_of),
      counts_(queue.snapshot.limits()),
      check_(queue.snapshot, counts_, queue.as_of) {
  if (!empty()) CountRunning();
}

void StartLimits::CountRunning() {
  std::vector<priority::Job> running;
  running.reserve(queue_.ranking.running.size());
  for (const priority::JobRow& row : queue_.ranking.running) {
    running.push_back(queue_.jobs[row.job]);
  }
  const priority::JobTable table = builder_.Build(running);
  priority::LimitDemands(queue_.snapshot, running, table)
      .CountRunning(queue_.snapshot, table, &counts_);
}

size_t StartLimits::Read(const priority::JobRow& row) {
  if (read_ != row.job) {
    const absl::Span<const priority::Job> one = queue_.jobs.subspan(row.job, 1);
    table_ = builder_.Build(one);
    demands_ = priority::LimitDemands(queue_.snapshot, one, table_);
    read_ = row.job;
  }
  size_t number = 0;
  while (table_.partition[number] != row.partition || table_.qos[number] != row.qos) ++number;
  return number;
}

std::optional<priority::ExceededLimit> StartLimits::FirstExceeded(const priority::JobRow& row) {
  return check_.FirstExceeded(table_, demands_, Read(row));
}

void StartLimits::Start(const priority::JobRow& row) {
  const size_t number = Read(row);
  const priority::LimitDemands::Wanted wanted = demands_.WantedBy(number);
  const priority::Limits& limits = queue_.snapshot.limits();
  const priority::QosOrder order = limits.OrderOf(row.partition, row.qos);
  const double seconds = priority::SecondsLeft(absl::Seconds(wanted.seconds), absl::ZeroDuration());
  const priority::CountedJob started = {.association = row.association,
                                        .qos = order,
                                        .jobs = 1,
                                        .running = true,
                                        .seconds = seconds * limits.OfQos(order).usage_factor,
                                        .priced_seconds = seconds,
                                        .tres = wanted.tres};
  counts_.Count(limits, started, true);
}

}  // namespace priorityd::scheduling
