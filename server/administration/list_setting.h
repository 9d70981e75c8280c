// Settings in scontrol's words: += and -= of lists, and faults of the values.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/administration/setting.h"

namespace priorityd::administration {

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

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_
