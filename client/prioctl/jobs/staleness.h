// The warning that an answer is old because the service does not reach its database.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_STALENESS_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_STALENESS_H_

#include <ostream>
#include <string>

#include "priority/v1/snapshot.pb.h"

namespace priorityd::jobs {

// `the service has not reached its database for 00:01:15`; empty where it does.
std::string StalenessText(const ::priority::v1::Snapshot& snapshot);

// The same as a line of warning, where it is so: for standard error beside a table as Slurm prints
// it, which has no place for it.
void WarnOfStaleness(const ::priority::v1::Snapshot& snapshot, std::ostream& err);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_STALENESS_H_
