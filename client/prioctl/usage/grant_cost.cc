#include "client/prioctl/usage/grant_cost.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "engine/grants/amount.h"
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

double TresMinutesOf(const v1::JobCost& cost, const std::string& tres) {
  const auto found = cost.tres_mins().find(tres);
  return found == cost.tres_mins().end() ? 0 : found->second;
}

// TRES-minutes, times UsageFactor.
double MinutesOf(const v1::JobCost& cost, const std::string& tres) {
  if (tres == "billing") return cost.usage() / kSecondsOfMinute;
  const double billing = TresMinutesOf(cost, "billing");
  const double factor = billing > 0 ? cost.usage() / kSecondsOfMinute / billing : 1;
  return factor * priority::WeightedSum(priority::TresTermsOf(tres), [&](const std::string& name) {
           return TresMinutesOf(cost, name);
         });
}

// In the usage domain: billing by the prices of the member, times UsageFactor, other TRES without
// it.
double DomainMinutesOf(const v1::JobCost& cost, const std::string& tres,
                       const v1::ListGrantsResponse& own) {
  if (tres != "billing") {
    return priority::WeightedSum(priority::TresTermsOf(tres), [&](const std::string& name) {
      return TresMinutesOf(cost, name);
    });
  }
  if (own.domain_prices().empty()) return MinutesOf(cost, tres);
  double minutes = 0;
  for (const auto& [name, price] : own.domain_prices()) {
    minutes += price * TresMinutesOf(cost, name);
  }
  return minutes * cost.billing().usage_factor();
}

std::vector<std::string> RowOf(const v1::Grant& grant, const std::string& name, double minutes) {
  const double left = grant.balance().left_minutes();
  return {name, AttributeOfGrant(grant, "TRES"), NumberText(minutes), NumberText(left),
          NumberText(left - minutes)};
}

// Of a grant of money; without `price` the cost is not known.
std::vector<std::string> MoneyRow(const v1::Grant& grant, const std::string& name,
                                  const v1::JobPrice* price) {
  const auto text = [&](double minutes) {
    return absl::StrCat(HundredthsText(minutes / 60), " ", grant.currency());
  };
  const double left = grant.balance().left_minutes();
  const auto cost = grants::Amount::FromDecimal(price == nullptr ? "" : price->tres_seconds());
  return {name, AttributeOfGrant(grant, "TRES"), cost.ok() ? text(cost->minutes()) : "", text(left),
          cost.ok() ? text(left - cost->minutes()) : ""};
}

// Null = none.
const v1::JobPrice* PriceOf(const v1::JobCost& cost, const std::string& tres) {
  const auto found = absl::c_find_if(
      cost.prices(), [&](const v1::JobPrice& price) { return price.tres() == tres; });
  return found == cost.prices().end() ? nullptr : &*found;
}

}  // namespace

absl::Status GrantCosts::Ask(const std::string& account) {
  if (by_account_.contains(account)) return absl::OkStatus();
  v1::ListGrantsRequest request;
  request.add_accounts(account);
  auto grants = ListAccountGrants(std::move(request), client_);
  if (!grants.ok()) return grants.status();
  by_account_[account] = *std::move(grants);
  return absl::OkStatus();
}

absl::Status GrantCosts::Print(const v1::JobCost& cost, std::ostream& out) {
  if (absl::Status s = Ask(cost.account()); !s.ok()) return s;
  const AccountGrants& lists = by_account_[cost.account()];
  Table table({{"GRANT"}, {"TRES"}, {"MINUTES", true}, {"LEFT", true}, {"THEN LEFT", true}});
  for (const v1::Grant& grant : lists.own.grants()) {
    if (!IsCharged(grant, cost)) continue;
    const std::string tres = AttributeOfGrant(grant, "TRES");
    table.AddRow(priority::IsPrice(tres) ? MoneyRow(grant, grant.name(), PriceOf(cost, tres))
                                         : RowOf(grant, grant.name(), MinutesOf(cost, tres)));
  }
  for (const v1::Grant& grant : lists.of_domain.grants()) {
    if (!IsCharged(grant, cost)) continue;
    const std::string tres = AttributeOfGrant(grant, "TRES");
    const std::string name = absl::StrCat(grant.name(), " of domain ", lists.own.domain());
    table.AddRow(priority::IsPrice(tres)
                     ? MoneyRow(grant, name, nullptr)
                     : RowOf(grant, name, DomainMinutesOf(cost, tres, lists.own)));
  }
  if (!table.empty()) out << '\n';
  table.Print(out);
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
