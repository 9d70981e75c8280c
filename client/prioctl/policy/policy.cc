#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/file_kind.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/slurm_conf_files.h"
#include "client/prioctl/policy/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/text/unused_text.h"
#include "client/priority_client.h"
#include "client/slurm/tables/policy_zone.h"

namespace priorityd::prioctl {
namespace {

// `prioctl policy apply FILE`
struct PolicyApplyOptions {
  std::string file;               // `-` = standard input
  std::string include_from;       // a folder more for Includes
  int64_t expected_version = -1;  // -1 = whatever the newest is.
  std::string comment;
  bool retroactive = false;
  bool validate_only = false;
  bool strict = false;
  std::vector<std::string> accept;
  bool json = false;
};

// `prioctl policy show`
struct PolicyShowOptions {
  int64_t version = 0;  // 0 = the newest
  bool unused = false;  // only what has no effect
  bool json = false;
};

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

absl::Status ShowUnused(const Policy& policy, bool json, std::ostream& out) {
  if (json) {
    Policy only;
    only.set_cluster(policy.cluster());
    only.set_version(policy.version());
    *only.mutable_unused() = policy.unused();
    return PrintJson(only, out);
  }
  PrintAllUnused(policy.unused(), out);
  if (policy.unused().empty()) out << "every setting has an effect\n";
  return absl::OkStatus();
}

absl::Status Run(const PolicyShowOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::GetPolicyRequest request;
  request.set_version(options.version);
  const absl::StatusOr<Policy> policy = client.GetPolicy(std::move(request));
  if (!policy.ok()) return policy.status();
  if (options.unused) return ShowUnused(*policy, options.json, console.out);
  if (options.json) return PrintJson(*policy, console.out);
  console.out << "policy version " << policy->version() << " of cluster " << policy->cluster()
              << ", applied at " << TimeText(policy->applied_at(), policy->has_applied_at());
  if (!policy->applied_by().empty()) console.out << " by " << policy->applied_by();
  if (!policy->comment().empty()) console.out << " (" << policy->comment() << ")";
  console.out << "\n\n";
  PrintParameters(policy->parameters(), console.out);
  if (!policy->unused().empty()) {
    console.out << '\n'
                << CountedText(policy->unused_size(), "setting")
                << " without effect: see `prioctl policy show --unused`\n";
  }
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
  request.set_strict(options.strict);
  request.mutable_accept()->Assign(options.accept.begin(), options.accept.end());
  if (options.expected_version >= 0) request.set_expected_version(options.expected_version);
  const auto response = client.ApplyPolicy(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  console.err << WarningLines(response->warnings());
  console.out << (options.validate_only ? "valid: " : "") << "policy version "
              << response->policy().version() << (response->created() ? " (new)" : " (unchanged)");
  if (options.retroactive) console.out << ", its half-life for all the past";
  if (response->has_takes_effect_at()) {
    console.out << "; takes effect at "
                << TimeText(response->takes_effect_at(),
                            tables::PolicyZone(client, response->policy().cluster()));
  }
  console.out << '\n';
  PrintUnused(response->unused(), console.out);
  return absl::OkStatus();
}

void AddPolicyShowOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<PolicyShowOptions>(app, line, Run);
  app->add_option("VERSION,--version", options->version, "Which version; default the newest")
      ->check(NotNegative())
      ->type_name("N");
  app->add_flag(
      "--unused", options->unused,
      "Only what Slurm acts on and priorityd does not, of the text, QOS and associations");
  AddJson(app, options->json);
}

void AddPolicyApplyOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<PolicyApplyOptions>(app, line, Run);
  AddPolicyFile(app, options->file);
  AddIncludeFrom(app, options->include_from);
  app->add_flag("--retroactive", options->retroactive,
                "The half-life holds for all the past too: sum up usage again from the ledger");
  AddExpectedVersion(app, options->expected_version);
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, options->validate_only);
  AddStrict(app, options->strict);
  AddAccept(app, options->accept);
  AddJson(app, options->json);
}

constexpr Command kShowCommand = {"show", "Show the policy", AddPolicyShowOptions};
constexpr Command kApplyCommand = {
    "apply", "Apply the parameters in a file, in force from the next recalculation",
    AddPolicyApplyOptions};

void AddPolicyGroup(CLI::App* app, CommandLine& line) {
  for (const Command* command :
       {&kShowCommand, &kPolicyVersionsCommand, &kPolicyRollbackCommand, &kApplyCommand,
        &kPolicyDiffCommand, &kPolicyLintCommand, &kPolicyReplayCommand}) {
    AddCommand(*command, app, line);
  }
}

}  // namespace

const Command kPolicyCommand = {"policy", "The parameters of slurm.conf in force", AddPolicyGroup};

}  // namespace priorityd::prioctl
