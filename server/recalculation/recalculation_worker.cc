#include "server/recalculation/recalculation_worker.h"

#include <spdlog/spdlog.h>

namespace priorityd::recalculation {
namespace {

constexpr int kAttempts = 5;

}  // namespace

SnapshotOr RecalculationWorker::Work(const Agenda::Work& work) {
  if (work.demand == nullptr) {
    SnapshotOr snapshot = RecalculateAndReport(work);
    LogPeriodic(work.cluster, snapshot.status());
    return snapshot;
  }
  const Demand& demand = *work.demand;
  if (demand.numbers_of.has_value()) return PublishNumbers(demand.cluster, *demand.numbers_of);
  return RecalculateAndReport(work);
}

SnapshotOr RecalculationWorker::RecalculateAndReport(const Agenda::Work& work) {
  const bool on_demand = work.demand != nullptr;
  const std::optional<absl::Time> due = threads_->DueAt(work.cluster);
  RecalculationReport report{.cluster = work.cluster, .on_demand = on_demand};
  if (!on_demand && due.has_value()) report.lag = clocks_.site() - *due;
  const absl::Time begin = clocks_.real();
  SnapshotOr snapshot =
      Recalculate(work.cluster, on_demand ? work.demand->as_of : std::nullopt, &report.stages);
  report.duration = clocks_.real() - begin;
  report.status = snapshot.status();
  if (snapshot.ok()) report.snapshot = *snapshot;
  for (RecalculationObserver* observer : options_.observers) observer->Recalculated(report);
  return snapshot;
}

SnapshotOr RecalculationWorker::Recalculate(const std::string& cluster,
                                            std::optional<absl::Time> as_of,
                                            RecalculationStages* stages) {
  SnapshotOr snapshot = absl::AbortedError("not tried");
  const std::optional<int64_t> epoch = leadership_->epoch();
  // The next campaign decides which replica leads.
  if (!epoch.has_value()) return NotLeaderError();
  for (int i = 0; i < kAttempts && absl::IsAborted(snapshot.status()); ++i) {
    const RecalculationTime time{clocks_.site(), options_.by_database, LatestTime(), as_of};
    snapshot = recalculator_.Recalculate(cluster, time, *epoch, stages);
  }
  if (snapshot.ok()) {
    registry_->Publish(*snapshot);
    registry_->Confirm();
  }
  // On a real clock, as_of is an error of the request, not of the cluster.
  if (snapshot.ok() || !as_of.has_value()) {
    threads_->Reschedule(cluster, snapshot, stages->next_lease);
  }
  if (snapshot.ok()) {
    for (const std::string& next : stages->hastened) threads_->Hasten(next);
  }
  if (snapshot.ok() && options_.on_recalculated != nullptr) options_.on_recalculated(*snapshot);
  return snapshot;
}

SnapshotOr RecalculationWorker::PublishNumbers(const std::string& cluster, int64_t generation) {
  const std::optional<int64_t> epoch = leadership_->epoch();
  if (!epoch.has_value()) return NotLeaderError();
  SnapshotOr snapshot = registry_->Find(cluster);
  if (snapshot.ok() && (*snapshot)->generation() >= generation) {
    absl::Status status = recalculator_.PublishNumbersOf(**snapshot, *epoch);
    if (!status.ok()) snapshot = status;
  } else {  // No replica holds that generation any more.
    RecalculationStages stages;
    snapshot = Recalculate(cluster, std::nullopt, &stages);
  }
  if (!snapshot.ok()) {
    spdlog::warn("{}: the snapshot's computed values were not published: {}", cluster,
                 snapshot.status().ToString());
  }
  return snapshot;
}

absl::Time RecalculationWorker::LatestTime() const {
  if (!options_.by_database) return absl::InfiniteFuture();
  return clocks_.host() + options_.leadership.max_clock_offset;
}

void RecalculationWorker::LogPeriodic(const std::string& cluster, const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  if (status.ok()) {
    if (failing_.erase(cluster) > 0) spdlog::info("{}: recalculation succeeds again", cluster);
  } else if (!IsNotLeader(status) && failing_.insert(cluster).second) {
    spdlog::error("{}: recalculation failed, the last snapshot stays in force: {}", cluster,
                  status.ToString());
  }
}

}  // namespace priorityd::recalculation
