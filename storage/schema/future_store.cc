#include "storage/schema/future_store.h"

#include <algorithm>

namespace priorityd::storage {
namespace {

constexpr char kSnapshots[] =
    "UPDATE priorityd.snapshot SET computed_at = $2 WHERE cluster_id = $1 AND computed_at > $2";
constexpr char kHistory[] =
    "DELETE FROM priorityd.factor_history WHERE cluster_id = $1 AND sampled_at > $2";
constexpr char kSamples[] =
    "DELETE FROM priorityd.factor_sample WHERE cluster_id = $1 AND sampled_at > $2";
constexpr char kHalfLives[] =
    "DELETE FROM priorityd.half_life WHERE cluster_id = $1 AND effective_at > $2";
constexpr char kResetNow[] =
    "INSERT INTO priorityd.usage_reset (cluster_id, association_id, reset_at) "
    "SELECT DISTINCT cluster_id, association_id, $2::timestamptz FROM priorityd.usage_reset "
    "WHERE cluster_id = $1 AND reset_at > $2 ON CONFLICT DO NOTHING";
constexpr char kLaterResets[] =
    "DELETE FROM priorityd.usage_reset WHERE cluster_id = $1 AND reset_at > $2";
constexpr char kQosResets[] =
    "UPDATE priorityd.qos SET usage_reset_at = $2 WHERE cluster_id = $1 AND usage_reset_at > $2";

}  // namespace

absl::StatusOr<FutureRows> FutureStore::Forget(int32_t cluster_id, absl::Time now,
                                               absl::Time last_usage) {
  int64_t history = 0, added = 0, qos_resets = 0;
  FutureRows rows;
  const struct {
    const char* statement;
    absl::Time after;
    int64_t* count;
  } steps[] = {
      {kSnapshots, now, &rows.snapshots}, {kHistory, now, &history},
      {kSamples, now, &rows.samples},     {kHalfLives, std::max(now, last_usage), &rows.half_lives},
      {kResetNow, now, &added},           {kLaterResets, now, &rows.resets},
      {kQosResets, now, &qos_resets}};
  for (const auto& step : steps) {
    auto count = transaction_.Execute(step.statement, {cluster_id, step.after});
    if (!count.ok()) return count.status();
    *step.count = *count;
  }
  rows.resets += qos_resets;
  return rows;
}

}  // namespace priorityd::storage
