// The start times and waits of jobs, as text for people.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_WAIT_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_WAIT_TEXT_H_

#include <string>

#include "absl/time/time.h"

namespace priorityd::prioctl {

// `2 h 10 min`; as exact as a plan is.
std::string WaitText(absl::Duration wait);

// `14:20`, with the day where it is not that of `as_of`.
std::string HourText(absl::Time time, absl::Time as_of);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_WAIT_TEXT_H_
