#include "server/api/policy/validate_policy.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "engine/errors/bounds.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// Whether a policy has any line except blank ones and comments: without one, everything would be
// Slurm's defaults.
bool SetsAnything(const std::string& text) {
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    const absl::string_view words = absl::StripAsciiWhitespace(line);
    if (!words.empty() && words.front() != '#') return true;
  }
  return false;
}

}  // namespace

void CheckPolicyText(const std::string& field, const std::string& text,
                     RequestViolations* violations) {
  if (SetsAnything(text)) {
    violations->CheckText(field, text, errors::kMaxPolicyBytes);
  } else {
    violations->Add(field, "got no parameter, want lines of slurm.conf, such as PriorityType=...");
  }
}

absl::Status Validate(const v1::LintPolicyRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckInlineJobs(request.jobs(), limits.max_jobs);
  if (request.has_as_of()) violations.CheckTime("as_of", request.as_of());
  if (request.has_policy_text()) {
    CheckPolicyText("policy_text", request.policy_text(), &violations);
  }
  violations.CheckText("policy_file_name", request.policy_file_name());
  return violations.ToStatus();
}

absl::Status Validate(const v1::ApplyPolicyRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckPolicyText("text", request.text(), &violations);
  violations.CheckText("file_name", request.file_name());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  violations.CheckExpectedVersion(request);
  violations.CheckCount("accept", request.accept_size(), errors::kMaxAccepted);
  violations.CheckTexts("accept", request.accept());
  return violations.ToStatus();
}

absl::Status Validate(const v1::GetPolicyRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.version() < 0) {
    violations.Add("version", absl::StrCat("got ", request.version(), ", want at least 0"));
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListPolicyVersionsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckPage(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::RollbackPolicyRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckText("comment", request.comment(), errors::kMaxCommentBytes);
  if (request.version() < 1) {
    violations.Add("version", absl::StrCat("got ", request.version(), ", want at least 1"));
  }
  violations.CheckExpectedVersion(request);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
