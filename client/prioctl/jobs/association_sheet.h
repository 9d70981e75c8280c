// `scontrol show assoc_mgr`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_ASSOCIATION_SHEET_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_ASSOCIATION_SHEET_H_

#include <string>

#include "priority/v1/administration.pb.h"
#include "priority/v1/share.pb.h"

namespace priorityd::jobs {

// A record each, by scontrol's names, in its order and lines. What priorityd does not know is left
// out: uids, Lft, and what running jobs hold of a limit. Each ends with the line.

std::string UserSheet(const ::priority::v1::ClusterUser& user);

// `share`: its row of ListShares; the default one before the first recalculation. `user`: of a
// user's association; null of an account's.
std::string AssociationSheet(const std::string& cluster,
                             const ::priority::v1::Association& association,
                             const ::priority::v1::AssociationShare& share,
                             const ::priority::v1::ClusterUser* user, int64_t parent_id);

std::string QosSheet(const ::priority::v1::Qos& qos);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_ASSOCIATION_SHEET_H_
