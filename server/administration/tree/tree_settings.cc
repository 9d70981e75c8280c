#include "server/administration/tree/tree_settings.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/errors/bounds.h"
#include "engine/errors/violations.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::administration {
namespace {

using slurm::AssociationWord;
using slurm::WordKind;

constexpr char kParent[] = "Parent";
constexpr char kRawUsage[] = "RawUsage";
constexpr char kDefaultAccount[] = "DefaultAccount";
constexpr char kAdminLevel[] = "AdminLevel";
constexpr char kCoordinators[] = "Coordinators";

// A word and a text that names it.
struct Meaning {
  std::string text;  // A name or an alias.
  std::string word;
};

std::vector<Meaning> MeaningsFor(SettingsOf of) {
  std::vector<Meaning> meanings;
  const auto add = [&](absl::string_view text, absl::string_view word) {
    meanings.push_back({std::string(text), std::string(word)});
  };
  if (of != SettingsOf::kUsers) {
    for (const AssociationWord& word : slurm::AssociationWords()) {
      if (!word.is_set) continue;
      add(word.name, word.name);
      for (absl::string_view alias : word.aliases) add(alias, word.name);
    }
    for (const slurm::TresWord& word : slurm::TresWords()) add(word.name, word.name);
  }
  if (of == SettingsOf::kAssociations) {
    add(kParent, kParent);
    add(kRawUsage, kRawUsage);
  } else {
    add(kDefaultAccount, kDefaultAccount);
    add(kAdminLevel, kAdminLevel);
    add(kCoordinators, kCoordinators);
  }
  return meanings;
}

absl::Status UnknownWord(const std::string& name, const std::vector<Meaning>& meanings) {
  std::set<std::string> words;
  for (const Meaning& meaning : meanings) words.insert(meaning.word);
  return slurm::Unexpected(name, absl::StrCat("one of ", absl::StrJoin(words, ", ")));
}

// The word that `name` names, or the only one of which it is a prefix. Of several such words, the
// one that is a prefix of all others: maxj is MaxJobs and not MaxJobsAccrue.
absl::StatusOr<std::string> WordMeant(const std::string& name,
                                      const std::vector<Meaning>& meanings) {
  const Meaning* best = nullptr;
  for (const Meaning& meaning : meanings) {
    if (absl::EqualsIgnoreCase(meaning.text, name)) return meaning.word;
    if (!absl::StartsWithIgnoreCase(meaning.text, name)) continue;
    if (best == nullptr || meaning.text.size() < best->text.size()) best = &meaning;
  }
  if (best == nullptr || name.empty()) return UnknownWord(name, meanings);
  for (const Meaning& meaning : meanings) {
    if (!absl::StartsWithIgnoreCase(meaning.text, name) || meaning.word == best->word) continue;
    if (absl::StartsWithIgnoreCase(meaning.text, best->text)) continue;
    return slurm::Unexpected(
        name, absl::StrCat("more of the word: it may be ", best->word, " or ", meaning.word));
  }
  return best->word;
}

bool IsUnset(absl::string_view value) { return value.empty() || value == "-1"; }

absl::StatusOr<NameList> NamesOf(absl::string_view value) {
  NameList names;
  for (absl::string_view name : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    names.emplace_back(absl::StripAsciiWhitespace(name));
    if (absl::Status s = slurm::CheckName(names.back()); !s.ok()) return s;
  }
  return names;
}

// `+name` and `-name` within the list are changes of it.
absl::StatusOr<std::vector<ListChange>> ChangesOf(const Setting& setting) {
  absl::StatusOr<NameList> names = NamesOf(setting.value);
  if (!names.ok()) return names.status();
  std::vector<ListChange> changes;
  const auto is_change = [](absl::string_view name) { return name[0] == '+' || name[0] == '-'; };
  if (setting.op != SettingOperator::kSet || absl::c_none_of(*names, is_change)) {
    changes.push_back({setting.op, *std::move(names)});
    return changes;
  }
  for (const std::string& name : *names) {
    const SettingOperator op = name[0] == '-' ? SettingOperator::kRemove : SettingOperator::kAdd;
    changes.push_back({op, {is_change(name) ? name.substr(1) : name}});
  }
  return changes;
}

// TRES of `value` over those of `present`; -1 takes one away.
absl::StatusOr<std::string> MergedTres(const std::string& present, absl::string_view value) {
  absl::StatusOr<priority::TresMap> limits = slurm::ParseTresLimits(present);
  if (!limits.ok()) limits = priority::TresMap();
  absl::StatusOr<priority::TresMap> changed = slurm::ParseTresLimits(value);
  if (!changed.ok()) return changed.status();
  for (absl::string_view item : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(absl::StripAsciiWhitespace(item), absl::MaxSplits('=', 1));
    const absl::StatusOr<std::string> name = priority::CanonicalTresName(parts.first);
    if (!name.ok()) continue;
    const auto limit = changed->find(*name);
    if (limit == changed->end()) {
      limits->erase(*name);
    } else {
      (*limits)[*name] = limit->second;
    }
  }
  return slurm::TresText(*limits);
}

// In the format of dumps.
absl::StatusOr<std::string> CheckedValue(const AssociationWord& word, absl::string_view value) {
  if (word.kind == WordKind::kTime) {
    const absl::StatusOr<absl::Duration> time = slurm::ParseMinutes(value);
    if (!time.ok()) return time.status();
    if (*time == absl::InfiniteDuration()) return "";
    return absl::StrCat(absl::ToInt64Minutes(*time));
  }
  slurm::DumpAssociation scratch;
  const AssociationWord* reader = &word;
  if (word.kind == WordKind::kCount && word.read == nullptr) {
    reader = slurm::FindAssociationWord("Priority");
  }
  if (reader->read == nullptr) return std::string(value);
  if (absl::Status s = reader->read(value, scratch); !s.ok()) return s;
  return slurm::DumpValue(*reader, scratch).value_or("");
}

class SettingsReader {
 public:
  explicit SettingsReader(SettingsOf of) : meanings_(MeaningsFor(of)) {}

  void Read(const Setting& setting, size_t place) {
    const std::string field = absl::StrCat("settings[", place, "]");
    absl::StatusOr<std::string> word = WordMeant(setting.name, meanings_);
    if (!word.ok()) return violations_.Add(field + ".name", word.status().message());
    for (const auto& [named, earlier] : settings_.places) {
      if (named != *word || setting.op != SettingOperator::kSet) continue;
      return violations_.Add(field + ".name", absl::StrCat("got ", *word, " again, want it once"));
    }
    settings_.places.emplace_back(*word, place);
    const bool is_list = *word == "QOS" || *word == kCoordinators;
    if (!is_list && setting.op != SettingOperator::kSet) {
      return violations_.Add(field + ".operator",
                             absl::StrCat("got += or -= of ", *word,
                                          ", want = since only QOS and Coordinators are lists"));
    }
    if (absl::Status s = Take(*word, setting, place); !s.ok()) {
      violations_.Add(field + ".value", s.message());
    }
  }

  absl::StatusOr<TreeSettings> Finish() {
    if (!violations_.empty()) return violations_.ToStatus();
    return std::move(settings_);
  }

 private:
  absl::Status Take(const std::string& word, const Setting& setting, size_t place) {
    if (word == kParent) return TakeName(setting.value, &settings_.parent);
    if (word == kDefaultAccount) return TakeDefaultAccount(setting.value);
    if (word == kAdminLevel) return TakeAdminLevel(setting.value);
    if (word == kRawUsage) return TakeRawUsage(setting.value);
    if (word == kCoordinators) return TakeCoordinators(setting);
    if (const slurm::TresWord* tres = slurm::FindTresWord(word)) {
      const std::string count = setting.value.empty() ? "-1" : setting.value;
      return TakeWord(*slurm::FindAssociationWord(tres->list),
                      {setting.name, setting.op, absl::StrCat(tres->tres, "=", count)}, place);
    }
    return TakeWord(*slurm::FindAssociationWord(word), setting, place);
  }

  static absl::Status TakeName(const std::string& value, std::optional<std::string>* name) {
    if (value.empty()) return slurm::Unexpected(value, "a name");
    *name = value;
    return slurm::CheckName(value);
  }

  absl::Status TakeDefaultAccount(const std::string& value) {
    return TakeName(value, &settings_.default_account);
  }

  absl::Status TakeAdminLevel(const std::string& value) {
    absl::StatusOr<std::string> level = ReadAdminLevel(value);
    if (!level.ok()) return level.status();
    settings_.admin_level = *std::move(level);
    return absl::OkStatus();
  }

  absl::Status TakeRawUsage(const std::string& value) {
    if (value != "0") return slurm::Unexpected(value, "0, to which usage can be reset");
    settings_.resets_usage = true;
    return absl::OkStatus();
  }

  absl::Status TakeCoordinators(const Setting& setting) {
    absl::StatusOr<NameList> names = NamesOf(setting.value);
    if (!names.ok()) return names.status();
    settings_.coordinators = ListChange{setting.op, *std::move(names)};
    return absl::OkStatus();
  }

  absl::Status TakeWord(const AssociationWord& word, const Setting& setting, size_t place) {
    WordSetting& taken = settings_.words.emplace_back();
    taken.place = place;
    taken.word = &word;
    if (word.kind == WordKind::kQosList) {
      auto changes = ChangesOf(setting);
      if (!changes.ok()) return changes.status();
      taken.changes = *std::move(changes);
      return absl::OkStatus();
    }
    if (IsUnset(setting.value)) return absl::OkStatus();
    if (absl::c_any_of(setting.value, absl::ascii_iscntrl)) {
      return slurm::Unexpected(setting.value, "text without control characters");
    }
    if (word.kind == WordKind::kText && setting.value.size() > errors::kMaxTextBytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          "got ", setting.value.size(), " bytes, want at most ", errors::kMaxTextBytes));
    }
    if (word.kind == WordKind::kTres) {
      taken.value = setting.value;
      return slurm::ParseTresLimits(setting.value).status();
    }
    absl::StatusOr<std::string> value = CheckedValue(word, setting.value);
    if (!value.ok()) return value.status();
    taken.value = *std::move(value);
    return absl::OkStatus();
  }

  const std::vector<Meaning> meanings_;
  TreeSettings settings_;
  errors::Violations violations_{"INVALID_FIELD", /*most=*/100};
};

// The position of a word among the words, for the order of limits that are only stored.
size_t PlaceOf(absl::string_view name) {
  const AssociationWord* word = slurm::FindAssociationWord(name);
  const auto& words = slurm::AssociationWords();
  return word == nullptr ? words.size() : static_cast<size_t>(word - words.data());
}

// Stores a limit that is not enforced at its position in a dump; empty = removes it.
void Keep(const AssociationWord& word, const std::string& value, slurm::DumpAssociation* line) {
  auto& options = line->other_options;
  options.erase(std::remove_if(options.begin(), options.end(),
                               [&](const slurm::DumpOption& option) {
                                 return slurm::FindAssociationWord(option.name) == &word;
                               }),
                options.end());
  if (value.empty()) return;
  const size_t place = PlaceOf(word.name);
  const auto after =
      std::find_if(options.begin(), options.end(),
                   [&](const slurm::DumpOption& option) { return PlaceOf(option.name) > place; });
  options.insert(after, {std::string(word.name), value});
}

absl::Status ApplyToQos(const WordSetting& setting, const std::optional<NameList>& inherited,
                        std::optional<NameList>* qos) {
  if (setting.changes.front().op == SettingOperator::kSet) {
    *qos = setting.changes.front().names;
    if ((*qos)->empty()) qos->reset();
    return absl::OkStatus();
  }
  const std::optional<NameList>& present = qos->has_value() ? *qos : inherited;
  if (!present.has_value() || present->empty()) {
    return absl::InvalidArgumentError(
        "got a change of a list, want a plain list, since neither the association nor an account "
        "above it has one");
  }
  NameList list = *present;
  for (const ListChange& change : setting.changes) list = change.ApplyTo(std::move(list));
  if (list.empty()) {
    return absl::InvalidArgumentError(
        "got a change that leaves no QOS, want one left at least: an empty list allows all");
  }
  *qos = std::move(list);
  return absl::OkStatus();
}

// The value that removes the setting that `read` reads.
std::string ClearingValue(const AssociationWord& word) {
  return word.kind == WordKind::kTres || word.kind == WordKind::kText ? "" : "-1";
}

}  // namespace

absl::StatusOr<std::string> ReadAdminLevel(const std::string& value) {
  if (value.empty() || absl::EqualsIgnoreCase(value, "None")) return "";
  for (const char* level : {"Operator", "Administrator"}) {
    if (absl::StartsWithIgnoreCase(level, value)) return level;
  }
  return slurm::Unexpected(value, "None, Operator or Administrator");
}

NameList ListChange::ApplyTo(NameList list) const {
  if (op == SettingOperator::kSet) list.clear();
  for (const std::string& name : names) {
    const auto found = std::find(list.begin(), list.end(), name);
    if (op == SettingOperator::kRemove) {
      if (found != list.end()) list.erase(found);
    } else if (found == list.end()) {
      list.push_back(name);
    }
  }
  return list;
}

std::string TreeSettings::FieldOf(absl::string_view word) const {
  for (const auto& [named, place] : places) {
    if (named == word) return ValueField(place);
  }
  return "";
}

std::string ValueField(size_t place) { return absl::StrCat("settings[", place, "].value"); }

absl::StatusOr<TreeSettings> ReadSettings(const std::vector<Setting>& settings, SettingsOf of) {
  SettingsReader reader(of);
  for (size_t i = 0; i < settings.size(); ++i) reader.Read(settings[i], i);
  return reader.Finish();
}

absl::Status Apply(const WordSetting& setting, const std::optional<NameList>& inherited,
                   slurm::DumpAssociation* line) {
  const AssociationWord& word = *setting.word;
  if (word.kind == WordKind::kQosList) {
    return ApplyToQos(setting, inherited, &line->association.qos);
  }
  std::string value = setting.value;
  if (word.kind == WordKind::kTres && !value.empty()) {
    auto merged = MergedTres(slurm::DumpValue(word, *line).value_or(""), value);
    if (!merged.ok()) return merged.status();
    value = *std::move(merged);
  }
  if (word.read == nullptr) {
    Keep(word, value, line);
    return absl::OkStatus();
  }
  if (word.kind == WordKind::kQosName) line->association.default_qos.reset();
  return word.read(value.empty() ? ClearingValue(word) : value, *line);
}

storage::ClusterUser WithSettings(storage::ClusterUser user, const TreeSettings& settings) {
  if (settings.admin_level.has_value()) user.admin_level = *settings.admin_level;
  if (settings.coordinators.has_value()) {
    user.coordinated = settings.coordinators->ApplyTo(user.coordinated);
  }
  if (settings.default_account.has_value()) user.default_account = *settings.default_account;
  return user;
}

}  // namespace priorityd::administration
