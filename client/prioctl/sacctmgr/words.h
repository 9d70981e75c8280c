// The words of sacctmgr's command lines.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_WORDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_WORDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "priority/v1/administration.pb.h"

namespace priorityd::sacctmgr {

// `NAME=VALUE`, `NAME+=VALUE`, `NAME-=VALUE`, or a word alone.
struct Word {
  std::string text;   // As typed.
  std::string name;   // The text before the sign; the whole word if there is none.
  std::string value;  // Quotes around it taken off.
  bool has_value = false;
  ::priority::v1::SettingOperator op = ::priority::v1::SETTING_OPERATOR_SET;
};

Word ReadWord(absl::string_view text);

// Whether `word` is `name`, whatever the case, or its beginning with at least `least` letters.
bool IsShortFor(absl::string_view word, absl::string_view name, size_t least);

// Names divided by commas; one in '...' or "..." may have commas and blanks. Empty ones are left
// out, but for a list that is nothing else: `users=` names the empty user.
std::vector<std::string> SplitNames(absl::string_view list);

// A line typed at the prompt, cut at blanks outside of quotes. INVALID_ARGUMENT where a quote is
// not closed.
absl::StatusOr<std::vector<std::string>> SplitLine(absl::string_view line);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_WORDS_H_
