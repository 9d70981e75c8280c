// The question before what cannot be undone.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_QUESTION_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_QUESTION_H_

#include <string>

#include "absl/status/status.h"
#include "client/prioctl/text/console.h"

namespace priorityd::prioctl {

// Asks `reset 12 associations of chem?` and waits for the answer; OK at once with `yes` (--yes).
// CANCELLED: the answer is no. FAILED_PRECONDITION: nobody can be asked, since standard input or
// standard error is no terminal.
absl::Status Ask(const std::string& question, bool yes, Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_QUESTION_H_
