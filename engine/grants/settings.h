// The settings of a grant as texts, by name.
#ifndef PRIORITYD_ENGINE_GRANTS_SETTINGS_H_
#define PRIORITYD_ENGINE_GRANTS_SETTINGS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/grants/grant.h"
#include "engine/priority/site/grant_standing.h"

namespace priorityd::grants {

inline constexpr size_t kMaxAccounts = 1000;     // Of one grant.
inline constexpr double kMaxMinutes = 1e15;      // Amount.
inline constexpr int kMaxYearsBeforeNow = 10;    // Begin.
inline constexpr int kMaxYearsAfterNow = 50;     // Begin.
inline constexpr int kMaxYearsOfGrant = 50;      // From Begin to End.
inline constexpr int kMaxRollingDays = 366;      // Window=rolling:N.
inline constexpr int kMaxCarryWindows = 100;     // CarryOverWindows.
inline constexpr int kMaxHalfLifeDays = 36'500;  // CarryOverHalfLife.
inline constexpr int kMaxOrder = 1000;           // Order, also below 0.
inline constexpr size_t kMaxTerms = 20;          // Of a sum of TRES.
inline constexpr double kMinWeight = 1e-9;       // In a sum of TRES.
inline constexpr double kMaxWeight = 1e9;

// A grant and its owner. `grant` has no name and no transfers. It has one version: the amount, in
// effect from its begin on.
struct Settings {
  std::vector<std::string> accounts;  // At least one; ascending and distinct.
  std::string user;                   // Only of one account; empty = everybody.
  std::string tres = "billing";  // Canonical, a sum (priority::TresSumText), or of a price book.
  Grant grant;
  priority::GrantConsequence consequence = priority::GrantConsequence::kNone;
  std::string demoted_qos;  // kDemote: the QOS.
  priority::GrantMeasure measure;

  friend bool operator==(const Settings&, const Settings&) = default;
};

// The name of a setting as written below, for a name in any case. INVALID_ARGUMENT: `got X, want
// one of ...`.
absl::StatusOr<absl::string_view> FindSetting(absl::string_view name);

// All names, in the order below.
std::vector<std::string> SettingNames();

// The settings with these texts, by name as FindSetting returns it; a text that is empty or missing
// means the default.
//
//   Accounts=chem,phys          at most kMaxAccounts; required
//   User=ann                    with one account only
//   TRES=gres/gpu               default billing; or a sum by weights, cpu=1,mem=0.25G, with at most
//                               kMaxTerms TRES other than billing, kMinWeight to kMaxWeight; or the
//                               money of a price book, price/academic
//   Amount=120000 or 2000h      TRES-minutes, or TRES-hours; above 0, at most kMaxMinutes;
//   required.
//                               Of a price book: in the currency, 5000
//   Begin=2026-10-01T00:00:00   in `zone`; also without seconds, without a time (midnight), with a
//                               zone as in RFC 3339, or `now`, the default. At most
//                               kMaxYearsBeforeNow before `now` or kMaxYearsAfterNow after it
//   End=2027-10-01              after Begin, by at most kMaxYearsOfGrant; default: none
//   Window=month                fixed (default), month, quarter, year, or rolling:DAYS
//   CarryOver=10%               percentages: 0% to 1000%, at most 4 decimals; this and those below
//   CarryOverCap=50%            only with CarryOver, as CarryOverWindows and CarryOverHalfLife
//   CarryOverWindows=2          1 to kMaxCarryWindows, default 1
//   CarryOverHalfLife=15-0      a time as Slurm writes it, at most kMaxHalfLifeDays
//   Borrow=10%                  CarryOver and Borrow: not with a fixed or rolling window
//   Grace=20%
//   Order=1                     -kMaxOrder to kMaxOrder, default 0
//   Consequence=demote:low      none (default), or another one of ReadConsequence
//
// `now`: when the grant was created, also for a later change of it; for Begin it is rounded down to
// whole seconds, other times to microseconds. INVALID_ARGUMENT: all violations of texts or, without
// any, of their combination, of the form `NAME: got X, want Y` (errors::ViolationsOf). Whether
// accounts, users and QOS exist is not checked.
absl::StatusOr<Settings> Read(const std::map<std::string, std::string>& cells,
                              const absl::TimeZone& zone, absl::Time now);

// The texts of settings that are not the default, and always Accounts, TRES, Amount (that of the
// last version), Begin and Window; times as RFC 3339 in UTC. Read returns the same settings.
// REQUIRES: what Read returned, perhaps with more versions.
std::map<std::string, std::string> Cells(const Settings& settings);

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_SETTINGS_H_
