// What += and -= do to lists.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_

#include <string>

#include "absl/strings/string_view.h"
#include "server/administration/setting.h"

namespace priorityd::administration {

// The names of a list such as `a,b` after `setting`, in any case the same name once. -1 = none.
std::string ChangedNames(absl::string_view present, const Setting& setting);

// Limits such as `cpu=4,node=2` after those of `value`: the others stay, -1 takes one away. -1
// alone, or nothing, takes all away.
std::string ChangedLimits(absl::string_view present, absl::string_view value);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LIST_SETTING_H_
