#include "server/administration/policy_application.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/administration/site_files.h"
#include "server/configuration/stored_policy.h"
#include "server/slurm/policy_parameter_table.h"
#include "server/usage/rule_change.h"
#include "storage/audit_store.h"
#include "storage/policy_store.h"

namespace priorityd::administration {
namespace {

// A policy to apply, read and ready.
struct Application {
  std::string cluster;
  std::vector<storage::PolicyFile> files;
  slurm::SlurmConf conf;
  PolicyOptions options;
};

// ` NAME=VALUE` of each parameter of `policy` that `other` has another value of.
std::string Differences(const priority::Policy& policy, const priority::Policy& other) {
  std::string text;
  for (const slurm::PolicyParameter& parameter : slurm::PolicyParameterTable()) {
    const std::string value = parameter.write(policy);
    if (value == parameter.write(other)) continue;
    absl::StrAppend(&text, " ", parameter.name, "=", value);
  }
  return text;
}

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
                   const PolicyChange& change, const Application& application,
                   const ChangeContext& context) {
  const int64_t version = change.version.version;
  const int64_t before = change.created ? version - 1 : version;
  auto old = storage::PolicyStore(transaction).Find(cluster.id, before);
  if (!old.ok()) return old.status();
  const auto old_conf = configuration::ParseStored(*old);
  if (!old_conf.ok()) return old_conf.status();
  const priority::Policy& was = (*old_conf)->policy;
  const priority::Policy& is = application.conf.policy;
  storage::AuditEvent event;
  event.cluster_id = cluster.id;
  event.principal = context.principal;
  event.action = application.options.action;
  event.object = absl::StrCat("cluster ", cluster.name);
  if (before > 0) event.before = absl::StrCat("policy version ", before, Differences(was, is));
  event.after = absl::StrCat("policy version ", version, Differences(is, was),
                             OtherChanges(change, application.options.retroactive));
  event.comment = application.options.comment;
  return storage::AuditStore(transaction).Append(event);
}

// The policy's half-life as all of the timeline.
absl::Status ReplaceTimeline(storage::Transaction& transaction, int32_t cluster_id,
                             const priority::Policy& policy) {
  storage::HalfLife only;
  if (policy.decays()) only.half_life = policy.half_life;
  return storage::PolicyStore(transaction).ReplaceHalfLives(cluster_id, {&only, 1});
}

// Everything but the usage rows.
absl::StatusOr<PolicyChange> Apply(storage::Transaction& transaction,
                                   const storage::Cluster& cluster, const Application& application,
                                   const ChangeContext& context) {
  auto change = ApplyPolicy(transaction, cluster, application.files, application.conf, context,
                            application.options.comment, /*clean=*/false);
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
  if (absl::Status s = Audit(transaction, cluster, *change, application, context); !s.ok()) {
    return s;
  }
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
