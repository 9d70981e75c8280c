// The precision in which times are kept.
#ifndef PRIORITYD_SERVER_PRIORITY_MICROSECONDS_H_
#define PRIORITYD_SERVER_PRIORITY_MICROSECONDS_H_

#include "absl/time/time.h"

namespace priorityd {

// What PostgreSQL keeps of a time: whole microseconds, what is beyond cut off.
inline absl::Time CutToMicroseconds(absl::Time time) {
  return absl::FromUnixMicros(absl::ToUnixMicros(time));
}

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_PRIORITY_MICROSECONDS_H_
