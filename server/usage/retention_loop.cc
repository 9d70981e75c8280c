#include "server/usage/retention_loop.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "server/usage/expiry.h"
#include "server/usage/roll_up.h"
#include "storage/configuration/cluster_store.h"

namespace priorityd::usage {
namespace {

constexpr absl::Duration kBetweenExpiries = absl::Hours(24);

}  // namespace

RetentionLoop::RetentionLoop(storage::Database* database, Options options)
    : database_(database), options_(std::move(options)), thread_(options_.clock) {}

RetentionLoop::~RetentionLoop() { thread_.Stop(); }

void RetentionLoop::Start() {
  if (options_.period == absl::InfiniteDuration()) return;
  thread_.Start([this] {
    RollUpClusters();
    return options_.clock() + options_.period;
  });
}

void RetentionLoop::RollUpClusters() {
  int64_t incarnation = 0;
  const auto clusters = database_->Read([&](storage::Transaction& transaction) {
    incarnation = transaction.incarnation();
    return storage::ClusterStore(transaction).List();
  });
  if (!clusters.ok()) {
    spdlog::warn("ledger not rolled up: {}", clusters.status().ToString());
    return;
  }
  std::map<Key, Done> done;
  for (const storage::Cluster& cluster : *clusters) {
    const Key key(incarnation, cluster.id);
    done[key] = done_[key];
  }
  done_ = std::move(done);
  for (const storage::Cluster& cluster : *clusters) {
    if (thread_.MustStop() || !options_.leads()) return;
    Done& cluster_done = done_[Key(incarnation, cluster.id)];
    const absl::Status status = RollUpCluster(cluster.name, cluster_done);
    if (!status.ok()) spdlog::warn("{}: ledger not rolled up: {}", cluster.name, status.ToString());
    const absl::Status expired = DeleteExpiredOf(cluster.name, cluster_done);
    if (!expired.ok())
      spdlog::warn("{}: expired data not deleted: {}", cluster.name, expired.ToString());
  }
}

absl::Status RetentionLoop::DeleteExpiredOf(const std::string& cluster, Done& done) {
  const absl::Time begin = options_.clock();
  if (begin < done.next_expiry) return absl::OkStatus();
  absl::Time step_begin = begin;
  auto result = DeleteExpired(*database_, cluster, [&] {
    const bool may_continue = WaitAsLongAs(step_begin);
    step_begin = options_.clock();
    return may_continue;
  });
  if (!result.ok()) return result.status();
  if (result->complete) done.next_expiry = begin + kBetweenExpiries;
  const int64_t deleted =
      result->snapshots + result->audit_events + result->running_jobs + result->job_accounting;
  if (deleted > 0) {
    spdlog::info(
        "{}: deleted expired data: {} snapshots, {} audit events, counters of {} jobs, job "
        "accounting of {} records",
        cluster, result->snapshots, result->audit_events, result->running_jobs,
        result->job_accounting);
  }
  return absl::OkStatus();
}

absl::Status RetentionLoop::RollUpCluster(const std::string& cluster, Done& done) {
  const absl::Time begin = options_.clock();
  absl::Time step_begin = begin;
  auto result =
      RollUp(*database_, {.cluster = cluster, .done_before = done.before, .now = begin}, [&] {
        const bool may_continue = WaitAsLongAs(step_begin);
        step_begin = options_.clock();
        return may_continue;
      });
  if (!result.ok()) return result.status();
  const bool newly_complete = result->complete && result->horizon != done.before;
  if (result->complete) done.before = result->horizon;
  if (result->horizon_moved || result->records > 0 || newly_complete) {
    spdlog::info("{}: ledger horizon {}, {} records rolled up into hourly buckets in {}{}", cluster,
                 absl::FormatTime(result->horizon, absl::UTCTimeZone()), result->records,
                 absl::FormatDuration(absl::Trunc(options_.clock() - begin, absl::Milliseconds(1))),
                 result->complete ? "" : ", more remain");
  }
  return absl::OkStatus();
}

bool RetentionLoop::WaitAsLongAs(absl::Time begin) {
  return thread_.Sleep(options_.clock() - begin) && options_.leads();
}

}  // namespace priorityd::usage
