#include "server/queue/replication/tracked_queues.h"

#include <algorithm>
#include <utility>

#include "server/configuration/find_cluster.h"
#include "server/threads/clock.h"
#include "storage/database/status.h"

namespace priorityd::queue {
namespace {

// The interval at which ended jobs are checked.
constexpr absl::Duration kForgetPeriod = absl::Minutes(10);

constexpr storage::TransactionKind kLimits = {.lock = TrackedQueues::kLockPatience};
// For all queues together that are locked while changes are read.
constexpr absl::Duration kPatience = absl::Milliseconds(200);

}  // namespace

TrackedQueues::TrackedQueues(storage::Database* database,
                             const recalculation::SnapshotRegistry* registry,
                             const QueueBounds& bounds)
    : database_(database), registry_(registry), bounds_(bounds) {}

TrackedQueues::Queue& TrackedQueues::QueueOf(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Queue>& queue = queues_[cluster];
  if (queue == nullptr) queue = std::make_unique<Queue>(this, cluster);
  return *queue;
}

void TrackedQueues::Publish(Queue& queue) {
  const TrackedQueue& jobs = queue.replica.jobs();
  jobs_ += jobs.held().jobs - queue.jobs.exchange(jobs.held().jobs);
  queue.bytes = jobs.held().bytes;
  // Readers may have taken a newer snapshot meanwhile.
  const auto newest = registry_->Find(queue.cluster);
  if (newest.ok() && *newest != jobs.state()->scale().snapshot) queue.replica.SetSnapshot(*newest);
  queue.published.Publish(jobs.state(), queue.replica.site_factors());
}

std::vector<quotas::Usage> TrackedQueues::usages() const {
  quotas::Usage jobs = {quotas::kTrackedJobs, 0, bounds_.cluster_jobs, 0};
  quotas::Usage bytes = {quotas::kTrackedBytes, 0, BytesOfCluster(bounds_), 0};
  quotas::Usage all = {quotas::kAllTrackedJobs, jobs_, bounds_.all_jobs, 0};
  absl::MutexLock lock(&mutex_);
  for (const auto& [cluster, queue] : queues_) {
    jobs.used = std::max<size_t>(jobs.used, queue->jobs);
    bytes.used = std::max<size_t>(bytes.used, queue->bytes);
  }
  for (quotas::Usage* usage : {&jobs, &bytes, &all}) {
    const auto refused = refused_.find(usage->name);
    if (refused != refused_.end()) usage->refused = refused->second;
  }
  return {jobs, bytes, all};
}

void TrackedQueues::CountRefused(const QueueAnswer& answer) {
  absl::MutexLock lock(&mutex_);
  for (const UpdateResult& result : answer.upserts) {
    if (!result.quota.empty()) ++refused_[result.quota];
  }
}

void TrackedQueues::NotifyListener(const std::string& cluster) {
  absl::MutexLock lock(&listener_mutex_);
  if (listener_ != nullptr) listener_(cluster);
}

void TrackedQueues::SetListener(std::function<void(const std::string& cluster)> listener) {
  absl::MutexLock lock(&listener_mutex_);
  listener_ = std::move(listener);
}

absl::Status TrackedQueues::Prepare(Queue& queue,
                                    const std::shared_ptr<const priority::Snapshot>& snapshot) {
  absl::Status loaded = queue.replica.Load(snapshot);
  if (loaded.ok()) Publish(queue);
  return loaded;
}

absl::Status TrackedQueues::Change(Queue& queue, const storage::TransactionKind& kind,
                                   ReplicatedQueue::Compute compute, usage::JobEndCharge* charge) {
  absl::Status changed = charge == nullptr ? queue.replica.Change(kind, compute)
                                           : queue.replica.ChangeAndCharge(kind, compute, charge);
  Publish(queue);
  return changed;
}

absl::StatusOr<QueueAnswer> TrackedQueues::Update(absl::string_view cluster,
                                                  const QueueRequest& request, absl::Time now,
                                                  absl::Duration patience) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  threads::TimedMutexLock lock(&queue.change, patience);
  if (!lock.is_held()) return storage::LockTimeoutError();
  if (absl::Status s = Prepare(queue, *snapshot); !s.ok()) return s;
  const bool forget_ended = !request.checks_only && now >= queue.forget_at;
  QueueAnswer answer;
  const auto compute = [&](const TrackedQueue& jobs) {
    const QueueRoom room = {bounds_, jobs_ - queue.jobs, CountQueues() > 1};
    return ComputeChanges(jobs, request, now, room, forget_ended, &answer);
  };
  absl::Status changed = Change(queue, {.lock = patience}, compute, request.charge);
  if (!changed.ok()) return changed;
  if (forget_ended) queue.forget_at = now + kForgetPeriod;
  CountRefused(answer);
  return answer;
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::PreparedState(
    Queue& queue, const std::shared_ptr<const priority::Snapshot>& snapshot) {
  if (absl::Status s = Prepare(queue, snapshot); !s.ok()) return s;
  return queue.replica.jobs().state();
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::State(absl::string_view cluster) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  const auto published = queue.published.state();
  const bool is_loaded = published != nullptr;
  if (is_loaded && published->scale().snapshot == *snapshot) return published;
  const threads::TimedMutexLock lock(&queue.change,
                                     is_loaded ? absl::ZeroDuration() : absl::InfiniteDuration());
  if (lock.is_held()) return PreparedState(queue, *snapshot);
  if (auto rescaled = queue.published.Rescale(); rescaled != nullptr) return rescaled;
  const threads::TimedMutexLock waited(&queue.change);  // Forgotten meanwhile.
  return PreparedState(queue, *snapshot);
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::PublishedState(
    absl::string_view cluster) {
  const absl::StatusOr<std::string> name = registry_->Resolve(cluster);
  if (!name.ok()) return name.status();
  auto published = QueueOf(*name).published.state();
  if (published != nullptr) return published;
  return State(*name);
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::ReadState(
    absl::string_view cluster) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  threads::TimedMutexLock lock(&queue.change);
  if (absl::Status s = Prepare(queue, *snapshot); !s.ok()) return s;
  if (absl::Status s = queue.replica.ReadChanges(); !s.ok()) return s;
  Publish(queue);
  return queue.replica.jobs().state();
}

absl::Status TrackedQueues::SetSiteFactors(absl::string_view cluster,
                                           absl::Span<const SiteFactor> factors) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  threads::TimedMutexLock lock(&queue.change);
  if (absl::Status s = Prepare(queue, *snapshot); !s.ok()) return s;
  if (TakeSiteFactors(queue.replica.jobs(), factors).empty()) return absl::OkStatus();
  return Change(queue, kLimits,
                [factors](const TrackedQueue& jobs) { return TakeSiteFactors(jobs, factors); });
}

absl::Status TrackedQueues::SetSiteFactorSource(absl::string_view cluster,
                                                storage::SiteFactorSource source) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  threads::TimedMutexLock lock(&queue.change);
  absl::Status written = queue.replica.SetSiteFactorSource(kLimits, std::move(source));
  if (written.ok()) queue.published.SetSiteFactors(queue.replica.site_factors());
  return written;
}

absl::StatusOr<std::optional<storage::SiteFactorSource>> TrackedQueues::FindSiteFactorSource(
    absl::string_view cluster) {
  const auto state = State(cluster);
  if (!state.ok()) return state.status();
  const std::string& plugin = (*state)->snapshot().policy().site_factor_plugin;
  if (plugin.empty()) return std::nullopt;
  storage::SiteFactorSource source =
      QueueOf((*state)->snapshot().cluster().name).published.site_factors();
  if (source.plugin == plugin) return source;
  return storage::SiteFactorSource{.plugin = plugin, .answered_at = {}, .failure = {}};
}

void TrackedQueues::Forget(const std::string& cluster) {
  Queue& queue = QueueOf(cluster);
  threads::TimedMutexLock lock(&queue.change);
  jobs_ -= queue.jobs.exchange(0);
  queue.bytes = 0;
  queue.replica.Forget();
  queue.published.Clear();
}

absl::Status TrackedQueues::ReadChanges() {
  int64_t incarnation = 0;
  const auto queues = database_->Read([&](storage::Transaction& transaction) {
    incarnation = transaction.incarnation();
    return storage::JobStore(transaction).ListQueues();
  });
  if (!queues.ok()) return queues.status();
  absl::Status first;
  std::vector<const storage::ClusterQueue*> busy;
  for (const storage::ClusterQueue& stored : *queues) {
    if (!TryReadChanges(stored, incarnation, absl::ZeroDuration(), &first)) {
      busy.push_back(&stored);
    }
  }
  const absl::Time deadline = threads::RunningTime() + kPatience;
  for (const storage::ClusterQueue* stored : busy) {
    TryReadChanges(*stored, incarnation, deadline - threads::RunningTime(), &first);
  }
  return first;
}

absl::Status TrackedQueues::ReadChangesOf(const std::string& cluster) {
  int64_t incarnation = 0;
  storage::ClusterQueue stored{.cluster = cluster, .changes = {}};
  absl::Status status = database_->Read([&](storage::Transaction& transaction) -> absl::Status {
    incarnation = transaction.incarnation();
    const auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    auto changes = storage::JobStore(transaction).Changes(found->id);
    if (changes.ok()) stored.changes = *std::move(changes);
    return changes.status();
  });
  if (status.ok()) TryReadChanges(stored, incarnation, kPatience, &status);
  return status;
}

bool TrackedQueues::TryReadChanges(const storage::ClusterQueue& stored, int64_t incarnation,
                                   absl::Duration patience, absl::Status* status) {
  const auto snapshot = registry_->Find(stored.cluster);
  // A cluster without a snapshot has no queue yet.
  if (!snapshot.ok()) return true;
  Queue& queue = QueueOf(stored.cluster);
  const threads::TimedMutexLock lock(&queue.change, patience);
  if (lock.is_held()) {
    status->Update(ReadChanges(queue, *snapshot, stored.changes, incarnation));
  } else if (queue.published.state() != nullptr) {
    queue.published.Rescale();
  }
  return lock.is_held();
}

absl::Status TrackedQueues::ReadChanges(Queue& queue,
                                        const std::shared_ptr<const priority::Snapshot>& snapshot,
                                        const storage::QueueChanges& stored, int64_t incarnation) {
  if (absl::Status s = Prepare(queue, snapshot); !s.ok()) return s;
  if (!queue.replica.Contains(stored, incarnation)) {
    if (absl::Status s = queue.replica.ReadChanges(); !s.ok()) return s;
    Publish(queue);
  }
  absl::Status followed = queue.replica.FollowSnapshot();
  Publish(queue);
  return followed;
}

}  // namespace priorityd::queue
