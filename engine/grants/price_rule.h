// The rules of a price book: the cost of an hour of a TRES, by time.
#ifndef PRIORITYD_ENGINE_GRANTS_PRICE_RULE_H_
#define PRIORITYD_ENGINE_GRANTS_PRICE_RULE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace priorityd::grants {

// Prices change at full quarters of an hour, of which the offset of every time zone is a multiple.
inline constexpr absl::Duration kPriceStep = absl::Minutes(15);
inline constexpr int64_t kMaxPrice = 1'000'000;
inline constexpr size_t kMaxPriceRules = 200;  // Of a version of a book.
inline constexpr size_t kMaxRuleNames = 1000;  // Partitions, and QOS.

struct PriceRule {
  std::string tres;                  // Of usage records; `billing` = their billing.
  int64_t per_hour = 0;              // In 1e-12 of the currency.
  std::set<std::string> partitions;  // Empty = all usage, of no partition too.
  std::set<std::string> qos;
  uint32_t hours = 0;  // Bit n = the local hour n; 0 = all.
  uint32_t days = 0;   // Bit 0 = Monday; 0 = all.
  absl::Time from = absl::InfinitePast();
  absl::Time until = absl::InfiniteFuture();

  // `local`: of the time, in the zone of the book.
  bool HoldsAt(absl::Time time, const absl::CivilSecond& local) const;
  bool IsFor(absl::string_view partition, absl::string_view qos_name) const;

  friend bool operator==(const PriceRule&, const PriceRule&) = default;
};

// The rule of a TRES with these texts, by name:
//
//   PerHour=0.031               0 to kMaxPrice, at most 12 decimals; required
//   Partition=big,fast          at most kMaxRuleNames
//   QOS=high
//   Hours=20-8                  full hours of the local day, the second exclusive
//   Days=mon,tue                days of the local calendar
//   From=2026-10-01T00:00:00Z   RFC 3339; a full quarter of an hour
//   Until=2027-01-01T00:00:00Z  after From
//
// INVALID_ARGUMENT: `NAME: got X, want Y`, also of other names.
absl::StatusOr<PriceRule> ReadPriceRule(absl::string_view tres,
                                        const std::map<std::string, std::string>& cells);

// The name above for one in any case; another name as it is.
absl::string_view RuleCellName(absl::string_view name);
// A full quarter of an hour as RFC 3339, from 1970 to 9999.
absl::StatusOr<absl::Time> ReadPriceTime(absl::string_view text);
// The name of a price book: no list, and at most errors::kMaxNameBytes.
absl::Status CheckBookName(absl::string_view name);

// The texts that are not the default, in the order above; ReadPriceRule returns the same rule.
std::vector<std::pair<std::string, std::string>> CellsOf(const PriceRule& rule);

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_PRICE_RULE_H_
