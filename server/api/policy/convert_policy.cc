#include "server/api/policy/convert_policy.h"

#include "engine/slurm/conf/policy_parameter_table.h"
#include "engine/slurm/conf/service_parameters.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

void AddAll(const priority::Policy& policy, v1::PolicyParameters* proto) {
  const std::vector<std::string> values = ParameterValues(policy);
  const absl::Span<const slurm::PolicyParameter> table = slurm::PolicyParameterTable();
  for (size_t i = 0; i < table.size(); ++i) {
    v1::PolicyParameter* parameter = proto->add_all();
    parameter->set_name(std::string(table[i].name));
    parameter->set_value(values[i]);
    parameter->set_default_value(std::string(table[i].default_value));
    parameter->set_description(std::string(table[i].description));
    parameter->set_acted_on(true);  // The table has no parameter without effect.
  }
}

void ParametersToProto(const priority::Policy& policy, v1::PolicyParameters* proto) {
  using priorityd::rpc::ToProto;
  proto->set_priority_type(policy.priority_type == priority::PriorityType::kBasic
                               ? "priority/basic"
                               : "priority/multifactor");
  ToProto(policy.decays() ? policy.half_life : absl::ZeroDuration(),
          proto->mutable_decay_half_life());
  ToProto(policy.calc_period, proto->mutable_calc_period());
  proto->set_usage_reset_period(priority::ResetPeriodName(policy));
  proto->set_favor_small(policy.favor_small);
  ToProto(policy.max_age, proto->mutable_max_age());
  proto->set_weight_age(policy.weight_age);
  proto->set_weight_assoc(policy.weight_assoc);
  proto->set_weight_fair_share(policy.weight_fair_share);
  proto->set_weight_job_size(policy.weight_job_size);
  proto->set_weight_partition(policy.weight_partition);
  proto->set_weight_qos(policy.weight_qos);
  for (const auto& [name, weight] : policy.weight_tres)
    (*proto->mutable_weight_tres())[name] = weight;
  proto->set_dampening_factor(policy.dampening_factor);
  for (const std::string& flag : priority::PriorityFlagNames(policy)) proto->add_flags(flag);
  proto->set_fair_share_algorithm(std::string(priority::FairShareAlgorithmName(policy.algorithm)));
  proto->set_fair_tree_ties(std::string(priority::FairTreeTiesName(policy.fair_tree_ties)));
  proto->set_time_zone(ZoneName(policy.time_zone));
  proto->set_clock(policy.clock == priority::ClockMode::kManual ? "manual" : "real");
  proto->set_weight_tres_text(policy.weight_tres_text);
  proto->set_purge_job_after(priority::PurgeAgeName(policy.purge_job_after));
  AddAll(policy, proto);
}

v1::UnusedClass ClassOf(slurm::UnusedClass unused_class) {
  switch (unused_class) {
    case slurm::UnusedClass::kLimits:
      return v1::UNUSED_CLASS_LIMITS;
    case slurm::UnusedClass::kNumbers:
      return v1::UNUSED_CLASS_NUMBERS;
    case slurm::UnusedClass::kNoConsequence:
      return v1::UNUSED_CLASS_NO_CONSEQUENCE;
  }
  return v1::UNUSED_CLASS_UNSPECIFIED;
}

void CountsToProto(const administration::Counts& counts, v1::ImportCounts* proto) {
  proto->set_created(counts.created);
  proto->set_updated(counts.updated);
  proto->set_unchanged(counts.unchanged);
  proto->set_deleted(counts.deleted);
}

}  // namespace

std::vector<std::string> ParameterValues(const priority::Policy& policy) {
  std::vector<std::string> values;
  for (const slurm::PolicyParameter& parameter : slurm::PolicyParameterTable()) {
    values.push_back(parameter.write == slurm::WriteTimeZone ? ZoneName(policy.time_zone)
                                                             : parameter.write(policy));
  }
  return values;
}

void ToProto(const std::string& cluster, const storage::PolicyVersion& version,
             const priority::Policy& policy, v1::Policy* proto) {
  proto->set_cluster(cluster);
  proto->set_version(version.version);
  if (!version.files.empty()) proto->set_text(version.files.front().content);
  ParametersToProto(policy, proto->mutable_parameters());
  ToProto(version.applied_at, proto->mutable_applied_at());
  proto->set_applied_by(version.applied_by);
  proto->set_comment(version.comment);
}

void ToProto(const storage::Cluster& cluster, v1::Cluster* proto) {
  proto->set_name(cluster.name);
  proto->set_nodes(static_cast<uint32_t>(cluster.nodes.value_or(0)));
  proto->set_cpus(cluster.cpus.value_or(0));
  for (const storage::NamedAmount& tres : cluster.tres) {
    (*proto->mutable_tres())[tres.name] = tres.amount;
  }
  if (cluster.ledger_horizon != absl::InfinitePast()) {
    ToProto(cluster.ledger_horizon, proto->mutable_ledger_horizon());
  }
}

void ToProto(const administration::SiteImportResult& result, v1::ImportResponse* response) {
  response->set_cluster(result.cluster);
  response->set_cluster_created(result.cluster_created);
  CountsToProto(result.associations, response->mutable_associations());
  CountsToProto(result.qos, response->mutable_qos());
  CountsToProto(result.partitions, response->mutable_partitions());
  CountsToProto(result.opening_usage, response->mutable_opening_usage());
  CountsToProto(result.grants, response->mutable_grants());
  CountsToProto(result.grant_transfers, response->mutable_grant_transfers());
  CountsToProto(result.leases, response->mutable_leases());
  CountsToProto(result.user_merges, response->mutable_user_merges());
  CountsToProto(result.user_aliases, response->mutable_user_aliases());
  response->set_policy_version(result.policy_version);
  response->set_policy_created(result.policy_created);
  response->set_skipped_lines(result.skipped_lines);
  for (const std::string& warning : result.warnings) response->add_warnings(warning);
  response->set_losses(result.losses);
  response->set_import_id(result.import_id);
  ToProto(result.unused, response->mutable_unused());
}

void ToProto(absl::Span<const slurm::UnusedSetting> unused,
             google::protobuf::RepeatedPtrField<v1::UnusedSetting>* proto) {
  for (const slurm::UnusedSetting& setting : unused) {
    v1::UnusedSetting* one = proto->Add();
    one->set_place(setting.place);
    one->set_name(setting.name);
    one->set_value(setting.value);
    one->set_unused_class(ClassOf(setting.unused_class));
    one->set_effect(setting.effect);
    one->set_places(setting.places);
  }
}

}  // namespace priorityd::rpc
