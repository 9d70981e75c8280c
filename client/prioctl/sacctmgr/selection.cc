#include "client/prioctl/sacctmgr/selection.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/slurm/words/closest_word.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

constexpr unsigned Bit(Entity entity) { return 1U << static_cast<unsigned>(entity); }

constexpr unsigned kAccounts = Bit(Entity::kAccount);
constexpr unsigned kAssociations = Bit(Entity::kAssociation);
constexpr unsigned kClusters = Bit(Entity::kCluster);
constexpr unsigned kCoordinators = Bit(Entity::kCoordinator);
constexpr unsigned kQos = Bit(Entity::kQos);
constexpr unsigned kTransactions = Bit(Entity::kTransaction);
constexpr unsigned kUsers = Bit(Entity::kUser);
constexpr unsigned kFiles = Bit(Entity::kNone);
constexpr unsigned kTree = kAccounts | kAssociations | kUsers;
constexpr unsigned kAll = ~0U;

// A word that names things: for which entities, and where it goes.
struct Condition {
  unsigned entities;
  absl::string_view name;
  size_t least;
  Names Selection::*list;
  bool adds;  // Names things in `add` too; else it is a setting there.
};

using S = Selection;
constexpr Condition kConditions[] = {
    {kAll, "Clusters", 2, &S::clusters, true},
    {kAll, "Format", 2, &S::format, false},
    {kAll, "Fields", 2, &S::format, false},
    {kFiles, "File", 1, &S::file, false},
    {kClusters, "Names", 1, &S::names, true},
    {kQos, "Names", 1, &S::names, true},
    {kQos, "QOSLevel", 1, &S::names, true},
    {kAccounts, "Names", 1, &S::accounts, true},
    {kUsers | kCoordinators, "Names", 1, &S::users, true},
    {kTree | kCoordinators | kTransactions, "Accounts", 3, &S::accounts, true},
    {kTree | kCoordinators | kTransactions, "Acct", 2, &S::accounts, true},
    {kTree | kCoordinators | kTransactions, "Users", 1, &S::users, true},
    {kUsers | kAssociations, "Partitions", 3, &S::partitions, true},
    {kAccounts | kAssociations, "Parents", 3, &S::parents, true},
    {kTree, "QOSLevel", 1, &S::qos, false},
    {kTree, "DefaultQOS", 8, &S::default_qos, false},
    {kUsers, "DefaultAccounts", 8, &S::default_accounts, false},
    {kUsers, "AdminLevels", 2, &S::admin_levels, false},
    {kAccounts, "Organizations", 1, &S::organizations, false},
    {kAccounts, "Descriptions", 1, &S::descriptions, false},
    {kTransactions, "Actions", 4, &S::actions, false},
    {kTransactions, "Actors", 4, &S::actors, false},
    {kTransactions, "Start", 1, &S::start, false},
    {kTransactions, "End", 1, &S::end, false},
};

// A word without a value.
struct Switch {
  absl::string_view name;
  size_t least;
  bool Selection::*flag;  // nullptr = taken, and it changes nothing here.
};

constexpr Switch kSwitches[] = {
    {"WithAssociations", 5, &S::with_associations},
    {"WithCoordinators", 5, &S::with_coordinators},
    {"WithSubAccounts", 5, &S::with_sub_accounts},
    {"OnlyDefaults", 4, &S::only_defaults},
    {"Tree", 4, &S::tree},
    {"Clean", 3, &S::clean},
    {"WithDeleted", 5, nullptr},
    {"WithRawQOSLevel", 5, nullptr},
    {"WOPInfo", 4, nullptr},
    {"WOPLimits", 4, nullptr},
    {"WOLimits", 3, nullptr},
};

// The list for names without an option, as `ann` in `show user ann`.
Names Selection::*NamesOf(Entity entity) {
  switch (entity) {
    case Entity::kAccount:
      return &S::accounts;
    case Entity::kUser:
    case Entity::kCoordinator:
      return &S::users;
    case Entity::kCluster:
    case Entity::kQos:
      return &S::names;
    case Entity::kNone:
      return &S::file;
    default:
      return nullptr;
  }
}

const Condition* FindCondition(const Command& command, absl::string_view name) {
  const auto* found =
      std::find_if(std::begin(kConditions), std::end(kConditions), [&](const Condition& known) {
        return (known.entities & Bit(command.entity)) != 0 &&
               (known.adds || command.verb != Verb::kAdd) &&
               IsShortFor(name, known.name, known.least);
      });
  return found == std::end(kConditions) ? nullptr : found;
}

std::vector<std::string> KnownWords(const Command& command) {
  std::vector<std::string> names;
  for (const Condition& known : kConditions) {
    if ((known.entities & Bit(command.entity)) != 0) names.emplace_back(known.name);
  }
  for (const Switch& known : kSwitches) names.emplace_back(known.name);
  return names;
}

absl::Status Unknown(const Command& command, const Word& word) {
  return absl::InvalidArgumentError(absl::StrCat(
      "got the condition \"", word.text, "\"", slurm::WantOneOf(word.name, KnownWords(command)),
      command.verb == Verb::kModify ? "; settings follow the word set" : ""));
}

void Append(Names names, Names& list) {
  list.insert(list.end(), std::make_move_iterator(names.begin()),
              std::make_move_iterator(names.end()));
}

bool TakeSwitch(const Word& word, Selection& selection) {
  const auto* found = std::find_if(
      std::begin(kSwitches), std::end(kSwitches),
      [&](const Switch& known) { return IsShortFor(word.name, known.name, known.least); });
  if (found == std::end(kSwitches)) return false;
  if (found->flag != nullptr) selection.*found->flag = true;
  return true;
}

absl::Status TakeAlone(const Command& command, const Word& word, Selection& selection) {
  if (TakeSwitch(word, selection)) return absl::OkStatus();
  Names Selection::*list = NamesOf(command.entity);
  if (list == nullptr) return Unknown(command, word);
  if (command.verb == Verb::kDump) list = &S::clusters;
  Append(SplitNames(word.text), selection.*list);
  return absl::OkStatus();
}

void TakeValue(const Word& word, const Condition& known, Selection& selection) {
  Names& list = selection.*known.list;
  const bool is_text = known.list == &S::format || known.list == &S::file ||
                       known.list == &S::start || known.list == &S::end;
  if (is_text) {
    list.assign(1, word.value);
  } else {
    Append(SplitNames(word.value), list);
  }
}

v1::Setting SettingOf(const Word& word) {
  v1::Setting setting;
  setting.set_name(word.name);
  setting.set_operator_(word.op);
  setting.set_value(word.value);
  return setting;
}

bool HasEmptyName(const Command& command, const Selection& selection) {
  for (const Condition& known : kConditions) {
    // Of associations the empty user is the account, the empty partition none.
    const bool may_be_empty = command.entity == Entity::kAssociation &&
                              (known.list == &S::users || known.list == &S::partitions);
    const Names& names = selection.*known.list;
    if (!may_be_empty && std::find(names.begin(), names.end(), "") != names.end()) return true;
  }
  return false;
}

absl::StatusOr<Selection> Read(const Command& command, const std::vector<Word>& words) {
  Selection selection;
  for (const Word& word : words) {
    if (!word.has_value) {
      if (absl::Status taken = TakeAlone(command, word, selection); !taken.ok()) return taken;
      continue;
    }
    const Condition* known = FindCondition(command, word.name);
    if (known != nullptr && word.op == v1::SETTING_OPERATOR_SET) {
      TakeValue(word, *known, selection);
    } else if (command.verb == Verb::kAdd) {
      selection.settings.push_back(SettingOf(word));
    } else {
      return Unknown(command, word);
    }
  }
  // `delete user "$NAME"` with NAME unset must not mean the accounts themselves.
  if (command.verb != Verb::kShow && HasEmptyName(command, selection)) {
    return absl::InvalidArgumentError("got an empty name, want one with letters");
  }
  if (selection.clusters.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("cluster: got ",
                                                   absl::StrJoin(selection.clusters, ","),
                                                   ", want one: every call is about one cluster"));
  }
  return selection;
}

}  // namespace

bool Selection::names_things() const {
  const std::initializer_list<const Names*> lists = {
      &names,       &accounts,         &users,         &partitions,   &parents,     &qos,
      &default_qos, &default_accounts, &organizations, &admin_levels, &descriptions};
  return std::any_of(lists.begin(), lists.end(), [](const Names* list) { return !list->empty(); });
}

absl::StatusOr<Selection> ReadSelection(const Command& command) {
  return Read(command, command.where);
}

absl::StatusOr<Selection> ReadNewThings(const Command& command) {
  return Read(command, command.set);
}

absl::StatusOr<std::vector<v1::Setting>> ReadSettings(const Command& command) {
  std::vector<v1::Setting> settings;
  for (const Word& word : command.set) {
    if (!word.has_value) {
      return absl::InvalidArgumentError(
          absl::StrCat("got \"", word.text,
                       "\" after set, want NAME=VALUE, NAME+=VALUE or "
                       "NAME-=VALUE; conditions follow the word where"));
    }
    settings.push_back(SettingOf(word));
  }
  if (settings.empty()) {
    return absl::InvalidArgumentError("got nothing to set, want set NAME=VALUE ...");
  }
  // Errors name the others by their places, which stay.
  std::stable_partition(settings.begin(), settings.end(),
                        [](const v1::Setting& setting) { return !IsTerm(setting); });
  return settings;
}

bool IsTerm(const v1::Setting& setting) {
  return absl::EqualsIgnoreCase(setting.name(), "from") ||
         absl::EqualsIgnoreCase(setting.name(), "until");
}

}  // namespace priorityd::sacctmgr
