#include "engine/slurm/words/tres_list.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/errors/bounds.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

// Counts are whole numbers that a double represents exactly, even as sums over a million nodes.
constexpr uint64_t kMaxTres = 1'000'000'000'000;
constexpr uint64_t kMaxLimit = uint64_t{1} << 53;
constexpr double kNoLimit = -1;

// Reads a value of `name`; nullopt if it is malformed.
using ReadValue =
    absl::FunctionRef<std::optional<double>(absl::string_view name, absl::string_view value)>;

absl::Status CheckSize(const priority::TresMap& tres) {
  if (tres.size() <= errors::kMaxTresOfCluster) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("got more than ", errors::kMaxTresOfCluster, " TRES, want at most as many"));
}

// NAME=value,NAME=value; `want` describes the values.
absl::StatusOr<priority::TresMap> ParseList(absl::string_view text, absl::string_view want,
                                            ReadValue read) {
  priority::TresMap amounts;
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    item = absl::StripAsciiWhitespace(item);
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    const absl::StatusOr<std::string> name = priority::CanonicalTresName(parts.first);
    if (!name.ok()) {
      return Unexpected(item,
                        "cpu, mem, node, energy, billing, vmem, pages, gres/NAME, license/NAME, "
                        "bb/NAME, fs/NAME or ic/NAME before the =");
    }
    const std::optional<double> value = read(*name, parts.second);
    if (!value.has_value()) return Unexpected(item, absl::StrCat(parts.first, "=", want));
    if (!amounts.emplace(*name, *value).second) return Unexpected(item, "each TRES once");
    if (absl::Status s = CheckSize(amounts); !s.ok()) return s;
  }
  return amounts;
}

// The number of base units in one unit with this suffix power.
double BaseUnits(absl::string_view name, int power) {
  const bool in_megabytes = name == "mem" || absl::StartsWith(name, "bb/");
  return std::ldexp(1.0, 10 * (in_megabytes ? power - 2 : power));
}

// A weight such as `-4.5`, `0.25G` or `0.25GB`, per base unit.
std::optional<double> ReadWeight(absl::string_view name, absl::string_view value) {
  const absl::string_view unit = absl::StripSuffix(value, "B");
  const int power = unit.empty() ? 0 : SuffixPower(unit.back());
  if (power > 0) value = unit.substr(0, unit.size() - 1);
  const std::optional<double> number = ReadDecimal(value);
  if (!number.has_value()) return {};
  const double weight = power > 0 ? *number / BaseUnits(name, power) : *number;
  if (!std::isfinite(weight)) return {};
  return weight;
}

std::optional<double> ReadBillingWeight(absl::string_view name, absl::string_view value) {
  const std::optional<double> weight = ReadWeight(name, value);
  if (!weight.has_value() || *weight < 0) return {};
  return weight;
}

// A limit such as `4`, `2G` or `-1`; less than one base unit counts as one.
std::optional<double> ReadLimit(absl::string_view name, absl::string_view value) {
  if (value == "-1") return kNoLimit;
  return ReadAmount(
      value, [name](int power) { return BaseUnits(name, power); }, static_cast<double>(kMaxLimit));
}

// A count such as `4` or `4G`; at most kMaxTres.
std::optional<double> ReadCount(absl::string_view text) {
  return ReadAmount(
      text, [](int power) { return std::ldexp(1.0, 10 * power); }, static_cast<double>(kMaxTres));
}

// The items between commas outside parentheses, without the text in parentheses.
std::vector<std::string> SplitGres(absl::string_view text) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0 && c == ',') items.emplace_back();
    if (depth == 0 && c != ',') items.back().push_back(c);
    if (c == ')' && depth > 0) --depth;
  }
  return items;
}

// Adds one item of Gres=.
absl::Status AddGres(absl::string_view item, priority::TresMap& gres) {
  constexpr absl::string_view kWant = "NAME, NAME:COUNT or NAME:TYPE:COUNT";
  std::vector<absl::string_view> parts = absl::StrSplit(item, ':');
  std::optional<double> count;
  if (parts.size() > 1) count = ReadCount(parts.back());
  if (count.has_value()) parts.pop_back();
  if (parts.size() > 1 && absl::EqualsIgnoreCase(parts.back(), "no_consume")) parts.pop_back();
  if (parts.size() > 2 || parts[0].empty() || parts.back().empty()) return Unexpected(item, kWant);
  const std::string name = absl::StrCat("gres/", absl::AsciiStrToLower(parts[0]));
  gres[name] += count.value_or(1);
  if (parts.size() == 2) {
    gres[absl::StrCat(name, ":", absl::AsciiStrToLower(parts[1]))] += count.value_or(1);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<priority::TresMap> ParseTresWeights(absl::string_view text) {
  return ParseList(text, "a number, perhaps with a suffix K, M, G, T or P", ReadWeight);
}

absl::StatusOr<priority::TresMap> ParseBillingWeights(absl::string_view text) {
  return ParseList(text, "a number of at least 0, perhaps with a suffix K, M, G, T or P",
                   ReadBillingWeight);
}

absl::StatusOr<priority::TresMap> ParseTresLimits(absl::string_view text) {
  absl::StatusOr<priority::TresMap> limits =
      ParseList(text,
                absl::StrCat("a whole number of at most ", kMaxLimit,
                             ", also such as 1.50T with a suffix K, M, G, T or P, or -1"),
                ReadLimit);
  if (limits.ok()) {
    absl::erase_if(*limits, [](const auto& limit) { return limit.second == kNoLimit; });
  }
  return limits;
}

absl::StatusOr<priority::TresMap> ParseGres(absl::string_view text) {
  priority::TresMap gres;
  for (const std::string& item : SplitGres(text)) {
    const absl::string_view trimmed = absl::StripAsciiWhitespace(item);
    if (trimmed.empty()) continue;
    if (absl::Status status = AddGres(trimmed, gres); !status.ok()) return status;
    if (absl::Status s = CheckSize(gres); !s.ok()) return s;
  }
  return gres;
}

absl::StatusOr<priority::TresMap> ParseLicenses(absl::string_view text) {
  priority::TresMap licenses;
  absl::flat_hash_map<std::string, absl::string_view> spellings;  // By name.
  for (absl::string_view item : absl::StrSplit(text, absl::ByAnyChar(",;"), absl::SkipEmpty())) {
    item = absl::StripAsciiWhitespace(item);
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(item, absl::MaxSplits(':', 1));
    const bool counted = parts.first.size() < item.size();
    const std::optional<double> count = counted ? ReadCount(parts.second) : 1;
    if (parts.first.empty() || !count.has_value()) return Unexpected(item, "NAME or NAME:COUNT");
    const std::string name = absl::StrCat("license/", absl::AsciiStrToLower(parts.first));
    licenses[name] += *count;
    if (absl::Status s = CheckSize(licenses); !s.ok()) return s;
    const absl::string_view first = spellings.emplace(name, parts.first).first->second;
    if (first != parts.first) return Unexpected(item, absl::StrCat(first, ", as before"));
  }
  return licenses;
}

}  // namespace priorityd::slurm
