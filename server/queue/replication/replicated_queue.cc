#include "server/queue/replication/replicated_queue.h"

#include <algorithm>
#include <optional>

#include "server/configuration/find_cluster.h"
#include "server/queue/replication/change_log.h"
#include "server/queue/replication/ended_runs.h"
#include "server/queue/state/accrual.h"
#include "server/queue/state/previous_priority.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/notification.h"
#include "storage/database/read_context.h"
#include "storage/database/status.h"

namespace priorityd::queue {
namespace {

// No caller waits for the changes that follow a new snapshot, but the queues of other clusters do.
constexpr storage::TransactionKind kFollowLimits = {.lock = absl::Milliseconds(20)};

// Attempts to charge jobs after changes of the configuration or of the jobs.
constexpr int kMaxAttempts = 5;

}  // namespace

absl::StatusOr<int32_t> ReplicatedQueue::ClusterId(storage::Transaction& transaction) const {
  auto found = configuration::FindCluster(transaction, cluster_);
  if (!found.ok()) return found.status();
  return found->id;
}

absl::Status ReplicatedQueue::Load(const std::shared_ptr<const priority::Snapshot>& snapshot) {
  if (jobs_ != nullptr) return absl::OkStatus();
  jobs_ = std::make_unique<TrackedQueue>(snapshot);
  absl::Status read = ReadChanges();
  if (!read.ok()) {
    jobs_ = nullptr;
    known_ = 0;
  }
  return read;
}

bool ReplicatedQueue::Contains(const storage::QueueChanges& stored, int64_t incarnation) const {
  return incarnation_ == incarnation && known_ >= stored.last &&
         site_factors_ == stored.site_factors;
}

absl::Status ReplicatedQueue::ReadChanges() {
  // All callers get the queue, so none of them ends the reading.
  const storage::ReadContext::Scope for_all(nullptr);
  std::optional<StoredLog> long_log;
  absl::Status read = database_->Read([&](storage::Transaction& transaction) -> absl::Status {
    const absl::StatusOr<int32_t> cluster_id = ClusterId(transaction);
    if (!cluster_id.ok()) return cluster_id.status();
    const auto changes = storage::JobStore(transaction).Changes(*cluster_id);
    if (!changes.ok()) return changes.status();
    const StoredLog log = {*cluster_id, changes->last, transaction.incarnation()};
    if (known_ > 0 || !IsLong(log)) return ApplyChanges(transaction, *cluster_id, *changes);
    long_log = log;
    return absl::OkStatus();
  });
  if (!read.ok() || !long_log.has_value()) return read;
  absl::Status loaded = LoadLong(*long_log);
  return loaded.ok() ? ReadChanges() : loaded;
}

absl::Status ReplicatedQueue::LoadLong(const StoredLog& log) {
  auto fresh = std::make_unique<TrackedQueue>(jobs_->state()->scale().snapshot);
  absl::Status loaded = LoadStored(*database_, log, fresh.get());
  if (!loaded.ok()) return loaded;
  jobs_ = std::move(fresh);
  known_ = log.last;
  recalculated_ = 0;
  cluster_id_ = log.cluster_id;
  incarnation_ = log.incarnation;
  return absl::OkStatus();
}

absl::Status ReplicatedQueue::ApplyChanges(storage::Transaction& transaction, int32_t cluster_id,
                                           const storage::QueueChanges& changes) {
  site_factors_ = changes.site_factors;
  const bool is_same = std::exchange(cluster_id_, cluster_id) == cluster_id;
  forgotten_ = changes.forgotten;
  storage::JobStore store(transaction);
  const bool continues = is_same && incarnation_ == transaction.incarnation() &&
                         known_ >= changes.forgotten && known_ <= changes.last;
  if (known_ == 0 || continues) {
    if (!continues) recalculated_ = 0;
    incarnation_ = transaction.incarnation();
    return ApplyStored(store, cluster_id, changes.last, jobs_.get(), &known_);
  }
  // Removals were missed, or the database lost changes that were read. Load a new queue; the old
  // one stays until the new one is complete.
  auto fresh = std::make_unique<TrackedQueue>(jobs_->state()->scale().snapshot);
  int64_t known = 0;
  absl::Status read = ApplyStored(store, cluster_id, changes.last, fresh.get(), &known);
  if (!read.ok()) return read;
  jobs_ = std::move(fresh);
  known_ = known;
  recalculated_ = 0;
  incarnation_ = transaction.incarnation();
  return absl::OkStatus();
}

absl::Status ReplicatedQueue::Change(const storage::TransactionKind& kind, Compute compute) {
  const absl::StatusOr<bool> changed = ChangeKnown(kind, compute);
  if (!changed.ok() || *changed) return changed.status();
  return ChangeLocked(kind, compute);
}

absl::StatusOr<bool> ReplicatedQueue::ChangeKnown(const storage::TransactionKind& kind,
                                                  Compute compute) {
  if (known_ == 0 || KeepsManyRemovals(known_, forgotten_)) return false;
  const absl::StatusOr<std::vector<JobChange>> changes = compute(*jobs_);
  if (!changes.ok()) return changes.status();
  using Last = std::optional<int64_t>;
  const auto work = [&](storage::Transaction& transaction) -> absl::StatusOr<Last> {
    if (transaction.incarnation() != incarnation_) return Last();
    storage::JobStore store(transaction);
    return StoreChangesAfter(store, cluster_id_, known_, *changes);
  };
  const auto last = database_->WriteAlone(kind.ByKey(), work);
  if (storage::IsLockTimeout(last.status())) return last.status();
  if (!last.ok() || !last->has_value()) return false;
  jobs_->Apply(*changes);
  known_ = **last;
  return true;
}

absl::Status ReplicatedQueue::ChangeAndCharge(const storage::TransactionKind& kind, Compute compute,
                                              usage::JobEndCharge* charge) {
  storage::TransactionKind patient = kind;
  patient.lock = std::max(kind.lock, kChargePatience);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const absl::StatusOr<std::vector<JobChange>> changes = compute(*jobs_);
    if (!changes.ok()) return changes.status();
    std::vector<usage::EndedRun> runs = EndedRuns(*jobs_, *changes);
    const bool charges = !runs.empty();
    if (!charges) {
      const absl::StatusOr<bool> known = ChangeKnown(kind, compute);
      if (!known.ok() || *known) return known.status();
    }
    if (absl::Status s = charge->Price(cluster_, std::move(runs)); !s.ok()) return s;
    absl::Status changed = ChangeLocked(charges ? patient : kind, compute, charge);
    if (changed.ok()) charge->NoteCommit();
    if (!absl::IsAborted(changed)) return changed;
  }
  return absl::UnavailableError("ends of jobs: the configuration keeps changing; retry");
}

absl::Status ReplicatedQueue::ChangeLocked(const storage::TransactionKind& kind, Compute compute,
                                           usage::JobEndCharge* charge) {
  std::vector<JobChange> changes;
  int64_t last = 0;
  const auto work = [&](storage::Transaction& transaction) -> absl::Status {
    const absl::StatusOr<int32_t> cluster_id = ClusterId(transaction);
    if (!cluster_id.ok()) return cluster_id.status();
    if (charge != nullptr && charge->HasRuns()) {
      absl::Status locked = storage::ClusterStore(transaction).Lock(*cluster_id);
      if (!locked.ok()) return locked;
    }
    storage::JobStore store(transaction);
    const auto before = store.Lock(*cluster_id);
    if (!before.ok()) return before.status();
    if (absl::Status s = ApplyChanges(transaction, *cluster_id, *before); !s.ok()) return s;
    absl::StatusOr<std::vector<JobChange>> computed = compute(*jobs_);
    if (!computed.ok()) return computed.status();
    changes = *std::move(computed);
    const auto stored = StoreChanges(store, *cluster_id, *before, changes);
    if (!stored.ok()) return stored.status();
    last = *stored;
    if (charge == nullptr) return absl::OkStatus();
    return charge->Record(transaction, *cluster_id, last, EndedRuns(*jobs_, changes));
  };
  absl::Status written = database_->Write(kind, work);
  if (!written.ok()) return written;
  jobs_->Apply(changes);
  known_ = last;
  return absl::OkStatus();
}

absl::Status ReplicatedQueue::FollowSnapshot() {
  const int64_t generation = jobs_->state()->snapshot().generation();
  if (recalculated_ >= generation) return absl::OkStatus();
  for (const auto& moves : {MoveAccruals, RaisePreviousPriorities}) {
    const auto moved = [moves](const TrackedQueue& jobs) {
      return moves(*jobs.state(), jobs.state()->snapshot().computed_at());
    };
    if (moved(*jobs_).empty()) continue;
    absl::Status changed = Change(kFollowLimits, moved);
    if (storage::IsClusterFrozen(changed)) return absl::OkStatus();  // Rankings continue.
    if (!changed.ok()) return changed;
  }
  recalculated_ = generation;
  return absl::OkStatus();
}

absl::Status ReplicatedQueue::SetSiteFactorSource(const storage::TransactionKind& kind,
                                                  storage::SiteFactorSource source) {
  const auto work = [&](storage::Transaction& transaction) -> absl::Status {
    const absl::StatusOr<int32_t> cluster_id = ClusterId(transaction);
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
    return storage::Notify(transaction, {storage::Subject::kQueue, cluster_});
  };
  absl::Status written = database_->Write(kind, work);
  if (written.ok()) site_factors_ = std::move(source);
  return written;
}

}  // namespace priorityd::queue
