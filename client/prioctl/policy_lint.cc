#include "client/prioctl/policy_lint.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/jobs_file.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/table.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

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

}  // namespace

absl::Status Run(const PolicyLintOptions& options, const client::PriorityClient& client,
                 Console& console) {
  LintPolicyRequest request;
  if (!options.file.empty()) {
    absl::StatusOr<::priority::v1::InlineJobs> jobs = ReadJobs(options.file);
    if (!jobs.ok()) return jobs.status();
    *request.mutable_jobs() = *std::move(jobs);
  }
  if (options.as_of.has_value()) *request.mutable_as_of() = ToTimestamp(*options.as_of);
  const absl::StatusOr<LintPolicyResponse> response = client.LintPolicy(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  PrintRanges(*response, console.out);
  for (const auto& finding : response->findings()) {
    console.out << finding.code() << ": " << finding.message() << '\n';
  }
  if (response->findings().empty()) console.out << "nothing to complain about\n";
  console.out << "\nas of " << TimeText(response->as_of()) << "; "
              << SnapshotText(response->snapshot()) << '\n';
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
