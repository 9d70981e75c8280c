// Job history from a service's ledger.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_LEDGER_HISTORY_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_LEDGER_HISTORY_H_

#include <string>
#include <vector>

#include "client/prioctl/replay/history_file.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::replay {

// A job for each run (tables::RunsOf). A job without a submit time is eligible at its start time,
// and a job without a time limit has its partition's or, without that, its run time: sentences in
// `notes` count these jobs. Jobs that still run, and those that held no TRES, such as the
// collectors' marks, are left out.
History LedgerHistory(const ::priority::v1::ListUsageRecordsResponse& records,
                      std::vector<std::string>* notes);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_LEDGER_HISTORY_H_
