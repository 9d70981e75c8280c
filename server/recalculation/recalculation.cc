#include "server/recalculation/recalculation.h"

#include <spdlog/spdlog.h>

#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/errors/error_details.h"
#include "server/administration/leases/lease_reading.h"
#include "server/configuration/stored_policy.h"
#include "server/domains/settlement.h"
#include "server/domains/share_cache.h"
#include "server/domains/share_publication.h"
#include "server/grants/settlement.h"
#include "server/grants/standings.h"
#include "server/recalculation/budget_publication.h"
#include "server/recalculation/computation.h"
#include "server/recalculation/published_snapshot.h"
#include "server/recalculation/start_charge.h"
#include "server/recalculation/usage_publication.h"
#include "server/threads/clock.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/configuration_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/database/notification.h"
#include "storage/grants/domain_grant_store.h"
#include "storage/grants/usage_pool_store.h"
#include "storage/ledger/domain_store.h"
#include "storage/ledger/usage_store.h"
#include "storage/snapshots/replica_session.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::recalculation {
namespace {

constexpr char kNotLeader[] = "NOT_LEADER";

class Stopwatch {
 public:
  // The time since the last stage, or since the start.
  absl::Duration Lap() {
    const absl::Time now = threads::RunningTime();
    return now - std::exchange(last_, now);
  }

 private:
  absl::Time last_ = threads::RunningTime();
};

// Whether this recalculation extends the half-life timeline.
bool ExtendsTimeline(const storage::ClusterState& state, const priority::Snapshot& snapshot) {
  const absl::Time time = snapshot.computed_at();
  return configuration::TimelineChange(state.half_lives, snapshot.policy(), time, time).has_value();
}

// REQUIRES: ExtendsTimeline, and the cluster is locked.
absl::Status ExtendTimeline(storage::Transaction& transaction, const storage::ClusterState& state,
                            const priority::Snapshot& snapshot) {
  const int32_t id = state.cluster.id;
  absl::StatusOr<absl::Time> latest = storage::UsageStore(transaction).Latest(id);
  if (!latest.ok()) return latest.status();
  return storage::PolicyStore(transaction)
      .SetHalfLife(id, *configuration::TimelineChange(state.half_lives, snapshot.policy(),
                                                      snapshot.computed_at(), *latest));
}

// Whether this recalculation sets a manual clock for the first time.
bool StartsClock(const storage::ClusterState& state) {
  return state.policy.has_value() && state.policy->reset_anchor == absl::InfinitePast();
}

absl::Status ReplacedError() {
  return absl::AbortedError("the database was replaced since it was read");
}

absl::Status CheckLeadership(storage::Transaction& transaction, int64_t epoch) {
  absl::Status status = storage::LockLeadership(transaction, epoch);
  if (!absl::IsFailedPrecondition(status)) return status;
  return NotLeaderError();
}

// Settles the ledger into the grants' usage and computes what they leave at input->time.
absl::Status SettleGrants(storage::Database& database, int64_t epoch, RecalculationInput* input) {
  const grants::GrantBook& book = input->grants.book;
  if (book.grants.empty()) {
    input->standings.clear();
    input->grant_levels.clear();
    return absl::OkStatus();
  }
  const absl::TimeZone& zone = input->configuration->policy.time_zone;
  const grants::SettlementInput settlement = {.cluster_id = input->state.cluster.id,
                                              .tree = *input->configuration->tree,
                                              .zone = zone,
                                              .time = input->time};
  const auto check = [&](storage::Transaction& transaction) -> absl::Status {
    if (transaction.incarnation() != input->incarnation) return ReplacedError();
    return CheckLeadership(transaction, epoch);
  };
  absl::Status settled = grants::Settle(database, settlement, check, &input->grants);
  if (!settled.ok()) return settled;
  input->kept_standings.Update(book, zone, input->time, &input->grants.pools, &input->standings,
                               &input->grant_levels);
  return absl::OkStatus();
}

// The published edition of the configuration becomes the snapshot's.
absl::Status PublishConfiguration(storage::Transaction& transaction,
                                  const RecalculationInput& input) {
  const storage::ClusterState& state = input.state;
  storage::ConfigurationStore configurations(transaction);
  auto revision = configurations.LockRevision(state.cluster.id);
  if (!revision.ok()) return revision.status();
  if (*revision != state.revision) return absl::AbortedError("the configuration changed");
  auto published = configurations.PublishedRevision(state.cluster.id);
  if (!published.ok()) return published.status();
  if (*published == *revision) return absl::OkStatus();
  if (input.published.revision < 0 || *published != input.published.revision) {
    return configurations.Publish(state.cluster.id, *revision);
  }
  return configurations.PublishWritten(state.cluster.id, *revision, input.published.watermark);
}

// The rows of the standings at these places.
std::vector<storage::GrantStanding> RowsAt(const std::vector<size_t>& places,
                                           const RecalculationInput& input) {
  std::vector<storage::GrantStanding> rows;
  rows.reserve(places.size());
  for (const size_t place : places) rows.push_back(grants::ToRow(input.standings[place], place));
  return rows;
}

// REQUIRES: called after PublishUsage.
absl::Status PublishStandings(storage::Transaction& transaction, const RecalculationInput& input,
                              PublishedUsage* published) {
  const int32_t id = input.state.cluster.id;
  const size_t count = input.standings.size();
  storage::UsagePoolStore store(transaction);
  const auto& computed = input.kept_standings.computed();
  const bool is_known = std::exchange(published->standings, count) == count;
  if (is_known && count == 0) return absl::OkStatus();
  if (is_known && computed.has_value()) {
    return store.UpdateStandings(id, RowsAt(*computed, input));
  }
  auto present = store.ListStandings(id);
  if (!present.ok()) return present.status();
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  return store.ReplaceStandings(id, *present, RowsAt(all, input));
}

// REQUIRES: called after PublishUsage.
absl::Status PublishReserves(storage::Transaction& transaction, int32_t cluster_id,
                             const priority::Snapshot& snapshot, PublishedUsage* published) {
  const std::vector<storage::SnapshotReserve> reserves = ToReserveRows(snapshot);
  if (reserves.empty() && published->no_reserves) return absl::OkStatus();
  published->no_reserves = reserves.empty();
  return storage::SnapshotStore(transaction).ReplaceReserves(cluster_id, reserves);
}

// Publishes the data of its usage domain to a member. REQUIRES: called after PublishUsage.
absl::Status PublishDomain(storage::Transaction& transaction, int32_t cluster_id,
                           const storage::DomainGeneration& of, PublishedUsage* published) {
  storage::DomainStore store(transaction);
  if (!published->domain.has_value()) {
    auto present = store.PublishedFor(cluster_id);
    if (!present.ok()) return present.status();
    published->domain = *present;
  }
  if (*published->domain == of) return absl::OkStatus();
  published->domain = of;
  return store.Publish(cluster_id, of);
}

// The grants of the domain, as the snapshot has them. REQUIRES: called after PublishUsage.
absl::Status PublishDomainGrants(storage::Transaction& transaction, const RecalculationInput& input,
                                 PublishedUsage* published) {
  const int32_t id = input.state.cluster.id;
  storage::DomainGrantStore store(transaction);
  if (!published->domain_grants.has_value()) {
    auto present = store.List(id);
    if (!present.ok()) return present.status();
    published->domain_grants = *std::move(present);
  }
  if (*published->domain_grants == input.domain_grants) return absl::OkStatus();
  const auto present = std::exchange(*published->domain_grants, input.domain_grants);
  return store.Replace(id, present, input.domain_grants);
}

absl::Status PublishNumbers(storage::Transaction& transaction, const RecalculationInput& input,
                            const priority::Snapshot& snapshot, bool is_domain,
                            PublishedUsage* published) {
  const storage::ClusterState& state = input.state;
  const int32_t id = state.cluster.id;
  storage::SnapshotStore snapshots(transaction);
  auto generation = snapshots.Append({.cluster_id = id,
                                      .computed_at = snapshot.computed_at(),
                                      .policy_version = snapshot.policy_version(),
                                      .linear_capacity = snapshot.linear_capacity()});
  if (!generation.ok()) return generation.status();
  if (*generation != snapshot.generation()) return absl::AbortedError("another recalculation");
  absl::Status status = PublishUsage(transaction, state, snapshot, published);
  if (status.ok()) {
    status = snapshots.ReplaceQosUsage(
        id, ToRows(snapshot.qos_usage(), input.configuration->qos_ids, state.tres));
  }
  if (status.ok()) status = snapshots.ReplaceJobEnds(id, ToRows(input.recorded_until));
  if (status.ok()) status = PublishStandings(transaction, input, published);
  if (status.ok()) status = PublishReserves(transaction, id, snapshot, published);
  if (status.ok()) status = PublishDomain(transaction, id, input.domain_generation, published);
  if (status.ok()) status = PublishDomainGrants(transaction, input, published);
  if (!status.ok() || !is_domain) return status;
  return domains::PublishShares(transaction, id, snapshot, input.configuration->tree,
                                &published->shares);
}

}  // namespace

absl::Status NotLeaderError() {
  return errors::WithReason(absl::UnavailableError("another replica leads now; retry"), kNotLeader);
}

bool IsNotLeader(const absl::Status& status) {
  return absl::IsUnavailable(status) && errors::ReasonOf(status) == kNotLeader;
}

absl::Status Recalculator::Publish(const RecalculationInput& input,
                                   const priority::Snapshot& snapshot, bool is_domain,
                                   int64_t epoch, bool notes_passages, PublishedUsage* published) {
  const storage::ClusterState& state = input.state;
  const int32_t id = state.cluster.id;
  const bool extends = ExtendsTimeline(state, snapshot);
  const bool starts = StartsClock(state);
  bool is_repeated = false;
  return database_->Write([&](storage::Transaction& transaction) -> absl::Status {
    // The writes of the attempt before were rolled back.
    if (std::exchange(is_repeated, true)) *published = {};
    if (transaction.incarnation() != input.incarnation) return ReplacedError();
    // Recording of usage waits for this lock, so take it only where needed, and first, as changes
    // of the configuration do: EndLeases has the rows of leases before the revision.
    absl::Status status;
    if (extends || starts || notes_passages) status = storage::ClusterStore(transaction).Lock(id);
    if (status.ok()) status = CheckLeadership(transaction, epoch);
    if (status.ok()) status = PublishConfiguration(transaction, input);
    // After the configuration, as changes of it mark pools stale.
    if (status.ok()) status = grants::WriteSettled(transaction, id, input.grants);
    if (status.ok()) status = PublishNumbers(transaction, input, snapshot, is_domain, published);
    if (status.ok() && extends) status = ExtendTimeline(transaction, state, snapshot);
    if (status.ok() && starts) {
      status = storage::PolicyStore(transaction).SetUnsetAnchors(id, snapshot.computed_at());
    }
    if (status.ok() && notes_passages) {
      status =
          administration::NotePassages(transaction, id, input.passages, input.orphans, input.time);
    }
    if (status.ok()) status = KeepHistory(transaction, id, snapshot, history_);
    if (status.ok()) {
      status =
          PublishBudgetEvents(transaction, id, snapshot, input.grant_levels, history_.retention);
    }
    if (!status.ok()) return status;
    return storage::Notify(transaction, {storage::Subject::kSnapshot, state.cluster.name});
  });
}

void Recalculator::Forget() {
  domain_shares_.Forget();
  absl::btree_map<std::string, KeptSince> dropped;  // Freed after the mutex.
  absl::MutexLock lock(&mutex_);
  ++forgotten_;
  kept_.swap(dropped);
}

std::optional<KeptInput> Recalculator::TakeKept(const std::string& cluster, int64_t epoch,
                                                int64_t* forgotten) {
  std::optional<KeptSince> kept;  // Freed after the mutex.
  absl::MutexLock lock(&mutex_);
  *forgotten = forgotten_;
  const auto found = kept_.find(cluster);
  if (found == kept_.end()) return std::nullopt;
  kept = std::move(found->second);
  kept_.erase(found);
  if (kept->epoch != epoch) return std::nullopt;
  return std::move(kept->input);
}

void Recalculator::Keep(const std::string& cluster, KeptSince kept, int64_t forgotten) {
  absl::MutexLock lock(&mutex_);
  if (forgotten == forgotten_) kept_.insert_or_assign(cluster, std::move(kept));
}

absl::StatusOr<bool> Recalculator::SettleMembers(const std::string& cluster, int64_t epoch,
                                                 RecalculationStages* stages) {
  const auto check = [epoch](storage::Transaction& transaction) {
    return CheckLeadership(transaction, epoch);
  };
  auto settlement = domains::Settle(*database_, cluster, check, &books_);
  if (!settlement.ok()) return settlement.status();
  for (const auto& [member, status] : settlement->failed) {
    spdlog::warn("{}: the member {} is not settled: {}", cluster, member, status.ToString());
  }
  stages->hastened = std::move(settlement->members);
  const bool is_domain = !stages->hastened.empty();
  if (!settlement->is_complete) stages->hastened.push_back(cluster);
  return is_domain;
}

absl::Status Recalculator::ReadDomain(RecalculationInput* input) {
  const storage::DomainGeneration& of = input->domain_generation;
  input->domain = domain_shares_.FindKept(input->incarnation, of);
  if (of.domain_id == 0 || input->domain != nullptr) return absl::OkStatus();
  auto shares = database_->Read(
      [&](storage::Transaction& transaction) { return domain_shares_.Find(transaction, of); });
  if (!shares.ok()) return shares.status();
  input->domain = *std::move(shares);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> Recalculator::Recalculate(
    const std::string& cluster, const RecalculationTime& time, int64_t epoch,
    RecalculationStages* stages) {
  RecalculationStages unasked;
  if (stages == nullptr) stages = &unasked;
  *stages = {};
  Stopwatch watch;
  const absl::StatusOr<bool> is_domain = SettleMembers(cluster, epoch, stages);
  if (!is_domain.ok()) return is_domain.status();
  int64_t forgotten = 0;
  RecalculationInput input;
  PublishedUsage published;
  if (std::optional<KeptInput> kept = TakeKept(cluster, epoch, &forgotten)) {
    absl::Status status = std::move(*kept).TakeOut(&input, &published);
    if (!status.ok()) return status;
  }
  const std::shared_ptr<const configuration::Configuration> before = input.configuration;
  absl::Status status = BringUpToDate(*database_, cluster, time, &input);
  if (status.ok()) status = SettleGrants(*database_, epoch, &input);
  if (status.ok()) status = ReadDomain(&input);
  stages->read = watch.Lap();
  if (!status.ok()) return status;
  stages->configuration_changed = input.configuration != before;
  auto computed = Compute(input);
  if (!computed.ok()) return computed.status();
  const std::shared_ptr<const priority::Snapshot> snapshot = *std::move(computed);
  stages->compute = watch.Lap();
  bool notes_passages = !input.passages.empty() || !input.orphans.empty();
  status = Publish(input, *snapshot, *is_domain, epoch, notes_passages, &published);
  // A long change of the cluster, such as an import, delays the notes alone.
  if (notes_passages && storage::IsLockTimeout(status)) {
    notes_passages = false;
    published = {};
    status = Publish(input, *snapshot, *is_domain, epoch, notes_passages, &published);
  }
  stages->publish = watch.Lap();
  if (!status.ok()) return status;
  grants::MarkWritten(&input.grants);
  stages->published_entries = published.written;
  if (*is_domain) {
    domain_shares_.Keep(input.incarnation, input.state.cluster.id, published.shares.stored);
  } else {
    domain_shares_.Forget(cluster);  // Its last member may have left.
  }
  if (notes_passages) MarkPassed(input.passages, &input.lease_book);
  stages->next_lease = NextPassage(input.lease_book, input.time);
  input.passages.clear();
  input.published = {input.state.revision, input.state.usage_watermark};
  Keep(cluster, {epoch, KeptInput(std::move(input), std::move(published))}, forgotten);
  return snapshot;
}

absl::Status Recalculator::PublishNumbersOf(const priority::Snapshot& snapshot, int64_t epoch) {
  return database_->Write([&](storage::Transaction& transaction) -> absl::Status {
    absl::Status status = CheckLeadership(transaction, epoch);
    if (status.ok()) status = recalculation::PublishNumbersOf(transaction, snapshot);
    if (!status.ok()) return status;
    return storage::Notify(transaction, {storage::Subject::kSnapshot, snapshot.cluster().name});
  });
}

}  // namespace priorityd::recalculation
