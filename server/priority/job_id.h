// The order of job ids: natural, so that job-9 stands before job-10.
#ifndef PRIORITYD_SERVER_PRIORITY_JOB_ID_H_
#define PRIORITYD_SERVER_PRIORITY_JOB_ID_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace priorityd::priority {

// Less than, equal to or greater than 0 as `a` is before, equal to or after
// `b`. Ids fall into maximal runs of digits and of other bytes. Two runs of
// digits compare as numbers (by length after stripping zeros, then bytewise),
// other pairs bytewise; an id that is at its end comes first. Ids that differ
// in nothing but leading zeros compare bytewise as a whole. A total order.
int CompareJobIds(absl::string_view a, absl::string_view b);

// A number that rises with that order: Prefix(a) < Prefix(b) only if a comes
// before b; equal ones decide nothing. Saves most comparisons of a sort.
uint64_t JobIdPrefix(absl::string_view id);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_JOB_ID_H_
