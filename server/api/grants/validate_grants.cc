#include "server/api/grants/validate_grants.h"

#include <cmath>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/grants/amount.h"
#include "engine/grants/settings.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMaxGrantsOfRequest = 1000;

void CheckGrantName(const char* field, const std::string& name, RequestViolations* violations) {
  if (name.empty()) violations->Add(field, "got none, want the name of a grant");
  violations->CheckText(field, name, errors::kMaxNameBytes);
}

// The fields of UpdateGrants and RevokeGrants.
template <typename Request>
RequestViolations CheckedGrantChange(const Request& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.names().empty()) violations.Add("names", "got none, want at least one");
  violations.CheckCount("names", request.names_size(), kMaxGrantsOfRequest);
  violations.CheckTexts("names", request.names());
  std::set<std::string> seen;
  for (int i = 0; i < request.names_size(); ++i) {
    if (seen.insert(request.names(i)).second) continue;
    violations.Add(absl::StrCat("names[", i, "]"), "got a name twice, want it once");
  }
  CheckOptions(request.options(), &violations);
  return violations;
}

}  // namespace

void CheckTransferred(const std::string& message, double minutes, const std::string& seconds,
                      RequestViolations* violations) {
  const std::string in_minutes = message + "amount_minutes";
  const std::string exact = message + "amount_tres_seconds";
  const bool is_exact = !seconds.empty();
  const auto amount = grants::Amount::FromDecimal(seconds);
  if (is_exact && minutes != 0) {
    violations->Add(in_minutes, "got amount_tres_seconds too, want one of them");
  } else if (is_exact && !amount.ok()) {
    violations->Add(exact, amount.status().message());
  } else if (is_exact && (*amount <= grants::Amount() ||
                          *amount > grants::Amount::FromMinutes(grants::kMaxMinutes))) {
    violations->Add(exact, absl::StrCat("got ", seconds, ", want above 0 and at ", "most ",
                                        grants::kMaxMinutes * 60));
  } else if (!is_exact &&
             (!std::isfinite(minutes) || minutes <= 0 || minutes > grants::kMaxMinutes)) {
    violations->Add(in_minutes, absl::StrCat("got ", minutes, ", want above 0 and at most ",
                                             grants::kMaxMinutes));
  }
}

absl::Status Validate(const v1::ListGrantsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckTexts("names", request.names());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  return violations.ToStatus();
}

absl::Status Validate(const v1::GetGrantStatementRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckGrantName("name", request.name(), &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdateGrantsRequest& request) {
  RequestViolations violations = CheckedGrantChange(request);
  CheckSettings(request.settings(), &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::RevokeGrantsRequest& request) {
  return CheckedGrantChange(request).ToStatus();
}

absl::Status Validate(const v1::TransferGrantRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckGrantName("from", request.from(), &violations);
  CheckGrantName("to", request.to(), &violations);
  CheckTransferred("", request.amount_minutes(), request.amount_tres_seconds(), &violations);
  CheckOptions(request.options(), &violations);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
