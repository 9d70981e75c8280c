// Names of clusters, accounts, users, partitions and QOS.
#ifndef PRIORITYD_SERVER_SLURM_NAME_H_
#define PRIORITYD_SERVER_SLURM_NAME_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// INVALID_ARGUMENT for a name of more than errors::kMaxNameBytes, and for one that does not look
// like what it is: with control characters, with those that turn text around (U+202E), join or hide
// it, or with accents beside their letters (U+0300 to U+036F), of which Unicode has the letter as
// one character. What does not look so is not put right: it would be another's name.
absl::Status CheckName(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_NAME_H_
