// `scontrol show assoc_mgr`: the records selected, and the order in which they are printed.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_ASSOC_MGR_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_ASSOC_MGR_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/priority_client.h"

namespace priorityd::jobs {

// `words`: those after `assoc_mgr`, of `accounts=a,b`, `users=a,b`, `qos=a,b` and
// `flags=users,assoc,qos`; every record without. INVALID_ARGUMENT for another; errors of the calls.
absl::Status ShowAssocMgr(const std::vector<std::string>& words,
                          const client::PriorityClient& client, std::ostream& out);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_ASSOC_MGR_H_
