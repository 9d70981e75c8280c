#include "server/api/simulation/parameter_changes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/explanation/time_text.h"
#include "engine/slurm/conf/partition_state.h"
#include "engine/slurm/conf/policy_parameter_table.h"
#include "engine/slurm/conf/preempt_parameters.h"
#include "engine/slurm/words/numbers.h"
#include "server/api/policy/convert_policy.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// Names and values, in an order independent of the values.
using Parameters = std::vector<std::pair<std::string, std::string>>;

std::string YesNo(bool value) { return value ? "YES" : "NO"; }

std::string Text(const priority::TresMap& tres) {
  return absl::StrJoin(tres, ",", [](std::string* out, const auto& amount) {
    absl::StrAppend(out, amount.first, "=", slurm::DecimalText(amount.second));
  });
}

Parameters ParametersOf(const priority::Policy& policy) {
  Parameters parameters;
  std::vector<std::string> values = ParameterValues(policy);
  for (const slurm::PolicyParameter& parameter : slurm::PolicyParameterTable()) {
    parameters.emplace_back(parameter.name, std::move(values[parameters.size()]));
  }
  return parameters;
}

Parameters ParametersOf(const priority::Cluster& cluster) {
  return {{"cluster nodes", absl::StrCat(cluster.nodes)},
          {"cluster CPUs", slurm::DecimalText(cluster.cpus)},
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
      {"RootOnly", YesNo(partition.root_only)},
      {"MaxCPUsPerNode", count(partition.max_cpus_per_node)},
      {"MaxMemPerNode", partition.max_mem_per_node.has_value()
                            ? slurm::DecimalText(*partition.max_mem_per_node)
                            : "UNLIMITED"},
      {"AllowGroups", names(partition.allow_groups)},
      {"State", std::string(slurm::PartitionState(partition))},
      {"PreemptMode", slurm::PreemptModeText(partition)},
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
