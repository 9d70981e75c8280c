#include "engine/slurm/words/numbers.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace priorityd::slurm {
namespace {

// Octal digits below 2^63.
std::optional<uint64_t> ReadOctal(absl::string_view text) {
  uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '7' || number >> 60 != 0) return {};
    number = number * 8 + static_cast<uint64_t>(c - '0');
  }
  return number;
}

}  // namespace

std::optional<uint64_t> ReadInteger(absl::string_view text, uint64_t max) {
  uint64_t value = 0;
  if (text.empty() || !std::all_of(text.begin(), text.end(), absl::ascii_isdigit)) return {};
  if (!absl::SimpleAtoi(text, &value) || value > max) return {};
  return value;
}

std::optional<double> ReadAmount(absl::string_view text, absl::FunctionRef<double(int power)> unit,
                                 double max) {
  const int power = text.empty() ? 0 : SuffixPower(text.back());
  if (power > 0) text.remove_suffix(1);
  const size_t point = power > 0 ? text.find('.') : absl::string_view::npos;
  const absl::string_view whole = text.substr(0, point);
  const bool digits = std::all_of(whole.begin(), whole.end(), absl::ascii_isdigit);
  if (whole.empty() || !digits) return {};
  if (point != absl::string_view::npos) {
    const absl::string_view fraction = text.substr(point + 1);
    if (!std::all_of(fraction.begin(), fraction.end(), absl::ascii_isdigit)) return {};
  }
  const std::optional<double> number = ReadDecimal(text);
  if (!number.has_value()) return {};
  const double amount = std::ceil(*number * (power > 0 ? unit(power) : 1));
  if (!(amount <= max)) return {};
  return amount;
}

std::optional<uint64_t> ReadConfInteger(absl::string_view text, uint64_t max) {
  constexpr uint64_t kUnlimited = 4294967295;
  if (absl::EqualsIgnoreCase(text, "UNLIMITED") || absl::EqualsIgnoreCase(text, "INFINITE")) {
    return max < kUnlimited ? std::optional<uint64_t>() : kUnlimited;
  }
  if (text.size() > 1 && text[0] == '+' && absl::ascii_isdigit(text[1])) text.remove_prefix(1);
  const uint64_t unit = absl::EndsWithIgnoreCase(text, "k") ? 1024 : 1;
  if (unit > 1) text.remove_suffix(1);
  std::optional<uint64_t> number;
  if (absl::StartsWithIgnoreCase(text, "0x")) {
    uint64_t hexadecimal = 0;
    const absl::string_view digits = text.substr(2);
    const bool are_digits = std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit);
    if (are_digits && absl::SimpleHexAtoi(digits, &hexadecimal)) number = hexadecimal;
  } else if (text.size() > 1 && text[0] == '0') {
    number = ReadOctal(text);
  } else {
    number = ReadInteger(text, max);
  }
  if (!number.has_value() || *number > max / unit) return {};
  return *number * unit;
}

std::string MegabytesText(int64_t megabytes) {
  constexpr absl::string_view kUnits = "MGTP";
  constexpr int64_t kUnit = 1024;
  size_t unit = 0;
  bool has_half = false;
  while (!has_half && megabytes >= kUnit && megabytes % (kUnit / 2) == 0 &&
         unit + 1 < kUnits.size()) {
    has_half = megabytes % kUnit != 0;
    megabytes /= kUnit;
    ++unit;
  }
  return absl::StrCat(megabytes, has_half ? ".50" : "", kUnits.substr(unit, 1));
}

std::optional<double> ReadDecimal(absl::string_view text) {
  const auto allowed = [](char c) {
    return absl::ascii_isdigit(c) || c == '.' || c == '+' || c == '-' || c == 'e' || c == 'E';
  };
  double value = 0;
  if (!std::all_of(text.begin(), text.end(), allowed)) return {};
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) return {};
  return value;
}

std::string DecimalText(double value) {
  for (const int digits : {6, 15}) {
    std::string text = absl::StrFormat("%.*g", digits, value);
    if (ReadDecimal(text) == value) return text;
  }
  return absl::StrFormat("%.17g", value);
}

std::string RoundTripText(double value) { return absl::StrFormat("%.17g", value); }

int SuffixPower(char suffix) {
  const absl::string_view suffixes = "KMGTP";
  const size_t position = suffixes.find(absl::ascii_toupper(suffix));
  return position == absl::string_view::npos ? 0 : static_cast<int>(position) + 1;
}

}  // namespace priorityd::slurm
