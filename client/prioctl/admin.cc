#include "client/prioctl/admin.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/file_kind.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/slurm_conf_files.h"
#include "client/prioctl/table.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::Cluster;
using ::priority::v1::Policy;
using ::priority::v1::PolicyParameters;

void PrintParameters(const PolicyParameters& parameters, std::ostream& out) {
  Table table({{"PARAMETER"}, {"VALUE"}});
  std::vector<std::string> idle;
  for (const ::priority::v1::PolicyParameter& parameter : parameters.all()) {
    table.AddRow({parameter.name(), parameter.value()});
    if (!parameter.acted_on()) idle.push_back(parameter.name());
  }
  table.Print(out);
  if (!idle.empty()) out << "\nnot acted on yet: " << absl::StrJoin(idle, ", ") << '\n';
}

std::string TresText(const google::protobuf::Map<std::string, double>& tres) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : tres) texts.push_back(absl::StrCat(name, "=", count));
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, ",");
}

::priority::v1::UpdateClusterRequest MakeRequest(const ClusterOptions& options) {
  ::priority::v1::UpdateClusterRequest request;
  Cluster& cluster = *request.mutable_cluster();
  cluster.set_name(options.name);
  if (options.nodes.has_value()) {
    cluster.set_nodes(*options.nodes);
    request.mutable_update_mask()->add_paths("nodes");
  }
  if (options.cpus.has_value()) {
    cluster.set_cpus(*options.cpus);
    request.mutable_update_mask()->add_paths("cpus");
  }
  if (options.tres.has_value()) {
    cluster.mutable_tres()->insert(options.tres->begin(), options.tres->end());
    request.mutable_update_mask()->add_paths("tres");
  }
  request.set_allow_missing(options.add);
  request.set_validate_only(options.validate_only);
  return request;
}

}  // namespace

absl::Status Run(const RecalculateOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::RecalculateRequest request;
  if (options.as_of.has_value()) *request.mutable_as_of() = ToTimestamp(*options.as_of);
  request.set_forget_future(options.forget_future);
  const absl::StatusOr<::priority::v1::Snapshot> snapshot = client.Recalculate(std::move(request));
  if (!snapshot.ok()) return snapshot.status();
  if (options.json) {
    console.out << ToJson(*snapshot) << '\n';
  } else {
    console.out << "recalculated " << SnapshotText(*snapshot) << '\n';
  }
  return absl::OkStatus();
}

absl::Status Run(const PolicyShowOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::GetPolicyRequest request;
  request.set_version(options.version);
  const absl::StatusOr<Policy> policy = client.GetPolicy(std::move(request));
  if (!policy.ok()) return policy.status();
  if (options.json) return PrintJson(*policy, console.out);
  console.out << "policy version " << policy->version() << " of cluster " << policy->cluster()
              << ", applied at " << TimeText(policy->applied_at());
  if (!policy->applied_by().empty()) console.out << " by " << policy->applied_by();
  if (!policy->comment().empty()) console.out << " (" << policy->comment() << ")";
  console.out << "\n\n";
  PrintParameters(policy->parameters(), console.out);
  return absl::OkStatus();
}

absl::Status Run(const PolicyApplyOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::StatusOr<PolicyText> policy = ReadPolicyText(options.file, options.include_from);
  if (!policy.ok()) return policy.status();
  absl::Status checked = CheckKind(policy->name, policy->text, FileKind::kSlurmConf);
  if (checked.ok()) {
    checked = CheckCluster(policy->name, ClusterNamed(FileKind::kSlurmConf, policy->text),
                           client.options().cluster, console);
  }
  if (!checked.ok()) return checked;
  ::priority::v1::ApplyPolicyRequest request;
  request.set_text(std::move(policy->text));
  request.set_file_name(std::move(policy->name));
  request.set_comment(options.comment);
  request.set_retroactive(options.retroactive);
  request.set_validate_only(options.validate_only);
  if (options.expected_version >= 0) request.set_expected_version(options.expected_version);
  const auto response = client.ApplyPolicy(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  console.err << WarningLines(response->warnings());
  console.out << (options.validate_only ? "valid: " : "") << "policy version "
              << response->policy().version() << (response->created() ? " (new)" : " (unchanged)");
  if (options.retroactive) console.out << ", its half-life for all the past";
  if (response->has_takes_effect_at()) {
    console.out << "; takes effect at " << TimeText(response->takes_effect_at());
  }
  console.out << '\n';
  return absl::OkStatus();
}

absl::Status Run(const ClusterOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<Cluster> cluster = client.UpdateCluster(MakeRequest(options));
  if (!cluster.ok()) return cluster.status();
  if (options.json) return PrintJson(*cluster, console.out);
  console.out << (options.validate_only ? "valid: " : "") << "cluster " << cluster->name() << ": "
              << cluster->nodes() << " nodes, " << NumberText(cluster->cpus()) << " cpus";
  if (!cluster->tres().empty()) console.out << ", tres " << TresText(cluster->tres());
  console.out << '\n';
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
