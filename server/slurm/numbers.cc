#include "server/slurm/numbers.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace priorityd::slurm {

std::optional<uint64_t> ReadInteger(absl::string_view text, uint64_t max) {
  uint64_t value = 0;
  if (text.empty() || !std::all_of(text.begin(), text.end(), absl::ascii_isdigit)) return {};
  if (!absl::SimpleAtoi(text, &value) || value > max) return {};
  return value;
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
