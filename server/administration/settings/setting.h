// A `NAME=VALUE` in an operator's request.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_SETTING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_SETTING_H_

#include <string>

namespace priorityd::administration {

// `=`, `+=` and `-=`; the last two are for lists.
enum class SettingOperator { kSet, kAdd, kRemove };

struct Setting {
  std::string name;  // As typed: Slurm's word, in upper or lower case.
  SettingOperator op = SettingOperator::kSet;
  std::string value;

  bool operator==(const Setting&) const = default;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_SETTING_H_
