// The configuration file of priorityd.
#ifndef PRIORITYD_SERVER_FLAGS_SETTINGS_FILE_H_
#define PRIORITYD_SERVER_FLAGS_SETTINGS_FILE_H_

#include <cstddef>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::flags {

// A line of the file.
struct Setting {
  int line = 0;       // From 1.
  std::string name;   // Of a flag, without dashes.
  std::string value;  // Of a flag without a value: empty.

  bool operator==(const Setting&) const = default;
};

inline constexpr size_t kMostSettingsBytes = 1 << 20;
inline constexpr size_t kMostWrongLines = 20;

// The wrong lines of a file: the faults of the first kMostWrongLines of them, in its order, and how
// many there are.
class WrongLines {
 public:
  // In any order. `why`: `name: got X, want Y`, which is cut to about 300 bytes.
  void Add(int line, absl::string_view why);

  bool empty() const { return count_ == 0; }

  // `FILE:7: name: got X, want Y` for each, one below the other, and a line with the number of the
  // others.
  std::string Text(absl::string_view file) const;

 private:
  std::multimap<int, std::string> first_;  // By line.
  size_t count_ = 0;
};

// Reads `name = value`, one setting on a line. A value is the rest of the line, without spaces at
// its ends and without quotes; a flag that takes no value is its name alone. Empty lines and lines
// that begin with # are skipped, and so is a byte order mark. Any other line is wrong, and one with
// a name that is no word, a quoted value or a control character. INVALID_ARGUMENT: more than
// kMostSettingsBytes.
absl::StatusOr<std::vector<Setting>> ReadSettings(std::istream& file, WrongLines* wrong);

// The names whose values differ between two files, sorted, each once.
std::vector<std::string> ChangedNames(const std::vector<Setting>& before,
                                      const std::vector<Setting>& after);

}  // namespace priorityd::flags

#endif  // PRIORITYD_SERVER_FLAGS_SETTINGS_FILE_H_
