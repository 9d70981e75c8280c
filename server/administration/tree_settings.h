// What an operator sets of associations and users, in sacctmgr's words.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_SETTINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_SETTINGS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/administration/setting.h"
#include "server/slurm/association_words.h"
#include "server/slurm/sacctmgr_dump.h"

namespace priorityd::administration {

using NameList = std::vector<std::string>;

// `=`, `+=` or `-=` of a list.
struct ListChange {
  SettingOperator op = SettingOperator::kSet;
  NameList names;

  // `list` after it; names stand once.
  NameList ApplyTo(NameList list) const;
};

// One word of associations and its new value.
struct WordSetting {
  size_t place = 0;  // settings[place] of the request.
  const slurm::AssociationWord* word = nullptr;
  std::string value;                // Empty = unset it.
  std::vector<ListChange> changes;  // Of a QOS list, one after another.
};

struct TreeSettings {
  std::vector<WordSetting> words;
  std::optional<std::string> parent;
  bool resets_usage = false;  // RawUsage=0.

  // Of users; an empty default account or level is none.
  std::optional<std::string> default_account;
  std::optional<std::string> admin_level;
  std::optional<ListChange> coordinators;  // The accounts that they coordinate.

  // Where it was told, for errors; empty if it was not.
  std::string FieldOf(absl::string_view word) const;
  std::vector<std::pair<std::string, size_t>> places;
};

// Which words a request may have.
enum class SettingsOf { kNewAssociations, kAssociations, kUsers };

// Operator, Administrator or, for None, an empty text, by their words in any case, cut short as one
// likes. INVALID_ARGUMENT `got "x", want ...`.
absl::StatusOr<std::string> ReadAdminLevel(const std::string& value);

// Words and aliases in any case, and abbreviated as far as one word begins with it. The value of
// each is one that it can have. INVALID_ARGUMENT with all that is wrong, such as
// `settings[2].value: got "x", want ...`.
absl::StatusOr<TreeSettings> ReadSettings(const std::vector<Setting>& settings, SettingsOf of);

// Sets one word of `line`. `inherited`: the QOS list that holds for it where it has none of its
// own; nullopt = there is none. INVALID_ARGUMENT where a list is changed that there is not.
absl::Status Apply(const WordSetting& setting, const std::optional<NameList>& inherited,
                   slurm::DumpAssociation* line);

// `settings[2].value`
std::string ValueField(size_t place);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_SETTINGS_H_
