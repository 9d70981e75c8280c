#include "client/prioctl/text/question.h"

#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace priorityd::prioctl {

absl::Status Ask(const std::string& question, bool yes, Console& console) {
  if (yes) return absl::OkStatus();
  if (!console.in_is_terminal || !console.err_is_terminal) {
    return absl::FailedPreconditionError(
        absl::StrCat(question, " Nothing was done: there is no terminal to ask on, give --yes"));
  }
  console.err << question << " (y/N): " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  const std::string word = absl::AsciiStrToLower(absl::StripAsciiWhitespace(answer));
  if (word == "y" || word == "yes") return absl::OkStatus();
  return absl::CancelledError("nothing was done");
}

}  // namespace priorityd::prioctl
