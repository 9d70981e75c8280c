// Exact amounts of a TRES over time.
#ifndef PRIORITYD_ENGINE_GRANTS_AMOUNT_H_
#define PRIORITYD_ENGINE_GRANTS_AMOUNT_H_

#include <compare>
#include <cstdint>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::grants {

// A rate in whole numbers of 1e-12 TRES, at most 1.7e38 of them.
using Rate = absl::int128;
// The nearest one; not finite = 0.
Rate RateOf(double rate);
// The price of `count` of a TRES, in currency by the hour, at `trillionths` of 1e-12 currency for
// one: exact for whole counts; a count is rounded to 1e-12, and the price to 1e-12. Not finite = 0.
Rate PriceOf(double count, int64_t trillionths);
// Saturated.
Rate SumOf(Rate a, Rate b);

// A whole number of 1e-18 TRES-seconds, so that sums do not depend on their order and a record that
// is split adds up to the whole. Between -1.7e20 and 1.7e20 TRES-seconds; results beyond are the
// nearest of these.
class Amount {
 public:
  constexpr Amount() = default;

  // `rate` TRES for `time`. The rate is rounded to 1e-12, once: the amounts of the parts of a time
  // add up to that of the whole. Not finite = 0. REQUIRES: whole microseconds, finite.
  static Amount Of(double rate, absl::Duration time);
  static Amount OfRate(Rate rate, absl::Duration time);
  // TRES-minutes, rounded to 1e-12 of one. Not finite = 0.
  static Amount FromMinutes(double minutes);
  // TRES-seconds as a decimal number with at most 18 decimals, as ToDecimal writes it: digits,
  // perhaps with a minus before and a point within. INVALID_ARGUMENT: `got X, want ...`.
  static absl::StatusOr<Amount> FromDecimal(absl::string_view text);

  Amount operator+(Amount other) const;
  Amount operator-(Amount other) const;
  Amount operator-() const { return Amount() - *this; }
  Amount& operator+=(Amount other) { return *this = *this + other; }
  Amount& operator-=(Amount other) { return *this = *this - other; }
  friend constexpr bool operator==(Amount, Amount) = default;
  friend std::strong_ordering operator<=>(Amount a, Amount b);

  Amount operator*(int64_t factor) const;
  // Rounded towards zero. REQUIRES: divisor != 0.
  Amount operator/(int64_t divisor) const;
  // `millionths` of it, rounded towards zero. REQUIRES: 0 <= millionths <= 1e9.
  Amount Part(int64_t millionths) const;
  // The exact product with the double, rounded towards zero. REQUIRES: 0 <= factor <= 1.
  Amount Times(double factor) const;

  double seconds() const;
  double minutes() const { return seconds() / 60; }
  // TRES-seconds, without trailing zeros: `-12.5`.
  std::string ToDecimal() const;

 private:
  explicit constexpr Amount(absl::int128 units) : units_(units) {}

  absl::int128 units_ = 0;
};

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_AMOUNT_H_
