// Job array tasks in the syntax of sbatch --array.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_ARRAY_TASK_IDS_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_ARRAY_TASK_IDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// Slurm's largest MaxArraySize minus one.
inline constexpr uint32_t kMaxArrayTaskId = 4'000'000;

// The number of distinct tasks in `text`: numbers and ranges `FIRST-LAST`, with an optional
// `:STEP`, joined by `,`; at the end an optional `%LIMIT` of at least 1. Ids are 0 to
// kMaxArrayTaskId, the text has at most 64 KiB. INVALID_ARGUMENT, `got X, want Y`, for anything
// else, and if ranges with steps overlap in more than 100,000 tasks: no text takes long.
absl::StatusOr<uint32_t> CountArrayTasks(absl::string_view text);

// Calls `take` with each task in the text, ascending and once however its ranges overlap, until it
// returns false. REQUIRES: CountArrayTasks accepts the text.
void ForEachArrayTask(absl::string_view text, absl::FunctionRef<bool(uint32_t task)> take);

// The largest task id in the text. REQUIRES: CountArrayTasks accepts the text.
uint32_t LastArrayTask(absl::string_view text);

// The tasks in a text, parsed once for many lookups. REQUIRES: CountArrayTasks accepts the text;
// the empty text has no task.
class ArrayTasks {
 public:
  ArrayTasks() = default;  // None.
  explicit ArrayTasks(absl::string_view text);

  bool Has(uint32_t task) const;

 private:
  struct Range {
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t step = 1;
  };
  std::vector<Range> ranges_;  // Ascending by their first tasks.
};

// The largest number of tasks that run at a time (`%LIMIT`); nullopt = no limit.
std::optional<uint32_t> ArrayTaskLimit(absl::string_view text);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_ARRAY_TASK_IDS_H_
