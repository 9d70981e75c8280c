// Prints why one job starts before another.
#ifndef PRIORITYD_CLIENT_PRIOCTL_QUEUE_PRINT_COMPARISON_H_
#define PRIORITYD_CLIENT_PRIOCTL_QUEUE_PRINT_COMPARISON_H_

#include <ostream>

#include "priority/v1/comparison.pb.h"

namespace priorityd::prioctl {

// The sentences, every factor side by side, both branches, and what would have to
// change.
void PrintComparison(const ::priority::v1::Comparison& comparison, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_QUEUE_PRINT_COMPARISON_H_
