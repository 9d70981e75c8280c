// What a service's ledger knows of jobs, as job history.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_LEDGER_HISTORY_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_LEDGER_HISTORY_H_

#include <string>
#include <vector>

#include "client/prioctl/replay/history_file.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::replay {

// A job for each run (tables::RunsOf). One of which no submit time was told is eligible when it
// started, and one of which no time limit was told has its partition's, else its run time: how many
// there are goes to `notes`, in sentences. Jobs that still run, and those that held no TRES, such
// as the collectors' marks, are left out.
History LedgerHistory(const ::priority::v1::ListUsageRecordsResponse& records,
                      std::vector<std::string>* notes);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_LEDGER_HISTORY_H_
