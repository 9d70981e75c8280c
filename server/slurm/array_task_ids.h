// The tasks of a job array, as sbatch --array takes them.
#ifndef PRIORITYD_SERVER_SLURM_ARRAY_TASK_IDS_H_
#define PRIORITYD_SERVER_SLURM_ARRAY_TASK_IDS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// Slurm's largest MaxArraySize less one.
inline constexpr uint32_t kMaxArrayTaskId = 4'000'000;

// How many tasks there are, each counted once: numbers and ranges `FIRST-LAST`, with
// `:STEP` behind, joined by `,`; at the end perhaps `%LIMIT`, of at least 1. Ids go up
// to kMaxArrayTaskId, the text up to 64 KiB. INVALID_ARGUMENT, `got X, want Y`, for
// anything else, and where ranges with steps overlap in more than 100,000 tasks.
absl::StatusOr<uint32_t> CountArrayTasks(absl::string_view text);

// Whether the task is one of them. REQUIRES: CountArrayTasks takes the text.
bool HasArrayTask(absl::string_view text, uint32_t task);

// How many of them run at a time at most, as `%LIMIT` at the end says; nullopt = as many as there
// are.
std::optional<uint32_t> ArrayTaskLimit(absl::string_view text);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_ARRAY_TASK_IDS_H_
