// Text of Slurm's files that has no consequence, in whatever encoding a site wrote it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_FREE_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_FREE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

// The content of slurm.conf or of a dump, whose comments and values of Reason, Description and
// Organization are read as Latin-1 where they are not UTF-8: Slurm stores their bytes as they are.
// Everything else, names among it, stays as it is.
std::string WithFreeTextAsUtf8(std::string content);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_FREE_TEXT_H_
