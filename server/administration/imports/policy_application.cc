#include "server/administration/imports/policy_application.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/administration/imports/import_audit.h"
#include "server/administration/imports/unused_settings.h"
#include "server/usage/rule_change.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/policy_store.h"

namespace priorityd::administration {
namespace {

// A parsed policy to apply.
struct Application {
  std::string cluster;
  std::vector<storage::PolicyFile> files;
  slurm::SlurmConf conf;
  PolicyOptions options;
};

std::string OtherChanges(const PolicyChange& change, bool retroactive) {
  const Counts& partitions = change.partitions;
  std::string text;
  if (retroactive) text += ", its half-life for all the past";
  if (partitions.changed()) {
    absl::StrAppend(&text, "; partitions: ", partitions.created, " created, ", partitions.updated,
                    " updated");
  }
  if (change.totals_changed) text += "; the cluster's totals";
  return text;
}

absl::Status Audit(storage::Transaction& transaction, const storage::Cluster& cluster,
                   const PolicyChange& change, const ImportAudit& things,
                   const Application& application, const ChangeContext& context) {
  auto texts = DescribeVersions(transaction, cluster.id, change, application.conf.policy);
  if (!texts.ok()) return texts.status();
  storage::AuditEvent event;
  event.cluster_id = cluster.id;
  event.principal = context.principal;
  event.action = application.options.action;
  event.comment = application.options.comment;
  if (absl::Status s = things.Append(transaction, event); !s.ok()) return s;
  event.object = absl::StrCat("cluster ", cluster.name);
  event.before = std::move(texts->before);
  event.after = absl::StrCat(texts->after, OtherChanges(change, application.options.retroactive));
  return storage::AuditStore(transaction).Append(event);
}

absl::Status CheckRules(const slurm::SlurmConf& conf, const UnusedRules& rules) {
  errors::Violations violations("INVALID_FILE");
  CheckUnused(conf.unused, rules, &violations);
  if (rules.strict) AddLosses(conf.losses, &violations);
  return violations.ToStatus();
}

// REQUIRES: the cluster is locked.
absl::Status CheckVersion(storage::Transaction& transaction, int32_t cluster_id,
                          const std::optional<int64_t>& expected) {
  if (!expected.has_value()) return absl::OkStatus();
  auto newest = storage::PolicyStore(transaction).ListHeads(cluster_id, 0, 1);
  if (!newest.ok()) return newest.status();
  const int64_t present = newest->empty() ? 0 : newest->front().version;
  if (present == *expected) return absl::OkStatus();
  return errors::WithReason(
      absl::AbortedError(absl::StrCat("expected_version: got ", *expected, ", want ", present,
                                      ", which is the newest: the policy has changed since that "
                                      "was read")),
      "POLICY_VERSION_MISMATCH");
}

// Sets the whole timeline to the policy's half-life.
absl::Status ReplaceTimeline(storage::Transaction& transaction, int32_t cluster_id,
                             const priority::Policy& policy) {
  storage::HalfLife only;
  if (policy.decays()) only.half_life = policy.half_life;
  return storage::PolicyStore(transaction).ReplaceHalfLives(cluster_id, {&only, 1});
}

// Everything except the usage rows.
absl::StatusOr<PolicyChange> Apply(storage::Transaction& transaction,
                                   const storage::Cluster& cluster, const Application& application,
                                   const ChangeContext& context) {
  absl::Status meant = CheckVersion(transaction, cluster.id, application.options.expected_version);
  if (!meant.ok()) return meant;
  ImportAudit audit;
  auto change = ApplyPolicy(transaction, cluster, application.files, application.conf, context,
                            application.options.comment, /*clean=*/false, &audit);
  if (!change.ok()) return change.status();
  const bool retroactive = application.options.retroactive;
  if (retroactive) {
    absl::Status s = ReplaceTimeline(transaction, cluster.id, application.conf.policy);
    if (!s.ok()) return s;
  }
  if (!change->created && !change->totals_changed && !change->partitions.changed() &&
      !retroactive) {
    return change;
  }
  absl::Status audited = Audit(transaction, cluster, *change, audit, application, context);
  if (!audited.ok()) return audited;
  return change;
}

}  // namespace

absl::StatusOr<AppliedPolicy> ApplyPolicyFiles(storage::Database& database,
                                               const std::string& cluster,
                                               std::vector<slurm::SourceFile> files,
                                               const PolicyOptions& options,
                                               const ChangeContext& context) {
  absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseSlurmConf(files);
  if (!conf.ok()) return conf.status();
  if (absl::Status s = CheckRules(*conf, options.unused); !s.ok()) return s;
  Application application{cluster, {}, *std::move(conf), options};
  for (slurm::SourceFile& file : files) {
    application.files.push_back({std::move(file.name), std::move(file.content)});
  }
  AppliedPolicy applied;
  absl::Status status = ChangeRules(
      database, context, [&](storage::Transaction& transaction, usage::SumAhead* ahead) {
        auto opened = OpenCluster(transaction, cluster, /*create=*/false);
        if (!opened.ok()) return opened.status();
        auto rules = usage::RuleChange::Begin(transaction, opened->cluster.id);
        if (!rules.ok()) return rules.status();
        auto change = Apply(transaction, opened->cluster, application, context);
        if (!change.ok()) return change.status();
        applied.change = *std::move(change);
        if (context.validate_only) return absl::OkStatus();
        return rules->Finish(transaction, ahead);
      });
  if (!status.ok()) return status;
  applied.conf = std::move(application.conf);
  return applied;
}

}  // namespace priorityd::administration
