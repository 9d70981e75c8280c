#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/file_kind.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/jobs_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/slurm_conf_files.h"
#include "client/prioctl/policy/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// `prioctl policy lint [FILE]`
struct PolicyLintOptions {
  std::string file;    // Jobs, or a slurm.conf; `-` = standard input; empty = the policy alone
  std::string policy;  // A slurm.conf; empty = `file` if it is one, else the policy in force
  AsOf as_of;
  bool json = false;
};

using ::priority::v1::LintPolicyRequest;
using ::priority::v1::LintPolicyResponse;

void PrintRanges(const LintPolicyResponse& response, std::ostream& out) {
  if (response.ranges().empty()) return;
  if (response.rows() > 0) {
    out << "points on " << CountText(response.rows()) << " rows of the queue\n";
  } else {
    out << "points possible\n";
  }
  Table table({{"NAME"},
               {"WEIGHT", true},
               {"LOWEST", true},
               {"HIGHEST", true},
               {"RANGE", true},
               {"OVERTURNS"}});
  for (const auto& range : response.ranges()) {
    table.AddRow({range.name(), NumberText(range.weight()),
                  absl::StrFormat("%.2f", range.lowest_contribution()),
                  absl::StrFormat("%.2f", range.highest_contribution()),
                  absl::StrFormat("%.2f", range.range()), absl::StrJoin(range.overturns(), ", ")});
  }
  table.Print(out);
  out << '\n';
}

// Whether it is a file that looks like a slurm.conf; standard input can be read only once.
absl::StatusOr<bool> IsPolicy(const std::string& file) {
  if (file.empty() || file == "-") return false;
  absl::StatusOr<std::string> content = ReadFile(file);
  if (!content.ok()) return content.status();
  return LookAt(*content) == FileKind::kSlurmConf;
}

absl::Status SetPolicy(const std::string& file, LintPolicyRequest* request) {
  absl::StatusOr<PolicyText> policy = ReadPolicyText(file);
  if (!policy.ok()) return policy.status();
  if (absl::Status s = CheckKind(policy->name, policy->text, FileKind::kSlurmConf); !s.ok()) {
    return s;
  }
  request->set_policy_text(std::move(policy->text));
  request->set_policy_file_name(std::move(policy->name));
  return absl::OkStatus();
}

absl::Status SetJobs(const std::string& file, LintPolicyRequest* request) {
  absl::StatusOr<::priority::v1::InlineJobs> jobs = ReadJobs(file);
  if (jobs.ok()) {
    *request->mutable_jobs() = *std::move(jobs);
    return absl::OkStatus();
  }
  if (!absl::IsInvalidArgument(jobs.status())) return jobs.status();
  return absl::InvalidArgumentError(
      absl::StrCat(jobs.status().message(), "; a slurm.conf is looked at with --policy"));
}

absl::StatusOr<LintPolicyRequest> MakeRequest(const PolicyLintOptions& options) {
  LintPolicyRequest request;
  const absl::StatusOr<bool> is_policy = IsPolicy(options.file);
  if (!is_policy.ok()) return is_policy.status();
  const bool as_policy = options.policy.empty() && *is_policy;
  const std::string& policy = as_policy ? options.file : options.policy;
  absl::Status set;
  if (!policy.empty()) set = SetPolicy(policy, &request);
  if (set.ok() && !as_policy && !options.file.empty()) set = SetJobs(options.file, &request);
  if (!set.ok()) return set;
  if (options.as_of.has_value()) *request.mutable_as_of() = ToTimestamp(*options.as_of);
  return request;
}

absl::Status Run(const PolicyLintOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::StatusOr<LintPolicyRequest> request = MakeRequest(options);
  if (!request.ok()) return request.status();
  const std::string supposed = request->policy_file_name();
  const absl::StatusOr<LintPolicyResponse> response = client.LintPolicy(*std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  PrintRanges(*response, console.out);
  for (const auto& finding : response->findings()) {
    console.out << finding.code() << ": " << finding.message() << '\n';
  }
  if (response->findings().empty()) console.out << "nothing to complain about\n";
  console.out << '\n';
  if (!supposed.empty()) console.out << "as if " << supposed << " were in force; ";
  console.out << "as of " << TimeText(response->as_of(), response->has_as_of()) << "; "
              << SnapshotText(response->snapshot()) << '\n';
  return absl::OkStatus();
}

void AddPolicyLintOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<PolicyLintOptions>(app, line, Run);
  app->add_option("FILE", options->file,
                  "Jobs as JSON Lines, or a slurm.conf; - is standard input; default the policy "
                  "in force alone")
      ->type_name("");
  app->add_option("--policy", options->policy, "As if the parameters in this slurm.conf held")
      ->type_name("FILE");
  AddAsOf(app, options->as_of, "Look at the queue at this time, not now");
  AddJson(app, options->json);
}

}  // namespace

const Command kPolicyLintCommand = {
    "lint", "How much each factor decides on a queue, and settings that are probably mistakes",
    AddPolicyLintOptions};

}  // namespace priorityd::prioctl
