#include "server/administration/imports/limit_findings.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/slurm/dump/limit_words.h"

namespace priorityd::administration {
namespace {

class Findings {
 public:
  void AddAssociation(const slurm::DumpAssociation& line) {
    const priority::AssociationLimits& limits = line.association.limits;
    bite_ += limits.grp_wall.has_value() + !limits.grp_tres_mins.empty() +
             limits.max_submit_jobs.has_value() + limits.max_jobs_accrue.has_value() +
             limits.grp_jobs_accrue.has_value();
    for (const slurm::DumpOption& option : line.other_options) {
      Values values;
      slurm::AddAssociationLimit(option.name, option.value, &values).IgnoreError();
      bite_ += !values.empty();
    }
  }

  void AddQos(const slurm::QosRow& row) {
    bite_ += row.grp_wall.has_value() + !row.grp_tres_mins.empty() +
             row.max_submit_jobs_per_user.has_value();
    for (const auto& [name, value] : row.others) {
      Values values;
      slurm::AddQosLimit(name, value, &values).IgnoreError();
      bite_ += !values.empty();
    }
    const bool threshold = row.qos.usage_threshold.has_value();
    if (row.qos.enforce_usage_threshold && !threshold) without_threshold_.push_back(row.qos.name);
  }

  void AddPartition(const priority::Partition& partition) {
    by_groups_ += !partition.allow_groups.empty();
  }

  std::vector<std::string> Take(const priority::Policy& policy) const {
    std::vector<std::string> warnings;
    if (bite_ > 0 && !policy.enforce.given) {
      warnings.push_back(absl::StrCat(
          bite_, bite_ == 1 ? " limit holds" : " limits hold",
          " as under AccountingStorageEnforce=limits,qos, which the policy does ",
          "not say: AccountingStorageEnforce=none turns them off, safe counts whole jobs"));
    }
    if (by_groups_ > 0) {
      warnings.push_back(absl::StrCat("AllowGroups of ", by_groups_,
                                      by_groups_ == 1 ? " partition" : " partitions",
                                      " holds where the service has a --group_file"));
    }
    if (policy.private_data != priority::PrivateData()) {
      warnings.push_back("PrivateData hides rows where the service has an --auth_file");
    }
    if (!without_threshold_.empty()) {
      warnings.push_back(absl::StrCat("EnforceUsageThreshold without UsageThreshold keeps no job ",
                                      "back: QOS ", absl::StrJoin(without_threshold_, ", ")));
    }
    return warnings;
  }

 private:
  using Values = std::vector<priority::LimitValue>;

  int64_t bite_ = 0;
  int64_t by_groups_ = 0;  // Partitions.
  std::vector<std::string> without_threshold_;
};

}  // namespace

std::vector<std::string> FindLimits(const SiteFiles& site, const priority::Policy& policy) {
  Findings findings;
  if (site.dump.has_value()) {
    findings.AddAssociation(site.dump->root);
    for (const slurm::DumpAssociation& line : site.dump->associations) {
      findings.AddAssociation(line);
    }
    for (const slurm::QosRow& row : site.dump->qos) findings.AddQos(row);
  }
  if (site.qos.has_value()) {
    for (const slurm::QosRow& row : site.qos->rows) findings.AddQos(row);
  }
  if (site.slurm_conf.has_value()) {
    for (const priority::Partition& partition : site.slurm_conf->partitions) {
      findings.AddPartition(partition);
    }
  }
  return findings.Take(policy);
}

}  // namespace priorityd::administration
