// An operator's settings of associations and users, in sacctmgr's words.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_SETTINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_SETTINGS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "server/administration/settings/setting.h"
#include "storage/configuration/cluster_user_store.h"

namespace priorityd::administration {

using NameList = std::vector<std::string>;

// A `=`, `+=` or `-=` of a list.
struct ListChange {
  SettingOperator op = SettingOperator::kSet;
  NameList names;

  // `list` after the change, without duplicates.
  NameList ApplyTo(NameList list) const;
};

// One attribute of associations and its new value.
struct WordSetting {
  size_t place = 0;  // settings[place] of the request.
  const slurm::AssociationWord* word = nullptr;
  std::string value;                // Empty = unset it.
  std::vector<ListChange> changes;  // Of a QOS list, in order.
};

struct TreeSettings {
  std::vector<WordSetting> words;
  std::optional<std::string> parent;
  bool resets_usage = false;  // RawUsage=0.

  // Of users; an empty default account or level means none.
  std::optional<std::string> default_account;
  std::optional<std::string> admin_level;
  std::optional<ListChange> coordinators;  // The accounts that they coordinate.

  // The field of the request that sets a word, for errors; empty if none does.
  std::string FieldOf(absl::string_view word) const;
  std::vector<std::pair<std::string, size_t>> places;
};

// The words allowed in a request.
enum class SettingsOf { kNewAssociations, kAssociations, kUsers };

// Operator, Administrator or, for None, an empty text; accepts any case and abbreviations.
// INVALID_ARGUMENT `got "x", want ...`.
absl::StatusOr<std::string> ReadAdminLevel(const std::string& value);

// Reads words and aliases in any case, and unambiguous abbreviations, and validates their values.
// INVALID_ARGUMENT with all violations, such as `settings[2].value: got "x", want ...`.
absl::StatusOr<TreeSettings> ReadSettings(const std::vector<Setting>& settings, SettingsOf of);

// Sets one word of `line`. `inherited`: the QOS list that applies if it has no own list; nullopt =
// none. INVALID_ARGUMENT for a change of a list that does not exist.
absl::Status Apply(const WordSetting& setting, const std::optional<NameList>& inherited,
                   slurm::DumpAssociation* line);

// `settings[2].value`
std::string ValueField(size_t place);

// `user` with those of the settings that are of users; whether they can be is not checked.
storage::ClusterUser WithSettings(storage::ClusterUser user, const TreeSettings& settings);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_SETTINGS_H_
