// `scontrol show partition`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_PARTITION_SHEET_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_PARTITION_SHEET_H_

#include <string>

#include "priority/v1/administration.pb.h"

namespace priorityd::jobs {

// All that is known of a partition, by scontrol's names, in its order and lines; `one_line` as
// `scontrol -o`. What priorityd does not know is left out. Ends with the line.
std::string PartitionSheet(const ::priority::v1::Partition& partition, bool one_line);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_PARTITION_SHEET_H_
