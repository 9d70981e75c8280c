#include "client/prioctl/usage/grant_cost.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr double kSecondsOfMinute = 60;

std::string AttributeOfGrant(const v1::Grant& grant, const char* name) {
  const auto found = grant.attributes().find(name);
  return found == grant.attributes().end() ? "" : found->second;
}

// Grants of a user hold in the account itself, others also below it.
bool IsCharged(const v1::Grant& grant, const v1::JobCost& cost) {
  const bool is_open =
      grant.state() == v1::GRANT_STATE_ACTIVE || grant.state() == v1::GRANT_STATE_EXHAUSTED;
  const std::string user = AttributeOfGrant(grant, "User");
  if (!is_open || user.empty()) return is_open;
  const std::string accounts = AttributeOfGrant(grant, "Accounts");
  const std::vector<absl::string_view> names = absl::StrSplit(accounts, ',');
  return user == cost.user() && absl::c_linear_search(names, cost.account());
}

// TRES-minutes, times UsageFactor.
double MinutesOf(const v1::JobCost& cost, const std::string& tres) {
  if (tres == "billing") return cost.usage() / kSecondsOfMinute;
  const auto of = [&cost](const std::string& name) {
    const auto found = cost.tres_mins().find(name);
    return found == cost.tres_mins().end() ? 0 : found->second;
  };
  const double billing = of("billing");
  const double factor = billing > 0 ? cost.usage() / kSecondsOfMinute / billing : 1;
  return priority::WeightedSum(priority::TresTermsOf(tres), of) * factor;
}

}  // namespace

absl::Status GrantCosts::Ask(const std::string& account) {
  if (by_account_.contains(account)) return absl::OkStatus();
  v1::ListGrantsRequest request;
  request.add_accounts(account);
  auto list = client_.ListGrants(std::move(request));
  // A service of the version before, or a caller without the right.
  const bool is_hidden =
      absl::IsUnimplemented(list.status()) || absl::IsPermissionDenied(list.status());
  if (!list.ok() && !is_hidden) return list.status();
  by_account_[account] = list.ok() ? *std::move(list) : v1::ListGrantsResponse();
  return absl::OkStatus();
}

absl::Status GrantCosts::Print(const v1::JobCost& cost, std::ostream& out) {
  if (absl::Status s = Ask(cost.account()); !s.ok()) return s;
  Table table({{"GRANT"}, {"TRES"}, {"MINUTES", true}, {"LEFT", true}, {"THEN LEFT", true}});
  for (const v1::Grant& grant : by_account_[cost.account()].grants()) {
    if (!IsCharged(grant, cost)) continue;
    const std::string tres = AttributeOfGrant(grant, "TRES");
    const double minutes = MinutesOf(cost, tres);
    const double left = grant.balance().left_minutes();
    table.AddRow(
        {grant.name(), tres, NumberText(minutes), NumberText(left), NumberText(left - minutes)});
  }
  if (!table.empty()) out << '\n';
  table.Print(out);
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
