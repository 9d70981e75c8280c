#include "client/prioctl/policy/policy_versions.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/policy/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/line_diff.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/slurm/tables/policy_zone.h"

namespace priorityd::prioctl {
namespace {

// `prioctl policy versions`
struct PolicyVersionsOptions {
  uint32_t limit = 0;  // 0 = all
  bool json = false;
};

// `prioctl policy rollback VERSION`
struct PolicyRollbackOptions {
  int64_t version = 0;
  int64_t expected_version = -1;  // -1 = whatever the newest is.
  std::string comment;
  bool validate_only = false;
  bool json = false;
};

using ::priority::v1::ListPolicyVersionsResponse;
using ::priority::v1::ParameterChange;
using ::priority::v1::Policy;

absl::StatusOr<Policy> Get(int64_t version, const client::PriorityClient& client) {
  ::priority::v1::GetPolicyRequest request;
  request.set_version(version);
  return client.GetPolicy(std::move(request));
}

// Both have the parameters of the same table, in its order.
std::vector<ParameterChange> Differences(const Policy& before, const Policy& after) {
  std::vector<ParameterChange> changes;
  const auto& old_values = before.parameters().all();
  const auto& new_values = after.parameters().all();
  for (int i = 0; i < std::min(old_values.size(), new_values.size()); ++i) {
    if (old_values[i].value() == new_values[i].value()) continue;
    ParameterChange& change = changes.emplace_back();
    change.set_parameter(new_values[i].name());
    change.set_before(old_values[i].value());
    change.set_after(new_values[i].value());
  }
  return changes;
}

void PrintParameters(const std::vector<ParameterChange>& changes, std::ostream& out) {
  if (changes.empty()) out << "no parameter differs\n";
  Table table({{"PARAMETER"}, {"BEFORE"}, {"AFTER"}});
  for (const ParameterChange& change : changes) {
    table.AddRow({change.parameter(), change.before(), change.after()});
  }
  table.Print(out);
}

void PrintTexts(const Policy& before, const Policy& after, std::ostream& out) {
  const std::string diff = LineDiff({before.text().data(), before.text().size()},
                                    {after.text().data(), after.text().size()});
  if (diff.empty()) {
    out << "\nthe texts are the same\n";
  } else {
    out << "\nlines of the texts:\n" << diff;
  }
}

absl::Status Run(const PolicyVersionsOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<ListPolicyVersionsResponse> list =
      client.ListPolicyVersions({}, options.limit);
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  Table table({{"VERSION", true}, {"APPLIED"}, {"BY"}, {"COMMENT"}});
  for (const Policy& version : list->versions()) {
    table.AddRow({absl::StrCat(version.version()),
                  TimeText(version.applied_at(), version.has_applied_at()), version.applied_by(),
                  version.comment()});
  }
  table.Print(console.out);
  return absl::OkStatus();
}

absl::Status Run(const PolicyRollbackOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::RollbackPolicyRequest request;
  request.set_version(options.version);
  request.set_comment(options.comment);
  request.set_validate_only(options.validate_only);
  if (options.expected_version >= 0) request.set_expected_version(options.expected_version);
  const auto response = client.RollbackPolicy(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  console.err << WarningLines(response->warnings());
  console.out << (options.validate_only ? "valid: " : "") << "policy version "
              << response->policy().version();
  if (response->created()) {
    console.out << " (new), as version " << options.version << " was";
  } else {
    console.out << " (unchanged)";
  }
  if (response->has_takes_effect_at()) {
    console.out << "; takes effect at "
                << TimeText(response->takes_effect_at(),
                            tables::PolicyZone(client, response->policy().cluster()));
  }
  console.out << '\n';
  return absl::OkStatus();
}

void AddPolicyVersionsOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<PolicyVersionsOptions>(app, line, Run);
  app->add_option("--limit", options->limit, "Only so many, the newest")->type_name("N");
  AddJson(app, options->json);
}

void AddPolicyRollbackOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<PolicyRollbackOptions>(app, line, Run);
  app->add_option("VERSION", options->version, "The version to apply again")
      ->required()
      ->check(WholeNumber(1))
      ->type_name("");
  AddExpectedVersion(app, options->expected_version);
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

}  // namespace

absl::Status DiffVersions(int64_t from, int64_t to, bool json, const client::PriorityClient& client,
                          Console& console) {
  const absl::StatusOr<Policy> before = Get(from, client);
  if (!before.ok()) return before.status();
  const absl::StatusOr<Policy> after = Get(to, client);
  if (!after.ok()) return after.status();
  const std::vector<ParameterChange> changes = Differences(*before, *after);
  if (json) {
    console.out << '['
                << absl::StrJoin(changes, ",",
                                 [](std::string* text, const ParameterChange& change) {
                                   absl::StrAppend(text, ToJson(change));
                                 })
                << "]\n";
    return absl::OkStatus();
  }
  console.out << "from policy version " << before->version() << " to " << after->version()
              << " of cluster " << after->cluster() << "\n\n";
  PrintParameters(changes, console.out);
  PrintTexts(*before, *after, console.out);
  return absl::OkStatus();
}

const Command kPolicyVersionsCommand = {"versions", "Who applied which version, when and why",
                                        AddPolicyVersionsOptions};

const Command kPolicyRollbackCommand = {"rollback", "Apply an older version again, as a new one",
                                        AddPolicyRollbackOptions};

}  // namespace priorityd::prioctl
