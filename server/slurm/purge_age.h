// How long slurmdbd.conf keeps records.
#ifndef PRIORITYD_SERVER_SLURM_PURGE_AGE_H_
#define PRIORITYD_SERVER_SLURM_PURGE_AGE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/priority/policy.h"

namespace priorityd::slurm {

// `48hours`, `30days`, `12months` (any case, one too: `1day`); a number alone is
// months. INFINITE, UNLIMITED and -1 keep for ever.
// INVALID_ARGUMENT `got "x", want ...`, also for none and for more than 120000.
absl::StatusOr<priority::PurgeAge> ParsePurgeAge(absl::string_view text);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_PURGE_AGE_H_
