// Enum values as scenarios print them.
#ifndef PRIORITYD_TESTS_SCENARIOS_ENUM_WORD_H_
#define PRIORITYD_TESTS_SCENARIOS_ENUM_WORD_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace priorityd::scenarios {

// ACCEPTED of USAGE_RECORD_STATUS_ACCEPTED.
inline std::string EnumWord(absl::string_view name, absl::string_view prefix) {
  return std::string(absl::StripPrefix(name, prefix));
}

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_ENUM_WORD_H_
