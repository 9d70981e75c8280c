#include "engine/slurm/dump/unused_options.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/dump/engine_values.h"
#include "engine/slurm/dump/limit_words.h"
#include "engine/slurm/dump/qos_words.h"

namespace priorityd::slurm {
namespace {

struct UnusedOptionWord {
  absl::string_view name;
  UnusedClass unused_class;
  absl::string_view effect;
};

constexpr UnusedOptionWord kQosFlagWords[] = {
    {"RequiresReservation", UnusedClass::kLimits, "Jobs without a reservation are refused."},
    {"UsageFactorSafe", UnusedClass::kLimits,
     "Under AccountingStorageEnforce=safe, UsageFactor counts in what a job would use."},
    {"PartQOS", UnusedClass::kNoConsequence, "Slurm's own mark of the QOS of partitions."},
    {"Deleted", UnusedClass::kNoConsequence, "Slurm's own mark of deleted QOS."},
};

constexpr UnusedOptionWord kAssociationWords[] = {
    {"MinPrioThreshold", UnusedClass::kLimits,
     "Backfill keeps no resources free for jobs of a lower priority; use MinPrioThresh of a QOS."},
    {"Flags", UnusedClass::kNoConsequence,
     "Such as UsersAreCoords; use Coordinator of the users instead."},
};

constexpr absl::string_view kQosColumnsWithEffect[] = {
    "LimitFactor",   "MinPrioThresh",   "PreemptExemptTime", "PreemptMode", "GraceTime",
    "GrpJobsAccrue", "MaxJobsAccruePA", "MaxJobsAccruePU",   "Description"};

template <typename Words>
const UnusedOptionWord* Find(const Words& words, absl::string_view name) {
  const auto found = absl::c_find_if(words, [name](const UnusedOptionWord& word) {
    return absl::EqualsIgnoreCase(word.name, name);
  });
  return found == std::end(words) ? nullptr : found;
}

// `word` null: of no consequence.
UnusedSetting Setting(const UnusedOptionWord* word, std::string place, absl::string_view name,
                      absl::string_view value) {
  constexpr absl::string_view kNoEffect = "Stored; priorities, usage and limits do not read it.";
  return {.place = std::move(place),
          .name = std::string(name),
          .value = std::string(value),
          .unused_class = word == nullptr ? UnusedClass::kNoConsequence : word->unused_class,
          .effect = std::string(word == nullptr ? kNoEffect : word->effect)};
}

bool HasEffect(absl::string_view column, absl::string_view value) {
  std::vector<priority::LimitValue> limits;
  const absl::StatusOr<bool> is_limit = AddQosLimit(column, value, &limits);
  return !is_limit.ok() || *is_limit || absl::c_linear_search(kQosColumnsWithEffect, column);
}

}  // namespace

std::vector<UnusedSetting> UnusedOf(const QosRow& row) {
  std::vector<UnusedSetting> unused;
  const std::string place = absl::StrCat("QOS ", row.qos.name);
  for (const std::string& flag : row.flags) {
    if (IsQosFlag(flag)) continue;
    const UnusedOptionWord* word = Find(kQosFlagWords, flag);
    unused.push_back(
        Setting(word, place, absl::StrCat("Flags=", word == nullptr ? flag : word->name), flag));
  }
  for (const auto& [column, value] : row.others) {
    const absl::StatusOr<QosWord> known = FindQosWord(column);
    const std::string name(known.ok() ? known->name : column);
    if (IsIdleValue(value) || HasEffect(name, value)) continue;
    unused.push_back(Setting(nullptr, place, name, value));
  }
  return unused;
}

std::optional<UnusedSetting> UnusedOption(absl::string_view name, absl::string_view value,
                                          absl::string_view place) {
  std::vector<priority::LimitValue> limits;
  const absl::StatusOr<bool> is_limit = AddAssociationLimit(name, value, &limits);
  const bool coordinates = absl::StartsWithIgnoreCase(name, "Coordinator");
  if (!is_limit.ok() || *is_limit || coordinates || IsIdleValue(value)) return std::nullopt;
  const AssociationWord* known = FindAssociationWord(name);
  if (known != nullptr) name = known->name;
  return Setting(Find(kAssociationWords, name), std::string(place), name, value);
}

std::vector<UnusedSetting> UnusedOf(const DumpAssociation& line) {
  std::vector<UnusedSetting> unused;
  const std::string place = AssociationPlace(line.association.account, line.association.user);
  for (const DumpOption& option : line.other_options) {
    std::optional<UnusedSetting> setting = UnusedOption(option.name, option.value, place);
    if (setting.has_value()) unused.push_back(*std::move(setting));
  }
  return unused;
}

std::string AssociationPlace(absl::string_view account, absl::string_view user) {
  return user.empty() ? absl::StrCat("account ", account)
                      : absl::StrCat("user ", user, " of ", account);
}

std::vector<std::string> TakeUnknownFlags(QosRow& row) {
  const auto unknown =
      std::stable_partition(row.flags.begin(), row.flags.end(), [](const std::string& flag) {
        return IsQosFlag(flag) || Find(kQosFlagWords, flag) != nullptr;
      });
  std::vector<std::string> taken(unknown, row.flags.end());
  row.flags.erase(unknown, row.flags.end());
  return taken;
}

}  // namespace priorityd::slurm
