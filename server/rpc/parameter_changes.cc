#include "server/rpc/parameter_changes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/explanation/time_text.h"
#include "server/rpc/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// Names and values, in one order whatever the values.
using Parameters = std::vector<std::pair<std::string, std::string>>;

std::string YesNo(bool value) { return value ? "YES" : "NO"; }

std::string Text(const priority::TresMap& tres) {
  return absl::StrJoin(tres, ",", absl::PairFormatter("="));
}

std::string PreemptType(const priority::Policy& policy) {
  std::vector<const char*> types;
  if (policy.preempt_by_partition) types.push_back("preempt/partition_prio");
  if (policy.preempt_by_qos) types.push_back("preempt/qos");
  return types.empty() ? "preempt/none" : absl::StrJoin(types, ",");
}

std::string SlurmctldParameters(const priority::Policy& policy) {
  if (!policy.rate_limit) return "";
  return absl::StrCat("rl_enable,rl_bucket_size=", policy.rate_limit_bucket_size,
                      ",rl_refill_rate=", policy.rate_limit_refill_rate);
}

Parameters Weights(const priority::Policy& policy) {
  return {
      {"PriorityWeightAge", absl::StrCat(policy.weight_age)},
      {"PriorityWeightAssoc", absl::StrCat(policy.weight_assoc)},
      {"PriorityWeightFairshare", absl::StrCat(policy.weight_fair_share)},
      {"PriorityWeightJobSize", absl::StrCat(policy.weight_job_size)},
      {"PriorityWeightPartition", absl::StrCat(policy.weight_partition)},
      {"PriorityWeightQOS", absl::StrCat(policy.weight_qos)},
      {"PriorityWeightTRES", Text(policy.weight_tres)},
  };
}

Parameters ParametersOf(const priority::Policy& policy) {
  Parameters parameters = {
      {"PriorityType", policy.priority_type == priority::PriorityType::kBasic
                           ? "priority/basic"
                           : "priority/multifactor"},
      {"PriorityDecayHalfLife",
       policy.decays() ? explanation::DurationText(policy.half_life) : "0"},
      {"PriorityCalcPeriod", explanation::DurationText(policy.calc_period)},
      {"PriorityUsageResetPeriod", priority::ResetPeriodName(policy)},
      {"PriorityFavorSmall", YesNo(policy.favor_small)},
      {"PriorityMaxAge", explanation::TimeLimitText(policy.max_age)},
  };
  for (auto& weight : Weights(policy)) parameters.push_back(std::move(weight));
  const Parameters others = {
      {"FairShareDampeningFactor", absl::StrCat(policy.dampening_factor)},
      {"PriorityFlags", absl::StrJoin(priority::PriorityFlagNames(policy), ",")},
      {"FairShareAlgorithm", std::string(priority::FairShareAlgorithmName(policy.algorithm))},
      {"FairTreeTies", std::string(priority::FairTreeTiesName(policy.fair_tree_ties))},
      {"PreemptType", PreemptType(policy)},
      {"PrivateData", policy.private_usage ? "usage" : ""},
      {"SlurmctldParameters", SlurmctldParameters(policy)},
      {"PrioritySiteFactorPlugin", policy.site_factor_plugin},
      {"PrioritySiteFactorParameters", policy.site_factor_parameters},
      {"PurgeJobAfter", priority::PurgeAgeName(policy.purge_job_after)},
      {"TimeZone", ZoneName(policy.time_zone)},
      {"Clock", policy.clock == priority::ClockMode::kManual ? "manual" : "real"},
  };
  parameters.insert(parameters.end(), others.begin(), others.end());
  return parameters;
}

Parameters ParametersOf(const priority::Cluster& cluster) {
  return {{"cluster nodes", absl::StrCat(cluster.nodes)},
          {"cluster CPUs", absl::StrCat(cluster.cpus)},
          {"cluster TRES", Text(cluster.tres)}};
}

Parameters ParametersOf(const priority::Partition& partition) {
  const auto count = [](const std::optional<uint32_t>& most) {
    return most.has_value() ? absl::StrCat(*most) : "UNLIMITED";
  };
  const auto names = [](const std::vector<std::string>& list) { return absl::StrJoin(list, ","); };
  Parameters parameters = {
      {"Nodes", absl::StrCat(partition.nodes)},
      {"TRES", Text(partition.tres)},
      {"Default", YesNo(partition.is_default)},
      {"PriorityJobFactor", absl::StrCat(partition.priority_job_factor)},
      {"PriorityTier", absl::StrCat(partition.priority_tier)},
      {"TRESBillingWeights", Text(partition.billing_weights)},
      {"MaxTime", explanation::TimeLimitText(partition.max_time)},
      {"DefaultTime", partition.default_time.has_value()
                          ? explanation::TimeLimitText(*partition.default_time)
                          : std::string()},
      {"MinNodes", absl::StrCat(partition.min_nodes)},
      {"MaxNodes", count(partition.max_nodes)},
      {"AllowAccounts", names(partition.allow_accounts)},
      {"DenyAccounts", names(partition.deny_accounts)},
      {"AllowQos", names(partition.allow_qos)},
      {"DenyQos", names(partition.deny_qos)},
      {"QOS", partition.qos},
      {"State", partition.up ? "UP" : "DOWN"},
      {"PreemptMode", partition.preemptible ? "on" : "OFF"},
  };
  for (auto& [name, value] : parameters) {
    name = absl::StrCat("PartitionName=", partition.name, " ", name);
  }
  return parameters;
}

using Changes = google::protobuf::RepeatedPtrField<v1::ParameterChange>;

void AddChange(const std::string& parameter, const std::string& before, const std::string& after,
               Changes* changes) {
  v1::ParameterChange* change = changes->Add();
  change->set_parameter(parameter);
  change->set_before(before);
  change->set_after(after);
}

template <typename Thing>
void AddChanges(const Thing& before, const Thing& after, Changes* changes) {
  const Parameters old = ParametersOf(before);
  const Parameters now = ParametersOf(after);
  for (size_t i = 0; i < now.size(); ++i) {
    if (old[i].second == now[i].second) continue;
    AddChange(now[i].first, old[i].second, now[i].second, changes);
  }
}

}  // namespace

void AddParameterChanges(const priority::Snapshot& before, const priority::Snapshot& after,
                         Changes* changes) {
  AddChanges(before.policy(), after.policy(), changes);
  AddChanges(before.cluster(), after.cluster(), changes);
  for (const priority::Partition& partition : after.partitions()) {
    const int old = before.FindPartition(partition.name);
    if (old < 0) {
      AddChange(absl::StrCat("PartitionName=", partition.name), "", "new", changes);
    } else {
      AddChanges(before.partitions()[old], partition, changes);
    }
  }
}

}  // namespace priorityd::rpc
