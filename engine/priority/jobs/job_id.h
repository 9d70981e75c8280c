// The natural order of job ids: job-9 precedes job-10.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_ID_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_ID_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace priorityd::priority {

// Returns a number less than, equal to or greater than 0 if `a` is before, equal to or after `b`.
// Ids are split into maximal runs of digits and of other bytes. Two runs of digits compare as
// numbers (by length after leading zeros are removed, then bytewise), other pairs bytewise; a
// prefix comes first. Ids that differ only in leading zeros compare bytewise as a whole. A total
// order.
int CompareJobIds(absl::string_view a, absl::string_view b);

// A sort key: JobIdPrefix(a) < JobIdPrefix(b) only if a comes before b; equal keys decide nothing.
// Saves most string comparisons of a sort.
uint64_t JobIdPrefix(absl::string_view id);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_JOB_ID_H_
