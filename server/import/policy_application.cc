#include "server/import/policy_application.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/import/site_files.h"
#include "storage/audit_store.h"

namespace priorityd::imports {
namespace {

absl::StatusOr<PolicyChange> Apply(storage::Transaction& transaction, const std::string& name,
                                   const slurm::SourceFile& file, const slurm::SlurmConf& conf,
                                   const std::string& comment, const ChangeContext& context) {
  auto opened = OpenCluster(transaction, name, /*create=*/false);
  if (!opened.ok()) return opened.status();
  const storage::Cluster& cluster = opened->cluster;
  auto change = ApplyPolicy(transaction, cluster, {{file.name, file.content}}, conf, context,
                            comment, /*clean=*/false);
  if (!change.ok()) return change.status();
  if (!change->created && !change->totals_changed && !change->partitions.changed()) return change;
  storage::AuditEvent event;
  event.cluster_id = cluster.id;
  event.principal = context.principal;
  event.action = "ApplyPolicy";
  event.object = absl::StrCat("cluster ", cluster.name);
  if (change->version.version > 1) {
    event.before = absl::StrCat("policy version ", change->version.version - 1);
  }
  event.after = absl::StrCat("policy version ", change->version.version);
  if (absl::Status s = storage::AuditStore(transaction).Append(event); !s.ok()) return s;
  return change;
}

}  // namespace

absl::StatusOr<AppliedPolicy> ApplyPolicyText(storage::Database& database,
                                              const std::string& cluster, slurm::SourceFile file,
                                              const std::string& comment,
                                              const ChangeContext& context) {
  absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseSlurmConf({&file, 1});
  if (!conf.ok()) return FileError(conf.status());
  AppliedPolicy applied{.change = {}, .conf = *std::move(conf)};
  absl::Status status =
      ChangeConfiguration(database, context, [&](storage::Transaction& transaction) {
        auto change = Apply(transaction, cluster, file, applied.conf, comment, context);
        if (change.ok()) applied.change = *std::move(change);
        return change.status();
      });
  if (!status.ok()) return status;
  return applied;
}

}  // namespace priorityd::imports
