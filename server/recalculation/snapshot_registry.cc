#include "server/recalculation/snapshot_registry.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "server/configuration/moved_cluster.h"

namespace priorityd::recalculation {
namespace {

// Longer than a repeated query and the load of a large snapshot.
constexpr absl::Duration kConfirmedInTime = absl::Seconds(10);

// About as long as a replica takes to read a publication.
constexpr absl::Duration kLoadDelay = absl::Milliseconds(100);

absl::Status LoadingError(absl::string_view cluster) {
  const std::string text =
      absl::StrCat("cluster: got \"", absl::CHexEscape(cluster),
                   "\", of which this replica is reading the first snapshot; retry");
  return errors::WithRetryDelay(errors::WithReason(absl::UnavailableError(text), "CLUSTER_LOADING"),
                                kLoadDelay);
}

}  // namespace

void SnapshotRegistry::Add(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  snapshots_.try_emplace(cluster);
}

void SnapshotRegistry::Publish(std::shared_ptr<const priority::Snapshot> snapshot) {
  absl::MutexLock lock(&mutex_);
  std::shared_ptr<const priority::Snapshot>& current = snapshots_[snapshot->cluster().name];
  if (current == nullptr || current->generation() < snapshot->generation()) current.swap(snapshot);
  published_.SignalAll();
}

void SnapshotRegistry::Replace(std::shared_ptr<const priority::Snapshot> snapshot) {
  absl::MutexLock lock(&mutex_);
  snapshots_[snapshot->cluster().name].swap(snapshot);
  published_.SignalAll();
}

void SnapshotRegistry::Forget(const std::string& cluster) {
  std::shared_ptr<const priority::Snapshot> dropped;  // Freed after the mutex.
  absl::MutexLock lock(&mutex_);
  const auto found = snapshots_.find(cluster);
  if (found != snapshots_.end()) found->second.swap(dropped);
}

void SnapshotRegistry::Expect(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  expected_.insert(cluster);
}

void SnapshotRegistry::StopExpecting(const ClusterNames& clusters) {
  absl::MutexLock lock(&mutex_);
  if (!clusters.has_value()) return expected_.clear();
  for (const std::string& cluster : *clusters) expected_.erase(cluster);
}

bool SnapshotRegistry::IsExpected(absl::string_view cluster) const {
  if (cluster.empty()) return snapshots_.empty() && !expected_.empty();
  return expected_.contains(std::string(cluster));
}

void SnapshotRegistry::SetMoved(absl::btree_map<std::string, std::string> moved) {
  absl::MutexLock lock(&mutex_);
  moved_.swap(moved);
}

void SnapshotRegistry::Drop(const std::string& cluster) {
  std::shared_ptr<const priority::Snapshot> dropped;  // Freed after the mutex.
  absl::MutexLock lock(&mutex_);
  const auto found = snapshots_.find(cluster);
  if (found == snapshots_.end()) return;
  found->second.swap(dropped);
  snapshots_.erase(found);
}

void SnapshotRegistry::SetDeleted(absl::btree_map<std::string, absl::Time> deleted) {
  absl::MutexLock lock(&mutex_);
  deleted_ = std::move(deleted);
}

void SnapshotRegistry::Keep(const std::vector<std::string>& names) {
  Snapshots kept;
  absl::MutexLock lock(&mutex_);
  for (const std::string& name : names) {
    const auto found = snapshots_.find(name);
    if (found != snapshots_.end()) kept.insert(*found);
  }
  snapshots_.swap(kept);
}

absl::btree_map<std::string, int64_t> SnapshotRegistry::Generations() const {
  absl::btree_map<std::string, int64_t> generations;
  absl::ReaderMutexLock lock(&mutex_);
  for (const auto& [name, snapshot] : snapshots_) {
    if (snapshot != nullptr) generations[name] = snapshot->generation();
  }
  return generations;
}

absl::btree_map<std::string, std::shared_ptr<const priority::Snapshot>> SnapshotRegistry::List()
    const {
  absl::ReaderMutexLock lock(&mutex_);
  return snapshots_;
}

void SnapshotRegistry::Confirm() {
  absl::MutexLock lock(&mutex_);
  confirmed_at_ = clock_();
}

absl::Duration SnapshotRegistry::StaleFor() const {
  absl::ReaderMutexLock lock(&mutex_);
  const absl::Duration unconfirmed = clock_() - confirmed_at_;
  return unconfirmed < kConfirmedInTime ? absl::ZeroDuration() : unconfirmed;
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> SnapshotRegistry::AwaitGeneration(
    const std::string& cluster, int64_t generation, absl::Duration patience) const {
  const absl::Time deadline = clock_() + patience;
  absl::MutexLock lock(&mutex_);
  for (;;) {
    const auto found = snapshots_.find(cluster);
    const bool is_there = found != snapshots_.end() && found->second != nullptr;
    if (is_there && found->second->generation() >= generation) return found->second;
    const absl::Duration left = deadline - clock_();
    if (left <= absl::ZeroDuration()) {
      return absl::UnavailableError(
          "the leader's snapshot has not reached this replica yet; retry");
    }
    published_.WaitWithTimeout(&mutex_, left);
  }
}

absl::StatusOr<SnapshotRegistry::Snapshots::const_iterator> SnapshotRegistry::Locate(
    absl::string_view cluster) const {
  const auto found = snapshots_.find(std::string(cluster));
  if (found != snapshots_.end()) return found;
  if (IsExpected(cluster)) return LoadingError(cluster);
  const auto moved = moved_.find(std::string(cluster));
  if (moved != moved_.end()) return configuration::MovedError(moved->first, moved->second);
  const auto deleted = deleted_.find(std::string(cluster));
  if (deleted != deleted_.end() && !snapshots_.contains(deleted->first)) {
    return errors::WithReason(
        absl::NotFoundError(absl::StrCat(
            "cluster: got \"", absl::CHexEscape(cluster), "\", which was deleted, want ",
            snapshots_.empty() ? "another" : SomeNames(), "; RestoreCluster restores it until ",
            absl::FormatTime(absl::RFC3339_sec, deleted->second, absl::UTCTimeZone()))),
        "UNKNOWN_CLUSTER");
  }
  if (snapshots_.empty()) {
    return errors::WithReason(absl::FailedPreconditionError(NoClusterText(cluster)), "NO_CLUSTER");
  }
  if (cluster.empty() && snapshots_.size() == 1) return snapshots_.begin();
  if (cluster.empty()) {
    return errors::BadRequestError("AMBIGUOUS_CLUSTER",
                                   {{"cluster", absl::StrCat("got none, want ", SomeNames())}});
  }
  return errors::WithReason(
      absl::NotFoundError(
          absl::StrCat("cluster: got \"", absl::CHexEscape(cluster), "\", want ", SomeNames())),
      "UNKNOWN_CLUSTER");
}

std::string SnapshotRegistry::NoClusterText(absl::string_view cluster) const {
  std::string text = absl::StrCat(
      "cluster: got ",
      cluster.empty() ? "none" : absl::StrCat("\"", absl::CHexEscape(cluster), "\""),
      ", but there is no cluster yet; `prioctl import slurm-conf FILE` (Import) creates one");
  if (!deleted_.empty()) {
    absl::StrAppend(
        &text, "; ", absl::CHexEscape(deleted_.begin()->first),
        " was deleted, RestoreCluster restores it until ",
        absl::FormatTime(absl::RFC3339_sec, deleted_.begin()->second, absl::UTCTimeZone()));
  }
  if (!moved_.empty()) {
    absl::StrAppend(&text, "; ", absl::CHexEscape(moved_.begin()->first), " has moved to cell ",
                    moved_.begin()->second);
  }
  return text;
}

std::string SnapshotRegistry::SomeNames() const {
  constexpr size_t kMost = 8;
  std::vector<std::string> names;
  for (const auto& [name, snapshot] : snapshots_) {
    if (names.size() == kMost) break;
    names.push_back(absl::CHexEscape(name));
  }
  return absl::StrCat(names.size() > 1 ? "one of " : "", absl::StrJoin(names, ", "),
                      snapshots_.size() > kMost ? ", ..." : "");
}

absl::StatusOr<std::string> SnapshotRegistry::Resolve(absl::string_view cluster) const {
  absl::ReaderMutexLock lock(&mutex_);
  const absl::StatusOr<Snapshots::const_iterator> found = Locate(cluster);
  if (!found.ok()) return found.status();
  return (*found)->first;
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> SnapshotRegistry::Find(
    absl::string_view cluster) const {
  absl::ReaderMutexLock lock(&mutex_);
  const absl::StatusOr<Snapshots::const_iterator> found = Locate(cluster);
  if (!found.ok()) return found.status();
  if ((*found)->second != nullptr) return (*found)->second;
  if (IsExpected((*found)->first)) return LoadingError((*found)->first);
  return errors::WithReason(
      absl::FailedPreconditionError(absl::StrCat(
          "cluster ", (*found)->first, ": not recalculated yet, want a first Recalculate (on a ",
          "manual clock with as_of)")),
      "NO_SNAPSHOT");
}

}  // namespace priorityd::recalculation
