// What the tables of a cluster hold, without its ids: equal for clusters that are configured alike.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_TABLE_DIGESTS_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_TABLE_DIGESTS_H_

#include <map>
#include <string>

#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Table to all rows as text, siblings in the order of their ids.
inline std::map<std::string, std::string> TableDigests(storage::Database& database,
                                                       const std::string& cluster) {
  const std::map<std::string, const char*> statements = {
      {"association",
       "SELECT coalesce(string_agg(row (p.account, a.account, a.user_name, a.partition, "
       "a.raw_shares, a.priority, a.default_qos, a.qos, a.description, a.organization, "
       "a.max_jobs_accrue, a.grp_jobs_accrue, a.max_submit_jobs, a.grp_tres_mins_names, "
       "a.grp_tres_mins_amounts, a.grp_wall_minutes, a.other_limit_names, "
       "a.other_limit_values)::text, E'\\n' ORDER BY a.parent_id IS NOT NULL, p.account, a.id), '')"
       " FROM priorityd.association a LEFT JOIN priorityd.association p "
       "ON p.cluster_id = a.cluster_id AND p.id = a.parent_id "
       "WHERE a.cluster_id = $1 AND a.deleted_at IS NULL"},
      {"cluster_user",
       "SELECT coalesce(string_agg(row (name, default_account, admin_level, coordinated)::text, "
       "E'\\n' ORDER BY name), '') FROM priorityd.cluster_user WHERE cluster_id = $1"},
      {"qos",
       "SELECT coalesce(string_agg(row (name, priority, usage_factor, flags, preempt, "
       "usage_threshold, grp_tres_mins_names, grp_tres_mins_amounts, grp_wall_minutes, "
       "max_submit_jobs_per_user, other_limit_names, other_limit_values)::text, E'\\n' "
       "ORDER BY id), '') FROM priorityd.qos WHERE cluster_id = $1 AND deleted_at IS NULL"},
      {"partition",
       "SELECT coalesce(string_agg(row (name, nodes, tres_names, tres_counts, is_default, "
       "priority_job_factor, priority_tier, billing_weight_names, billing_weights, "
       "max_time_seconds, default_time_seconds, min_nodes, max_nodes, allow_accounts, "
       "deny_accounts, allow_qos, deny_qos, qos, state, preempt_mode)::text, E'\\n' ORDER BY id), "
       "'') FROM priorityd.partition WHERE cluster_id = $1 AND deleted_at IS NULL"},
      {"policy_version",
       "SELECT coalesce(string_agg(row (file_names, file_contents)::text, E'\\n' ORDER BY version),"
       " '') FROM priorityd.policy_version WHERE cluster_id = $1"},
      {"cluster",
       "SELECT row (nodes, cpus, tres_names, tres_counts)::text FROM priorityd.cluster "
       "WHERE id = $1"}};
  std::map<std::string, std::string> digests;
  for (const auto& [table, statement] : statements) {
    auto text =
        database.Read([&, statement = statement](
                          storage::Transaction& transaction) -> absl::StatusOr<std::string> {
          auto found = storage::ClusterStore(transaction).Require(cluster);
          if (!found.ok()) return found.status();
          return transaction.QueryOne(storage::OnlyColumn<std::string>, statement, {found->id});
        });
    digests[table] = text.ok() ? *text : text.status().ToString();
  }
  return digests;
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_TABLE_DIGESTS_H_
