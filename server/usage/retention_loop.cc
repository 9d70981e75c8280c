#include "server/usage/retention_loop.h"

#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "server/usage/roll_up.h"
#include "storage/cluster_store.h"

namespace priorityd::usage {

RetentionLoop::RetentionLoop(storage::Database* database, Options options)
    : database_(database), options_(std::move(options)), thread_([this] { Run(); }) {}

RetentionLoop::~RetentionLoop() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    stopped_.SignalAll();
  }
  thread_.join();
}

bool RetentionLoop::Rest(absl::Duration duration) {
  const absl::Time end = absl::Now() + duration;
  absl::MutexLock lock(&mutex_);
  while (!stops_ && !stopped_.WaitWithDeadline(&mutex_, end)) {
  }
  return !stops_;
}

void RetentionLoop::Run() {
  do {
    RollUpClusters();
  } while (Rest(options_.period));
}

void RetentionLoop::RollUpClusters() {
  std::vector<storage::Cluster> clusters;
  absl::Status status = database_->Read([&](storage::Transaction& transaction) {
    auto list = storage::ClusterStore(transaction).List();
    if (list.ok()) clusters = *std::move(list);
    return list.status();
  });
  if (!status.ok()) spdlog::warn("ledger not rolled up: {}", status.ToString());
  for (const storage::Cluster& cluster : clusters) {
    if (!Rest(absl::ZeroDuration()) || !options_.leads()) return;
    status = RollUpCluster(cluster.name);
    if (!status.ok()) spdlog::warn("{}: ledger not rolled up: {}", cluster.name, status.ToString());
  }
}

absl::Status RetentionLoop::RollUpCluster(const std::string& cluster) {
  const absl::Time begin = absl::Now();
  absl::Time& done_before = done_before_.try_emplace(cluster, absl::InfinitePast()).first->second;
  auto result = RollUp(*database_, {.cluster = cluster, .done_before = done_before},
                       [this](absl::Duration took) { return Rest(took) && options_.leads(); });
  if (!result.ok()) return result.status();
  const bool newly_complete = result->complete && result->horizon != done_before;
  if (result->complete) done_before = result->horizon;
  if (result->horizon_moved || result->records > 0 || newly_complete) {
    spdlog::info("{}: ledger horizon {}, {} records rolled up into hourly buckets in {}{}", cluster,
                 absl::FormatTime(result->horizon, absl::UTCTimeZone()), result->records,
                 absl::FormatDuration(absl::Trunc(absl::Now() - begin, absl::Milliseconds(1))),
                 result->complete ? "" : ", more are left");
  }
  return absl::OkStatus();
}

}  // namespace priorityd::usage
