// `prioctl budget`, `budget events`, `qos-usage` and `cost`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_BUDGET_H_
#define PRIORITYD_CLIENT_PRIOCTL_BUDGET_H_

#include "absl/status/status.h"
#include "client/prioctl/budget_options.h"
#include "client/prioctl/console.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// Each asks the service and prints the answer.
absl::Status Run(const BudgetOptions& options, const client::PriorityClient& client,
                 Console& console);
// Prints the newest event_id too, for --after.
absl::Status Run(const BudgetEventsOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const QosUsageOptions& options, const client::PriorityClient& client,
                 Console& console);
absl::Status Run(const CostOptions& options, const client::PriorityClient& client,
                 Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_BUDGET_H_
