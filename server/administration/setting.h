// One `NAME=VALUE` of an operator.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTING_H_

#include <string>

namespace priorityd::administration {

// `=`, `+=` and `-=`; the last two are for lists.
enum class SettingOperator { kSet, kAdd, kRemove };

struct Setting {
  std::string name;  // As typed: Slurm's word in any case.
  SettingOperator op = SettingOperator::kSet;
  std::string value;

  bool operator==(const Setting&) const = default;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTING_H_
