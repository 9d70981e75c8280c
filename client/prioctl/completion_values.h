// `prioctl complete`, which the completion of shells calls: names that the service knows.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMPLETION_VALUES_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMPLETION_VALUES_H_

#include "client/prioctl/command/command.h"
#include "client/prioctl/completion_words.h"

namespace priorityd::prioctl {

// Makes `line` the call that prints each candidate for the missing name on a line of its own:
// within a second, without a retry, and nothing if the service does not answer or the typed options
// of the connection are wrong. Jobs are those of the calling user, or all if there is none. A name
// with a character that a shell may take for its own is left out.
void CompleteName(const MissingName& missing, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMPLETION_VALUES_H_
