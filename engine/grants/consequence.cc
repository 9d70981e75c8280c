#include "engine/grants/consequence.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "engine/grants/setting_values.h"
#include "engine/numbers/whole_number.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"

namespace priorityd::grants {
namespace {

using priority::GrantConsequence;
using priority::GrantMeasure;
using priority::ReducedFactor;
using slurm::Unexpected;

constexpr absl::string_view kDemotePrefix = "demote:";
constexpr absl::string_view kBandPrefix = "band=";
constexpr absl::string_view kCapPrefix = "cap:";
constexpr double kPartsOfOne = 1e6;

constexpr std::pair<absl::string_view, GrantConsequence> kPlainConsequences[] = {
    {"none", GrantConsequence::kNone},
    {"block", GrantConsequence::kBlock},
    {"refuse", GrantConsequence::kRefuse},
    {"warn", GrantConsequence::kWarn}};

constexpr std::pair<absl::string_view, ReducedFactor> kFactorWords[] = {
    {"Age", ReducedFactor::kAge},
    {"Assoc", ReducedFactor::kAssoc},
    {"FairShare", ReducedFactor::kFairShare},
    {"JobSize", ReducedFactor::kJobSize},
    {"Partition", ReducedFactor::kPartition},
    {"QOS", ReducedFactor::kQos},
    {"TRES", ReducedFactor::kTres},
    {"Site", ReducedFactor::kSite},
    {"Priority", ReducedFactor::kAll}};

bool TakePrefix(absl::string_view prefix, absl::string_view* text) {
  if (!absl::StartsWithIgnoreCase(*text, prefix)) return false;
  *text = absl::StripAsciiWhitespace(text->substr(prefix.size()));
  return true;
}

std::optional<ReducedFactor> FactorOf(absl::string_view word) {
  for (const auto& [name, factor] : kFactorWords) {
    if (absl::EqualsIgnoreCase(name, word)) return factor;
  }
  return std::nullopt;
}

std::pair<absl::string_view, absl::string_view> AtEquals(absl::string_view text) {
  const size_t at = text.find('=');
  if (at == absl::string_view::npos) return {text, ""};
  return {absl::StripAsciiWhitespace(text.substr(0, at)),
          absl::StripAsciiWhitespace(text.substr(at + 1))};
}

absl::StatusOr<GrantMeasure> ReadReduction(absl::string_view text) {
  const auto [word, part] = AtEquals(text);
  const std::optional<ReducedFactor> factor = FactorOf(word);
  const absl::StatusOr<int64_t> millionths = ReadPercentage(part);
  if (factor.has_value() && millionths.ok() && *millionths <= kPartsOfOne) {
    return GrantMeasure{*factor, static_cast<double>(*millionths) / kPartsOfOne, ""};
  }
  return Unexpected(text,
                    "a factor and a part of it from 0% to 100% such as FairShare=10%, of Age, "
                    "Assoc, FairShare, JobSize, Partition, QOS, TRES, Site or Priority");
}

absl::StatusOr<GrantMeasure> ReadBand(absl::string_view text) {
  const absl::StatusOr<int64_t> most = ReadWholeNumber(text, 1, UINT32_MAX);
  if (!most.ok()) return most.status();
  return GrantMeasure{ReducedFactor::kAll, static_cast<double>(*most), ""};
}

absl::StatusOr<GrantMeasure> ReadCap(absl::string_view text) {
  const auto [name, count] = AtEquals(text);
  const absl::StatusOr<std::string> tres = priority::CanonicalTresName(name);
  const absl::StatusOr<int64_t> most = ReadWholeNumber(count, 0, kMaxCap);
  if (tres.ok() && most.ok()) {
    return GrantMeasure{ReducedFactor::kAll, static_cast<double>(*most), *tres};
  }
  return Unexpected(text, "a TRES and a whole number of it, at most 1e12, such as gres/gpu=8");
}

absl::StatusOr<Consequence> WithMeasure(GrantConsequence kind, absl::string_view text) {
  absl::StatusOr<GrantMeasure> measure = ReadMeasure(kind, text);
  if (!measure.ok()) return measure.status();
  return Consequence{kind, "", *std::move(measure)};
}

absl::StatusOr<Consequence> ReadDemotion(absl::string_view text) {
  absl::string_view band = text;
  if (TakePrefix(kBandPrefix, &band)) return WithMeasure(GrantConsequence::kBand, band);
  // No QOS of Slurm has a name with `=`.
  if (absl::StrContains(text, '=')) return WithMeasure(GrantConsequence::kReduce, text);
  if (absl::Status s = slurm::CheckName(text); !s.ok()) return s;
  return Consequence{GrantConsequence::kDemote, std::string(text), {}};
}

}  // namespace

absl::string_view FactorWord(ReducedFactor factor) {
  return kFactorWords[static_cast<size_t>(factor)].first;
}

absl::StatusOr<GrantMeasure> ReadMeasure(GrantConsequence kind, absl::string_view text) {
  if (kind == GrantConsequence::kReduce) return ReadReduction(text);
  if (kind == GrantConsequence::kBand) return ReadBand(text);
  if (kind == GrantConsequence::kCap) return ReadCap(text);
  if (text.empty()) return GrantMeasure();
  return Unexpected(text, "nothing");
}

std::string MeasureText(GrantConsequence kind, const GrantMeasure& measure) {
  if (kind == GrantConsequence::kReduce) {
    return absl::StrCat(FactorWord(measure.factor), "=",
                        PercentageText(numbers::RoundedWhole(measure.most * kPartsOfOne)));
  }
  const int64_t most = numbers::RoundedWhole(measure.most);
  if (kind == GrantConsequence::kBand) return absl::StrCat(most);
  return kind == GrantConsequence::kCap ? absl::StrCat(measure.tres, "=", most) : "";
}

absl::StatusOr<Consequence> ReadConsequence(absl::string_view text) {
  for (const auto& [word, kind] : kPlainConsequences) {
    if (absl::EqualsIgnoreCase(word, text)) return Consequence{kind, "", {}};
  }
  absl::string_view rest = text;
  if (TakePrefix(kDemotePrefix, &rest) && !rest.empty()) return ReadDemotion(rest);
  if (TakePrefix(kCapPrefix, &rest)) return WithMeasure(GrantConsequence::kCap, rest);
  return Unexpected(text,
                    "none, demote:QOS, demote:FACTOR=PERCENTAGE, demote:Band=PRIORITY, "
                    "cap:TRES=COUNT, block, refuse or warn");
}

std::string ConsequenceText(const Consequence& consequence) {
  const std::string measure = MeasureText(consequence.kind, consequence.measure);
  switch (consequence.kind) {
    case GrantConsequence::kDemote:
      return absl::StrCat(kDemotePrefix, consequence.demoted_qos);
    case GrantConsequence::kReduce:
      return absl::StrCat(kDemotePrefix, measure);
    case GrantConsequence::kBand:
      return absl::StrCat(kDemotePrefix, "Band=", measure);
    case GrantConsequence::kCap:
      return absl::StrCat(kCapPrefix, measure);
    case GrantConsequence::kNone:
    case GrantConsequence::kBlock:
    case GrantConsequence::kRefuse:
    case GrantConsequence::kWarn:
      break;
  }
  for (const auto& [word, kind] : kPlainConsequences) {
    if (kind == consequence.kind) return std::string(word);
  }
  return "";
}

}  // namespace priorityd::grants
