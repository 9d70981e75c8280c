#include "server/administration/policy_application.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/administration/site_files.h"
#include "server/usage/rule_change.h"
#include "storage/audit_store.h"

namespace priorityd::administration {
namespace {

// A policy to apply, read and ready.
struct Application {
  std::string cluster;
  slurm::SourceFile file;
  slurm::SlurmConf conf;
  PolicyOptions options;
};

absl::Status Audit(storage::Transaction& transaction, const storage::Cluster& cluster,
                   const PolicyChange& change, bool retroactive, const ChangeContext& context) {
  storage::AuditEvent event;
  event.cluster_id = cluster.id;
  event.principal = context.principal;
  event.action = "ApplyPolicy";
  event.object = absl::StrCat("cluster ", cluster.name);
  const int64_t version = change.version.version;
  if (version > 1) {
    event.before = absl::StrCat("policy version ", change.created ? version - 1 : version);
  }
  event.after = absl::StrCat("policy version ", version,
                             retroactive ? ", its half-life for all the past" : "");
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
  const slurm::SourceFile& file = application.file;
  auto change = ApplyPolicy(transaction, cluster, {{file.name, file.content}}, application.conf,
                            context, application.options.comment, /*clean=*/false);
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
  if (absl::Status s = Audit(transaction, cluster, *change, retroactive, context); !s.ok()) {
    return s;
  }
  return change;
}

}  // namespace

absl::StatusOr<AppliedPolicy> ApplyPolicyText(storage::Database& database,
                                              const std::string& cluster, slurm::SourceFile file,
                                              const PolicyOptions& options,
                                              const ChangeContext& context) {
  absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseSlurmConf({&file, 1});
  if (!conf.ok()) return conf.status();
  Application application{cluster, std::move(file), *std::move(conf), options};
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
