#include "server/administration/settings/list_setting.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/errors/error_details.h"
#include "engine/errors/violations.h"

namespace priorityd::administration {
namespace {

using Views = std::vector<absl::string_view>;

Views Split(absl::string_view text) {
  if (text == "-1") return {};
  Views names;
  for (const absl::string_view name : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    names.push_back(absl::StripAsciiWhitespace(name));
  }
  return names;
}

Views::iterator FindName(Views& names, absl::string_view name) {
  return std::find_if(names.begin(), names.end(), [name](absl::string_view known) {
    return absl::EqualsIgnoreCase(known, name);
  });
}

absl::string_view NameOf(absl::string_view limit) { return limit.substr(0, limit.find('=')); }

Views::iterator FindLimit(Views& limits, absl::string_view name) {
  return std::find_if(limits.begin(), limits.end(), [name](absl::string_view limit) {
    return absl::EqualsIgnoreCase(NameOf(limit), name);
  });
}

}  // namespace

std::string ChangedNames(absl::string_view present, const Setting& setting) {
  Views names;
  if (setting.op != SettingOperator::kSet) names = Split(present);
  for (const absl::string_view name : Split({setting.value.data(), setting.value.size()})) {
    const auto found = FindName(names, name);
    if (setting.op == SettingOperator::kRemove) {
      if (found != names.end()) names.erase(found);
    } else if (found == names.end()) {
      names.push_back(name);
    }
  }
  return absl::StrJoin(names, ",");
}

std::string ChangedLimits(absl::string_view present, absl::string_view value) {
  const Views changes = Split(absl::StripAsciiWhitespace(value));
  if (changes.empty()) return "";
  Views limits = Split(present);
  for (const absl::string_view change : changes) {
    const auto found = FindLimit(limits, NameOf(change));
    const bool is_none = absl::EndsWith(change, "=-1");
    if (found != limits.end() && is_none) limits.erase(found);
    if (found != limits.end() && !is_none) *found = change;
    if (found == limits.end() && !is_none) limits.push_back(change);
  }
  return absl::StrJoin(limits, ",");
}

absl::Status OfSettings(const absl::Status& status,
                        const std::map<std::string, size_t>& setting_of) {
  errors::Violations violations;
  for (const errors::FieldViolation& violation : errors::ViolationsOf(status)) {
    const std::string word = violation.description.substr(0, violation.description.find(':'));
    const auto setting = setting_of.find(word);
    violations.Add(setting == setting_of.end()
                       ? "settings"
                       : absl::StrCat("settings[", setting->second, "].value"),
                   violation.description);
  }
  return violations.empty() ? status : violations.ToStatus();
}

}  // namespace priorityd::administration
