#include "server/api/simulation/validate_simulation.h"

#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "server/api/grants/validate_grants.h"
#include "server/api/policy/validate_policy.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// As in sacctmgr's `Fairshare`, where a larger number means parent.
constexpr uint32_t kMaxShares = 2147483646;
// As for opening usage.
constexpr double kMaxUsage = 1e30;
// Each place needs a forecast of its own.
constexpr uint32_t kMaxForecastRows = 200;
// Of each the whole queue is counted.
constexpr int kMaxSupposedGrants = 100;

// The association of a supposition.
template <typename Supposed>
void CheckAssociation(const std::string& field, const Supposed& supposed,
                      RequestViolations* violations) {
  if (supposed.account().empty()) violations->Add(field + ".account", "got none, want an account");
  violations->CheckText(field + ".account", supposed.account());
  violations->CheckText(field + ".user", supposed.user());
  violations->CheckText(field + ".partition", supposed.partition());
  if (supposed.user().empty() && !supposed.partition().empty()) {
    violations->Add(field + ".partition", "got one without a user, want a user too");
  }
}

void CheckShares(const v1::SimulateRequest& request, RequestViolations* violations) {
  absl::flat_hash_set<std::tuple<std::string, std::string, std::string>> names;
  for (int i = 0; i < request.shares_size(); ++i) {
    const v1::SupposedShares& shares = request.shares(i);
    const std::string field = absl::StrCat("shares[", i, "]");
    CheckAssociation(field, shares, violations);
    if (!names.insert({shares.account(), shares.user(), shares.partition()}).second) {
      violations->Add(field, "got an association twice, want it once");
    }
    if (shares.raw_shares() > kMaxShares) {
      violations->Add(field + ".raw_shares",
                      absl::StrCat("got ", shares.raw_shares(), ", want at most ", kMaxShares));
    }
    const bool is_set = shares.has_raw_shares() || shares.parent_shares();
    if (!is_set) violations->Add(field, "got no shares, want raw_shares, or parent_shares true");
  }
}

void CheckUsage(const v1::SimulateRequest& request, RequestViolations* violations) {
  for (int i = 0; i < request.usage_size(); ++i) {
    const std::string field = absl::StrCat("usage[", i, "]");
    CheckAssociation(field, request.usage(i), violations);
    const double usage = request.usage(i).usage();
    if (usage >= 0 && usage <= kMaxUsage) continue;
    violations->Add(field + ".usage", absl::StrCat("got ", usage, ", want 0 to ", kMaxUsage));
  }
}

void CheckSupposedGrant(const std::string& field, const v1::SupposedGrant& grant,
                        RequestViolations* violations) {
  const std::string name = field + ".name";
  if (grant.name().empty()) violations->Add(name, "got none, want the name of a grant");
  violations->CheckText(name, grant.name(), errors::kMaxNameBytes);
  const std::string settings = field + ".settings";
  CheckSettings(grant.settings(), violations, settings);
  if (grant.revoked() && !grant.settings().empty()) {
    violations->Add(settings, "got settings of a revoked grant, want none");
  }
}

void CheckSupposedGrants(const v1::SimulateRequest& request, RequestViolations* violations) {
  violations->CheckCount("grants", request.grants_size(), kMaxSupposedGrants);
  if (!request.grants().empty() && !request.has_tracked()) {
    violations->Add("grants", "got some with jobs, want the tracked queue");
  }
  if (request.grants_size() > kMaxSupposedGrants) return;
  absl::flat_hash_set<std::string> names;
  for (int i = 0; i < request.grants_size(); ++i) {
    const std::string field = absl::StrCat("grants[", i, "]");
    CheckSupposedGrant(field, request.grants(i), violations);
    if (names.insert(request.grants(i).name()).second) continue;
    violations->Add(field + ".name", "got a name twice, want it once");
  }
}

void CheckSupposedTransfers(const v1::SimulateRequest& request, RequestViolations* violations) {
  violations->CheckCount("grant_transfers", request.grant_transfers_size(), kMaxSupposedGrants);
  if (!request.grant_transfers().empty() && !request.has_tracked()) {
    violations->Add("grant_transfers", "got some with jobs, want the tracked queue");
  }
  if (request.grant_transfers_size() > kMaxSupposedGrants) return;
  for (int i = 0; i < request.grant_transfers_size(); ++i) {
    const v1::SupposedTransfer& transfer = request.grant_transfers(i);
    const std::string field = absl::StrCat("grant_transfers[", i, "]");
    for (const auto& [end, name] : {std::pair(".from", transfer.from()), {".to", transfer.to()}}) {
      violations->CheckText(field + end, name, errors::kMaxNameBytes);
      if (name.empty()) violations->Add(field + end, "got none, want the name of a grant");
    }
    CheckTransferred(field + ".", transfer.amount_minutes(), transfer.amount_tres_seconds(),
                     violations);
  }
}

void CheckForecasts(const v1::SimulateRequest& request, RequestViolations* violations) {
  if (!request.has_tracked()) {
    violations->Add("with_forecasts", "got true with jobs, want the tracked queue");
  }
  if (!request.best_only()) {
    violations->Add("best_only", "got false, want true with with_forecasts");
  }
  if (request.has_as_of()) violations->Add("as_of", "got a time, want none with with_forecasts");
  if (request.has_later()) violations->Add("later", "got a time, want none with with_forecasts");
  if (request.limit() >= 1 && request.limit() <= kMaxForecastRows) return;
  violations->Add("limit", absl::StrCat("got ", request.limit(), ", want 1 to ", kMaxForecastRows,
                                        " with with_forecasts"));
}

}  // namespace

absl::Status Validate(const v1::SimulateRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.source_case() == v1::SimulateRequest::SOURCE_NOT_SET) {
    violations.Add("source", "got none, want jobs or tracked");
  }
  violations.CheckInlineJobs(request.jobs(), limits.max_jobs);
  if (request.has_as_of()) violations.CheckTime("as_of", request.as_of());
  if (request.has_later()) violations.CheckTime("later", request.later());
  if (request.has_policy_text()) {
    CheckPolicyText("policy_text", request.policy_text(), &violations);
  }
  violations.CheckText("policy_file_name", request.policy_file_name());
  violations.CheckCount("shares", request.shares_size(), limits.max_suppositions);
  violations.CheckCount("usage", request.usage_size(), limits.max_suppositions);
  violations.CheckView(request.view());
  if (request.with_forecasts()) CheckForecasts(request, &violations);
  CheckShares(request, &violations);
  CheckUsage(request, &violations);
  CheckSupposedGrants(request, &violations);
  CheckSupposedTransfers(request, &violations);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
