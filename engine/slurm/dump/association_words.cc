#include "engine/slurm/dump/association_words.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::slurm {
namespace {

using Limits = priority::AssociationLimits;
using Text = std::optional<std::string>;

// Slurm's value for unset in 32 bits, besides -1.
constexpr uint32_t kInfinite = std::numeric_limits<uint32_t>::max();

bool IsUnset(absl::string_view value) { return value == "-1"; }

Text IfAny(const std::string& text) { return text.empty() ? Text() : Text(text); }

absl::Status ReadShares(absl::string_view value, DumpAssociation& line) {
  std::optional<uint32_t>& shares = line.association.raw_shares;
  const std::optional<uint64_t> number = ReadInteger(value, kParentShares);
  if (absl::EqualsIgnoreCase(value, "parent") || number == kParentShares) {
    shares.reset();
  } else if (IsUnset(value)) {
    shares = 1;
  } else if (number.has_value()) {
    shares = static_cast<uint32_t>(*number);
  } else {
    return Unexpected(value, "a whole number from 0 to 2147483646, or parent (2147483647)");
  }
  return absl::OkStatus();
}

Text SharesText(const DumpAssociation& line) {
  return absl::StrCat(line.association.raw_shares.value_or(kParentShares));
}

absl::Status ReadCount(absl::string_view value, std::optional<uint32_t>& count) {
  const std::optional<uint64_t> number = ReadInteger(value, kInfinite);
  if (IsUnset(value) || number == kInfinite) {
    count.reset();
  } else if (number.has_value()) {
    count = static_cast<uint32_t>(*number);
  } else {
    return Unexpected(value, "a whole number from 0 to 4294967294, or -1 for none");
  }
  return absl::OkStatus();
}

Text CountText(const std::optional<uint32_t>& count) {
  return count.has_value() ? Text(absl::StrCat(*count)) : Text();
}

absl::Status ReadPriority(absl::string_view value, DumpAssociation& line) {
  return ReadCount(value, line.association.priority);
}

Text PriorityText(const DumpAssociation& line) { return CountText(line.association.priority); }

template <std::optional<uint32_t> Limits::*kField>
absl::Status ReadLimit(absl::string_view value, DumpAssociation& line) {
  return ReadCount(value, line.association.limits.*kField);
}

template <std::optional<uint32_t> Limits::*kField>
Text LimitText(const DumpAssociation& line) {
  return CountText(line.association.limits.*kField);
}

absl::Status ReadGrpWall(absl::string_view value, DumpAssociation& line) {
  const absl::StatusOr<absl::Duration> wall = ParseMinutes(value);
  if (!wall.ok()) return wall.status();
  line.association.limits.grp_wall.reset();
  if (*wall != absl::InfiniteDuration()) line.association.limits.grp_wall = *wall;
  return absl::OkStatus();
}

// Slurm's dumps have minutes here.
Text GrpWallText(const DumpAssociation& line) {
  const std::optional<absl::Duration>& wall = line.association.limits.grp_wall;
  if (!wall.has_value()) return {};
  const int64_t minutes = absl::ToInt64Minutes(*wall);
  return absl::Minutes(minutes) == *wall ? absl::StrCat(minutes) : FormatTimeString(*wall);
}

absl::Status ReadGrpTresMins(absl::string_view value, DumpAssociation& line) {
  absl::StatusOr<priority::TresMap> limits = ParseTresLimits(value);
  if (limits.ok()) line.association.limits.grp_tres_mins = *std::move(limits);
  return limits.status();
}

Text GrpTresMinsText(const DumpAssociation& line) {
  return IfAny(TresText(line.association.limits.grp_tres_mins));
}

absl::Status ReadQos(absl::string_view value, DumpAssociation& line) {
  std::vector<std::string> names;
  for (absl::string_view name : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    names.push_back(std::string(absl::StripAsciiWhitespace(name)));
    if (absl::Status s = CheckName(names.back()); !s.ok()) return s;
  }
  line.association.qos = std::move(names);
  return absl::OkStatus();
}

Text QosText(const DumpAssociation& line) {
  if (!line.association.qos.has_value()) return {};
  return absl::StrJoin(*line.association.qos, ",");
}

absl::Status ReadDefaultQos(absl::string_view value, DumpAssociation& line) {
  if (!value.empty() && !IsUnset(value)) line.association.default_qos = std::string(value);
  return CheckName(value);
}

Text DefaultQosText(const DumpAssociation& line) {
  return IfAny(line.association.default_qos.value_or(""));
}

absl::Status ReadPartition(absl::string_view value, DumpAssociation& line) {
  line.association.partition = std::string(value);
  return CheckName(value);
}

Text PartitionText(const DumpAssociation& line) { return IfAny(line.association.partition); }

template <std::string DumpAssociation::*kField>
absl::Status ReadText(absl::string_view value, DumpAssociation& line) {
  line.*kField = std::string(value);
  return absl::OkStatus();
}

template <std::string DumpAssociation::*kField>
Text FieldText(const DumpAssociation& line) {
  return IfAny(line.*kField);
}

absl::Status ReadDefaultAccount(absl::string_view value, DumpAssociation& line) {
  line.default_account = std::string(value);
  return CheckName(value);
}

AssociationWord Limit(absl::string_view name, std::vector<absl::string_view> aliases,
                      WordKind kind) {
  return {.name = name, .aliases = std::move(aliases), .kind = kind};
}

template <std::optional<uint32_t> Limits::*kField>
AssociationWord Count(absl::string_view name, std::vector<absl::string_view> aliases) {
  return {.name = name,
          .aliases = std::move(aliases),
          .kind = WordKind::kCount,
          .read = ReadLimit<kField>,
          .text = LimitText<kField>};
}

template <std::string DumpAssociation::*kField>
AssociationWord AccountText(absl::string_view name) {
  return {.name = name,
          .aliases = {},
          .kind = WordKind::kText,
          .on_root = false,
          .on_users = false,
          .read = ReadText<kField>,
          .text = FieldText<kField>};
}

AssociationWord OfUser(absl::string_view name,
                       absl::Status (*read)(absl::string_view, DumpAssociation&),
                       Text (*text)(const DumpAssociation&)) {
  return {.name = name,
          .aliases = {},
          .kind = WordKind::kText,
          .on_accounts = false,
          .on_root = false,
          .is_set = false,
          .read = read,
          .text = text};
}

std::vector<AssociationWord> MakeWords() {
  using D = DumpAssociation;
  return {
      OfUser("Partition", ReadPartition, PartitionText),
      OfUser("DefaultAccount", ReadDefaultAccount, FieldText<&D::default_account>),
      OfUser("AdminLevel", ReadText<&D::admin_level>, FieldText<&D::admin_level>),
      AccountText<&D::description>("Description"),
      AccountText<&D::organization>("Organization"),
      {.name = "DefaultQOS",
       .aliases = {},
       .kind = WordKind::kQosName,
       .read = ReadDefaultQos,
       .text = DefaultQosText},
      {.name = "Fairshare",
       .aliases = {"Shares", "Share", "RawShares"},
       .kind = WordKind::kShares,
       .read = ReadShares,
       .text = SharesText},
      {.name = "GrpTRESMins",
       .aliases = {},
       .kind = WordKind::kTres,
       .read = ReadGrpTresMins,
       .text = GrpTresMinsText},
      Limit("GrpTRESRunMins", {}, WordKind::kTres),
      Limit("GrpTRES", {}, WordKind::kTres),
      Limit("GrpJobs", {}, WordKind::kCount),
      Count<&Limits::grp_jobs_accrue>("GrpJobsAccrue", {}),
      Limit("GrpSubmitJobs", {"GrpSubmit"}, WordKind::kCount),
      {.name = "GrpWall",
       .aliases = {},
       .kind = WordKind::kTime,
       .read = ReadGrpWall,
       .text = GrpWallText},
      Limit("MaxTRESMinsPerJob", {"MaxTRESMins", "MaxTRESMinsPJ"}, WordKind::kTres),
      Limit("MaxTRESRunMins", {}, WordKind::kTres),
      Limit("MaxTRESPerJob", {"MaxTRES", "MaxTRESPJ"}, WordKind::kTres),
      Limit("MaxTRESPerNode", {"MaxTRESPN"}, WordKind::kTres),
      Limit("MaxJobs", {}, WordKind::kCount),
      Count<&Limits::max_jobs_accrue>("MaxJobsAccrue", {}),
      Count<&Limits::max_submit_jobs>("MaxSubmitJobs", {"MaxSubmit"}),
      Limit("MaxWallDurationPerJob", {"MaxWall", "MaxWallDuration", "MaxWallDurationPJ"},
            WordKind::kTime),
      Limit("MinPrioThreshold", {"MinPrioThresh"}, WordKind::kCount),
      {.name = "Priority",
       .aliases = {},
       .kind = WordKind::kCount,
       .read = ReadPriority,
       .text = PriorityText},
      {.name = "QOS",
       .aliases = {"QosLevel"},
       .kind = WordKind::kQosList,
       .read = ReadQos,
       .text = QosText},
  };
}

constexpr TresWord kTresWords[] = {
    {"GrpCPUs", "GrpTRES", "cpu"},
    {"GrpNodes", "GrpTRES", "node"},
    {"GrpMemory", "GrpTRES", "mem"},
    {"GrpCPUMins", "GrpTRESMins", "cpu"},
    {"GrpCPURunMins", "GrpTRESRunMins", "cpu"},
    {"MaxCPUs", "MaxTRESPerJob", "cpu"},
    {"MaxCPUsPerJob", "MaxTRESPerJob", "cpu"},
    {"MaxNodes", "MaxTRESPerJob", "node"},
    {"MaxNodesPerJob", "MaxTRESPerJob", "node"},
    {"MaxCPUMins", "MaxTRESMinsPerJob", "cpu"},
    {"MaxCPUMinsPerJob", "MaxTRESMinsPerJob", "cpu"},
    {"MaxCPURunMins", "MaxTRESRunMins", "cpu"},
};

bool IsNamed(const AssociationWord& word, absl::string_view name) {
  return absl::EqualsIgnoreCase(word.name, name) ||
         std::any_of(word.aliases.begin(), word.aliases.end(),
                     [&](absl::string_view alias) { return absl::EqualsIgnoreCase(alias, name); });
}

std::string WithUnit(absl::string_view name, int64_t amount) {
  const bool is_memory = name == "mem" || absl::StartsWith(name, "bb/");
  return is_memory ? MegabytesText(amount) : absl::StrCat(amount);
}

}  // namespace

const std::vector<AssociationWord>& AssociationWords() {
  static const auto* const words = new std::vector<AssociationWord>(MakeWords());
  return *words;
}

const AssociationWord* FindAssociationWord(absl::string_view name) {
  const std::vector<AssociationWord>& words = AssociationWords();
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const AssociationWord& word) { return IsNamed(word, name); });
  return found == words.end() ? nullptr : &*found;
}

absl::Span<const TresWord> TresWords() { return kTresWords; }

const TresWord* FindTresWord(absl::string_view name) {
  const auto* found =
      std::find_if(std::begin(kTresWords), std::end(kTresWords),
                   [&](const TresWord& word) { return absl::EqualsIgnoreCase(word.name, name); });
  return found == std::end(kTresWords) ? nullptr : found;
}

std::optional<std::string> DumpValue(const AssociationWord& word, const DumpAssociation& line) {
  if (word.text != nullptr) return word.text(line);
  for (const DumpOption& option : line.other_options) {
    if (IsNamed(word, option.name) && !IsUnset(option.value)) return option.value;
  }
  return std::nullopt;
}

std::optional<std::string> ShownValue(const AssociationWord& word, const DumpAssociation& line) {
  Text value = DumpValue(word, line);
  if (!value.has_value()) return value;
  if (word.kind == WordKind::kShares && !line.association.raw_shares.has_value()) return "parent";
  if (word.kind != WordKind::kTime) return value;
  const absl::StatusOr<absl::Duration> time = ParseMinutes(*value);
  return time.ok() ? FormatTimeString(*time) : *value;
}

std::string TresText(const priority::TresMap& limits) {
  return absl::StrJoin(limits, ",", [](std::string* text, const auto& limit) {
    absl::StrAppend(text, limit.first, "=",
                    WithUnit(limit.first, numbers::WholePart(limit.second)));
  });
}

}  // namespace priorityd::slurm
