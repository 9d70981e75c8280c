#include "server/queue/replication/tracked_queues.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "server/configuration/find_cluster.h"
#include "server/queue/replication/job_rows.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/previous_priority.h"
#include "storage/cluster_store.h"
#include "storage/replica_session.h"

namespace priorityd::queue {
namespace {

// Rows read at a time.
constexpr int64_t kPage = 20'000;
// How many changes' removals are kept for replicas that have missed them.
constexpr int64_t kRemovalsKept = 100'000;
// How often ended jobs are looked through.
constexpr absl::Duration kForgetPeriod = absl::Minutes(10);

absl::StatusOr<int32_t> ClusterId(storage::Transaction& transaction, const std::string& cluster) {
  auto found = configuration::FindCluster(transaction, cluster);
  if (!found.ok()) return found.status();
  return found->id;
}

absl::StatusOr<std::vector<std::string>> ListClusters(storage::Database& database) {
  const auto clusters = database.Read(
      [](storage::Transaction& transaction) { return storage::ClusterStore(transaction).List(); });
  if (!clusters.ok()) return clusters.status();
  std::vector<std::string> names;
  for (const storage::Cluster& cluster : *clusters) names.push_back(cluster.name);
  return names;
}

// What a page of rows and the removals among them say, in order.
std::vector<JobChange> InOrder(const std::vector<storage::Job>& rows,
                               const std::vector<storage::JobRemoval>& removals) {
  std::vector<JobChange> changes;
  changes.reserve(rows.size() + removals.size());
  auto removal = removals.begin();
  for (const storage::Job& row : rows) {
    for (; removal != removals.end() && removal->change < row.change; ++removal) {
      changes.push_back({removal->job_id, ""});
    }
    changes.push_back({row.job_id, PackJob(ToTracked(row))});
  }
  for (; removal != removals.end(); ++removal) changes.push_back({removal->job_id, ""});
  return changes;
}

// What `request` changes; fills the answer.
std::vector<JobChange> ComputeChanges(const TrackedQueue& jobs, const QueueRequest& request,
                                      absl::Time now, bool forget_ended, QueueAnswer* answer) {
  QueueUpdate update(jobs, now);
  for (const absl::string_view job_id : request.removals) update.Remove(job_id);
  if (request.full_sync) {
    absl::flat_hash_set<absl::string_view> named;
    for (const TrackedJob& job : request.upserts) named.insert(job.job.job_id);
    answer->removed_by_sync = static_cast<uint32_t>(update.RemoveOthersOf(request.source, named));
  }
  for (const TrackedJob& job : request.upserts) update.Upsert(job);
  if (forget_ended) update.ForgetEnded();
  std::vector<JobChange> changes = update.Finish();
  const auto& results = update.results();
  const auto middle = results.begin() + static_cast<int64_t>(request.removals.size());
  answer->removals.assign(results.begin(), middle);
  answer->upserts.assign(middle, results.end());
  return changes;
}

absl::StatusOr<int64_t> Store(storage::JobStore& store, int32_t cluster_id,
                              const storage::QueueChanges& before,
                              const std::vector<JobChange>& changes) {
  if (changes.empty()) return before.last;
  std::vector<storage::Job> rows;
  std::vector<std::string> removed;
  for (const JobChange& change : changes) {
    if (change.packed.empty()) {
      removed.push_back(change.job_id);
    } else {
      rows.push_back(ToRow(UnpackJob(change.packed)));
    }
  }
  absl::StatusOr<int64_t> last = store.Write(cluster_id, rows, removed);
  if (!last.ok() || *last - before.forgotten < 2 * kRemovalsKept) return last;
  if (absl::Status s = store.ForgetRemovals(cluster_id, kRemovalsKept); !s.ok()) return s;
  return last;
}

// Applies to `jobs` what is stored after the change `*known`, up to `last`.
absl::Status ApplyStored(storage::JobStore& store, int32_t cluster_id, int64_t last,
                         TrackedQueue* jobs, int64_t* known) {
  while (*known < last) {
    const auto rows = store.ListChanged(cluster_id, *known, kPage);
    if (!rows.ok()) return rows.status();
    const bool more = static_cast<int64_t>(rows->size()) == kPage;
    const int64_t until = more ? rows->back().change : last;
    std::vector<storage::JobRemoval> removals;
    if (*known > 0) {
      auto listed = store.ListRemoved(cluster_id, *known, until);
      if (!listed.ok()) return listed.status();
      removals = *std::move(listed);
    }
    jobs->Apply(InOrder(*rows, removals));
    *known = until;
  }
  return absl::OkStatus();
}

}  // namespace

TrackedQueues::TrackedQueues(storage::Database* database,
                             const recalculation::SnapshotRegistry* registry)
    : database_(database), registry_(registry) {}

TrackedQueues::Queue& TrackedQueues::QueueOf(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Queue>& queue = queues_[cluster];
  if (queue == nullptr) queue = std::make_unique<Queue>(cluster);
  return *queue;
}

void TrackedQueues::Publish(Queue& queue) {
  {
    absl::MutexLock lock(&queue.mutex);
    if (queue.state == queue.jobs->state()) return;
    queue.state = queue.jobs->state();
  }
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
  } else if (queue.jobs->state()->snapshot().generation() < snapshot->generation()) {
    queue.jobs->SetSnapshot(snapshot);
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
  storage::JobStore store(transaction);
  if (queue.known == 0 || queue.known >= changes.forgotten) {
    return ApplyStored(store, cluster_id, changes.last, queue.jobs.get(), &queue.known);
  }
  // Removals were missed. Beside the old queue, which is shown until this one is whole.
  auto fresh = std::make_unique<TrackedQueue>(queue.jobs->state()->scale().snapshot);
  int64_t known = 0;
  absl::Status read = ApplyStored(store, cluster_id, changes.last, fresh.get(), &known);
  if (!read.ok()) return read;
  queue.jobs = std::move(fresh);
  queue.known = known;
  return absl::OkStatus();
}

absl::Status TrackedQueues::Change(
    Queue& queue, absl::FunctionRef<std::vector<JobChange>(const TrackedQueue&)> compute) {
  std::vector<JobChange> changes;
  int64_t last = 0;
  absl::Status written = database_->Write([&](storage::Transaction& transaction) -> absl::Status {
    queue.change.AssertHeld();
    const absl::StatusOr<int32_t> cluster_id = ClusterId(transaction, queue.cluster);
    if (!cluster_id.ok()) return cluster_id.status();
    storage::JobStore store(transaction);
    const auto before = store.Lock(*cluster_id);
    if (!before.ok()) return before.status();
    if (absl::Status s = ApplyChanges(queue, transaction, *cluster_id, *before); !s.ok()) return s;
    changes = compute(*queue.jobs);
    const auto stored = Store(store, *cluster_id, *before, changes);
    if (!stored.ok()) return stored.status();
    last = *stored;
    return changes.empty() ? absl::OkStatus() : storage::NotifyReplicas(transaction);
  });
  if (written.ok()) {
    queue.jobs->Apply(changes);
    queue.known = last;
  }
  Publish(queue);
  return written;
}

absl::StatusOr<QueueAnswer> TrackedQueues::Update(absl::string_view cluster,
                                                  const QueueRequest& request, absl::Time now) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  absl::MutexLock lock(&queue.change);
  if (absl::Status s = Prepare(queue, *snapshot); !s.ok()) return s;
  const bool forget_ended = now >= queue.forget_at;
  QueueAnswer answer;
  absl::Status changed = Change(queue, [&](const TrackedQueue& jobs) {
    return ComputeChanges(jobs, request, now, forget_ended, &answer);
  });
  if (!changed.ok()) return changed;
  if (forget_ended) queue.forget_at = now + kForgetPeriod;
  return answer;
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::State(absl::string_view cluster) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  {
    absl::MutexLock lock(&queue.mutex);
    if (queue.state != nullptr &&
        queue.state->snapshot().generation() >= (*snapshot)->generation()) {
      return queue.state;
    }
  }
  absl::MutexLock lock(&queue.change);
  if (absl::Status s = Prepare(queue, *snapshot); !s.ok()) return s;
  return queue.jobs->state();
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::PublishedState(
    absl::string_view cluster) {
  const absl::StatusOr<std::string> name = registry_->Resolve(cluster);
  if (!name.ok()) return name.status();
  Queue& queue = QueueOf(*name);
  {
    absl::MutexLock lock(&queue.mutex);
    if (queue.state != nullptr) return queue.state;
  }
  return State(*name);
}

absl::StatusOr<std::shared_ptr<const QueueState>> TrackedQueues::ReadState(
    absl::string_view cluster) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  absl::MutexLock lock(&queue.change);
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
  absl::MutexLock lock(&queue.change);
  if (absl::Status s = Prepare(queue, *snapshot); !s.ok()) return s;
  if (TakeSiteFactors(*queue.jobs, factors).empty()) return absl::OkStatus();
  return Change(queue,
                [factors](const TrackedQueue& jobs) { return TakeSiteFactors(jobs, factors); });
}

absl::Status TrackedQueues::SetSiteFactorSource(absl::string_view cluster,
                                                storage::SiteFactorSource source) {
  const auto snapshot = registry_->Find(cluster);
  if (!snapshot.ok()) return snapshot.status();
  Queue& queue = QueueOf((*snapshot)->cluster().name);
  absl::MutexLock lock(&queue.change);
  absl::Status written = database_->Write([&](storage::Transaction& transaction) -> absl::Status {
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
    return noted.ok() ? storage::NotifyReplicas(transaction) : noted;
  });
  if (!written.ok()) return written;
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
  const absl::StatusOr<std::vector<std::string>> clusters = ListClusters(*database_);
  if (!clusters.ok()) return clusters.status();
  absl::Status first;
  for (const std::string& cluster : *clusters) {
    Queue& queue = QueueOf(cluster);
    absl::MutexLock lock(&queue.change);
    first.Update(ReadChanges(queue));
  }
  return first;
}

absl::Status TrackedQueues::ReadChanges(Queue& queue) {
  const auto snapshot = registry_->Find(queue.cluster);
  // A cluster that nothing was computed for has no queue yet.
  if (!snapshot.ok()) return absl::OkStatus();
  if (absl::Status s = Prepare(queue, *snapshot); !s.ok()) return s;
  if (absl::Status s = ReadAndApply(queue); !s.ok()) return s;
  Publish(queue);
  return RaisePriorities(queue);
}

absl::Status TrackedQueues::RaisePriorities(Queue& queue) {
  const priority::Snapshot& snapshot = queue.jobs->state()->snapshot();
  if (queue.recalculated >= snapshot.generation()) return absl::OkStatus();
  const absl::Time as_of = snapshot.computed_at();
  if (!RaisePreviousPriorities(*queue.jobs->state(), as_of).empty()) {
    absl::Status changed = Change(queue, [as_of](const TrackedQueue& jobs) {
      return RaisePreviousPriorities(*jobs.state(), as_of);
    });
    if (!changed.ok()) return changed;
  }
  queue.recalculated = snapshot.generation();
  return absl::OkStatus();
}

}  // namespace priorityd::queue
