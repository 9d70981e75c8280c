// PurgeJobAfter of slurmdbd.conf: how long records are kept.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_PURGE_AGE_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_PURGE_AGE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/policy.h"

namespace priorityd::slurm {

// `48hours`, `30days`, `12months` (case-insensitive, also the singular `1day`); a plain number
// means months. INFINITE, UNLIMITED and -1 mean for ever. INVALID_ARGUMENT `got "x", want ...`,
// also for 0 and above 120000.
absl::StatusOr<priority::PurgeAge> ParsePurgeAge(absl::string_view text);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_PURGE_AGE_H_
