// The amounts that jobs take from grants.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_GRANT_COST_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_GRANT_COST_H_

#include <map>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "client/prioctl/usage/account_grants.h"
#include "client/priority_client.h"
#include "priority/v1/budget.pb.h"
#include "priority/v1/grant.pb.h"

namespace priorityd::prioctl {

// Prints, for each grant in force that a job is charged to, what the job takes of it and what is
// left before and after; of the usage domain of the cluster too. Asks once for each account; prints
// nothing where the caller may not list grants, or the service has none.
class GrantCosts {
 public:
  // `client` must outlive it.
  explicit GrantCosts(const client::PriorityClient& client) : client_(client) {}

  absl::Status Print(const ::priority::v1::JobCost& cost, std::ostream& out);

 private:
  absl::Status Ask(const std::string& account);

  const client::PriorityClient& client_;
  std::map<std::string, AccountGrants> by_account_;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_GRANT_COST_H_
