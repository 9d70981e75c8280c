// Settings in scontrol's words: += and -= of lists, and faults of the values.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_LIST_SETTING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_LIST_SETTING_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/violations.h"
#include "server/administration/settings/setting.h"

namespace priorityd::administration {

// Calls `set(name, is_list, setting)` for each setting and notes the last one of each word in
// `setting_of`. `find` returns the word of a typed name, with its full name and whether it is a
// list. INVALID_ARGUMENT names the settings with an unknown word, those with += or -= of a word
// that is no list, and those that would replace an earlier one.
template <typename Find, typename Set>
absl::Status ForEachSetting(const std::vector<Setting>& settings, Find find, Set set,
                            std::map<std::string, size_t>* setting_of) {
  errors::Violations violations;
  for (size_t i = 0; i < settings.size(); ++i) {
    const Setting& setting = settings[i];
    const std::string field = absl::StrCat("settings[", i, "]");
    const auto word = find({setting.name.data(), setting.name.size()});
    if (!word.ok()) {
      violations.Add(field + ".name", word.status().message());
      continue;
    }
    const std::string name(word->name);
    if (setting.op != SettingOperator::kSet && !word->is_list) {
      violations.Add(field + ".operator", absl::StrCat("got += or -= for ", name, ", want ="));
      continue;
    }
    if (setting.op == SettingOperator::kSet && setting_of->contains(name)) {
      violations.Add(field + ".name", absl::StrCat("got ", name, " a second time, want it once"));
      continue;
    }
    (*setting_of)[name] = i;
    set(name, word->is_list, setting);
  }
  return violations.ToStatus();
}

// The names of a list such as `a,b` after `setting`; names that differ in case are equal. -1 =
// none.
std::string ChangedNames(absl::string_view present, const Setting& setting);

// Limits such as `cpu=4,node=2` after applying those of `value`: the others stay, -1 removes one.
// -1 alone, or an empty value, removes all.
std::string ChangedLimits(absl::string_view present, absl::string_view value);

// A status whose violations begin with a word, such as `MaxTime: got ...`, as one whose violations
// name the settings of these words: `settings[2].value`. `setting_of`: by word, the number of the
// last setting.
absl::Status OfSettings(const absl::Status& status,
                        const std::map<std::string, size_t>& setting_of);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_LIST_SETTING_H_
