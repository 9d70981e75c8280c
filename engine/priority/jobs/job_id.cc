#include "engine/priority/jobs/job_id.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"

namespace priorityd::priority {
namespace {

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// The first maximal run of digits, or of other bytes.
absl::string_view FirstRun(absl::string_view text) {
  const bool digits = IsDigit(text.front());
  const auto end =
      std::find_if(text.begin(), text.end(), [digits](char c) { return IsDigit(c) != digits; });
  return text.substr(0, end - text.begin());
}

absl::string_view StripZeros(absl::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

int CompareNumbers(absl::string_view a, absl::string_view b) {
  a = StripZeros(a);
  b = StripZeros(b);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

}  // namespace

int CompareJobIds(absl::string_view a, absl::string_view b) {
  absl::string_view rest_a = a;
  absl::string_view rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    const absl::string_view run_a = FirstRun(rest_a);
    const absl::string_view run_b = FirstRun(rest_b);
    const bool numbers = IsDigit(run_a.front()) && IsDigit(run_b.front());
    const int order = numbers ? CompareNumbers(run_a, run_b) : run_a.compare(run_b);
    if (order != 0) return order;
    rest_a.remove_prefix(run_a.size());
    rest_b.remove_prefix(run_b.size());
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty() ? -1 : 1;
  return a.compare(b);
}

uint64_t JobIdPrefix(absl::string_view id) {
  constexpr uint64_t kPayload = (uint64_t{1} << 62) - 1;
  constexpr size_t kDigits = 18;  // 10^18 fits the payload.
  constexpr size_t kBytes = 7;
  if (id.empty()) return 0;
  absl::string_view run = FirstRun(id);
  uint64_t payload = 0;
  if (IsDigit(run.front())) {
    run = StripZeros(run);
    if (run.size() > kDigits) return (uint64_t{1} << 62) | kPayload;
    for (const char c : run) payload = payload * 10 + (c - '0');
    return (uint64_t{1} << 62) | payload;
  }
  for (size_t i = 0; i < kBytes; ++i) {
    payload = payload << 8 | (i < run.size() ? static_cast<unsigned char>(run[i]) : 0);
  }
  const uint64_t before_digits = run.front() >= 0 && run.front() < '0' ? 0 : 2;
  return before_digits << 62 | payload;
}

}  // namespace priorityd::priority
