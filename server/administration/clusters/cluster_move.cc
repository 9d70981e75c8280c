#include "server/administration/clusters/cluster_move.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/errors/error_details.h"
#include "server/administration/changes/domain_change.h"
#include "server/administration/tree/merge_change.h"
#include "server/configuration/find_cluster.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_deletion.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/user_merge_store.h"

namespace priorityd::administration {
namespace {

using storage::ClusterMove;
using storage::ClusterMoveStore;
using storage::MoveStage;
using storage::MoveState;
using storage::Transaction;

constexpr const char* kStates[] = {"leaving", "frozen", "moved", "arriving", "arrived"};

std::string TextOf(const std::optional<ClusterMove>& move) {
  if (!move.has_value()) return "no move";
  return absl::StrCat("move ", move->move_id, ", which is ",
                      kStates[static_cast<size_t>(move->state)]);
}

absl::Status WrongMove(const MoveContext& context, const std::optional<ClusterMove>& move,
                       absl::string_view wanted) {
  return errors::WithReason(
      absl::FailedPreconditionError(absl::StrCat("move of cluster ", context.cluster, ": got ",
                                                 TextOf(move), ", want ", wanted)),
      "WRONG_MOVE");
}

bool IsIn(const ClusterMove& move, std::initializer_list<MoveState> states) {
  return std::find(states.begin(), states.end(), move.state) != states.end();
}

// The move of the context, if it is in one of these states.
absl::StatusOr<ClusterMove> Require(const MoveContext& context,
                                    const absl::StatusOr<std::optional<ClusterMove>>& move,
                                    std::initializer_list<MoveState> states) {
  if (!move.ok()) return move.status();
  if (move->has_value() && (*move)->move_id == context.move_id && IsIn(**move, states)) {
    return **move;
  }
  std::string wanted = absl::StrCat("move ", context.move_id);
  absl::string_view separator = ", ";
  for (const MoveState state : states) {
    absl::StrAppend(&wanted, std::exchange(separator, " or "), kStates[static_cast<size_t>(state)]);
  }
  return WrongMove(context, *move, wanted);
}

absl::Status Audit(Transaction& transaction, const MoveContext& context, int32_t cluster_id,
                   absl::string_view before, absl::string_view after) {
  storage::AuditEvent event;
  event.cluster_id = cluster_id;
  event.principal = context.principal;
  event.action = "MoveCluster";
  event.object = absl::StrCat("cluster ", context.cluster);
  event.before = std::string(before);
  event.after = std::string(after);
  event.comment = context.comment;
  return storage::AuditStore(transaction).Append(event);
}

// Locks the cluster, which waits for its writers, and then reads the number of its last record.
absl::StatusOr<int64_t> LockedLastSeq(Transaction& transaction, int32_t cluster_id) {
  absl::Status locked = storage::ClusterStore(transaction).Lock(cluster_id);
  if (!locked.ok()) return locked;
  return ClusterMoveStore(transaction).LastSeq(cluster_id);
}

absl::Status StartLeaving(Transaction& transaction, const MoveContext& context,
                          const std::string& new_id) {
  auto cluster = configuration::FindCluster(transaction, context.cluster);
  if (!cluster.ok()) return cluster.status();
  auto last_seq = LockedLastSeq(transaction, cluster->id);
  if (!last_seq.ok()) return last_seq.status();
  // After the lock, which a join takes too.
  absl::Status alone = CheckNoDomain(transaction, *cluster, "cluster");
  if (!alone.ok()) return alone;
  absl::Status audited =
      Audit(transaction, context, cluster->id, "", absl::StrCat("leaves for cell ", context.cell));
  if (!audited.ok()) return audited;
  return ClusterMoveStore(transaction)
      .Write({context.cluster, new_id, cluster->id, context.cell, MoveState::kLeaving, *last_seq});
}

absl::Status CheckSchema(Transaction& transaction, int32_t source_schema_version) {
  auto version = ClusterMoveStore(transaction).SchemaVersion();
  if (!version.ok() || *version == source_schema_version) return version.status();
  return errors::WithReason(
      absl::FailedPreconditionError(absl::StrCat(
          "schema: got version ", source_schema_version, " at the source, want ", *version,
          ", the target's; run the same version of priorityd in both cells")),
      "SCHEMA_DIFFERS");
}

absl::Status ClusterExists(const std::string& cluster) {
  return errors::WithReason(
      absl::AlreadyExistsError(absl::StrCat("cluster: got ", cluster,
                                            ", which exists in the target too, want one that does "
                                            "not; delete one of them, or cancel the move")),
      "CLUSTER_EXISTS");
}

absl::Status StartArriving(Transaction& transaction, const MoveContext& context, bool returns) {
  ClusterMoveStore store(transaction);
  auto id = store.CreateHidden(context.cluster);
  if (!id.ok()) return id.status();
  absl::Status forgotten = store.Delete(context.cluster);
  if (!forgotten.ok()) return forgotten;
  return store.Write({.cluster = context.cluster,
                      .move_id = context.move_id,
                      .cluster_id = *id,
                      .cell = context.cell,
                      .state = MoveState::kArriving,
                      .returns = returns});
}

absl::Status CheckComplete(const std::vector<storage::CopyProgress>& tables, MoveStage last) {
  for (const storage::CopyProgress& table : tables) {
    if (table.complete || storage::FindMovedTable(table.table)->stage > last) continue;
    return errors::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                  "table ", table.table, ": got a part of its rows, want all")),
                              "MOVE_INCOMPLETE");
  }
  return absl::OkStatus();
}

// Its rows came past MergeUsers, which checks the replicas of the source.
absl::Status CheckMergesKnown(Transaction& transaction, int32_t cluster_id) {
  const auto merges = storage::UserMergeStore(transaction).List(cluster_id);
  if (!merges.ok() || merges->empty()) return merges.status();
  const bool of_domain = absl::c_any_of(*merges, [](const auto& merge) { return merge.of_domain; });
  return CheckReplicas(transaction, "cluster: got one with merged users",
                       of_domain ? kMigrationOfDomainMerges : kMigrationOfMerges);
}

// Runs `work` with the move of the context, locked.
template <typename Work>
absl::Status Step(storage::Database& database, const MoveContext& context, Work work) {
  return database.Write([&](Transaction& transaction) -> absl::Status {
    return work(transaction, ClusterMoveStore(transaction).Lock(context.cluster));
  });
}

// The states in which pages of a stage can be read, and written.
std::initializer_list<MoveState> ReadableIn(MoveStage stage) {
  static constexpr std::initializer_list<MoveState> kLive = {MoveState::kLeaving,
                                                             MoveState::kFrozen};
  static constexpr std::initializer_list<MoveState> kFrozen = {MoveState::kFrozen};
  static constexpr std::initializer_list<MoveState> kHistory = {MoveState::kFrozen,
                                                                MoveState::kMoved};
  return stage == MoveStage::kLive ? kLive : stage == MoveStage::kFrozen ? kFrozen : kHistory;
}
MoveState WritableIn(MoveStage stage) {
  return stage == MoveStage::kHistory ? MoveState::kArrived : MoveState::kArriving;
}

}  // namespace

absl::StatusOr<MoveStanding> StandingOf(storage::Database& database, const std::string& cluster) {
  return database.Read([&](Transaction& transaction) -> absl::StatusOr<MoveStanding> {
    MoveStanding standing;
    ClusterMoveStore store(transaction);
    auto found = storage::ClusterStore(transaction).Find(cluster);
    if (!found.ok()) return found.status();
    standing.is_here = found->has_value();
    auto move = store.Find(cluster);
    if (!move.ok()) return move.status();
    standing.move = *std::move(move);
    auto version = store.SchemaVersion();
    if (!version.ok()) return version.status();
    standing.schema_version = *version;
    if (!standing.move.has_value()) return standing;
    if (IsIn(*standing.move, {MoveState::kArriving, MoveState::kArrived})) {
      auto tables = storage::ClusterCopy(transaction).Progress(cluster);
      if (!tables.ok()) return tables.status();
      standing.tables = *std::move(tables);
    } else if (standing.move->cluster_id.has_value()) {
      auto last = store.LastAuditEvent(*standing.move->cluster_id);
      if (!last.ok()) return last.status();
      standing.last_audit_event = *last;
    }
    return standing;
  });
}

absl::Status Leave(storage::Database& database, const MoveContext& context,
                   const std::string& new_id) {
  return Step(database, context, [&](Transaction& transaction, const auto& move) -> absl::Status {
    if (move.ok() && !move->has_value() && context.move_id.empty()) {
      return StartLeaving(transaction, context, new_id);
    }
    auto leaving = Require(context, move, {MoveState::kLeaving, MoveState::kFrozen});
    if (!leaving.ok()) return leaving.status();
    if (leaving->state == MoveState::kFrozen) return absl::OkStatus();
    auto last_seq = LockedLastSeq(transaction, *leaving->cluster_id);
    if (!last_seq.ok()) return last_seq.status();
    leaving->last_seq = *last_seq;
    return ClusterMoveStore(transaction).Write(*leaving);
  });
}

absl::Status Arrive(storage::Database& database, const MoveContext& context,
                    int32_t source_schema_version) {
  return Step(database, context, [&](Transaction& transaction, const auto& move) -> absl::Status {
    if (!move.ok()) return move.status();
    if (absl::Status s = CheckSchema(transaction, source_schema_version); !s.ok()) return s;
    const bool is_this = move->has_value() && (*move)->move_id == context.move_id;
    if (is_this && IsIn(**move, {MoveState::kArriving, MoveState::kArrived})) {
      return absl::OkStatus();
    }
    const bool still_leaves =
        move->has_value() && (*move)->state == MoveState::kMoved && (*move)->cluster_id.has_value();
    if (still_leaves) return WrongMove(context, *move, "that move to be finished first");
    auto found = storage::ClusterStore(transaction).Find(context.cluster);
    if (!found.ok()) return found.status();
    if (found->has_value()) return ClusterExists(context.cluster);
    const bool returns =
        move->has_value() && ((*move)->state == MoveState::kMoved || (*move)->returns);
    return StartArriving(transaction, context, returns);
  });
}

absl::Status Freeze(storage::Database& database, const MoveContext& context) {
  return Step(database, context, [&](Transaction& transaction, const auto& move) -> absl::Status {
    auto leaving = Require(context, move, {MoveState::kLeaving, MoveState::kFrozen});
    if (!leaving.ok()) return leaving.status();
    if (leaving->state == MoveState::kFrozen) return absl::OkStatus();
    auto last_seq = LockedLastSeq(transaction, *leaving->cluster_id);
    if (!last_seq.ok()) return last_seq.status();
    ClusterMoveStore store(transaction);
    if (absl::Status s = store.Freeze(*leaving->cluster_id); !s.ok()) return s;
    leaving->state = MoveState::kFrozen;
    leaving->last_seq = *last_seq;
    return store.Write(*leaving);
  });
}

absl::Status Activate(storage::Database& database, const MoveContext& context,
                      int64_t last_audit_event) {
  return Step(database, context, [&](Transaction& transaction, const auto& move) -> absl::Status {
    auto arriving = Require(context, move, {MoveState::kArriving, MoveState::kArrived});
    if (!arriving.ok()) return arriving.status();
    if (arriving->state == MoveState::kArrived) return absl::OkStatus();
    const int32_t id = *arriving->cluster_id;
    storage::ClusterCopy copy(transaction);
    auto tables = copy.Progress(context.cluster);
    if (!tables.ok()) return tables.status();
    absl::Status status = CheckComplete(*tables, MoveStage::kFrozen);
    if (status.ok()) status = CheckMergesKnown(transaction, id);
    if (status.ok()) status = copy.TranslatePublication(context.cluster, id);
    if (status.ok()) status = ClusterMoveStore(transaction).Activate(id, last_audit_event);
    if (status.ok()) {
      status = Audit(transaction, context, id, "", absl::StrCat("came from cell ", context.cell));
    }
    if (!status.ok()) return status;
    arriving->state = MoveState::kArrived;
    return ClusterMoveStore(transaction).Write(*arriving);
  });
}

absl::Status Redirect(storage::Database& database, const MoveContext& context) {
  return Step(database, context, [&](Transaction& transaction, const auto& move) -> absl::Status {
    auto frozen = Require(context, move, {MoveState::kFrozen, MoveState::kMoved});
    if (!frozen.ok()) return frozen.status();
    if (frozen->state == MoveState::kMoved) return absl::OkStatus();
    auto hidden =
        storage::ClusterDeletion(transaction).Hide(*frozen->cluster_id, absl::ZeroDuration());
    if (!hidden.ok()) return hidden.status();
    frozen->state = MoveState::kMoved;
    return ClusterMoveStore(transaction).Write(*frozen);
  });
}

absl::Status End(storage::Database& database, const MoveContext& context) {
  return Step(database, context, [&](Transaction& transaction, const auto& move) -> absl::Status {
    if (move.ok() && !move->has_value()) return absl::OkStatus();  // Ended at the target.
    auto done = Require(context, move, {MoveState::kMoved, MoveState::kArrived});
    if (!done.ok()) return done.status();
    ClusterMoveStore store(transaction);
    if (done->state == MoveState::kMoved) {
      done->cluster_id.reset();  // Deleted as any other cluster now.
      return store.Write(*done);
    }
    auto tables = storage::ClusterCopy(transaction).Progress(context.cluster);
    if (!tables.ok()) return tables.status();
    absl::Status status = CheckComplete(*tables, MoveStage::kHistory);
    return status.ok() ? store.Delete(context.cluster) : status;
  });
}

absl::Status Cancel(storage::Database& database, const MoveContext& context) {
  return Step(database, context, [&](Transaction& transaction, const auto& move) -> absl::Status {
    if (move.ok() && !move->has_value()) return absl::OkStatus();
    auto found =
        Require(context, move, {MoveState::kLeaving, MoveState::kFrozen, MoveState::kArriving});
    if (!found.ok()) return found.status();
    ClusterMoveStore store(transaction);
    if (absl::Status s = store.Delete(context.cluster); !s.ok()) return s;
    if (found->state == MoveState::kArriving) {
      found->cluster_id.reset();  // Its rows are deleted.
      found->state = MoveState::kMoved;
      return found->returns ? store.Write(*found) : absl::OkStatus();
    }
    if (absl::Status s = store.Thaw(*found->cluster_id); !s.ok()) return s;
    return Audit(transaction, context, *found->cluster_id,
                 absl::StrCat("leaves for cell ", found->cell), "stays");
  });
}

absl::StatusOr<storage::CopiedRows> ReadRows(storage::Database& database,
                                             const MoveContext& context,
                                             const storage::MovedTable& table,
                                             const std::vector<std::string>& after) {
  return database.Read([&](Transaction& transaction) -> absl::StatusOr<storage::CopiedRows> {
    auto move = Require(context, ClusterMoveStore(transaction).Find(context.cluster),
                        ReadableIn(table.stage));
    if (!move.ok()) return move.status();
    return storage::ClusterCopy(transaction).Read(table, *move->cluster_id, after, move->last_seq);
  });
}

absl::StatusOr<storage::CopyProgress> WriteRows(storage::Database& database,
                                                const MoveContext& context,
                                                const storage::MovedTable& table,
                                                const std::vector<std::string>& after,
                                                const storage::CopiedRows& page) {
  return database.Write([&](Transaction& transaction) -> absl::StatusOr<storage::CopyProgress> {
    auto move = Require(context, ClusterMoveStore(transaction).Lock(context.cluster),
                        {WritableIn(table.stage)});
    if (!move.ok()) return move.status();
    storage::ClusterCopy copy(transaction);
    auto tables = copy.Progress(context.cluster);
    if (!tables.ok()) return tables.status();
    storage::CopyProgress& progress = *std::find_if(
        tables->begin(), tables->end(), [&](const auto& row) { return row.table == table.name; });
    const bool is_written = progress.complete && table.stage != MoveStage::kLive;
    if (is_written || progress.after != after) return progress;
    absl::Status status =
        copy.Write(table, context.cluster, *move->cluster_id, page, errors::kMaxTresOfCluster);
    if (!status.ok()) return status;
    progress.after = page.last;
    progress.complete = page.complete;
    progress.rows += static_cast<int64_t>(page.rows.size());
    status = copy.WriteProgress(context.cluster, progress);
    if (!status.ok()) return status;
    return progress;
  });
}

}  // namespace priorityd::administration
