#include "server/site_factor/site_factors.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "server/site_factor/round.h"

namespace priorityd::site_factor {
namespace {

bool HasPlugin(const priority::Snapshot& snapshot) {
  return !snapshot.policy().site_factor_plugin.empty();
}

bool OnManualClock(const priority::Snapshot& snapshot) {
  return snapshot.policy().clock == priority::ClockMode::kManual;
}

}  // namespace

SiteFactors::SiteFactors(queue::TrackedQueues* queues, Connect connect, threads::Clock clock)
    : queues_(queues), connect_(std::move(connect)), clock_(std::move(clock)) {}

SiteFactors::~SiteFactors() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    for (const auto& [name, cluster] : clusters_) End(cluster.get());
  }
  for (const auto& [name, cluster] : clusters_) cluster->thread->Stop();
}

void SiteFactors::AskOnRealClock(std::shared_ptr<const priority::Snapshot> snapshot) {
  if (!HasPlugin(*snapshot) || OnManualClock(*snapshot)) return;
  absl::MutexLock lock(&mutex_);
  if (!stops_) Want(std::move(snapshot));
}

void SiteFactors::RequestOnManualClock(std::shared_ptr<const priority::Snapshot> snapshot) {
  if (!HasPlugin(*snapshot) || !OnManualClock(*snapshot)) return;
  absl::MutexLock lock(&mutex_);
  if (stops_) return;
  const std::shared_ptr<Cluster> cluster = Want(std::move(snapshot));
  const int64_t number = cluster->asked;
  while (!cluster->ends && cluster->done < number) changed_.Wait(&mutex_);
}

void SiteFactors::Forget(const std::string& cluster) {
  std::shared_ptr<Cluster> forgotten;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = clusters_.find(cluster);
    if (found == clusters_.end()) return;
    forgotten = std::move(found->second);
    clusters_.erase(found);
    End(forgotten.get());
  }
  forgotten->thread->Stop();
}

void SiteFactors::End(Cluster* cluster) {
  cluster->ends = true;
  if (cluster->service != nullptr) cluster->service->Cancel();
  changed_.SignalAll();
}

std::shared_ptr<SiteFactors::Cluster> SiteFactors::Want(
    std::shared_ptr<const priority::Snapshot> snapshot) {
  std::shared_ptr<Cluster>& cluster = clusters_[snapshot->cluster().name];
  if (cluster == nullptr) {
    cluster = std::make_shared<Cluster>();
    cluster->thread = std::make_unique<threads::PeriodicThread>(clock_);
    cluster->thread->Start([this, own = cluster.get()] { return Turn(own); });
  }
  if (cluster->wanted != snapshot) {
    cluster->wanted = std::move(snapshot);
    ++cluster->asked;
  }
  cluster->thread->Wake();
  return cluster;
}

absl::Time SiteFactors::Turn(Cluster* cluster) {
  const Wanted wanted = BeginRound(cluster);
  if (wanted.snapshot == nullptr) return absl::InfiniteFuture();
  DoRound(cluster, *wanted.snapshot);
  absl::MutexLock lock(&mutex_);
  cluster->service = nullptr;
  cluster->done = wanted.number;
  changed_.SignalAll();
  return absl::InfinitePast();
}

SiteFactors::Wanted SiteFactors::BeginRound(Cluster* cluster) {
  absl::MutexLock lock(&mutex_);
  if (cluster->ends || cluster->done == cluster->asked) return {};
  // A new connection each time: an old failed one would delay the next round by its backoff.
  cluster->service = connect_(cluster->wanted->policy().site_factor_plugin);
  return {cluster->asked, cluster->wanted};
}

void SiteFactors::DoRound(Cluster* cluster, const priority::Snapshot& snapshot) {
  std::shared_ptr<SiteFactorService> service;
  {
    absl::MutexLock lock(&mutex_);
    service = cluster->service;
  }
  const RoundResult result = Round(queues_, service.get(), &snapshot).Run();
  {
    absl::MutexLock lock(&mutex_);
    // Unanswered calls were cancelled.
    if (cluster->ends) return;
  }
  Conclude(cluster, snapshot, result.answered, result.failure);
}

void SiteFactors::Conclude(Cluster* cluster, const priority::Snapshot& snapshot, bool answered,
                           const std::string& failure) {
  const std::string& name = snapshot.cluster().name;
  const std::string& plugin = snapshot.policy().site_factor_plugin;
  if (!answered && failure.empty()) return;  // No job was pending.
  if (!failure.empty() && !cluster->fails) {
    spdlog::warn("{}: site factor service {}: {}; jobs keep the site factors they have", name,
                 plugin, failure);
  } else if (failure.empty() && cluster->fails) {
    spdlog::info("{}: site factor service {} answers again", name, plugin);
  }
  cluster->fails = !failure.empty();
  std::optional<absl::Time> answered_at;
  if (answered) answered_at = OnManualClock(snapshot) ? snapshot.computed_at() : clock_();
  const absl::Status stored = queues_->SetSiteFactorSource(name, {plugin, answered_at, failure});
  if (!stored.ok()) {
    spdlog::warn("{}: the state of the site factor service was not stored: {}", name,
                 stored.ToString());
  }
}

}  // namespace priorityd::site_factor
