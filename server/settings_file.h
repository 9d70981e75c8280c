// The configuration file of priorityd.
#ifndef PRIORITYD_SERVER_SETTINGS_FILE_H_
#define PRIORITYD_SERVER_SETTINGS_FILE_H_

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace priorityd {

// A line of the file.
struct Setting {
  int line = 0;       // From 1.
  std::string name;   // Of a flag, without dashes.
  std::string value;  // Of a flag without a value: empty.

  bool operator==(const Setting&) const = default;
};

inline constexpr size_t kMostSettingsBytes = 1 << 20;

// Reads `name = value`, one setting on a line. A value is the rest of the line, without spaces at
// its ends and without quotes; a flag that takes no value is its name alone. Empty lines and lines
// that begin with # are skipped, and so is a byte order mark. INVALID_ARGUMENT, `line N: got X,
// want Y`, for any other line, a name that is no word, a quoted value, a control character, and
// more than kMostSettingsBytes.
absl::StatusOr<std::vector<Setting>> ReadSettings(std::istream& file);

// The names whose values differ between two files, sorted, each once.
std::vector<std::string> ChangedNames(const std::vector<Setting>& before,
                                      const std::vector<Setting>& after);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_SETTINGS_FILE_H_
