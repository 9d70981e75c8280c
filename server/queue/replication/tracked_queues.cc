#include "server/queue/replication/tracked_queues.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "server/configuration/find_cluster.h"
#include "server/queue/replication/change_log.h"
#include "server/queue/state/accrual.h"
#include "server/queue/state/previous_priority.h"
#include "server/threads/clock.h"
#include "storage/notification.h"
#include "storage/status.h"

namespace priorityd::queue {
namespace {

// How often ended jobs are checked.
constexpr absl::Duration kForgetPeriod = absl::Minutes(10);

constexpr storage::TransactionKind kLimits = {.lock = TrackedQueues::kLockPatience};
// No caller waits for the changes that follow a new snapshot, but the queues of other clusters do.
constexpr storage::TransactionKind kMoveLimits = {.lock = absl::Milliseconds(20)};
// For all queues together that are locked while changes are read.
constexpr absl::Duration kPatience = absl::Milliseconds(200);

absl::StatusOr<int32_t> ClusterId(storage::Transaction& transaction, const std::string& cluster) {
  auto found = configuration::FindCluster(transaction, cluster);
  if (!found.ok()) return found.status();
  return found->id;
}

}  // namespace

TrackedQueues::TrackedQueues(storage::Database* database,
                             const recalculation::SnapshotRegistry* registry,
                             const QueueBounds& bounds)
    : database_(database), registry_(registry), bounds_(bounds) {}

TrackedQueues::Queue& TrackedQueues::QueueOf(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Queue>& queue = queues_[cluster];
  if (queue == nullptr) queue = std::make_unique<Queue>(cluster);
  return *queue;
}

std::shared_ptr<const QueueState> TrackedQueues::Published(Queue& queue) {
  absl::MutexLock lock(&queue.mutex);
  return queue.state;
}

void TrackedQueues::Publish(Queue& queue) {
  const size_t counted = std::exchange(queue.counted, queue.jobs->size());
  jobs_ += queue.counted - counted;
  // Readers may have taken a newer snapshot meanwhile.
  const auto newest = registry_->Find(queue.cluster);
  if (newest.ok() && *newest != queue.jobs->state()->scale().snapshot) {
    queue.jobs->SetSnapshot(*newest);
  }
  {
    absl::MutexLock lock(&queue.mutex);
    if (queue.state == queue.jobs->state()) return;
    queue.state = queue.jobs->state();
  }
  NotifyListener(queue);
}

void TrackedQueues::NotifyListener(const Queue& queue) {
  absl::MutexLock lock(&listener_mutex_);
  if (listener_ != nullptr) listener_(queue.cluster);
}

void TrackedQueues::SetListener(std::function<void(const std::string& cluster)> listener) {
  absl::MutexLock lock(&listener_mutex_);
  listener_ = std::move(listener);
}

absl::Status TrackedQueues::Prepare(Queue& queue,
                                    const std::shared_ptr<const priority::Snapshot>& snapshot) {
  if (queue.jobs == nullptr) {
    queue.jobs = std::make_unique<TrackedQueue>(snapshot);
    if (absl::Status s = ReadAndApply(queue); !s.ok()) {
      queue.jobs = nullptr;
      queue.known = 0;
      return s;
    }
  }
  Publish(queue);
  return absl::OkStatus();
}

absl::Status TrackedQueues::ReadAndApply(Queue& queue) {
  queue.change.AssertHeld();
  return database_->Read([&](storage::Transaction& transaction) -> absl::Status {
    queue.change.AssertHeld();
    const absl::StatusOr<int32_t> cluster_id = ClusterId(transaction, queue.cluster);
    if (!cluster_id.ok()) return cluster_id.status();
    const auto changes = storage::JobStore(transaction).Changes(*cluster_id);
    if (!changes.ok()) return changes.status();
    return ApplyChanges(queue, transaction, *cluster_id, *changes);
  });
}

absl::Status TrackedQueues::ApplyChanges(Queue& queue, storage::Transaction& transaction,
                                         int32_t cluster_id, const storage::QueueChanges& changes) {
  {
    absl::MutexLock lock(&queue.mutex);
    queue.site_factors = changes.site_factors;
  }
  const bool is_same = std::exchange(queue.cluster_id, cluster_id) == cluster_id;
  queue.forgotten = changes.forgotten;
  storage::JobStore store(transaction);
  const bool goes_on = is_same && queue.incarnation == transaction.incarnation() &&
                       queue.known >= changes.forgotten && queue.known <= changes.last;
  if (queue.known == 0 || goes_on) {
    if (!goes_on) queue.recalculated = 0;
    queue.incarnation = transaction.incarnation();
    return ApplyStored(store, cluster_id, changes.last, queue.jobs.get(), &queue.known);
  }
  // Removals were missed, or the database lost changes that were read. Load a new queue; the old
  // one stays published until the new one is complete.
  auto fresh = std::make_unique<TrackedQueue>(queue.jobs->state()->scale().snapshot);
  int64_t known = 0;
  absl::Status read = ApplyStored(store, cluster_id, changes.last, fresh.get(), &known);
  if (!read.ok()) return read;
  queue.jobs = std::move(fresh);
  queue.known = known;
  queue.recalculated = 0;
  queue.incarnation = transaction.incarnation();
  return absl::OkStatus();
}

absl::Status TrackedQueues::Change(Queue& queue, const storage::TransactionKind& kind,
                                   Compute compute) {
  const absl::StatusOr<bool> changed = ChangeKnown(queue, kind, compute);
  absl::Status written = changed.status();
  if (changed.ok() && !*changed) written = ChangeLocked(queue, kind, compute);
  Publish(queue);
  return written;
}

absl::StatusOr<bool> TrackedQueues::ChangeKnown(Queue& queue, const storage::TransactionKind& kind,
                                                Compute compute) {
  if (queue.known == 0 || KeepsManyRemovals(queue.known, queue.forgotten)) return false;
  const std::vector<JobChange> changes = compute(*queue.jobs);
  using Last = std::optional<int64_t>;
  const auto work = [&](storage::Transaction& transaction) -> absl::StatusOr<Last> {
    queue.change.AssertHeld();
    if (transaction.incarnation() != queue.incarnation) return Last();
    storage::JobStore store(transaction);
    return StoreChangesAfter(store, queue.cluster_id, queue.known, changes);
  };
  const auto last = database_->WriteAlone(kind.ByKey(), work);
  if (storage::IsLockTimeout(last.status())) return last.status();
  if (!last.ok() || !last->has_value()) return false;
  queue.jobs->Apply(changes);
  queue.known = **last;
  return true;
}

absl::Status TrackedQueues::ChangeLocked(Queue& queue, const storage::TransactionKind& kind,
                                         Compute compute) {
  std::vector<JobChange> changes;
  int64_t last = 0;
  const auto work = [&](storage::Transaction& transaction) -> absl::Status {
    queue.change.AssertHeld();
    const absl::StatusOr<int32_t> cluster_id = ClusterId(transaction, queue.cluster);
    if (!cluster_id.ok()) return cluster_id.status();
    storage::JobStore store(transaction);
    const auto before = store.Lock(*cluster_id);
    if (!before.ok()) return before.status();
    if (absl::Status s = ApplyChanges(queue, transaction, *cluster_id, *before); !s.ok()) return s;
    changes = compute(*queue.jobs);
    const auto stored = StoreChanges(store, *cluster_id, *before, changes);
    if (stored.ok()) last = *stored;
    return stored.status();
  };
  absl::Status written = database_->Write(kind, work);
  if (!written.ok()) return written;
  queue.jobs->Apply(changes);
  queue.known = last;
  return absl::OkStatus();
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
  const bool forget_ended = now >= queue.forget_at;
  QueueAnswer answer;
  absl::Status changed = Change(queue, {.lock = patience}, [&](const TrackedQueue& jobs) {
    const QueueRoom room = {bounds_, jobs_ - queue.counted, CountQueues() > 1};
    return ComputeChanges(jobs, request, now, room, forget_ended, &answer);
  });
  if (!changed.ok()) return changed;
  if (forget_ended) queue.forget_at = now + kForgetPeriod;
  CountRefused(answer);
  return answer;
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::PreparedState(
    Queue& queue, const std::shared_ptr<const priority::Snapshot>& snapshot) {
  if (absl::Status s = Prepare(queue, snapshot); !s.ok()) return s;
  return queue.jobs->state();
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::State(absl::string_view cluster) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  const auto published = Published(queue);
  const bool is_loaded = published != nullptr;
  if (is_loaded && published->scale().snapshot == *snapshot) return published;
  const threads::TimedMutexLock lock(&queue.change,
                                     is_loaded ? absl::ZeroDuration() : absl::InfiniteDuration());
  if (lock.is_held()) return PreparedState(queue, *snapshot);
  if (auto rescaled = Rescale(queue); rescaled != nullptr) return rescaled;
  const threads::TimedMutexLock waited(&queue.change);  // Forgotten meanwhile.
  return PreparedState(queue, *snapshot);
}

std::shared_ptr<const QueueState> TrackedQueues::Rescale(Queue& queue) {
  absl::MutexLock one(&queue.rescaling);
  for (;;) {
    std::shared_ptr<const QueueState> shown = Published(queue);
    if (shown == nullptr) return nullptr;
    // Compare for inequality: generations go back in a database that lost transactions.
    const auto newest = registry_->Find(queue.cluster);
    if (!newest.ok() || shown->scale().snapshot == *newest) return shown;
    std::shared_ptr<const QueueState> rescaled = shown->For(*newest);
    {
      absl::MutexLock lock(&queue.mutex);
      if (queue.state != shown) continue;
      queue.state = rescaled;
    }
    NotifyListener(queue);
    return rescaled;
  }
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::PublishedState(
    absl::string_view cluster) {
  const absl::StatusOr<std::string> name = registry_->Resolve(cluster);
  if (!name.ok()) return name.status();
  auto published = Published(QueueOf(*name));
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
  if (absl::Status s = ReadAndApply(queue); !s.ok()) return s;
  Publish(queue);
  return queue.jobs->state();
}

absl::Status TrackedQueues::SetSiteFactors(absl::string_view cluster,
                                           absl::Span<const SiteFactor> factors) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  threads::TimedMutexLock lock(&queue.change);
  if (absl::Status s = Prepare(queue, *snapshot); !s.ok()) return s;
  if (TakeSiteFactors(*queue.jobs, factors).empty()) return absl::OkStatus();
  return Change(queue, kLimits,
                [factors](const TrackedQueue& jobs) { return TakeSiteFactors(jobs, factors); });
}

absl::Status TrackedQueues::SetSiteFactorSource(absl::string_view cluster,
                                                storage::SiteFactorSource source) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  threads::TimedMutexLock lock(&queue.change);
  const auto work = [&](storage::Transaction& transaction) -> absl::Status {
    const absl::StatusOr<int32_t> cluster_id = ClusterId(transaction, queue.cluster);
    if (!cluster_id.ok()) return cluster_id.status();
    storage::JobStore store(transaction);
    const auto before = store.Lock(*cluster_id);
    if (!before.ok()) return before.status();
    if (!source.answered_at.has_value() && source.plugin == before->site_factors.plugin) {
      source.answered_at = before->site_factors.answered_at;
    }
    if (source == before->site_factors) return absl::OkStatus();
    absl::Status noted = store.WriteSiteFactorSource(*cluster_id, source);
    if (!noted.ok()) return noted;
    return storage::Notify(transaction, {storage::Subject::kQueue, queue.cluster});
  };
  if (absl::Status s = database_->Write(kLimits, work); !s.ok()) return s;
  absl::MutexLock known(&queue.mutex);
  queue.site_factors = std::move(source);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<storage::SiteFactorSource>> TrackedQueues::FindSiteFactorSource(
    absl::string_view cluster) {
  const auto state = State(cluster);
  if (!state.ok()) return state.status();
  const std::string& plugin = (*state)->snapshot().policy().site_factor_plugin;
  if (plugin.empty()) return std::nullopt;
  Queue& queue = QueueOf((*state)->snapshot().cluster().name);
  absl::MutexLock lock(&queue.mutex);
  if (queue.site_factors.plugin == plugin) return queue.site_factors;
  return storage::SiteFactorSource{.plugin = plugin, .answered_at = {}, .failure = {}};
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
    const absl::StatusOr<int32_t> cluster_id = ClusterId(transaction, cluster);
    if (!cluster_id.ok()) return cluster_id.status();
    auto changes = storage::JobStore(transaction).Changes(*cluster_id);
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
  } else if (Published(queue) != nullptr) {
    Rescale(queue);
  }
  return lock.is_held();
}

bool TrackedQueues::IsKnown(Queue& queue, const storage::QueueChanges& stored,
                            int64_t incarnation) {
  absl::MutexLock lock(&queue.mutex);
  return queue.incarnation == incarnation && queue.known >= stored.last &&
         queue.site_factors == stored.site_factors;
}

absl::Status TrackedQueues::ReadChanges(Queue& queue,
                                        const std::shared_ptr<const priority::Snapshot>& snapshot,
                                        const storage::QueueChanges& stored, int64_t incarnation) {
  if (absl::Status s = Prepare(queue, snapshot); !s.ok()) return s;
  if (!IsKnown(queue, stored, incarnation)) {
    if (absl::Status s = ReadAndApply(queue); !s.ok()) return s;
    Publish(queue);
  }
  return FollowSnapshot(queue);
}

absl::Status TrackedQueues::FollowSnapshot(Queue& queue) {
  const int64_t generation = queue.jobs->state()->snapshot().generation();
  if (queue.recalculated >= generation) return absl::OkStatus();
  for (const auto& moves : {MoveAccruals, RaisePreviousPriorities}) {
    const auto moved = [moves](const TrackedQueue& jobs) {
      return moves(*jobs.state(), jobs.state()->snapshot().computed_at());
    };
    if (moved(*queue.jobs).empty()) continue;
    if (absl::Status s = Change(queue, kMoveLimits, moved); !s.ok()) return s;
  }
  queue.recalculated = generation;
  return absl::OkStatus();
}

}  // namespace priorityd::queue
