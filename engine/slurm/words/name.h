// Names of clusters, accounts, users, partitions and QOS.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_NAME_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_NAME_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// INVALID_ARGUMENT for a name longer than errors::kMaxNameBytes, and for a name whose appearance is
// misleading: with control characters, with characters that reverse (U+202E), join or hide text, or
// not in Unicode's normalization form C (UAX 15), so that two spellings of a name would be two
// users. Such a name is not normalized: the result would be a different name.
absl::Status CheckName(absl::string_view name);

// The same for a name of any length.
absl::Status CheckAppearance(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_NAME_H_
