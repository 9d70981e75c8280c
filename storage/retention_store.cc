#include "storage/retention_store.h"

#include "absl/strings/str_cat.h"
#include "storage/statement_files.h"

namespace priorityd::storage {
namespace {

constexpr char kHorizon[] = "SELECT ledger_horizon FROM priorityd.cluster WHERE id = $1";
constexpr char kMoveHorizon[] =
    "UPDATE priorityd.cluster SET ledger_horizon = $2 WHERE id = $1 AND ledger_horizon < $2";
constexpr char kTryLock[] = "SELECT pg_try_advisory_xact_lock(7413, $1::integer)";

absl::Time DecodeTime(RowReader& row) {
  absl::Time time;
  row.Read(&time);
  return time;
}

bool DecodeBool(RowReader& row) {
  bool value = false;
  row.Read(&value);
  return value;
}

RollUpStep DecodeStep(RowReader& row) {
  RollUpStep step;
  row.Read(&step.records, &step.buckets, &step.next_association_id);
  return step;
}

}  // namespace

absl::StatusOr<absl::Time> RetentionStore::Horizon(int32_t cluster_id) {
  auto horizon = transaction_.QueryOptional(DecodeTime, kHorizon, {cluster_id});
  if (!horizon.ok()) return horizon.status();
  if (horizon->has_value()) return **horizon;
  return absl::NotFoundError(absl::StrCat("cluster: got id ", cluster_id, ", want a known one"));
}

absl::StatusOr<bool> RetentionStore::MoveHorizon(int32_t cluster_id, absl::Time horizon) {
  auto moved = transaction_.Execute(kMoveHorizon, {cluster_id, horizon});
  if (!moved.ok()) return moved.status();
  return *moved == 1;
}

absl::StatusOr<std::optional<RollUpStep>> RetentionStore::RollUp(const RollUpPlan& plan,
                                                                 int64_t association_id) {
  auto locked = transaction_.QueryOne(DecodeBool, kTryLock, {plan.cluster_id});
  if (!locked.ok()) return locked.status();
  if (!*locked) return std::optional<RollUpStep>();
  auto step =
      transaction_.QueryOne(DecodeStep, kRollUp,
                            {plan.cluster_id, plan.horizon, plan.hour, plan.reset, association_id,
                             plan.max_records, plan.max_pieces, plan.max_associations});
  if (!step.ok()) return step.status();
  return std::optional<RollUpStep>(*step);
}

}  // namespace priorityd::storage
