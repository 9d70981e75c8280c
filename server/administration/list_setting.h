// Applies += and -= to lists.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "server/administration/setting.h"

namespace priorityd::administration {

// The names of a list such as `a,b` after `setting`; names that differ in case are equal. -1 =
// none.
std::string ChangedNames(absl::string_view present, const Setting& setting);

// Limits such as `cpu=4,node=2` after applying those of `value`: the others stay, -1 removes one.
// -1 alone, or an empty value, removes all.
std::string ChangedLimits(absl::string_view present, absl::string_view value);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_
