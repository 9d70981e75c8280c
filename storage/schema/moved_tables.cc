#include "storage/schema/moved_tables.h"

namespace priorityd::storage {
namespace {

using Tables = std::vector<MovedTable>;

Tables LiveTables() {
  using enum MoveStage;
  return {{"usage_bucket", kLive, {"id"}, {"bigint"}},
          {"usage_record", kLive, {"seq"}, {"bigint"}},
          // By the numbers of their records.
          {"job_accounting", kLive, {"seq"}, {"bigint"}}};
}

// Tables that operators change.
Tables ConfigurationTables() {
  using enum MoveStage;
  return {{"cluster", kFrozen, {}, {}},
          {"published_cluster", kFrozen, {}, {}},
          {"policy_version", kFrozen, {"version"}, {"bigint"}, 10},
          {"half_life", kFrozen, {"effective_at"}, {"timestamptz"}},
          {"qos", kFrozen, {"id"}, {"bigint"}},
          {"partition", kFrozen, {"id"}, {"bigint"}},
          {"reservation", kFrozen, {"id"}, {"bigint"}},
          {"setting_lease", kFrozen, {"id"}, {"bigint"}},
          {"usage_grant", kFrozen, {"id"}, {"bigint"}},
          {"usage_grant_version", kFrozen, {"grant_id", "number"}, {"bigint", "integer"}},
          {"usage_grant_transfer", kFrozen, {"id"}, {"bigint"}},
          {"price_book", kFrozen, {"name", "begin_time"}, {"text", "timestamptz"}},
          {"user_alias", kFrozen, {"source", "alias"}, {"text", "text"}},
          {"user_alias_version", kFrozen, {}, {}},
          {"user_merge", kFrozen, {"from_user"}, {"text"}},
          // The root is first, as others refer to it until kLaterParents.
          {"association", kFrozen, {"(parent_id IS NOT NULL)", "id"}, {"boolean", "bigint"}},
          {kLaterParents, kFrozen, {"id"}, {"bigint"}},
          {"cluster_user", kFrozen, {"name"}, {"text"}},
          {"usage_reset", kFrozen, {"association_id", "reset_at"}, {"bigint", "timestamptz"}},
          {"usage_void", kFrozen, {"id"}, {"bigint"}}};
}

// Usage, and the tracked queue.
Tables WorkTables() {
  using enum MoveStage;
  return {{"opening_usage", kFrozen, {"association_id"}, {"bigint"}},
          {"association_usage", kFrozen, {"association_id"}, {"bigint"}},
          {"qos_usage", kFrozen, {"qos_id"}, {"bigint"}},
          // By the numbers of their records.
          {"usage_pool", kFrozen, {"id"}, {"bigint"}},
          {"usage_pool_period", kFrozen, {"pool_id", "begin_time"}, {"bigint", "timestamptz"}},
          {"running_job", kFrozen, {"source", "job_id"}, {"text", "text"}},
          {"job_queue", kFrozen, {}, {}},
          {"job", kFrozen, {"job_id"}, {"text"}},
          {"job_end_since", kFrozen, {}, {}},
          {"job_end", kFrozen, {"job_id", "start_time"}, {"text", "timestamptz"}},
          // Equal rows count as one.
          {"job_record",
           kFrozen,
           {"job_id", "start_time", "end_time"},
           {"text", "timestamptz", "timestamptz"}},
          {"forecast_event", kFrozen, {"number"}, {"bigint"}},
          {"budget_event", kFrozen, {"id"}, {"bigint"}},
          {"budget_told",
           kFrozen,
           {"account", "user_name", "partition", "qos", "tres", "percent", "grant_name",
            "grant_window"},
           {"text", "text", "text", "text", "text", "integer", "text", "text"}}};
}

// The newest snapshot, which the target serves until it recalculates. The revision is last: each
// change of the configuration counts in it.
Tables SnapshotTables() {
  using enum MoveStage;
  return {{"snapshot", kFrozen, {"generation"}, {"bigint"}},
          {"publication", kFrozen, {}, {}},
          {"snapshot_usage", kFrozen, {"generation", "part"}, {"bigint", "integer"}, 4},
          {"snapshot_qos_usage", kFrozen, {"qos_id"}, {"bigint"}},
          {"snapshot_job_end", kFrozen, {"job_id"}, {"text"}},
          {"snapshot_reserve", kFrozen, {"association_id"}, {"bigint"}},
          {"grant_standing", kFrozen, {"place"}, {"bigint"}},
          {"published_association", kFrozen, {"id"}, {"bigint"}},
          {"published_cluster_user", kFrozen, {"name"}, {"text"}},
          {"published_qos", kFrozen, {"id"}, {"bigint"}},
          {"published_partition", kFrozen, {"id"}, {"bigint"}},
          {"published_reservation", kFrozen, {"id"}, {"bigint"}},
          {"published_setting_lease", kFrozen, {"id"}, {"bigint"}},
          {"published_user_merge", kFrozen, {"from_user"}, {"text"}},
          {"published_half_life", kFrozen, {"effective_at"}, {"timestamptz"}},
          {"published_configuration", kFrozen, {}, {}},
          {"configuration_revision", kFrozen, {}, {}}};
}

Tables HistoryTables() {
  using enum MoveStage;
  return {
      {"audit_event", kHistory, {"id"}, {"bigint"}},
      {"factor_sample", kHistory, {"sampled_at"}, {"timestamptz"}},
      {"factor_history", kHistory, {"association_id", "sampled_at"}, {"bigint", "timestamptz"}}};
}

Tables AllTables() {
  Tables all;
  for (const Tables& some :
       {LiveTables(), ConfigurationTables(), WorkTables(), SnapshotTables(), HistoryTables()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

absl::Span<const MovedTable> MovedTables() {
  static const auto* const tables = new Tables(AllTables());
  return *tables;
}

const MovedTable* FindMovedTable(absl::string_view name) {
  for (const MovedTable& table : MovedTables()) {
    if (name == table.name) return &table;
  }
  return nullptr;
}

absl::Span<const absl::string_view> TablesThatStay() {
  // Numbers of a snapshot for replicas that ask; the TRES, registered by their names; what replicas
  // of this database have not read yet; what undoes deletions and imports of this database;
  // domains, as neither they nor members move.
  static constexpr absl::string_view kStay[] = {
      "association_factor", "cluster_tres",       "job_removal",   "deleted_cluster",
      "import_run",         "import_change",      "domain_member", "published_domain",
      "domain_share",       "domain_share_names", "domain_grant"};
  return kStay;
}

}  // namespace priorityd::storage
