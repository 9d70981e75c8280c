#include "engine/slurm/conf/site_factor_parameters.h"

#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

constexpr absl::string_view kTimeout = "timeout=";
constexpr double kLongestSeconds = 300;

absl::StatusOr<absl::Duration> ParseTimeout(absl::string_view word) {
  absl::string_view value = word.substr(kTimeout.size());
  if (!absl::ConsumeSuffix(&value, "s")) absl::ConsumeSuffix(&value, "S");
  const std::optional<double> seconds = ReadDecimal(value);
  if (seconds.has_value() && *seconds >= 0.001 && *seconds <= kLongestSeconds) {
    return absl::Seconds(*seconds);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "got ", Quoted(word), ", want timeout= with seconds from 0.001 to 300, such as timeout=5s"));
}

}  // namespace

absl::StatusOr<SiteFactorParameters> ParseSiteFactorParameters(absl::string_view text) {
  SiteFactorParameters parameters;
  std::vector<absl::string_view> others;
  bool given = false;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const absl::string_view word = absl::StripAsciiWhitespace(part);
    if (!absl::StartsWithIgnoreCase(word, kTimeout)) {
      others.push_back(part);
      continue;
    }
    const absl::StatusOr<absl::Duration> timeout = ParseTimeout(word);
    if (!timeout.ok()) return timeout.status();
    if (given) {
      return absl::InvalidArgumentError(
          absl::StrCat("got ", Quoted(word), ", a second timeout, want one"));
    }
    given = true;
    parameters.timeout = *timeout;
  }
  parameters.for_service = absl::StrJoin(others, ",");
  return parameters;
}

std::string FormatSiteFactorParameters(const SiteFactorParameters& parameters) {
  if (parameters.timeout == SiteFactorParameters().timeout) return parameters.for_service;
  return absl::StrCat(parameters.for_service, parameters.for_service.empty() ? "" : ",", kTimeout,
                      DecimalText(absl::ToDoubleSeconds(parameters.timeout)));
}

}  // namespace priorityd::slurm
