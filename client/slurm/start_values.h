// Priorities that put jobs into an order, with as few changes as possible.
#ifndef PRIORITYD_CLIENT_SLURM_START_VALUES_H_
#define PRIORITYD_CLIENT_SLURM_START_VALUES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace priorityd::slurm_frontend {

// The range of all values. A new job should be after them until it is set.
struct ValueRange {
  int64_t lowest = 0;
  int64_t highest = 0;
};

// Above the priorities of priority/multifactor.
inline constexpr ValueRange kAboveMultifactor = {1'000, 2'000'000'000};
// Above 0xffff0000, from which priority/basic counts down, and below the special values.
inline constexpr ValueRange kAboveBasic = {4'294'901'760, 4'294'967'290};

// For jobs in the order in which they should start: values that fall from one to the next. `now`:
// the value that a job has and may keep; nullopt = it needs one. The most jobs that can keep theirs
// do; the others get values between those of their neighbours. If no room is left, all
// get new ones. REQUIRES: fewer jobs than the range has values.
std::vector<int64_t> StartValues(absl::Span<const std::optional<int64_t>> now, ValueRange range);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_START_VALUES_H_
