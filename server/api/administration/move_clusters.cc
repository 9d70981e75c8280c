#include "server/api/administration/move_clusters.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "server/administration/clusters/cluster_move.h"
#include "server/api/administration/validate_administration.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::MoveContext;
using administration::MoveStanding;
using storage::MoveState;

// No two moves get the same.
std::string NewMoveId() {
  std::random_device random;
  return absl::StrFormat("%08x%08x", random(), random());
}

template <typename Request>
MoveContext ContextOf(const Caller& caller, const Request& request) {
  MoveContext context;
  context.cluster = request.cluster();
  context.move_id = request.move_id();
  context.principal = caller.ToString();
  return context;
}

absl::Status Step(storage::Database& database, const MoveContext& context,
                  const v1::MoveClusterRequest& request) {
  switch (request.step()) {
    case v1::MOVE_STEP_LEAVE:
      return Leave(database, context, NewMoveId());
    case v1::MOVE_STEP_ARRIVE:
      return Arrive(database, context, request.schema_version());
    case v1::MOVE_STEP_FREEZE:
      return Freeze(database, context);
    case v1::MOVE_STEP_ACTIVATE:
      return Activate(database, context, request.last_audit_event());
    case v1::MOVE_STEP_REDIRECT:
      return Redirect(database, context);
    case v1::MOVE_STEP_END:
      return End(database, context);
    case v1::MOVE_STEP_CANCEL:
      return Cancel(database, context);
    default:
      return absl::OkStatus();  // Validated: it only looks.
  }
}

v1::MoveState StateOf(const MoveStanding& standing) {
  if (!standing.move.has_value()) {
    return standing.is_here ? v1::MOVE_STATE_HERE : v1::MOVE_STATE_ABSENT;
  }
  switch (standing.move->state) {
    case MoveState::kLeaving:
      return v1::MOVE_STATE_LEAVING;
    case MoveState::kFrozen:
      return v1::MOVE_STATE_FROZEN;
    case MoveState::kMoved:
      return v1::MOVE_STATE_MOVED;
    case MoveState::kArriving:
      return v1::MOVE_STATE_ARRIVING;
    case MoveState::kArrived:
      return v1::MOVE_STATE_ARRIVED;
  }
  return v1::MOVE_STATE_UNSPECIFIED;
}

v1::MoveStage StageOf(storage::MoveStage stage) {
  switch (stage) {
    case storage::MoveStage::kLive:
      return v1::MOVE_STAGE_LIVE;
    case storage::MoveStage::kFrozen:
      return v1::MOVE_STAGE_FROZEN;
    case storage::MoveStage::kHistory:
      return v1::MOVE_STAGE_HISTORY;
  }
  return v1::MOVE_STAGE_UNSPECIFIED;
}

void ToProto(const storage::CopyProgress& progress, v1::MovedTable* table) {
  table->set_name(progress.table);
  table->set_stage(StageOf(storage::FindMovedTable(progress.table)->stage));
  table->mutable_after()->Assign(progress.after.begin(), progress.after.end());
  table->set_complete(progress.complete);
  table->set_rows(progress.rows);
}

void ToProto(const std::string& cluster, const MoveStanding& standing, v1::ClusterMove* move) {
  move->set_cluster(cluster);
  move->set_state(StateOf(standing));
  move->set_schema_version(standing.schema_version);
  move->set_last_audit_event(standing.last_audit_event);
  if (!standing.move.has_value()) return;
  move->set_move_id(standing.move->move_id);
  move->set_cell(standing.move->cell);
  move->set_rows_left(standing.move->cluster_id.has_value());
  for (const storage::CopyProgress& table : standing.tables) ToProto(table, move->add_tables());
}

std::vector<std::string> KeyOf(const google::protobuf::RepeatedPtrField<std::string>& key) {
  return {key.begin(), key.end()};
}

}  // namespace

absl::Status MoveCluster(storage::Database& database, const Boundary& boundary,
                         const Caller& caller, const v1::MoveClusterRequest& request,
                         v1::ClusterMove* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status may =
      boundary.CheckCluster(authorization::Rpc::kMoveCluster, caller, request.cluster());
  if (!may.ok()) return may;
  MoveContext context = ContextOf(caller, request);
  context.cell = request.cell();
  context.comment = request.comment();
  if (absl::Status s = Step(database, context, request); !s.ok()) return s;
  auto standing = administration::StandingOf(database, request.cluster());
  if (standing.ok()) ToProto(request.cluster(), *standing, response);
  return standing.status();
}

absl::Status ReadClusterRows(storage::Database& database, const Boundary& boundary,
                             const Caller& caller, const v1::ReadClusterRowsRequest& request,
                             v1::ClusterRows* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status may =
      boundary.CheckCluster(authorization::Rpc::kReadClusterRows, caller, request.cluster());
  if (!may.ok()) return may;
  auto page =
      administration::ReadRows(database, ContextOf(caller, request),
                               *storage::FindMovedTable(request.table()), KeyOf(request.after()));
  if (!page.ok()) return page.status();
  response->set_table(request.table());
  response->mutable_columns()->Assign(page->columns.begin(), page->columns.end());
  response->mutable_rows()->Reserve(static_cast<int>(page->rows.size()));
  for (std::string& row : page->rows) response->add_rows(std::move(row));
  response->mutable_last()->Assign(page->last.begin(), page->last.end());
  response->set_complete(page->complete);
  response->mutable_tres()->insert(page->tres.begin(), page->tres.end());
  response->mutable_principals()->insert(page->principals.begin(), page->principals.end());
  return absl::OkStatus();
}

absl::Status WriteClusterRows(storage::Database& database, const Boundary& boundary,
                              const Caller& caller, const v1::WriteClusterRowsRequest& request,
                              v1::MovedTable* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status may =
      boundary.CheckCluster(authorization::Rpc::kWriteClusterRows, caller, request.cluster());
  if (!may.ok()) return may;
  const v1::ClusterRows& rows = request.rows();
  storage::CopiedRows page;
  page.columns = KeyOf(rows.columns());
  page.rows = KeyOf(rows.rows());
  page.last = KeyOf(rows.last());
  page.complete = rows.complete();
  page.tres.insert(rows.tres().begin(), rows.tres().end());
  page.principals.insert(rows.principals().begin(), rows.principals().end());
  auto progress = administration::WriteRows(database, ContextOf(caller, request),
                                            *storage::FindMovedTable(rows.table()),
                                            KeyOf(request.after()), page);
  if (progress.ok()) ToProto(*progress, response);
  return progress.status();
}

}  // namespace priorityd::rpc
