// A report of the policy laboratory for people.
#ifndef PRIORITYD_CLIENT_PRIOCTL_POLICY_REPLAY_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_POLICY_REPLAY_TEXT_H_

#include <cstdint>
#include <ostream>

#include "client/prioctl/replay/report.h"

namespace priorityd::prioctl {

// The replay, a table of all columns, and one each by account, user and size; of users the
// first `users` by CPU time, 0 = all.
void PrintReport(const replay::Report& report, uint32_t users, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_POLICY_REPLAY_TEXT_H_
