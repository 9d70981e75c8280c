#include "server/identity/rate_limits.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::identity {
namespace {

struct Number {
  absl::string_view name;
  int64_t least;
  void (*set)(int64_t value, RateLimits* limits);
};

constexpr Number kNumbers[] = {
    {"rl_bucket_size", 1, [](int64_t n, RateLimits* limits) { limits->bucket_size = n; }},
    {"rl_refill_rate", 1, [](int64_t n, RateLimits* limits) { limits->refill_rate = n; }},
    {"rl_refill_period", 1,
     [](int64_t n, RateLimits* limits) { limits->refill_period = absl::Seconds(n); }},
    {"rl_table_size", 1, [](int64_t n, RateLimits* limits) { limits->table_size = n; }},
    {"rl_log_freq", -1,
     [](int64_t n, RateLimits* limits) {
       limits->log_period = n < 0 ? absl::InfiniteDuration() : absl::Seconds(n);
     }},
};

absl::Status Unexpected(absl::string_view word, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat("got ", slurm::Quoted(word), ", want ", want));
}

}  // namespace

std::string RateLimits::Describe() const {
  return absl::StrCat("want at most ", bucket_size, " calls at once and ", refill_rate, " per ",
                      absl::FormatDuration(refill_period));
}

absl::Status ReadRateLimit(absl::string_view word, RateLimits* limits) {
  if (absl::EqualsIgnoreCase(word, "rl_enable")) {
    limits->enabled = true;
    return absl::OkStatus();
  }
  const size_t equals = word.find('=');
  for (const Number& number : kNumbers) {
    if (!absl::EqualsIgnoreCase(word.substr(0, equals), number.name)) continue;
    int64_t value = 0;
    const bool fits = equals != absl::string_view::npos &&
                      absl::SimpleAtoi(word.substr(equals + 1), &value) && value >= number.least &&
                      value <= kMostOfRate;
    if (!fits) {
      return Unexpected(word,
                        absl::StrCat(number.name, "=N from ", number.least, " to ", kMostOfRate));
    }
    number.set(value, limits);
    return absl::OkStatus();
  }
  return Unexpected(word,
                    "rl_enable, rl_bucket_size=N, rl_refill_rate=N, rl_refill_period=SECONDS, "
                    "rl_table_size=N or rl_log_freq=SECONDS, and no other of its words");
}

}  // namespace priorityd::identity
