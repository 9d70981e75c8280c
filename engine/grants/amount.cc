#include "engine/grants/amount.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::grants {
namespace {

constexpr int64_t kMillion = 1'000'000;
constexpr int64_t kTrillion = kMillion * kMillion;
constexpr int64_t kUnitsOfSecond = 1'000'000'000'000'000'000;
constexpr size_t kDecimals = 18;
// 1.7e38 units, just below 2^127.
constexpr absl::int128 kMost = absl::MakeInt128(0x7fe4cf1e337eb469, 0x1037a0a000000000);

absl::int128 Sum(absl::int128 a, absl::int128 b) {
  if (a > 0 && b > kMost - a) return kMost;
  if (a < 0 && b < -kMost - a) return -kMost;
  return a + b;
}

absl::int128 Magnitude(absl::int128 a) { return a < 0 ? -a : a; }

// The estimate is within 1e-15 of the product, so that the product itself is below 2^127 where the
// estimate is below kMost.
absl::int128 Product(absl::int128 a, absl::int128 b) {
  const double estimate = static_cast<double>(a) * static_cast<double>(b);
  if (std::abs(estimate) >= static_cast<double>(kMost)) return estimate > 0 ? kMost : -kMost;
  return a * b;
}

// units * factor, rounded down: the product of two numbers of 128 and 53 bits, shifted.
absl::uint128 ScaledDown(absl::uint128 units, double factor) {
  constexpr int kMantissaBits = 53;
  int exponent = 0;
  const double mantissa = std::frexp(factor, &exponent);
  const absl::uint128 multiplier = numbers::WholePart(std::ldexp(mantissa, kMantissaBits));
  const int shift = kMantissaBits - exponent;
  const absl::uint128 low = absl::uint128(absl::Uint128Low64(units)) * multiplier;
  const absl::uint128 high = absl::uint128(absl::Uint128High64(units)) * multiplier + (low >> 64);
  if (shift >= 192) return 0;
  if (shift >= 64) return high >> (shift - 64);
  return (high << (64 - shift)) | (absl::Uint128Low64(low) >> shift);
}

// A division by a million and its rest, in 32 bits at a time: several times as fast as that of 128
// bits. REQUIRES: units < 2^127.
std::pair<absl::int128, int64_t> ByMillion(absl::uint128 units) {
  constexpr uint64_t kDivisor = kMillion;
  constexpr uint64_t kLow = 0xffffffff;
  const uint64_t high = absl::Uint128High64(units);
  const uint64_t low = absl::Uint128Low64(units);
  const uint64_t upper = (high % kDivisor << 32) | (low >> 32);
  const uint64_t lower = (upper % kDivisor << 32) | (low & kLow);
  const absl::uint128 quotient =
      absl::MakeUint128(high / kDivisor, (upper / kDivisor << 32) | (lower / kDivisor));
  return {absl::int128(quotient), static_cast<int64_t>(lower % kDivisor)};
}

bool AreDigits(absl::string_view text) { return absl::c_all_of(text, absl::ascii_isdigit); }

}  // namespace

// The whole part of the rate is exact.
Rate RateOf(double rate) {
  if (!std::isfinite(rate)) return 0;
  if (std::abs(rate) >= 1.7e26) return rate < 0 ? -kMost : kMost;
  const double whole = std::trunc(rate);
  return absl::int128(whole) * kTrillion + numbers::RoundedWhole((rate - whole) * kTrillion);
}

Rate PriceOf(double count, int64_t trillionths) {
  const Rate counted = RateOf(count);
  const Rate below = counted % kTrillion * trillionths;
  const Rate half = below < 0 ? -kTrillion / 2 : kTrillion / 2;
  return Sum(Product(counted / kTrillion, trillionths), (below + half) / kTrillion);
}

Rate SumOf(Rate a, Rate b) { return Sum(a, b); }

Amount Amount::Of(double rate, absl::Duration time) { return OfRate(RateOf(rate), time); }

Amount Amount::OfRate(Rate rate, absl::Duration time) {
  return Amount(Product(rate, absl::ToInt64Microseconds(time)));
}

Amount Amount::FromMinutes(double minutes) { return Of(minutes, absl::Minutes(1)); }

absl::StatusOr<Amount> Amount::FromDecimal(absl::string_view text) {
  absl::string_view rest = text;
  const bool negative = absl::ConsumePrefix(&rest, "-");
  const size_t point = std::min(rest.find('.'), rest.size());
  const absl::string_view whole = rest.substr(0, point);
  const absl::string_view fraction = point < rest.size() ? rest.substr(point + 1) : "";
  std::string decimals(fraction);
  decimals.resize(std::max<size_t>(fraction.size(), kDecimals), '0');
  absl::int128 seconds = 0;
  int64_t below = 0;
  const bool reads = !whole.empty() && AreDigits(whole) && AreDigits(fraction) &&
                     (point == rest.size() || !fraction.empty()) && decimals.size() == kDecimals &&
                     absl::SimpleAtoi(decimals, &below) && absl::SimpleAtoi(whole, &seconds) &&
                     seconds <= kMost / kUnitsOfSecond && seconds * kUnitsOfSecond + below <= kMost;
  if (!reads) {
    return slurm::Unexpected(text,
                             "a number such as 12.5, with at most 18 decimals, at most 1.7e20");
  }
  const absl::int128 units = seconds * kUnitsOfSecond + below;
  return Amount(negative ? -units : units);
}

Amount Amount::operator+(Amount other) const { return Amount(Sum(units_, other.units_)); }
Amount Amount::operator-(Amount other) const { return Amount(Sum(units_, -other.units_)); }

std::strong_ordering operator<=>(Amount a, Amount b) {
  if (a.units_ == b.units_) return std::strong_ordering::equal;
  return a.units_ < b.units_ ? std::strong_ordering::less : std::strong_ordering::greater;
}

Amount Amount::operator*(int64_t factor) const { return Amount(Product(units_, factor)); }
Amount Amount::operator/(int64_t divisor) const { return Amount(units_ / divisor); }

Amount Amount::Part(int64_t millionths) const {
  if (millionths == 0) return Amount();
  const auto [millions, rest] = ByMillion(absl::uint128(Magnitude(units_)));
  // At most the units themselves.
  const absl::int128 whole =
      millionths <= kMillion ? millions * millionths : Product(millions, millionths);
  const absl::int128 part = Sum(whole, rest * millionths / kMillion);
  return Amount(units_ < 0 ? -part : part);
}

Amount Amount::Times(double factor) const {
  const auto scaled = absl::int128(ScaledDown(absl::uint128(Magnitude(units_)), factor));
  return Amount(units_ < 0 ? -scaled : scaled);
}

double Amount::seconds() const {
  return static_cast<double>(static_cast<long double>(units_) / kUnitsOfSecond);
}

std::string Amount::ToDecimal() const {
  const absl::int128 units = Magnitude(units_);
  const uint64_t decimals = absl::Int128Low64(units % kUnitsOfSecond);
  std::ostringstream text;
  text << (units_ < 0 ? "-" : "") << units / kUnitsOfSecond;
  if (decimals == 0) return text.str();
  const std::string fraction = absl::StrFormat(".%018u", decimals);
  return text.str() + fraction.substr(0, fraction.find_last_not_of('0') + 1);
}

}  // namespace priorityd::grants
