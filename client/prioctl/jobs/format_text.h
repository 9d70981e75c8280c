// The formats of squeue and sinfo: `--format` and `--Format`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_FORMAT_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_FORMAT_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::jobs {

// Text, and the column after it.
struct FormatPart {
  std::string text;  // Before the column.
  char letter = 0;   // Of --format; 0 = none.
  std::string name;  // Of --Format; empty = none. Without both there is no column.
  int width = 0;     // 0 = as wide as it needs; at most 4096.
  bool right = false;
};

// `%.18i %.9P`: % [.] [WIDTH] LETTER; anything else is text.
std::vector<FormatPart> SplitFormat(absl::string_view format);
// `JobID:10,Account:.8`: NAME [:[.][WIDTH][SUFFIX]], joined by commas; 20 wide where nothing
// follows the name.
std::vector<FormatPart> SplitLongFormat(absl::string_view format);

// Cut and padded to the width.
std::string Cell(absl::string_view text, int width, bool right);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_FORMAT_TEXT_H_
