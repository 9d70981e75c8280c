// Grants as people read them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_GRANTS_GRANT_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_GRANTS_GRANT_TEXT_H_

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/prioctl/text/slurm_table.h"
#include "priority/v1/grant.pb.h"

namespace priorityd::prioctl {

// The layout of amounts and tables.
struct GrantLayout {
  bool hours = false;  // TRES-hours; otherwise TRES-minutes.
  bool money = false;  // See Of.
  std::string currency = {};
  SlurmLayout table =
      SlurmLayout::kFixedWidth;                 // kFixedWidth = for people, with commas in numbers.
  absl::TimeZone zone = absl::LocalTimeZone();  // Of times.

  // In the currency where the grant is money of a price book, of which a unit is an hour.
  GrantLayout Of(const ::priority::v1::Grant& grant) const;

  bool for_people() const { return table == SlurmLayout::kFixedWidth; }
  std::string unit() const {
    if (money) return currency.empty() ? "currency" : currency;
    return hours ? "TRES-hours" : "TRES-minutes";
  }
};

// For people `1,234.5`, rounded to hundredths; otherwise `1234.5`, rounded to millionths.
std::string GrantAmountText(double minutes, const GrantLayout& layout);

// `not begun`, `active`, `exhausted`, `ended` or `revoked`.
std::string GrantStateText(::priority::v1::GrantState state);

// The value of a setting; empty = the grant does not have it.
std::string SettingOf(const ::priority::v1::Grant& grant, const std::string& name);

// `chem,phys`, or `ann in chem`.
std::string GrantOwnerText(const ::priority::v1::Grant& grant);

// A row for each grant; what `prioctl grant list` prints.
void PrintGrants(const ::priority::v1::ListGrantsResponse& list, const GrantLayout& layout,
                 std::ostream& out);

// The settings, the present window and the versions of the amount.
void PrintGrant(const ::priority::v1::GetGrantStatementResponse& statement,
                const GrantLayout& layout, std::ostream& out);

// A row for each window and, for people, the sum of what was granted, carried over, repaid,
// transferred and used. What is available and left of windows has no sum: a part of it is carried
// over and is then in two windows.
void PrintStatement(const ::priority::v1::GetGrantStatementResponse& statement,
                    const GrantLayout& layout, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_GRANTS_GRANT_TEXT_H_
