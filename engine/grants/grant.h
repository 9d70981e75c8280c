// A grant: what its owner may use in each window of time.
#ifndef PRIORITYD_ENGINE_GRANTS_GRANT_H_
#define PRIORITYD_ENGINE_GRANTS_GRANT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/grants/amount.h"

namespace priorityd::grants {

// The windows of a grant. Those of a calendar begin with it, at midnight of the policy's time zone;
// the first one begins and the last one ends with the grant, and has the whole amount all the same.
enum class WindowKind : uint8_t {
  kFixed,    // One, as long as the grant.
  kMonth,    // Calendar months.
  kQuarter,  // From the first of January, April, July and October.
  kYear,     // Calendar years.
  kRolling,  // Today and the days before it, `rolling_days` in all.
};

// An amount from the window of a time on: a window has that of the last version with a time before
// its end. Versions are added, never changed.
struct Version {
  absl::Time effective;
  Amount amount;  // At least 0.

  friend bool operator==(const Version&, const Version&) = default;
};

// The amount that a transfer added to the window of its time; below 0 = removed.
struct Transfer {
  absl::Time at;
  Amount amount;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

// Parts are in millionths.
struct Grant {
  std::string name;
  absl::Time begin;
  // The end of the grant, or its revocation if that is earlier. At or before `begin`: there is no
  // window.
  absl::Time end = absl::InfiniteFuture();
  WindowKind window = WindowKind::kFixed;
  int rolling_days = 0;             // kRolling only; at least 1.
  std::vector<Version> versions;    // Ascending by time, at least one. Before the first its amount.
  std::vector<Transfer> transfers;  // In any order.

  // The part of the rest of a window that is carried over to the next one. Of several windows'
  // amounts the oldest is used first, and each is carried at most `carry_windows` times, each time
  // this part of what is then left of it (10% of an amount, then 10% of those). All together at
  // most `carry_cap` of the next one's amount; what the cap cuts off is of the oldest. Not for
  // kFixed and kRolling.
  int64_t carry_over = 0;
  std::optional<int64_t> carry_cap;
  int carry_windows = 1;
  // Set: for what is carried over, the usage of a window counts times 2^(-length / half-life),
  // length = that of the window, cut or not. As by Waldur's periodic limits for Slurm
  // (slurm-emulator).
  std::optional<absl::Duration> carry_half_life;
  // The part of the next window's amount that may be used before it begins; that window then has
  // less by what was used beyond what was available, up to this part. What was used beyond that is
  // not repaid. Not for kFixed and kRolling, nor in the last window.
  int64_t borrow = 0;
  // The part of the amount that may be used beyond what is available.
  int64_t grace = 0;
  // Of several grants of one owner and TRES, the one with the smallest number is used first, then
  // the one that ends first, then the first by name.
  int64_t order = 0;

  friend bool operator==(const Grant&, const Grant&) = default;
};

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_GRANT_H_
