// The precision of stored times.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_MICROSECONDS_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_MICROSECONDS_H_

#include "absl/time/time.h"

namespace priorityd::priority {

// `time` truncated to whole microseconds, the precision of PostgreSQL's timestamps.
inline absl::Time CutToMicroseconds(absl::Time time) {
  return absl::FromUnixMicros(absl::ToUnixMicros(time));
}

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_MICROSECONDS_H_
