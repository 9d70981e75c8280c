#include "server/administration/limit_findings.h"

#include <cstdint>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/slurm/dump/engine_values.h"
#include "engine/slurm/dump/limit_words.h"

namespace priorityd::administration {
namespace {

// Options and columns that are stored but not enforced.
constexpr absl::string_view kKept[] = {"GraceTime"};

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
      Add(option.name, option.value, values);
    }
  }

  void AddQos(const slurm::QosRow& row) {
    bite_ += row.grp_wall.has_value() + !row.grp_tres_mins.empty() +
             row.max_submit_jobs_per_user.has_value();
    for (const auto& [name, value] : row.others) {
      Values values;
      slurm::AddQosLimit(name, value, &values).IgnoreError();
      Add(name, value, values);
    }
    for (const std::string& flag : row.flags) {
      if (!slurm::IsQosFlag(flag)) ++kept_[absl::StrCat("QOS flag ", flag)];
    }
    const bool threshold = row.qos.usage_threshold.has_value();
    if (row.qos.enforce_usage_threshold && !threshold) without_threshold_.push_back(row.qos.name);
  }

  void AddPartition(const priority::Partition& partition) {
    if (!partition.allow_groups.empty()) ++kept_["AllowGroups where there is no --group_file"];
  }

  std::vector<std::string> Take(const priority::Policy& policy) const {
    std::vector<std::string> warnings;
    if (bite_ > 0 && !policy.enforce.given) {
      warnings.push_back(absl::StrCat(
          bite_,
          " limits hold as under AccountingStorageEnforce=limits,qos, which the policy does ",
          "not say: AccountingStorageEnforce=none turns them off, safe counts whole jobs"));
    }
    if (!kept_.empty()) {
      warnings.push_back(
          absl::StrCat("stored but not enforced: ",
                       absl::StrJoin(kept_, ", ", [](std::string* text, const auto& one) {
                         absl::StrAppend(text, one.first, " (", one.second, ")");
                       })));
    }
    if (!without_threshold_.empty()) {
      warnings.push_back(absl::StrCat("EnforceUsageThreshold without UsageThreshold keeps no job ",
                                      "back: QOS ", absl::StrJoin(without_threshold_, ", ")));
    }
    return warnings;
  }

 private:
  using Values = std::vector<priority::LimitValue>;

  template <typename Names>
  static bool Is(const Names& names, absl::string_view name) {
    return absl::c_any_of(
        names, [name](absl::string_view kept) { return absl::EqualsIgnoreCase(kept, name); });
  }

  // The readers have already refused invalid values.
  void Add(const std::string& name, const std::string& value, const Values& values) {
    bite_ += !values.empty();
    // sacctmgr also shows unset values as 00:00:00 or -1.
    const bool set = value != "-1" && value.find_first_not_of("0:-") != std::string::npos;
    if (set && Is(kKept, name)) ++kept_[name];
  }

  int64_t bite_ = 0;
  std::map<std::string, int64_t> kept_;
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
