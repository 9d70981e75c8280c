#include "server/api/shared/job_amounts.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/numbers/most_amount.h"

namespace priorityd::rpc {

std::string AmountFault(absl::string_view tres, double amount) {
  if (!std::isfinite(amount) || amount < 0) {
    return absl::StrCat(": got ", amount, ", want a finite number of at least 0");
  }
  const bool is_size = absl::EqualsIgnoreCase(tres, "cpu") || absl::EqualsIgnoreCase(tres, "node");
  if (amount <= (is_size ? numbers::kMostAmount : numbers::kMostCount)) return "";
  return absl::StrCat(": got ", amount, ", want at most ", is_size ? "1e12" : "1e18");
}

}  // namespace priorityd::rpc
