// The precision in which times are kept.
#ifndef PRIORITYD_SERVER_PRIORITY_MICROSECONDS_H_
#define PRIORITYD_SERVER_PRIORITY_MICROSECONDS_H_

#include "absl/time/time.h"

namespace priorityd::priority {

// What PostgreSQL keeps of a time: whole microseconds, what is beyond cut off.
inline absl::Time CutToMicroseconds(absl::Time time) {
  return absl::FromUnixMicros(absl::ToUnixMicros(time));
}

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_MICROSECONDS_H_
