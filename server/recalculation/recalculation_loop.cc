#include "server/recalculation/recalculation_loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "server/recalculation/recalculation.h"
#include "server/recalculation/stored_policy.h"
#include "storage/cluster_store.h"
#include "storage/policy_store.h"
#include "storage/snapshot_store.h"

namespace priorityd::recalculation {
namespace {

constexpr absl::Duration kRetryDelay = absl::Seconds(5);
constexpr int kAttempts = 5;

absl::StatusOr<std::vector<std::string>> ListClusters(storage::Database& database) {
  std::vector<std::string> names;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    auto clusters = storage::ClusterStore(transaction).List();
    if (!clusters.ok()) return clusters.status();
    for (const storage::Cluster& cluster : *clusters) names.push_back(cluster.name);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return names;
}

// What tells when a cluster is recalculated.
struct Standing {
  Policy policy;  // The newest.
  bool recalculated = false;
};

absl::StatusOr<Standing> ReadStanding(storage::Database& database, const std::string& cluster) {
  std::optional<storage::PolicyVersion> version;
  Standing standing;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    auto found = storage::ClusterStore(transaction).Find(cluster);
    if (!found.ok()) return found.status();
    if (!found->has_value()) return absl::NotFoundError("cluster: got an unknown one");
    auto policy = storage::PolicyStore(transaction).Newest((*found)->id);
    if (!policy.ok()) return policy.status();
    version = *std::move(policy);
    auto snapshot = storage::SnapshotStore(transaction).Newest((*found)->id);
    if (!snapshot.ok()) return snapshot.status();
    standing.recalculated = snapshot->has_value();
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  absl::StatusOr<slurm::SlurmConf> conf = ParseStored(version);
  if (!conf.ok()) return conf.status();
  standing.policy = std::move(conf->policy);
  return standing;
}

}  // namespace

absl::Time NextDue(absl::Time anchor, absl::Duration period, absl::Time now) {
  if (now < anchor) return anchor;
  absl::Duration rest;
  const int64_t periods = absl::IDivDuration(now - anchor, period, &rest);
  return anchor + (periods + 1) * period;
}

RecalculationLoop::RecalculationLoop(storage::Database* database, SnapshotRegistry* registry,
                                     Clock clock)
    : database_(database), registry_(registry), clock_(std::move(clock)) {}

RecalculationLoop::~RecalculationLoop() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    changed_.SignalAll();
  }
  if (thread_.joinable()) thread_.join();
  absl::MutexLock lock(&mutex_);
  for (const std::shared_ptr<Demand>& demand : demands_) {
    demand->result.set_value(absl::UnavailableError("the service is stopping"));
  }
}

absl::Status RecalculationLoop::Start() {
  absl::StatusOr<std::vector<std::string>> clusters = ListClusters(*database_);
  if (!clusters.ok()) return clusters.status();
  for (const std::string& cluster : *clusters) {
    registry_->Add(cluster);
    absl::StatusOr<std::shared_ptr<const Snapshot>> snapshot = Pass(cluster, std::nullopt);
    if (!snapshot.ok()) spdlog::warn("{}: no snapshot: {}", cluster, snapshot.status().ToString());
  }
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Snapshot>> RecalculationLoop::RecalculateNow(
    const std::string& cluster, std::optional<absl::Time> as_of) {
  auto demand = std::make_shared<Demand>();
  demand->cluster = cluster;
  demand->as_of = as_of;
  {
    absl::MutexLock lock(&mutex_);
    if (stops_) return absl::UnavailableError("the service is stopping");
    demands_.push_back(demand);
    changed_.SignalAll();
  }
  return demand->result.get_future().get();
}

absl::StatusOr<std::optional<absl::Time>> RecalculationLoop::TakeUp(const std::string& cluster) {
  registry_->Add(cluster);
  absl::StatusOr<Standing> standing = ReadStanding(*database_, cluster);
  if (!standing.ok()) return standing.status();
  if (standing->policy.clock == ClockMode::kManual) {
    absl::MutexLock lock(&mutex_);
    schedules_.erase(cluster);
    return std::optional<absl::Time>();
  }
  std::optional<absl::Time> due = DueAt(cluster);
  if (standing->recalculated && due.has_value()) return due;
  absl::StatusOr<std::shared_ptr<const Snapshot>> snapshot = RecalculateNow(cluster);
  if (!snapshot.ok()) return snapshot.status();
  return std::optional<absl::Time>((*snapshot)->computed_at());
}

std::optional<absl::Time> RecalculationLoop::DueAt(const std::string& cluster) const {
  absl::MutexLock lock(&mutex_);
  const auto found = schedules_.find(cluster);
  if (found == schedules_.end()) return std::nullopt;
  return found->second.due;
}

void RecalculationLoop::Wake() {
  absl::MutexLock lock(&mutex_);
  changed_.SignalAll();
}

void RecalculationLoop::Run() {
  for (;;) {
    std::shared_ptr<Demand> demand;
    std::string cluster;
    if (!AwaitWork(&demand, &cluster)) return;
    if (demand == nullptr) {
      absl::StatusOr<std::shared_ptr<const Snapshot>> snapshot = Pass(cluster, std::nullopt);
      if (!snapshot.ok()) {
        spdlog::error("{}: recalculation failed: {}", cluster, snapshot.status().ToString());
      }
      continue;
    }
    demand->result.set_value(Pass(demand->cluster, demand->as_of));
  }
}

bool RecalculationLoop::AwaitWork(std::shared_ptr<Demand>* demand, std::string* cluster) {
  absl::MutexLock lock(&mutex_);
  for (;;) {
    if (stops_) return false;
    if (!demands_.empty()) {
      *demand = std::move(demands_.front());
      demands_.pop_front();
      return true;
    }
    const absl::Time now = clock_();
    if (std::optional<std::string> due = DueCluster(now)) {
      *cluster = *std::move(due);
      return true;
    }
    changed_.WaitWithTimeout(&mutex_, NextWake() - now);
  }
}

std::optional<std::string> RecalculationLoop::DueCluster(absl::Time now) const {
  for (const auto& [cluster, schedule] : schedules_) {
    if (schedule.due <= now) return cluster;
  }
  return std::nullopt;
}

absl::Time RecalculationLoop::NextWake() const {
  absl::Time next = absl::InfiniteFuture();
  for (const auto& [cluster, schedule] : schedules_) next = std::min(next, schedule.due);
  return next;
}

absl::StatusOr<std::shared_ptr<const Snapshot>> RecalculationLoop::Pass(
    const std::string& cluster, std::optional<absl::Time> as_of) {
  absl::StatusOr<std::shared_ptr<const Snapshot>> snapshot = absl::AbortedError("not tried");
  for (int i = 0; i < kAttempts && absl::IsAborted(snapshot.status()); ++i) {
    snapshot = Recalculate(*database_, cluster, {.now = clock_(), .as_of = as_of});
  }
  if (snapshot.ok()) {
    registry_->Publish(*snapshot);
    Reschedule(cluster, (*snapshot)->policy());
  } else if (!as_of.has_value()) {
    Reschedule(cluster, snapshot.status());
  }
  return snapshot;
}

void RecalculationLoop::Reschedule(const std::string& cluster,
                                   const absl::StatusOr<Policy>& policy) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_();
  if (absl::IsFailedPrecondition(policy.status()) || absl::IsNotFound(policy.status()) ||
      (policy.ok() && policy->clock == ClockMode::kManual)) {
    schedules_.erase(cluster);
    return;
  }
  if (!policy.ok()) {
    schedules_[cluster].due = now + kRetryDelay;
    return;
  }
  Schedule& schedule = schedules_[cluster];
  const bool on_schedule = schedule.period == policy->calc_period;
  schedule.due = NextDue(on_schedule ? schedule.anchor : now, policy->calc_period, now);
  if (!on_schedule) schedule.anchor = now;
  schedule.period = policy->calc_period;
}

}  // namespace priorityd::recalculation
